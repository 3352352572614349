import type { PortalWay, Way } from '../helpers/platforms.js';
import type { Fault } from './player.js';

const KILLED: Fault = {
  after: async ({ kill, restart }) => {
    await kill();
    await restart();
  },
};

/** What strikes while people act, on the way from Discord itself. */
export const DISCORD_FAULTS: readonly Fault<Way>[] = [
  { after: ({ sandbox }) => sandbox.gateway.cutSockets() },
  { after: ({ sandbox }) => sandbox.gateway.closeSockets(4000) },
  { after: ({ sandbox }) => sandbox.gateway.askToReconnect() },
  { after: ({ sandbox }) => sandbox.gateway.replayLast(30) },
  { after: ({ sandbox }) => sandbox.gateway.invalidateSessions(false) },
  // A RESUME that brings back less than it should.
  {
    before: ({ sandbox }) => sandbox.gateway.dropNextDispatches(Number.POSITIVE_INFINITY),
    after: ({ sandbox }) => {
      sandbox.gateway.dropNextDispatches(0);
      sandbox.gateway.cutSockets();
    },
  },
  // Everything happens while nobody listens.
  {
    before: ({ sandbox }) => {
      sandbox.gateway.forgetSessions();
      sandbox.gateway.cutSockets();
    },
  },
  KILLED,
];

/** Through a relay. */
export const PORTAL_FAULTS: readonly Fault<PortalWay>[] = [
  { after: ({ way }) => way.relay.drop() },
  { after: ({ way }) => way.relay.restart() },
  // Everything happens while nobody listens, and the session comes back.
  { before: ({ way }) => way.relay.drop() },
  // The same, and it does not.
  { before: ({ way }) => way.relay.restart() },
  KILLED as Fault<PortalWay>,
];
