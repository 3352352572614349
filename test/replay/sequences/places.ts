import { ChannelType, createChannel, deleteChannel, openDm, setOverwrite, updateChannel } from '@mcpl-bridges/sandbox';
import type { Sequence } from '../stage.js';

/** Where things are said. */
export const PLACES: readonly Sequence[] = [
  {
    name: 'of a closed channel only what addresses the agent is told, to its end',
    isClosed: true,
    *play({ say, edit, remove, alice, agent, gone, mention }) {
      const ambient = say(alice, 'just talking');
      edit(ambient, 'still talking');
      yield;
      const addressed = say(alice, `${agent} look`);
      yield [`alice (1 message missed here): ${mention} look`];
      edit(addressed, `${agent} look here`);
      yield [`alice (edited): ${mention} look here`];
      remove(ambient);
      remove(addressed);
      yield [gone(addressed, 'alice')];
    },
  },
  {
    name: 'an edit that brings the agent in is the first it hears of a message',
    isClosed: true,
    // A relay keeps messages for those that they are for when they are made.
    fleetingOn: ['portal'],
    *play({ say, edit, alice, agent, mention }) {
      const message = say(alice, 'just talking');
      yield [];
      edit(message, `${agent} are you there?`);
      yield [`alice (edited): ${mention} are you there?`];
    },
  },
  {
    name: 'a reply to the agent addresses it',
    isClosed: true,
    *play({ say, sayAsAgent, alice }) {
      const own = sayAsAgent('done');
      yield;
      say(alice, 'thanks', { replyTo: own });
      yield ['alice (replying to agent "done"): thanks'];
    },
  },
  {
    name: 'a thread is a channel of its own',
    *play({ say, edit, remove, sandbox, place, take, alice, bob, gone }) {
      const thread = take(sandbox.startThread(place, 'aside', alice));
      yield { open: thread };
      const message = say(alice, 'in here', {}, thread);
      yield ['alice: in here'];
      say(bob, 'out there');
      yield ['bob: out there'];
      edit(message, 'in here!', thread);
      yield ['alice (edited): in here!'];
      remove(message, thread);
      yield [gone(message, 'alice')];
    },
  },
  {
    name: 'a mention in a thread that was only just made is heard',
    *play({ say, sandbox, place, take, alice, bob, agent, mention }) {
      say(bob, 'before');
      yield ['bob: before'];
      const thread = take(sandbox.startThread(place, 'new', alice));
      say(alice, `${agent} come here`, {}, thread);
      yield [`alice: ${mention} come here`];
    },
  },
  {
    name: 'a post of a forum is a channel of its own',
    *play({ say, edit, sandbox, guild, take, alice, bob }) {
      const forum = createChannel(sandbox.world, guild, 'forum', ChannelType.GuildForum);
      const post = take(sandbox.startThread(forum, 'how to', alice));
      yield { open: post };
      const first = say(alice, 'how?', { extra: { id: post.id } }, post);
      say(bob, 'like this', {}, post);
      yield ['alice: how?', 'bob: like this'];
      edit(first, 'how, please?', post);
      yield ['alice (edited): how, please?'];
    },
  },
  {
    name: 'a direct message lives like any other',
    on: ['discord'],
    *play({ say, edit, remove, sandbox, take, bob, bot, gone }) {
      const carol = sandbox.world.createUser('carol');
      const dm = take(openDm(sandbox.world, [carol, bob, bot.user]));
      const message = say(carol, 'psst', {}, dm);
      yield ['carol: psst'];
      edit(message, 'pssst', dm);
      yield ['carol (edited): pssst'];
      remove(message, dm);
      yield [gone(message, 'carol')];
    },
  },
  {
    name: 'a channel that is renamed, hidden and shown again goes on',
    *play({ say, sandbox, place, bot, alice }) {
      say(alice, 'one');
      yield ['alice: one'];
      updateChannel(sandbox.world, place, { name: 'renamed' });
      yield;
      say(alice, 'two');
      yield ['alice: two'];
      const hide = (deny: readonly 'ViewChannel'[]) =>
        setOverwrite(sandbox.world, place, { id: bot.user.id, type: 1 }, { deny });
      hide(['ViewChannel']);
      hide([]);
      yield { open: place };
      say(alice, 'three');
      yield ['alice: three'];
    },
  },
  {
    name: 'a thread that is deleted takes nothing of what was read with it',
    *play({ say, sandbox, place, take, alice, bob }) {
      const thread = take(sandbox.startThread(place, 'short-lived', alice));
      yield { open: thread };
      say(alice, 'for now', {}, thread);
      yield ['alice: for now'];
      const other = sandbox.startThread(place, 'other', bob);
      deleteChannel(sandbox.world, other);
      say(bob, 'it is gone');
      yield ['bob: it is gone'];
    },
  },
  {
    name: 'an archived thread is told of',
    fleetingOn: ['discord', 'portal'],
    *play({ say, sandbox, place, take, alice, agent, mention }) {
      const thread = take(sandbox.startThread(place, 'old', alice));
      yield { open: thread };
      say(alice, `${agent} so long`, {}, thread);
      yield [`alice: ${mention} so long`];
      updateChannel(sandbox.world, thread, {
        thread_metadata: { ...thread.thread_metadata, archived: true, archive_timestamp: '2026-01-01T00:00:00+00:00' },
      });
      yield ['* the thread was archived'];
    },
  },
];
