import type { RecordWrite } from '@mcpl-bridges/producer';
import { describe, expect, it } from 'vitest';
import { type NoncedPart, SendRefused } from '../platform.js';
import { describeDelivery } from './outgoing.js';
import { Poster, seenNonce } from './poster.js';

/** A platform and a store that outlive the posters that work with them. */
const world = () => {
  const posted: NoncedPart[] = [];
  const held = new Map<string, unknown>();
  const setting = { refuseFrom: Number.POSITIVE_INFINITY, connection: 'one', now: 1_000_000, dieAfter: Infinity };
  let nonces = 0;
  const poster = (): Poster =>
    new Poster({
      platform: {
        maxTextUnits: 10,
        send: async (_channel, part) => {
          if (posted.length >= setting.refuseFrom) throw new SendRefused('slow mode is on');
          const again = posted.findIndex(({ nonce }) => nonce === part.nonce);
          const id = `id${again === -1 ? posted.push(part) : again + 1}`;
          // The process is gone before it hears that its message was posted.
          if (posted.length > setting.dieAfter) await new Promise(() => {});
          return id;
        },
      },
      recall: async (key) => held.get(key),
      remember: async (records: readonly RecordWrite[]) => {
        for (const { key, value } of records) held.set(key, value);
      },
      connectionId: () => setting.connection,
      newNonce: () => `n${++nonces}`,
      now: () => setting.now,
      time: { monotonic: () => 0, after: () => () => {} },
    });
  const remember = ({ key, value }: RecordWrite) => held.set(key, value);
  return { posted, setting, poster, remember };
};

const LONG = { channelId: 'c', content: 'aaaa bbbb cccc' };
const SHORT = { channelId: 'c', content: 'ok' };

describe('posting', () => {
  it('returns the id of every part', async () => {
    expect(await world().poster().post(LONG)).toEqual({ kind: 'sent', messageIds: ['id1', 'id2'] });
  });

  it('says exactly what was posted when a later part fails, and posts only the rest when asked again', async () => {
    const { poster, posted, setting } = world();
    const one = poster();
    setting.refuseFrom = 1;
    expect(describeDelivery(await one.post(LONG))).toBe('only 1 of 2 parts were posted (id1): slow mode is on');
    setting.refuseFrom = Number.POSITIVE_INFINITY;
    setting.now += 599_999;
    expect(await one.post(LONG)).toEqual({ kind: 'sent', messageIds: ['id1', 'id2'] });
    expect(posted.map(({ text }) => text.trim())).toEqual(['aaaa bbbb', 'cccc']);
  });

  it('takes the same words for another post ten minutes after one was cut off', async () => {
    const { poster, posted, setting } = world();
    const one = poster();
    setting.refuseFrom = 1;
    await one.post(LONG);
    setting.refuseFrom = Number.POSITIVE_INFINITY;
    setting.now += 600_000;
    await one.post(LONG);
    expect(posted.map(({ text }) => text.trim())).toEqual(['aaaa bbbb', 'aaaa bbbb', 'cccc']);
  });

  it('refuses emptiness without asking the platform', async () => {
    const { poster, posted } = world();
    expect(await poster().post({ ...SHORT, content: ' \n' })).toMatchObject({ kind: 'refused' });
    expect(posted).toEqual([]);
  });

  it('goes on where a process died, however long the platform remembers', async () => {
    const { poster, posted, setting, remember } = world();
    setting.dieAfter = 0;
    void poster().post(LONG);
    await expect.poll(() => posted.length).toBe(1);
    setting.dieAfter = Number.POSITIVE_INFINITY;
    remember(seenNonce(posted[0]?.nonce as string, 'id1'));
    setting.connection = 'two';
    expect(await poster().post(LONG)).toEqual({ kind: 'sent', messageIds: ['id1', 'id2'] });
    expect(posted.map(({ text }) => text.trim())).toEqual(['aaaa bbbb', 'cccc']);
  });

  it('takes the same words for a repetition only from a host that came back a moment ago', async () => {
    const { poster, posted, setting } = world();
    const one = poster();
    await one.post(SHORT);
    await one.post(SHORT);
    expect(posted).toHaveLength(2);
    setting.connection = 'two';
    expect(await one.post(SHORT)).toEqual({ kind: 'sent', messageIds: ['id2'] });
    setting.now += 60_001;
    expect(await one.post(SHORT)).toEqual({ kind: 'sent', messageIds: ['id3'] });
  });

  it('posts what belongs to one channel one after the other', async () => {
    const { poster, posted } = world();
    const one = poster();
    await Promise.all([one.post(LONG), one.post({ ...LONG, content: 'dddd eeee ffff' })]);
    expect(posted.map(({ text }) => text.trim())).toEqual(['aaaa bbbb', 'cccc', 'dddd eeee', 'ffff']);
  });
});
