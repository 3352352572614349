export { type Config, readConfig } from './config/config.js';
export { FEATURE_SETS } from './feature-sets.js';
export { mcplChannelId, portalChannelId } from './ids.js';
