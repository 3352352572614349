import { versionIn } from '@mcpl-bridges/chat/program';

export const PROGRAM = 'portal-mcpl';

export const VERSION = versionIn(new URL('../package.json', import.meta.url));
