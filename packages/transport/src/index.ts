export * from './decode-frame.js';
export * from './frame-splitter.js';
export * from './line-transport.js';
export * from './mcpl-wire.js';
export * from './pausable.js';
export * from './request-failure.js';
export * from './websocket-listener.js';
export * from './websocket-transport.js';
