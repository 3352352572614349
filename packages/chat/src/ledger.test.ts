import { describe, expect, it } from 'vitest';
import { type Circumstances, decideCreate, decideDelete, decideUpdate, type Revision } from './ledger.js';
import type { ChatMessage } from './message.js';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const OPEN: Circumstances = {
  open: true,
  closedDelivery: 'addressed',
  otherBots: 'all',
  muted: false,
  predatesMemory: true,
  platformEvents: false,
  countsRevisions: false,
  now: NOW,
};
const CLOSED: Circumstances = { ...OPEN, open: false };
const NOBODY = { mention: false, replyToAgent: false, broadcast: false, direct: false };
const MENTION = { ...NOBODY, mention: true };

const message = (extra: Partial<ChatMessage> = {}): ChatMessage => ({
  channelId: 'c',
  messageId: '1',
  author: { id: 'u', name: 'alice', kind: 'human' },
  text: 'hello',
  attachments: [],
  inserts: [],
  addressing: NOBODY,
  inThread: false,
  createdAt: '2026-01-01T11:59:00.000000Z',
  origin: {},
  ...extra,
});
const at = (time: string) => ({ editedAt: `2026-01-01T${time}.000000Z` });
const created = (extra: Partial<ChatMessage> = {}, circumstances = OPEN): Revision => {
  const { record } = decideCreate(undefined, message(extra), circumstances);
  if (!record) throw new Error('nothing recorded');
  return record;
};

describe('a new message', () => {
  it('is told of in an open channel, once', () => {
    expect(decideCreate(undefined, message(), OPEN).kind).toBe('create');
    expect(decideCreate(created(), message(), OPEN).kind).toBe('ignore');
  });
  it('of a closed channel is told of when it addresses the agent, or when everything is wanted', () => {
    expect(decideCreate(undefined, message(), CLOSED).kind).toBe('ignore');
    expect(decideCreate(undefined, message({ addressing: MENTION }), CLOSED).kind).toBe('create');
    expect(decideCreate(undefined, message(), { ...CLOSED, closedDelivery: 'all' }).kind).toBe('create');
  });
  it("of the agent's own never comes back", () => {
    const own = message({ author: { id: 'me', name: 'agent', kind: 'self' } });
    expect(decideCreate(undefined, own, OPEN)).toMatchObject({ kind: 'ignore', record: { standing: 'own' } });
  });
});

describe('other bots', () => {
  const bot = (extra: Partial<ChatMessage> = {}) => message({ author: { id: 'b', name: 'b', kind: 'bot' }, ...extra });
  const kinds = (otherBots: Circumstances['otherBots']) =>
    [bot(), bot({ addressing: MENTION }), message({ author: { id: 'w', name: 'hook', kind: 'webhook' } })].map(
      (one) => decideCreate(undefined, one, { ...OPEN, otherBots }).kind,
    );
  it('are heard as the operator wants it; webhooks always', () => {
    expect(kinds('all')).toEqual(['create', 'create', 'create']);
    expect(kinds('addressed')).toEqual(['ignore', 'create', 'create']);
    expect(kinds('none')).toEqual(['ignore', 'ignore', 'create']);
  });
});

describe('a muted channel', () => {
  const MUTED: Circumstances = { ...OPEN, muted: true };
  const later = message({ text: 'later', addressing: MENTION, ...at('11:59:30') });
  it('says nothing, and nothing of what happened meanwhile when it is unmuted', () => {
    const { record } = decideCreate(undefined, message({ addressing: MENTION }), MUTED);
    expect(record).toMatchObject({ standing: 'ambient' });
    expect(decideDelete(record, OPEN).kind).toBe('ignore');
  });
  it('corrects what was read before only by what happens after it was unmuted', () => {
    const { kind, record } = decideUpdate(created(), later, MUTED);
    expect([kind, record?.standing]).toEqual(['ignore', 'announced']);
    expect(decideUpdate(record, later, OPEN).kind).toBe('ignore');
    expect(decideUpdate(record, message({ text: 'last', ...at('11:59:50') }), OPEN)).toMatchObject({ initial: false });
  });
  it('whose message is deleted never speaks of it again', () => {
    const { kind, record } = decideDelete(created(), MUTED);
    expect([kind, record?.standing]).toEqual(['ignore', 'deleted']);
  });
});

