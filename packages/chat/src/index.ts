export { type BridgeOptions, ChatBridge } from './bridge.js';
export * from './ledger.js';
export * from './message.js';
export { type Delivery, deliver, describeDelivery, toParts } from './outgoing.js';
export * from './platform.js';
export { splitText } from './render/split.js';
export { messageTags } from './render/tags.js';
export { renderCreate, renderDeletion, renderEdit } from './render/text.js';
export { type ChatTool, ToolFailure, toolbox } from './tools/tool.js';
