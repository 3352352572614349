import { randomBytes } from 'node:crypto';
import type { Capability } from '@mcpl-bridges/portal-client';

/** What a persona may do where nobody said otherwise. */
export const USUAL: readonly Capability[] = [
  'VIEW_CHANNEL',
  'READ_HISTORY',
  'SEND_MESSAGES',
  'SEND_IN_THREADS',
  'CREATE_THREADS',
  'ATTACH_FILES',
  'ADD_REACTIONS',
  'EDIT_OWN',
  'DELETE_OWN',
];

export interface RelayPersona {
  readonly id: string;
  readonly name: string;
  token: string;
  readonly everywhere: readonly Capability[];
  /** Where it is something else than everywhere. */
  readonly byChannel: Map<string, readonly Capability[]>;
}

export interface Invite {
  readonly code: string;
  usesLeft: number;
  readonly grants: readonly Capability[];
  /** Where they are for; none for an invitation of the relay's operator. */
  readonly channels: readonly string[];
}

/** Who may come in, and what they may do. */
export class Personas {
  readonly all = new Map<string, RelayPersona>();
  readonly invites = new Map<string, Invite>();

  create(name: string, everywhere: readonly Capability[] = USUAL): RelayPersona {
    const id = `${name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}-${randomBytes(3).toString('hex')}`;
    const persona = { id, name, token: randomBytes(24).toString('base64url'), everywhere, byChannel: new Map() };
    this.all.set(id, persona);
    return persona;
  }

  invite(usesLeft = 1, grants: readonly Capability[] = USUAL, channels: readonly string[] = []): Invite {
    const invite = { code: randomBytes(9).toString('base64url'), usesLeft, grants, channels };
    this.invites.set(invite.code, invite);
    return invite;
  }

  /** The persona of an invitation, or why there is none. */
  enrol(code: string, name: string): RelayPersona | string {
    const invite = this.invites.get(code);
    if (!invite) return 'invite unknown';
    if (invite.usesLeft <= 0) return 'invite exhausted';
    invite.usesLeft -= 1;
    return this.create(name, invite.grants);
  }

  authenticate(id: string, token: string): RelayPersona | undefined {
    const persona = this.all.get(id);
    return persona?.token === token ? persona : undefined;
  }

  rotate(persona: RelayPersona): string {
    persona.token = randomBytes(24).toString('base64url');
    return persona.token;
  }
}
