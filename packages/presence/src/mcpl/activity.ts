import type { Dropped, Folded, NoticeOnly } from '@mcpl-bridges/producer';
import type { Notice } from '@mcpl-bridges/protocol';
import { z } from 'zod';
import type { People, Person } from './people.js';

const standing = z.enum(['absent', 'here', 'online', 'idle', 'dnd']);
type Standing = z.infer<typeof standing>;

const change = z.object({ ref: z.string(), name: z.string(), from: standing, to: standing, isTyping: z.boolean() });
export type Change = z.infer<typeof change>;

/** What one notice says: who is here to begin with, what changed, or that nothing is known any more. */
const said = z.union([
  z.object({ here: z.array(z.string()), more: z.int().min(0) }),
  z.object({ changes: z.array(change) }),
  z.object({ lost: z.literal(true) }),
]);
export type Said = z.infer<typeof said>;

/** People that are named to begin with. */
const MAX_NAMED = 20;

/** What fits into the data of one notice, with long names. */
const MAX_CHANGES = 12;

const standingOf = (person: Person | undefined): Standing => (person ? (person.status ?? 'here') : 'absent');

/** Who is here, where nothing was said before. */
export const beginning = (now: People): Said => {
  const names = [...now.values()].map(({ name }) => name);
  return { here: names.slice(0, MAX_NAMED), more: Math.max(0, names.length - MAX_NAMED) };
};

/** What has changed, in parts that fit into a notice each. */
export const changesBetween = (before: People, now: People): readonly (Said & { changes: readonly Change[] })[] => {
  const changes: Change[] = [];
  for (const ref of new Set([...before.keys(), ...now.keys()])) {
    const [was, is] = [before.get(ref), now.get(ref)];
    const [from, to] = [standingOf(was), standingOf(is)];
    const isTyping = is?.isTyping ?? false;
    if (from !== to || isTyping !== (was?.isTyping ?? false))
      changes.push({ ref, name: (is ?? was)?.name ?? '', from, to, isTyping });
  }
  return Array.from({ length: Math.ceil(changes.length / MAX_CHANGES) }, (_, part) => ({
    changes: changes.slice(part * MAX_CHANGES, (part + 1) * MAX_CHANGES),
  }));
};

const list = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

const hereClause = (here: readonly string[], more: number): string => {
  const all = more > 0 ? [...here, `${more} more`] : here;
  if (all.length === 0) return 'nobody else is here';
  return `${list(all)} ${all.length + more > 1 ? 'are' : 'is'} here`;
};

interface Course {
  readonly name: string;
  readonly from: Standing;
  readonly to: Standing;
  readonly isTyping: boolean;
}

const joined = ({ name, to }: Course): string => `${name} joined${to === 'idle' || to === 'dnd' ? ` (${to})` : ''}`;

const moves = (course: Course): string[] => {
  const { name, from, to } = course;
  if (from === to) return from === 'absent' ? [`${name} joined and left`] : [];
  if (from === 'absent') return [joined(course)];
  return [to === 'absent' ? `${name} left` : `${name} moved from ${from} to ${to}`];
};

const clausesOf = (course: Course): string[] => [
  ...moves(course),
  ...(course.isTyping ? [`${course.name} is typing`] : []),
];

const foldSaid = (all: readonly Said[]): string => {
  const opening: string[] = [];
  const courses = new Map<string, Course>();
  for (const one of all) {
    if ('lost' in one) {
      opening.splice(0, opening.length, 'who is here is not known any more');
      courses.clear();
    } else if ('here' in one) {
      opening.splice(0, opening.length, hereClause(one.here, one.more));
      courses.clear();
    } else
      for (const { ref, name, from, to, isTyping } of one.changes)
        courses.set(ref, { name, from: courses.get(ref)?.from ?? from, to, isTyping });
  }
  return [...opening, ...[...courses.values()].flatMap(clausesOf)].join('; ');
};

const textOf = (text: string) => [{ type: 'text' as const, text }];

/** One line of what came of it all: what was in between is left out. */
export const ACTIVITY: NoticeOnly = {
  kind: 'notices',
  fold: (notices: readonly Notice[], dropped: Dropped): Folded => {
    const text = foldSaid(notices.flatMap(({ data }) => said.safeParse(data).data ?? []));
    return {
      content: text === '' ? [] : textOf(`* ${text}`),
      dropped: dropped.mention((n) => `* ${n} earlier changes of who is here were not kept`),
    };
  },
};

/** What stands for a notice where it cannot be rendered. */
export const fallbackFor = (one: Said): ReturnType<typeof textOf> =>
  textOf(`* Who is here has changed: ${foldSaid([one])}. There may have been more before.`);
