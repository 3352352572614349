import { clearReactions, pinMessage, react } from '@mcpl-bridges/sandbox';
import type { Sequence } from '../stage.js';

/** What becomes of messages. */
export const MESSAGES: readonly Sequence[] = [
  {
    name: 'messages are read in the order in which they were said',
    *play({ say, alice, bob }) {
      say(alice, 'one');
      yield;
      say(bob, 'two');
      yield ['alice: one', 'bob: two'];
      say(alice, 'three');
      yield ['alice: three'];
    },
  },
  {
    name: 'edits that nobody has read are one message',
    *play({ say, edit, alice }) {
      const message = say(alice, 'one');
      for (const text of ['two', 'three', 'four']) {
        yield;
        edit(message, text);
      }
      yield ['alice (edited): four'];
    },
  },
  {
    name: 'an edit of what was read is told',
    *play({ say, edit, alice }) {
      const message = say(alice, 'deploy at 5');
      yield ['alice: deploy at 5'];
      edit(message, 'deploy at 6');
      yield ['alice (edited): deploy at 6'];
      edit(message, 'deploy at 5');
      yield ['alice (edited): deploy at 5'];
    },
  },
  {
    name: 'a deletion of what was read is told once, one of what was not is not',
    *play({ say, remove, sandbox, alice, bob, gone }) {
      const [read, unread] = [say(alice, 'read'), say(bob, 'unread')];
      remove(unread);
      yield ['alice: read'];
      remove(read);
      yield;
      sandbox.gateway.replayLast(1);
      yield [gone(read, 'alice')];
    },
  },
  {
    name: 'an edit that was read neither, and the deletion of all, is one notice',
    *play({ say, edit, remove, alice, gone }) {
      const message = say(alice, 'one');
      yield ['alice: one'];
      edit(message, 'two');
      yield;
      remove(message);
      yield [gone(message, 'alice')];
    },
  },
  {
    name: 'many messages deleted at once are told one by one, of those that were read',
    // A relay says nothing of them.
    on: ['discord'],
    *play({ say, sandbox, place, alice, bob, gone }) {
      const read = [say(alice, 'one'), say(bob, 'two'), say(alice, 'three')];
      yield ['alice: one', 'bob: two', 'alice: three'];
      const unread = say(bob, 'four');
      yield;
      sandbox.bulkDelete(
        place,
        [...read, unread].map(({ id }) => id),
      );
      yield read.map((message, i) => gone(message, i === 1 ? 'bob' : 'alice'));
    },
  },
  {
    name: 'previews of links and threads that start are no edits',
    *play({ say, sandbox, place, alice, take }) {
      const message = say(alice, 'see https://example.org');
      yield;
      sandbox.unfurl(place, message, { type: 'link', title: 'Example', url: 'https://example.org' });
      yield;
      take(sandbox.startThread(place, 'aside', alice, message));
      yield ['alice: see https://example.org'];
    },
  },
  {
    name: 'a pin is no edit',
    // A relay tells of it by itself, and once.
    fleetingOn: ['portal'],
    *play({ say, sandbox, place, alice, platform }) {
      const message = say(alice, 'remember');
      yield ['alice: remember'];
      pinMessage(sandbox.world, place, message, true);
      yield platform === 'portal' ? ['* the pinned messages have changed'] : [];
    },
  },
  {
    name: 'an edit that changes nothing is none, as when somebody clicks a component',
    *play({ say, edit, alice }) {
      const message = say(alice, 'vote');
      yield ['alice: vote'];
      edit(message, 'vote');
      yield [];
    },
  },
  {
    name: 'an update without its text is looked up, and is no edit by itself',
    *play({ say, edit, sandbox, place, guild, alice }) {
      const message = say(alice, 'one');
      const sparse = () =>
        sandbox.world.dispatch({
          t: 'MESSAGE_UPDATE',
          d: { id: message.id, channel_id: place.id, guild_id: guild.id, embeds: [] },
          guildId: guild.id,
          channelId: place.id,
        });
      sparse();
      yield ['alice: one'];
      edit(message, 'two');
      sparse();
      yield ['alice (edited): two'];
    },
  },
  {
    name: 'an update of a message that was edited long ago is no edit',
    *play({ say, sandbox, place, guild, alice }) {
      const message = say(alice, 'now');
      yield;
      const old = { ...message, id: '175928847299117063', timestamp: '2016-04-30T11:18:25.796000+00:00' };
      sandbox.world.dispatch({
        t: 'MESSAGE_UPDATE',
        d: { ...old, content: 'then', edited_timestamp: '2016-04-30T11:20:00.000000+00:00', guild_id: guild.id },
        guildId: guild.id,
        channelId: place.id,
      });
      yield ['alice: now'];
    },
  },
  {
    name: 'a file that is taken away is an edit, and so is text that is cleared beside one',
    *play({ say, edit, sandbox, place, alice }) {
      const file = { name: 'a.txt', bytes: Buffer.from('abc'), contentType: 'text/plain' };
      const [first, second] = [say(alice, 'one', { files: [file] }), say(alice, 'two', { files: [file] })];
      yield ['alice: one\n[file a.txt]\n  abc', 'alice: two\n[file a.txt]\n  abc'];
      sandbox.editAttachments(place, first, []);
      edit(second, '');
      yield ['alice (edited): one', 'alice (edited): [file a.txt]\n  abc'];
    },
  },
  {
    name: "the agent's own messages, their edits and deletions are not told",
    *play({ say, sayAsAgent, edit, remove, alice }) {
      const own = sayAsAgent('mine');
      yield;
      edit(own, 'still mine');
      say(alice, 'hm');
      yield ['alice: hm'];
      remove(own);
      yield [];
    },
  },
  {
    name: 'a proxy bot is heard once, whichever comes first',
    *play({ say, remove, alice, bob }) {
      const webhook = { extra: { webhook_id: '600000000000000000' } };
      const first = say(alice, 'A: hello');
      remove(first);
      say(bob, 'hello', webhook);
      yield ['bob: hello'];
      const second = say(alice, 'A: bye');
      say(bob, 'bye', webhook);
      remove(second);
      yield ['bob: bye'];
    },
  },
  {
    name: 'a slow file holds back what came behind it, and leaves nothing when it is deleted',
    *play({ say, remove, alice, bob }) {
      const files = [{ name: 'a.txt', bytes: Buffer.from('abc'), contentType: 'text/plain' }];
      const slow = say(alice, 'with a file', { files });
      say(bob, 'without');
      yield;
      remove(slow);
      yield ['bob: without'];
    },
  },
  {
    name: 'reactions are told, corrected and cleared',
    fleetingOn: ['discord', 'portal'],
    *play({ say, sandbox, place, alice, bob, idOf, platform }) {
      const message = say(alice, 'deploy?');
      const emoji = { id: null, name: '👍' };
      const mark = (add: boolean) => react(sandbox.world, place, message, bob.id, emoji, add);
      yield ['alice: deploy?'];
      mark(true);
      mark(false);
      yield [];
      mark(true);
      yield [`* bob reacted with 👍 to message ${idOf(message)}`];
      mark(false);
      yield [`* bob took 👍 back from message ${idOf(message)}`];
      mark(true);
      yield [`* bob reacted with 👍 to message ${idOf(message)}`];
      // A relay says nothing of that.
      if (platform === 'portal') return;
      clearReactions(sandbox.world, place, message);
      yield [`* 👍 of bob was cleared from message ${idOf(message)}`];
    },
  },
];
