import { describe, expect, it } from 'vitest';
import { isPresencePacket, type PresencePacket } from './packets.js';
import { signalsOf } from './signals.js';

const signals = (packet: PresencePacket) => signalsOf(packet);

describe('what a packet says of who is where', () => {
  it('is all of it when a server comes into view; of its threads nobody is known to have joined one', () => {
    expect(
      signals({
        t: 'GUILD_CREATE',
        d: {
          id: '1',
          presences: [
            { user: { id: 'a' }, status: 'idle' },
            { user: { id: 'b' }, status: 'invisible' },
          ],
          voice_states: [
            { user_id: 'a', channel_id: '2' },
            { user_id: 'b', channel_id: null },
          ],
          threads: [{ id: '3' }],
        },
      }),
    ).toEqual([
      {
        kind: 'census',
        scope: '1',
        statuses: [
          ['a', 'idle'],
          ['b', 'offline'],
        ],
        voices: [['a', 'discord:1:2']],
      },
      { kind: 'thread-census', channelId: 'discord:1:3', members: [] },
    ]);
  });

  it('is nobody where the bot has left, and nothing certain where Discord has an outage', () => {
    expect(signals({ t: 'GUILD_DELETE', d: { id: '1' } })).toEqual([{ kind: 'census', scope: '1', statuses: [] }]);
    expect(signals({ t: 'GUILD_DELETE', d: { id: '1', unavailable: true } })).toEqual([{ kind: 'lost', scope: '1' }]);
  });

  it('is in which direct message somebody types, too', () => {
    expect(signals({ t: 'TYPING_START', d: { channel_id: '7', user_id: 'a' } })).toEqual([
      { kind: 'typing', channelId: 'discord:dm:7', userId: 'a' },
    ]);
  });

  it('is that somebody is nowhere by voice any more', () => {
    expect(signals({ t: 'VOICE_STATE_UPDATE', d: { guild_id: '1', user_id: 'a', channel_id: null } })).toEqual([
      { kind: 'voice', scope: '1', userId: 'a' },
    ]);
    expect(signals({ t: 'VOICE_STATE_UPDATE', d: { user_id: 'a', channel_id: '2' } })).toEqual([]);
  });

  it('is nothing in packets of other kinds', () => {
    for (const t of ['MESSAGE_CREATE', 'READY', undefined, 7, 'toString']) expect(isPresencePacket({ t })).toBe(false);
  });
});
