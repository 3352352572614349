import { describe, expect, it } from 'vitest';
import { eventIdOf, openScene } from '../helpers/scene.js';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe('what stands in a message reaches the agent', () => {
  it('an image as an image', async () => {
    const scene = await openScene();
    const { sandbox, general, alice, reports, host } = scene;
    const file = { name: 'dot.png', bytes: PNG, contentType: 'image/png' };
    const message = sandbox.post(general, alice, 'look', { files: [file] });
    await reports.of(eventIdOf.create(message));
    await scene.reads();
    expect(host.engine.entries('main').map(({ content }) => content)).toEqual([
      [
        { type: 'text', text: 'alice: look\n[image dot.png]' },
        { type: 'image', data: PNG.toString('base64'), mimeType: 'image/png' },
      ],
    ]);
  });

  it('nothing of who joined, unless it is asked for', async () => {
    const { sandbox, general, alice, quiet, reads } = await openScene();
    sandbox.post(general, alice, '', { type: 7 });
    await quiet();
    expect(await reads()).toEqual([]);
  });
});
