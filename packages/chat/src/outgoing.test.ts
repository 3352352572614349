import { describe, expect, it } from 'vitest';
import { deliver, describeDelivery, toParts } from './outgoing.js';
import { type ChatPlatform, type OutgoingPart, SendRefused } from './platform.js';

/** Posts into a list; refuses from the given part on. */
const recorder = (refuseFrom = Number.POSITIVE_INFINITY) => {
  const posted: OutgoingPart[] = [];
  const platform: ChatPlatform = {
    maxTextUnits: 10,
    send: async (_channel, part) => {
      if (posted.length >= refuseFrom) throw new SendRefused('slow mode is on');
      return `id${posted.push(part)}`;
    },
    history: async () => [],
    edit: async () => {},
    delete: async () => {},
    react: async () => {},
    download: async () => ({ bytes: new Uint8Array(), isCut: false }),
    typing: async () => {},
    acknowledge: async () => '👀',
  };
  return { platform, posted };
};

const image = { type: 'image', data: Buffer.from('png').toString('base64'), mimeType: 'image/png' } as const;

describe('posting', () => {
  it('returns the id of every part', async () => {
    const { platform } = recorder();
    const delivery = await deliver(platform, 'c', 'aaaa bbbb cccc');
    expect(delivery).toEqual({ kind: 'sent', messageIds: ['id1', 'id2'] });
  });

  it('replies with the first part and attaches files to the last', () => {
    const parts = toParts([{ type: 'text', text: 'aaaa bbbb cccc' }, image], 10, 'm1');
    expect(parts.map(({ replyTo, files }) => [replyTo, files.length])).toEqual([
      ['m1', 0],
      [undefined, 1],
    ]);
    expect(parts[1]?.files[0]).toMatchObject({ name: 'image-1.png', mimeType: 'image/png', bytes: Buffer.from('png') });
  });

  it('posts a file without words, and a link for media known by link', () => {
    expect(toParts([image], 10)).toMatchObject([{ text: '', files: [{}] }]);
    expect(toParts([{ type: 'resource', uri: 'https://x' }], 10)).toMatchObject([{ text: 'https://x', files: [] }]);
  });

  it('says exactly what was posted when a later part fails', async () => {
    const { platform } = recorder(1);
    const delivery = await deliver(platform, 'c', 'aaaa bbbb cccc');
    expect(describeDelivery(delivery)).toBe('only 1 of 2 parts were posted (id1): slow mode is on');
  });

  it('refuses emptiness without asking the platform', async () => {
    const { platform, posted } = recorder();
    expect(await deliver(platform, 'c', ' \n')).toMatchObject({ kind: 'refused' });
    expect(posted).toEqual([]);
  });
});
