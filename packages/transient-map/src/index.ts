export { TransientMap } from './transient-map.js';
