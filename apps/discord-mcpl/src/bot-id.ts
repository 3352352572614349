import type { StoreOwner } from '@mcpl-bridges/chat/program';
import { PROGRAM } from './version.js';

/** The bot's id, which the first part of its token encodes; `undefined` for a token that has none. */
export const botIdOf = (token: string): string | undefined => {
  const id = Buffer.from(token.split('.')[0] ?? '', 'base64').toString('utf8');
  return /^\d{1,20}$/.test(id) ? id : undefined;
};

/** Two bots on one machine have a folder each. */
export const ownerOf = ({ token }: { readonly token: string }): StoreOwner => ({
  program: PROGRAM,
  account: botIdOf(token) ?? 'bot',
});
