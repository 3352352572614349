import { plainText } from '@mcpl-bridges/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AdmittedOccurrence, Treatment } from './occurrence.js';
import { type JournalRecord, reduce } from './reducer.js';
import { createState, type HostState } from './state.js';

const CHANNEL = { kind: 'channel', channelId: 'c' } as const;
const HOUR = 3_600_000;

/** A host's life in a few words; every verb is one journal record. */
class Life {
  readonly journal: JournalRecord[] = [];
  readonly state: HostState = createState();
  private n = 0;

  constructor(private readonly audience: readonly string[] = ['A']) {}

  create = (text: string, key = 'K') => this.occur(text, { kind: 'plain', scope: CHANNEL, key, initial: true });
  edit = (text: string, key = 'K', audience = this.audience) =>
    this.occur(text, { kind: 'plain', scope: CHANNEL, key, initial: false }, audience);
  retract = (text = '[gone]', key = 'K', audience = this.audience) =>
    this.occur(text, { kind: 'retract', scope: CHANNEL, key }, audience);

  occur(text: string, treatment: Treatment, audience = this.audience, binding = 'server'): string | undefined {
    const occurrence: AdmittedOccurrence = {
      binding,
      eventId: `e${++this.n}`,
      timestamp: '2026-01-01T00:00:00Z',
      content: text === '' ? [] : [{ type: 'text', text }],
      tags: [],
      treatment,
    };
    const effect = this.append({ type: 'occurrence', at: this.n, occurrence, audience, retryWindowMs: HOUR });
    return effect.type === 'receipt' ? effect.receipt.coalesce?.outcome : undefined;
  }

  reads(context = 'A'): string[] {
    const effect = this.append({ type: 'assembly', at: ++this.n, context });
    return effect.type === 'assembled' ? effect.entries.map((entry) => plainText([...entry.content])) : [];
  }

  append(record: JournalRecord) {
    this.journal.push(record);
    return reduce(this.state, record);
  }
}

describe('the prior occurrence', () => {
  const prior = (life: Life, act: () => unknown): string | undefined => {
    act();
    const receipts = [...life.state.receipts.kept.values()];
    return receipts.at(-1)?.receipt.coalesce?.priorEventId;
  };

  it('is the one displaced, or the one that was read', () => {
    const life = new Life();
    expect(prior(life, () => life.create('one'))).toBeUndefined();
    expect(prior(life, () => life.edit('two'))).toBe('e1');
    life.reads();
    expect(prior(life, () => life.edit('three'))).toBe('e2');
    expect(prior(life, () => life.retract())).toBe('e4');
  });

  it('is not one that came to nothing', () => {
    const life = new Life();
    life.create('one');
    expect(prior(life, () => life.retract())).toBe('e1');
    expect(prior(life, () => life.create('again'))).toBeUndefined();
  });

  it('is the latest notice of the batch that gave way, and not said of a batch that just opens', () => {
    const life = new Life();
    const notice = (text: string) =>
      life.occur(text, { kind: 'deferred', scope: CHANNEL, key: 'K', initial: true, featureSet: 'f' });
    expect(prior(life, () => notice('one'))).toBeUndefined();
    expect(prior(life, () => notice('two'))).toBe('e1');
    expect(prior(life, () => life.edit('plain'))).toBe('e2');
    life.reads();
    expect(prior(life, () => notice('three'))).toBeUndefined();
  });

  it('is not said where contexts have different ones', () => {
    const life = new Life(['A', 'B']);
    life.create('one');
    life.reads('A');
    life.edit('two');
    life.reads('A');
    // A has read both; B has two unread in the place of one.
    expect(prior(life, () => life.edit('three'))).toBe('e3');
    life.reads('B');
    life.edit('four', 'K', ['A']);
    expect(prior(life, () => life.retract('[gone]', 'K', ['A', 'B']))).toBeUndefined();
  });
});

