import { MemoryStore } from './memory-store.js';
import { describeStore } from './store.contract.js';

describeStore('memory', async () => ({
  open: async () => new MemoryStore(),
  dispose: async () => {},
  lasting: false,
}));