describe('an update', () => {
  const edited = message({ text: 'hello there', ...at('11:59:30') });

  it('is an edit when its time moved and its text differs', () => {
    expect(decideUpdate(created(), edited, OPEN)).toMatchObject({
      kind: 'edit',
      initial: false,
      revision: edited.editedAt,
    });
  });
  it.each([
    ['an unfurled link, a pin, a flag', message()],
    ['a new time over the same text', message(at('11:59:30'))],
  ])('is none for %s', (_what, update) => {
    expect(decideUpdate(created(), update, OPEN).kind).toBe('ignore');
  });
  it('that brings a preview enriches what was announced, and is no edit then or later', () => {
    const inserts = [{ kind: 'preview' as const, lines: ['Example'] }];
    expect(decideUpdate(created(), message({ inserts }), OPEN)).toEqual({ kind: 'enrich' });
    expect(decideUpdate(created(), message({ inserts, ...at('11:59:30') }), OPEN).kind).toBe('ignore');
    const { record } = decideUpdate(created(), edited, OPEN);
    expect(decideUpdate(record, { ...edited, inserts }, OPEN)).toEqual({ kind: 'enrich' });
    expect(decideUpdate(record, { ...edited, inserts }, { ...OPEN, muted: true })).toEqual({ kind: 'ignore' });
    expect(decideUpdate(undefined, message({ inserts }), OPEN).kind).toBe('ignore');
  });
  it('is none when it comes a second time, or late', () => {
    const { record } = decideUpdate(created(), edited, OPEN);
    expect(decideUpdate(record, edited, OPEN).kind).toBe('ignore');
    expect(decideUpdate(record, message({ text: 'older', ...at('11:59:20') }), OPEN).kind).toBe('ignore');
  });
  it('tells two edits within one millisecond apart', () => {
    const { record } = decideUpdate(created(), message({ text: 'a', editedAt: '2026-01-01T11:59:30.000001Z' }), OPEN);
    expect(decideUpdate(record, message({ text: 'b', editedAt: '2026-01-01T11:59:30.000002Z' }), OPEN).kind).toBe(
      'edit',
    );
  });
  it('back to an earlier text is an edit', () => {
    const { record } = decideUpdate(created(), edited, OPEN);
    expect(decideUpdate(record, message({ text: 'hello', ...at('11:59:40') }), OPEN).kind).toBe('edit');
  });
  it('that removes a file is an edit', () => {
    const file = { name: 'a.txt', size: 3, url: 'https://x/a.txt' };
    expect(decideUpdate(created({ attachments: [file] }), message(at('11:59:30')), OPEN).kind).toBe('edit');
  });
  it('of ambient talk in a closed channel is nothing, unless it now addresses the agent', () => {
    const ambient = created({}, CLOSED);
    expect(decideUpdate(ambient, edited, CLOSED).kind).toBe('ignore');
    expect(decideUpdate(ambient, edited, OPEN).kind).toBe('ignore');
    expect(decideUpdate(ambient, { ...edited, addressing: MENTION }, CLOSED)).toMatchObject({
      kind: 'edit',
      initial: true,
    });
  });
  it('of what was delivered goes out whatever the channel is now', () => {
    expect(decideUpdate(created({ addressing: MENTION }, CLOSED), edited, CLOSED).kind).toBe('edit');
  });
  it('of an unknown message is an edit if it was made just now in an open channel', () => {
    expect(decideUpdate(undefined, edited, OPEN)).toMatchObject({ kind: 'edit', initial: false });
    expect(decideUpdate(undefined, edited, CLOSED).kind).toBe('ignore');
    expect(decideUpdate(undefined, message({ text: 'x', ...at('03:00:00') }), OPEN).kind).toBe('ignore');
  });
});

describe('a deletion', () => {
  it('is told of with the author, once', () => {
    const decision = decideDelete(created(), OPEN);
    expect(decision).toMatchObject({ kind: 'delete', authorName: 'alice' });
    expect(decideDelete(decision.record, OPEN).kind).toBe('ignore');
  });
  it("of ambient talk, or of the agent's own words, is nothing", () => {
    expect(decideDelete(created({}, CLOSED), CLOSED).kind).toBe('ignore');
    expect(decideDelete(created({ author: { id: 'me', name: 'agent', kind: 'self' } }), OPEN).kind).toBe('ignore');
  });
  it('of an unknown message is told of in an open channel only, and only if it may have been read before', () => {
    expect(decideDelete(undefined, OPEN)).toMatchObject({ kind: 'delete', authorName: undefined });
    expect(decideDelete(undefined, CLOSED).kind).toBe('ignore');
    expect(decideDelete(undefined, { ...OPEN, predatesMemory: false }).kind).toBe('ignore');
  });
  it('is the end: nothing that comes later is news', () => {
    const { record } = decideDelete(created(), OPEN);
    expect(decideCreate(record, message(), OPEN).kind).toBe('ignore');
    expect(decideUpdate(record, message({ text: 'x', ...at('11:59:59') }), OPEN).kind).toBe('ignore');
  });
});

describe('where the platform has no revisions', () => {
  const COUNTED: Circumstances = { ...OPEN, countsRevisions: true };
  const update = (known: Revision | undefined, text: string, circumstances = COUNTED) =>
    decideUpdate(known, message({ text }), circumstances);

  it('whatever reads otherwise is an edit, an earlier text again, too; what reads the same is none', () => {
    const first = update(created(), 'hello!');
    expect(first).toMatchObject({ kind: 'edit', revision: 'r1', initial: false });
    expect(update(first.record, 'hello!').kind).toBe('ignore');
    const second = update(first.record, 'hello');
    expect(second).toMatchObject({ kind: 'edit', revision: 'r2' });
    expect(update(second.record, 'hello!')).toMatchObject({ kind: 'edit', revision: 'r3' });
  });
  it('edits of what nobody was told of are not counted as told', () => {
    const ambient = update(created({}, CLOSED), 'more', { ...COUNTED, open: false });
    expect(ambient).toMatchObject({ kind: 'ignore', record: { standing: 'ambient', edits: 1 } });
  });
  it('an update of an unknown message is an edit only where its create was missed, or where it addresses the agent', () => {
    expect(update(undefined, 'old')).toEqual({ kind: 'ignore' });
    expect(update(undefined, 'missed', { ...COUNTED, predatesMemory: false })).toMatchObject({
      kind: 'edit',
      initial: true,
    });
    const addressed = message({ addressing: MENTION });
    expect(decideUpdate(undefined, addressed, { ...COUNTED, open: false })).toMatchObject({
      kind: 'edit',
      revision: 'r1',
      initial: true,
    });
  });
  it('a revision that the platform names all the same is taken by its name', () => {
    const stamped = message({ text: 'x', ...at('11:59:30') });
    expect(decideUpdate(created(), stamped, COUNTED)).toMatchObject({ revision: '2026-01-01T11:59:30.000000Z' });
  });
});
