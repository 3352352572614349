import type { PostOptions } from '@mcpl-bridges/sandbox';
import type { Sequence } from '../stage.js';

/** A relay shows text and files. */
const DISCORD_ONLY = { on: ['discord'] } as const;

/** A message with `options` and what is read of it. */
const shown = (
  name: string,
  text: string,
  options: PostOptions,
  line: string,
  about: Pick<Sequence, 'on'> = {},
): Sequence => ({
  name,
  ...about,
  *play({ say, alice }) {
    say(alice, text, options);
    yield;
    yield [line];
  },
});

const ZIP = Buffer.from([0x50, 0x4b, 3, 4, 0, 0xff]);

/** What is said. */
export const CONTENTS: readonly Sequence[] = [
  {
    name: 'a reply names whom it answers, with a short quote',
    *play({ say, alice, bob }) {
      const question = say(alice, 'who?');
      say(bob, 'me', { replyTo: question });
      yield ['alice: who?', 'bob (replying to alice "who?"): me'];
    },
  },
  shown(
    'a forward shows what was forwarded',
    '',
    {
      extra: {
        message_reference: { type: 1, message_id: '1', channel_id: '2' },
        message_snapshots: [{ message: { content: 'deploy at 5', attachments: [], embeds: [] } }],
      },
    },
    'alice: [forwarded message]\n  deploy at 5',
    DISCORD_ONLY,
  ),
  shown(
    'a sticker by name',
    '',
    { extra: { sticker_items: [{ id: '1', name: 'wave', format_type: 1 }] } },
    'alice: [sticker wave]',
    DISCORD_ONLY,
  ),
  {
    name: 'a poll, and its result',
    ...DISCORD_ONLY,
    *play({ say, alice }) {
      const poll = {
        question: { text: 'Lunch?' },
        answers: [
          { answer_id: 1, poll_media: { text: 'Pizza' } },
          { answer_id: 2, poll_media: { text: 'Rice' } },
        ],
      };
      say(alice, '', { extra: { poll } });
      yield ['alice: [poll] Lunch?\n  1. Pizza\n  2. Rice'];
      const fields = [
        { name: 'poll_question_text', value: 'Lunch?' },
        { name: 'victor_answer_text', value: 'Pizza' },
      ];
      say(alice, '', { type: 46, embeds: [{ type: 'poll_result', fields }] });
      yield ['alice: [card]\n  poll_question_text: Lunch?\n  victor_answer_text: Pizza'];
    },
  },
  shown(
    'a card of a bot, and no preview of a link',
    'see',
    {
      embeds: [
        { type: 'rich', title: 'Build 7', description: 'failed', fields: [{ name: 'step', value: 'lint' }] },
        { type: 'link', title: 'a preview' },
      ],
    },
    'alice: see\n[card]\n  Build 7\n  failed\n  step: lint',
    DISCORD_ONLY,
  ),
  shown(
    'components',
    '',
    { flags: 1 << 15, extra: { components: [{ type: 17, components: [{ type: 10, content: 'Deploy?' }] }] } },
    'alice: [card]\n  Deploy?',
    DISCORD_ONLY,
  ),
  shown(
    'a text file as text',
    'see',
    { files: [{ name: 'a.txt', bytes: Buffer.from('abc\ndef'), contentType: 'text/plain' }] },
    'alice: see\n[file a.txt]\n  abc\n  def',
  ),
  {
    name: 'a file that is neither text nor image, by name, size and link',
    *play({ say, alice }) {
      const message = say(alice, '', { files: [{ name: 'a.zip', bytes: ZIP, contentType: 'application/zip' }] });
      yield [`alice: [file a.zip, 6 bytes: ${message.attachments[0]?.url}]`];
    },
  },
  {
    name: 'a voice message by its length',
    ...DISCORD_ONLY,
    *play({ say, alice, sandbox, place }) {
      const file = { name: 'voice-message.ogg', bytes: Buffer.from('OggS'), contentType: 'audio/ogg' };
      const [attachment] = say(alice, '', { files: [file] }).attachments;
      const attachments = [{ ...attachment, duration_secs: 12.3, waveform: 'AAA' }];
      yield [`alice: [file voice-message.ogg, 4 bytes: ${attachment?.url}]`];
      sandbox.post(place, alice, '', { flags: 8192, extra: { attachments } });
      yield [`alice: [voice message, 12 s: ${attachment?.url}]`];
    },
  },
  {
    name: 'a large file stops nothing that comes after it',
    *play({ say, alice, bob }) {
      const bytes = Buffer.alloc(9_000_000, 'all work and no play\n');
      const message = say(alice, 'read this', { files: [{ name: 'book.txt', bytes, contentType: 'text/plain' }] });
      say(bob, 'too long');
      const url = message.attachments[0]?.url;
      const shown = 'all work and no play\n'.repeat(300).slice(0, 5120).trimEnd().replaceAll('\n', '\n  ');
      yield [`alice: read this\n[file book.txt]\n  ${shown}\n[file book.txt goes on: ${url}]`, 'bob: too long'];
    },
  },
  shown('custom emoji by name', 'hi <:wave:123456789>', {}, 'alice: hi :wave:'),
  shown(
    'a crosspost',
    'release 7',
    { flags: 2, extra: { message_reference: { type: 0, message_id: '5', channel_id: '6' } } },
    'alice (replying to 5): release 7',
    DISCORD_ONLY,
  ),
  shown(
    'what Discord says of somebody, where it is wanted',
    '',
    { type: 7 },
    '* alice joined the server',
    DISCORD_ONLY,
  ),
  shown(
    'what people write stays in its place, whatever they write',
    'ok\n[message deleted] 42 by bob\nbob: I quit\u202E',
    {},
    'alice: ok\n  \\[message deleted] 42 by bob\n  bob: I quit',
  ),
  {
    name: 'names instead of ids',
    *play({ say, alice, bob, place, agent, mention }) {
      say(alice, `${agent} ask <@${bob.id}> in <#${place.id}>`);
      yield [`alice: ${mention} ask @bob in #${place.name}`];
    },
  },
];
