import { expect, it } from 'vitest';
import { PORTAL } from '../helpers/platforms.js';
import { openScene } from '../helpers/scene.js';

it('first', async () => {
  const scene = await openScene({ platform: PORTAL });
  const { sandbox, general, alice } = scene;
  try {
    const message = sandbox.post(general, alice, 'deploy at 5');
    await scene.quiet();
    expect(await scene.reads()).toEqual(['alice: deploy at 5']);
    sandbox.edit(general, message, 'deploy at 6');
    await scene.quiet();
    expect(await scene.reads()).toEqual(['alice: deploy at 5', 'alice (edited): deploy at 6']);
  } finally {
    console.log(scene.stderr());
  }
});
