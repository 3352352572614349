import { ToolFailure } from '@mcpl-bridges/chat';

interface Named {
  readonly id: string;
  readonly name: string;
}

/** The id of the server that is meant, by id or name. @throws ToolFailure that names what could be meant */
export const guildNamed = (guilds: readonly Named[], text: string): string => {
  const found = guilds.filter(({ id, name }) => id === text || name.toLowerCase() === text.trim().toLowerCase());
  if (found.length === 1) return (found[0] as Named).id;
  const choices = (found.length === 0 ? guilds : found).map(({ id, name }) => `${id} ${name}`).join(', ');
  throw new ToolFailure(`${text} names ${found.length === 0 ? 'no server' : 'several servers'}; use one of ${choices}`);
};
