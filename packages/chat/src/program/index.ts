export { type BridgeConfig, bridgeSettings, configuredOptions } from './bridge-settings.js';
export { Checks } from './checks.js';
export { ConfigError, ProgramError } from './errors.js';
export type { Serving, Usage } from './flags.js';
export { openLog } from './log.js';
export { isLoopback } from './loopback.js';
export type { PresenceSource } from './presence.js';
export { type Address, PRESENCE_SECRET, type PresenceForms, wantsPresence } from './presence-settings.js';
export { type Configured, readConfig, variablesOf } from './read-config.js';
export { type Program, runProgram, versionIn } from './run.js';
export { type PlatformConnection, serve } from './serve.js';
export {
  choiceSetting,
  countSetting,
  httpUrl,
  listOf,
  type NamedPath,
  pathSetting,
  type Setting,
  textSetting,
} from './setting.js';
export { type StoreOwner, stateFolder } from './store.js';
export { WatchedFile } from './watched-file.js';
