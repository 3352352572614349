import { Dropped } from '@mcpl-bridges/producer';
import { describe, expect, it } from 'vitest';
import { ACTIVITY, beginning, changesBetween, fallbackFor, type Said } from './activity.js';
import type { People, Person } from './people.js';

const person = (name: string, status: Person['status'] = 'online', isTyping = false): Person => ({
  name,
  status,
  isTyping,
});
const people = (...all: readonly Person[]): People => new Map(all.map((one) => [`user:${one.name}`, one]));

const read = (said: readonly unknown[], dropped = 0): readonly string[] => {
  const notices = said.map((data, n) => ({ eventId: `e${n}`, timestamp: '2026-01-01T00:00:00Z', data }));
  const folded = ACTIVITY.fold(notices, new Dropped(dropped));
  const texts = folded.content.map((block) => (block.type === 'text' ? String(block.text) : block.type));
  return folded.dropped.text === '' ? texts : [...texts, folded.dropped.text];
};

/** What is said of a channel that looks like this, one after the other. */
const course = (...looks: readonly People[]): readonly Said[] =>
  looks.slice(1).flatMap((now, n) => changesBetween(looks[n] ?? new Map(), now));

describe('a line of what came of it all', () => {
  it('leaves out what was in between', () => {
    const [bob, cara, dan] = [person('Bob', 'idle'), person('Cara'), person('Dan')];
    const said = course(
      people(bob, dan),
      people(person('Bob', 'dnd'), cara, dan),
      people(person('Bob'), person('Dan', 'online', true)),
    );
    expect(read(said)).toEqual(['* Bob moved from idle to online; Cara joined and left; Dan is typing']);
  });

  it('says nothing where all is as it was', () => {
    const [bob, away] = [people(person('Bob')), people()];
    expect(read(course(bob, away, bob))).toEqual([]);
    expect(read(course(bob, people(person('Bob', 'online', true)), bob))).toEqual([]);
  });

  it('begins with who is here: by name, as far as there is room', () => {
    expect(read([beginning(people())])).toEqual(['* nobody else is here']);
    expect(read([beginning(people(person('Bob')))])).toEqual(['* Bob is here']);
    const crowd = people(...Array.from({ length: 23 }, (_, n) => person(`p${n}`)));
    expect(read([beginning(crowd)])[0]).toMatch(/^\* p0, p1, .*, p19 and 3 more are here$/);
  });

  it('forgets what it had to say when nothing is known any more', () => {
    const said = course(people(), people(person('Bob')));
    expect(read([...said, { lost: true }])).toEqual(['* who is here is not known any more']);
    expect(read([...said, { lost: true }, beginning(people(person('Cara')))])).toEqual(['* Cara is here']);
  });

  it('says what the host could not keep, also where there is nothing else, and takes no notice of what it does not know', () => {
    expect(read([], 3)).toEqual(['* 3 earlier changes of who is here were not kept']);
    expect(read([{ other: 1 }, undefined])).toEqual([]);
  });

  it('fits: a notice has so many changes that its data stays under 4 KiB with the longest names', () => {
    // 40 characters of four bytes, in quotes, and refs of 27.
    const name = `"${'\u{1F600}'.repeat(40)}"`;
    const crowd: People = new Map(
      Array.from({ length: 40 }, (_, n) => [`user:${String(n).padStart(22, 'r')}`, person(name, 'online')]),
    );
    for (const one of [beginning(crowd), ...course(people(), crowd)])
      expect(Buffer.byteLength(JSON.stringify(one))).toBeLessThan(4096);
  });

  it('has a fallback that says by itself that there may be more', () => {
    expect(fallbackFor({ here: ['Bob'], more: 0 })).toEqual([
      { type: 'text', text: '* Who is here has changed: Bob is here. There may have been more before.' },
    ]);
  });
});
