import fc from 'fast-check';
import { expect, it } from 'vitest';
import { TransientMap } from './transient-map.js';

const command = fc.oneof(
  fc.record({ kind: fc.constant('set' as const), key: fc.nat(40), value: fc.nat() }),
  fc.record({ kind: fc.constant('delete' as const), key: fc.nat(40) }),
  fc.record({ kind: fc.constant('churn' as const), count: fc.nat(3000) }),
  fc.record({ kind: fc.constant('clear' as const) }),
);

it('holds what a Map holds, in its order, whatever comes and goes', () => {
  fc.assert(
    fc.property(fc.array(command, { maxLength: 30 }), (commands) => {
      const map = new TransientMap<number, number>();
      const model = new Map<number, number>();
      for (const command of commands) {
        if (command.kind === 'set') {
          map.set(command.key, command.value);
          model.set(command.key, command.value);
        } else if (command.kind === 'delete') {
          expect(map.delete(command.key)).toBe(model.delete(command.key));
        } else if (command.kind === 'clear') {
          map.clear();
          model.clear();
        } else {
          for (let i = 100; i < 100 + command.count; i++) map.set(i, i);
          for (let i = 100; i < 100 + command.count; i++) map.delete(i);
        }
        expect(map.entries()).toEqual([...model]);
        expect(map.keys()).toEqual([...model.keys()]);
        expect(map.values()).toEqual([...model.values()]);
        expect(map.size).toBe(model.size);
        for (let key = 0; key <= 41; key++) {
          expect(map.get(key)).toBe(model.get(key));
          expect(map.has(key)).toBe(model.has(key));
        }
      }
    }),
    { verbose: 1 },
  );
});
