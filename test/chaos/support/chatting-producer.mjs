// A producer that is told over IPC what happens on its platform, and says when it is stored. Killed at will.
import { openStore, Producer } from '@mcpl-bridges/producer';
import { listenWebSocket } from '@mcpl-bridges/transport';

const { store: spec, port, channel } = JSON.parse(process.argv[2]);
const say = (message) => process.send?.(message);

const store = await openStore(spec, { folder: '', binding: 'chaos' });
const producer = new Producer({
  name: 'chat',
  version: '1',
  platform: 'chat',
  featureSets: {
    messaging: {
      description: 'm',
      uses: ['pushEvents', 'channels.register', 'channels.lifecycle', 'channels.incoming'],
    },
  },
  messagingFeatureSet: 'messaging',
  store,
  requestTimeoutMs: 2000,
  tools: { list: () => [], call: async () => ({ content: [] }) },
  callbacks: { publish: async () => ({ delivered: true }) },
});
await producer.open();
void producer.register([{ id: channel, type: 'chat', label: '#room', direction: 'bidirectional' }]);
await listenWebSocket({
  host: '127.0.0.1',
  port,
  onConnection: (transport) => void producer.connect(transport).catch(() => {}),
});

/** What happened to a message last, as far as it is stored: written with the occurrence, looked up before the next. */
const take = async ({ n, action, messageId, text, revision }) => {
  const key = `seen:${messageId}`;
  if ((await producer.recall(key)) >= n) return;
  const facts = {
    author: { id: 'u', name: 'alice' },
    timestamp: '2026-01-01T00:00:00Z',
    content: [{ type: 'text', text }],
    tags: [],
    records: [{ key, value: n }],
    ...(revision === undefined ? {} : { revision }),
  };
  await producer.channel(channel).message(messageId)[action](facts);
};

let line = Promise.resolve();
const handleEvent = (event) => {
  line = line.then(() => take(event)).then(() => say({ kind: 'stored', n: event.n }));
};

process.on('message', async (message) => {
  if (message.kind !== 'state') return handleEvent(message);
  say({ kind: 'state', backlog: producer.backlog, counts: producer.counts, letters: await producer.deadLetters(1000) });
});
say({ kind: 'ready' });