describe('plain coalescing', () => {
  it('1: shows a first occurrence', () => {
    const life = new Life();
    expect(life.create('one')).toBe('first');
    expect(life.reads()).toEqual(['one']);
  });

  it('1a: knows nothing of a subject that does not say it begins', () => {
    expect(new Life().edit('one')).toBe('appended');
  });

  it('2, 6: replaces what is unread, leaving no byte of it', () => {
    const life = new Life();
    life.create('one');
    expect(['two', 'three', 'four'].map((text) => life.edit(text))).toEqual(['replaced', 'replaced', 'replaced']);
    expect(life.reads()).toEqual(['four']);
  });

  it('3, 4: leaves what was read as it was, whatever became of the request', () => {
    const life = new Life();
    life.create('one');
    life.reads();
    expect(life.edit('two')).toBe('appended');
    expect(life.reads()).toEqual(['one', 'two']);
  });

  it('keeps an edited message where it sat, before the replies to it', () => {
    const life = new Life();
    life.create('question', 'Q');
    life.create('answer', 'R');
    life.edit('better question', 'Q');
    expect(life.reads()).toEqual(['better question', 'answer']);
  });

  it('moves a gauge to the tail', () => {
    const life = new Life();
    const gauge = { kind: 'plain', scope: { kind: 'featureSet', featureSet: 'f' }, key: 'G', initial: true } as const;
    life.occur('79%', gauge);
    life.create('talk');
    life.occur('78%', gauge);
    expect(life.reads()).toEqual(['talk', '78%']);
  });

  it('9: never crosses servers, feature sets, channels or scopes', () => {
    const life = new Life();
    const plain = (scope: Extract<Treatment, { kind: 'plain' }>['scope']) =>
      ({ kind: 'plain', scope, key: 'K', initial: true }) as const;
    const outcomes = [
      life.occur('a', plain(CHANNEL)),
      life.occur('b', plain({ kind: 'channel', channelId: 'd' })),
      life.occur('c', plain({ kind: 'featureSet', featureSet: 'c' })),
      life.occur('d', plain({ kind: 'featureSet', featureSet: 'f' })),
      life.occur('e', plain(CHANNEL), ['A'], 'other server'),
    ];
    expect(outcomes).toEqual(Array(5).fill('first'));
    expect(life.reads()).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('12: a replacement reaches the contexts of what it replaces and no other', () => {
    const life = new Life(['A']);
    life.create('one');
    expect(life.edit('two', 'K', ['A', 'B'])).toBe('replaced');
    expect(life.reads('B')).toEqual([]);
    expect(life.reads('A')).toEqual(['two']);
  });

  it('removes what is unread when its replacement may reach none of its contexts', () => {
    const life = new Life(['A']);
    life.create('one');
    expect(life.edit('two', 'K', ['B'])).toBe('replaced');
    expect([life.reads('A'), life.reads('B')]).toEqual([[], []]);
  });

  it('46: is decided per context, and reported at its most conservative', () => {
    const life = new Life(['A', 'B']);
    life.create('one');
    life.reads('A');
    expect(life.edit('two')).toBe('appended');
    expect([life.reads('A'), life.reads('B')]).toEqual([['one', 'two'], ['two']]);
  });
});

describe('retraction', () => {
  it('28: leaves nothing of what nobody read', () => {
    const life = new Life();
    life.create('one');
    life.edit('two');
    expect(life.retract()).toBe('retracted');
    expect(life.reads()).toEqual([]);
  });

  it('29: removes an unread edit and corrects what was read', () => {
    const life = new Life();
    life.create('one');
    life.reads();
    life.edit('two');
    expect(life.retract()).toBe('noted');
    expect(life.reads()).toEqual(['one', '[gone]']);
  });

  it('30, 33: says nothing where the notice is empty', () => {
    const life = new Life();
    life.create('one');
    life.reads();
    expect(life.retract('')).toBe('consumed');
    expect(life.reads()).toEqual(['one']);
  });

  it('32: gives the notice for a subject it has never heard of', () => {
    const life = new Life();
    expect(life.retract()).toBe('noted');
    expect(life.reads()).toEqual(['[gone]']);
  });

  it('34: empties the slot but keeps the history', () => {
    const life = new Life();
    life.create('one');
    life.reads();
    expect(life.retract('[gone 1]')).toBe('noted');
    expect(life.create('again')).toBe('appended');
    expect(life.retract('[gone 2]')).toBe('noted');
    expect(life.reads()).toEqual(['one', '[gone 1]', '[gone 2]']);
  });

  it('34b: is not fooled by a second initial', () => {
    const life = new Life();
    life.create('one');
    life.reads();
    life.create('two');
    expect(life.retract()).toBe('noted');
  });

  it('49: a context that has not read keeps earlier notices in order', () => {
    const life = new Life(['A', 'B']);
    life.create('one');
    life.reads('A');
    life.reads('B');
    life.retract('[gone 1]');
    life.reads('A');
    life.retract('[gone 2]');
    expect(life.reads('B')).toEqual(['one', '[gone 1]', '[gone 2]']);
  });

  it('corrects only the contexts that read a version', () => {
    const life = new Life(['A', 'B']);
    life.create('one');
    life.reads('A');
    expect(life.retract()).toBe('noted');
    expect([life.reads('A'), life.reads('B')]).toEqual([['one', '[gone]'], []]);
  });
});

describe('the journal', () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('create'), key: fc.constantFrom('K', 'L'), text: fc.string() }),
    fc.record({ do: fc.constant('edit'), key: fc.constantFrom('K', 'L'), text: fc.string() }),
    fc.record({ do: fc.constant('retract'), key: fc.constantFrom('K', 'L'), text: fc.string() }),
    fc.record({ do: fc.constant('reads'), key: fc.constantFrom('A', 'B'), text: fc.constant('') }),
  );
  const play = (steps: readonly { do: string; key: string; text: string }[]): Life => {
    const life = new Life(['A', 'B']);
    for (const { do: verb, key, text } of steps) {
      if (verb === 'reads') life.reads(key);
      else life[verb as 'create' | 'edit' | 'retract'](text, key);
    }
    return life;
  };

  it('replayed over an empty state gives the same state', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const life = play(steps);
        const replayed = createState();
        for (const record of structuredClone(life.journal)) reduce(replayed, record);
        expect(replayed).toEqual(life.state);
      }),
    );
  });

  it('never changes what was read', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.array(step, { maxLength: 20 }), (before, after) => {
        const life = play(before);
        const read = life.reads('A');
        for (const { do: verb, key, text } of after) {
          if (verb === 'reads') life.reads(key);
          else life[verb as 'create' | 'edit' | 'retract'](text, key);
        }
        expect(life.reads('A').slice(0, read.length)).toEqual(read);
      }),
    );
  });
});
