import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { afterThisTest } from '../helpers/cleanup.js';
import { mcplId, openRoom, openScene } from '../helpers/scene.js';

it('a post that a SIGKILL cut in two is finished, not repeated, when the host asks for it again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mcpl-store-'));
  afterThisTest(async () => rmSync(folder, { recursive: true, force: true }));
  const room = await openRoom();
  const env = { MCPL_STORE: `lmdb:${folder}` };
  const said = () => room.sandbox.history(room.general).map(({ content }) => content.length);
  const text = `${'a'.repeat(1990)}\n${'b'.repeat(1000)}`;
  const first = await openScene({ room, env });
  room.sandbox.faults.plan({ method: 'POST', path: /messages$/, fault: { kind: 'delay', ms: 0 } });
  room.sandbox.faults.plan({ method: 'POST', path: /messages$/, fault: { kind: 'delay', ms: 60_000 } });
  void first.host.publish(mcplId(room.general), text);
  await vi.waitFor(() => expect(said()).toEqual([1990]), 10_000);
  first.bridge.kill('SIGKILL');
  await first.bridge.exited;

  const second = await openScene({ room, env, host: first.host });
  const result = await second.host.publish(mcplId(room.general), text);
  expect(result).toMatchObject({ kind: 'delivered' });
  expect(said()).toEqual([1990, 1000]);
});
