import { describe, expect, it } from 'vitest';
import { eventIdOf, openScene, type Scene, told } from '../helpers/scene.js';

const slowFile = (text: string) => ({
  files: [{ name: 'a.txt', bytes: Buffer.from(text), contentType: 'text/plain' }],
});

describe('whatever takes its time', () => {
  it('holds back what came behind it in its channel: nothing overtakes', async () => {
    const scene = await openScene();
    const { sandbox, general, alice, bob, reports, reads } = scene;
    sandbox.fileDelayMs = 1500;
    sandbox.post(general, alice, 'with a file', slowFile('abc'));
    const second = sandbox.post(general, bob, 'without');
    await reports.of(eventIdOf.create(second));
    expect(await reads()).toEqual(['alice: with a file\n[file a.txt]\n  abc', 'bob: without']);
  });

  it('is edited and deleted in order, and leaves nothing', async () => {
    const scene = await openScene();
    const { sandbox, general, alice, quiet, reads } = scene;
    sandbox.fileDelayMs = 1500;
    const message = sandbox.post(general, alice, 'one', slowFile('abc'));
    sandbox.edit(general, message, 'two');
    sandbox.delete(general, message);
    sandbox.fileDelayMs = 0;
    await quiet();
    // The edit may be folded into its neighbours, or not be sent at all.
    const others = told(scene, message).filter((one) => one !== 'push/event replaced');
    expect(others).toEqual(['channels/incoming first', 'push/event retracted']);
    expect(await reads()).toEqual([]);
  });

  it('is a link where it cannot be fetched, and delays nobody for long', async () => {
    const scene = await openScene();
    const { sandbox, general, alice, reports, reads } = scene;
    const message = sandbox.post(general, alice, 'see', slowFile('abc'));
    sandbox.world.files.clear();
    await reports.of(eventIdOf.create(message));
    expect((await reads())[0]).toMatch(/^alice: see\n\[file a\.txt, 3 bytes: http\S+\]$/);
  });
});

it('a file whose link has ended while it waited is shown all the same', async () => {
  const scene = await openScene();
  const { sandbox, general, alice, reports, reads } = scene;
  sandbox.world.linkLifeMs = -1000;
  const message = sandbox.post(general, alice, 'see', slowFile('abc'));
  sandbox.world.linkLifeMs = 86_400_000;
  await reports.of(eventIdOf.create(message));
  expect(await reads()).toEqual(['alice: see\n[file a.txt]\n  abc']);
});

describe('a proxy bot that says for somebody what that one wrote', () => {
  const proxied = ({ sandbox, general, alice, bob }: Scene) => {
    const original = sandbox.post(general, alice, 'A: hello');
    const proxy = () => sandbox.post(general, bob, 'hello', { extra: { webhook_id: '600000000000000000' } });
    return { original, proxy };
  };

  it('is heard once, whichever comes first', async () => {
    for (const isDeletedFirst of [true, false]) {
      const scene = await openScene();
      const { sandbox, general, reports, quiet, reads } = scene;
      const { original, proxy } = proxied(scene);
      if (isDeletedFirst) sandbox.delete(general, original);
      const said = proxy();
      if (!isDeletedFirst) sandbox.delete(general, original);
      await reports.of(eventIdOf.create(said));
      await quiet();
      expect(await reads()).toEqual(['bob: hello']);
    }
  });
});
