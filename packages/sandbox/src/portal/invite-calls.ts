import type { Capability } from '@mcpl-bridges/portal-client';
import { RelayRefusal, type Served } from './call.js';

const MINUTE_MS = 60_000;

/** Invitations between personas, and tokens. */
export const INVITE_CALLS: Served = {
  /** Nobody gives what he does not have. */
  mint_invite: ({ state, persona, params }) => {
    const { caps, scope } = params.grant;
    for (const channelId of scope.channels) {
      const own = state.capabilities(persona, channelId);
      const lacking = caps.find((one) => !own.includes(one));
      if (lacking) throw new RelayRefusal('FORBIDDEN', `missing capability ${lacking}`);
    }
    const { code } = state.personas.invite(params.maxUses ?? 1, caps, scope.channels);
    const expiresAt = new Date(Date.now() + (params.expiresInMinutes ?? 15) * MINUTE_MS).toISOString();
    return { code, expiresAt };
  },
  claim_invite: ({ state, persona, params }) => {
    const invite = state.personas.invites.get(params.code);
    if (!invite) throw new RelayRefusal('NOT_FOUND', 'invite unknown');
    if (invite.usesLeft <= 0) throw new RelayRefusal('FORBIDDEN', 'invite exhausted');
    invite.usesLeft -= 1;
    for (const channelId of invite.channels) {
      const capabilities: Capability[] = [...new Set([...state.capabilities(persona, channelId), ...invite.grants])];
      persona.byChannel.set(channelId, capabilities);
      state.sessions.tell(persona.id, { type: 'capabilities_update', channelId, capabilities });
    }
    return { roles: [] };
  },
  rotate_token: ({ state, persona }) => ({ token: state.personas.rotate(persona) }),
};
