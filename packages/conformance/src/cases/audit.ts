import { deepEqual } from 'node:assert/strict';
import type { ConformanceCase } from '../conformance-case.js';

/** RFC-006 §11 "Humans and logs are not models". */
export const AUDIT: readonly ConformanceCase[] = [
  {
    id: '37',
    title: 'the audit tells by id what was displaced, folded, discarded and withdrawn, and holds no content',
    needs: ['pushEvents', 'deferred'],
    run: async (stage) => {
      const scene = await stage.open();
      await scene.create('SECRET one', { eventId: 'displaced' });
      await scene.edit('SECRET two', { eventId: 'by' });
      await scene.notice('SECRET f1', { key: 'N', eventId: 'n1' });
      await scene.notice('SECRET f2', { key: 'N', eventId: 'n2' });
      await scene.beginHeld(1);
      await scene.retract('', { key: 'N', eventId: 'cancel' });
      await scene.release('SECRET late');
      await scene.edit('SECRET three', { eventId: 'unread' });
      await scene.retract('[gone]', { eventId: 'deletion' });
      const lines = await scene.audit();
      deepEqual(
        lines.map(({ what, eventId, ...link }) => [what, eventId, link.by ?? link.into ?? '']),
        [
          ['displaced', 'displaced', 'by'],
          ['folded', 'n2', 'n1'],
          ['withdrawn', 'n1', 'cancel'],
          ['withdrawn', 'n2', 'cancel'],
          ['discarded', 'n2', ''],
          ['withdrawn', 'unread', 'deletion'],
        ],
      );
      deepEqual(JSON.stringify(lines).includes('SECRET'), false);
    },
  },
];
