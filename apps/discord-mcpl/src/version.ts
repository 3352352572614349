import { versionIn } from '@mcpl-bridges/chat/program';

export const PROGRAM = 'discord-mcpl';

export const VERSION = versionIn(new URL('../package.json', import.meta.url));
