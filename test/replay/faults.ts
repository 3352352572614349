import type { Fault } from './player.js';

/** What strikes while people act. */
export const FAULTS: readonly Fault[] = [
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
  {
    after: async ({ kill, restart }) => {
      await kill();
      await restart();
    },
  },
];
