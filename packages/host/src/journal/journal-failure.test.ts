import { expect, it } from 'vitest';
import { Host, type Journal } from '../index.js';
import { paperJournal } from '../paper-journal.testkit.js';
import { connect } from '../synthetic-server.testkit.js';

it('a journal that fails ends the host: nothing is answered that is not on disk, and the next process has the rest', async () => {
  const paper = paperJournal(1000);
  let full = false;
  // A full disk cannot be had on demand.
  const disk = (): Journal => {
    const inner = paper();
    return {
      ...inner,
      append: (numbered) => {
        if (full) return Promise.reject(new Error('no space left on device'));
        inner.append(numbered);
        return Promise.resolve();
      },
    };
  };
  const host = new Host({ journal: disk() });
  const failures: string[] = [];
  host.on('failed', (error) => failures.push(error.message));
  const first = await connect({ host });
  const one = await first.push('one', { coalesce: { key: 'K', initial: true } });
  full = true;
  const lost = { eventId: 'lost', coalesce: { key: 'K' } };
  await expect(first.push('two', lost)).rejects.toMatchObject({ cause: { error: { code: -32603 } } });
  full = false;
  // Not even what the disk would take again: what lies before it is missing.
  await expect(first.push('two', lost)).rejects.toMatchObject({ cause: { error: { code: -32603 } } });
  expect(failures).toEqual(['the journal cannot be written: no space left on device']);

  const second = await connect({ host: new Host({ journal: disk() }) });
  expect(await second.push('one', { eventId: 'e1', coalesce: { key: 'K', initial: true } })).toEqual(one);
  expect(await second.push('two', lost)).toMatchObject({ coalesce: { outcome: 'replaced' } });
  expect(await second.reads()).toEqual(['two']);
});
