import { serverIdOf } from '../binding.js';
import type { AdmittedOccurrence } from '../core/occurrence.js';
import { globPattern } from '../glob.js';

/** What an agent hears, and how it keeps its conversations apart. */
export interface Hearing {
  /** Its name; the contexts are called after it, so it holds no `/`. */
  readonly name: string;
  /** Server ids, as globs. Default: all. */
  readonly sources?: readonly string[] | undefined;
  /** Channel ids, as globs; an event that belongs to no channel is heard all the same. Default: all. */
  readonly channels?: readonly string[] | undefined;
  /** One conversation for everything, or one a channel. Default `one`. */
  readonly conversations?: 'one' | 'per-channel' | undefined;
}

const anyOf = (globs: readonly string[] | undefined): ((text: string) => boolean) => {
  const patterns = globs?.map(globPattern);
  return (text) => patterns?.some((pattern) => pattern.test(text)) ?? true;
};

const channelOf = ({ message, treatment }: AdmittedOccurrence): string | undefined => {
  if (message) return message.channelId;
  if (treatment.kind === 'ordinary' || treatment.scope.kind !== 'channel') return undefined;
  return treatment.scope.channelId;
};

/** Shows a fresh event to every agent that hears it, in that agent's conversation: `name`, or `name/channelId`. */
export const routeToAgents = (agents: readonly Hearing[]): ((occurrence: AdmittedOccurrence) => readonly string[]) => {
  const routes = agents.map(({ name, sources, channels, conversations }) => {
    const [hearsSource, hearsChannel] = [anyOf(sources), anyOf(channels)];
    return (source: string, channelId: string | undefined): string[] => {
      if (!hearsSource(source) || (channelId !== undefined && !hearsChannel(channelId))) return [];
      return [conversations === 'per-channel' && channelId !== undefined ? `${name}/${channelId}` : name];
    };
  });
  return (occurrence) => {
    const [source, channelId] = [serverIdOf(occurrence.binding), channelOf(occurrence)];
    return routes.flatMap((route) => route(source, channelId));
  };
};

/** Whether a context is one of this agent's conversations. */
export const isOwnedBy =
  (name: string) =>
  (context: string): boolean =>
    context === name || context.startsWith(`${name}/`);
