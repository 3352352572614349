export { CASES } from './all-cases.js';
export type { ConformanceCase } from './conformance-case.js';
export { Stage } from './conformance-case.js';
export * from './host-port.js';
export { type PublicAdapter, type PublicSession, publicAdapter, type Step } from './public/adapter.js';
export { type CaseResult, runCase } from './run-case.js';
export { Scenario, type ScenarioOptions } from './scenario.js';
