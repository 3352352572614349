// A host that takes whatever it is given and answers at once, on standard streams: what is measured is the other side.
import { createInterface } from 'node:readline';

const out = [];
const send = (message) => {
  if (out.push(JSON.stringify(message)) > 1) return;
  setImmediate(() => process.stdout.write(`${out.splice(0).join('\n')}\n`));
};

const mcpl = { version: '0.5', featureSets: true, eventCoalescing: true };
const greet = () => {
  const params = {
    protocolVersion: '2024-11-05',
    capabilities: { experimental: { mcpl } },
    clientInfo: { name: 'bench', version: '1' },
  };
  send({ jsonrpc: '2.0', id: 'init', method: 'initialize', params });
};

const answers = {
  'push/event': () => ({ accepted: true, coalesce: { outcome: 'first' } }),
  'channels/register': ({ channels }) => ({ results: channels.map(({ id }) => ({ id, accepted: true })) }),
  'channels/incoming': ({ messages }) => ({
    results: messages.map(({ messageId }) => ({ messageId, accepted: true, coalesce: { outcome: 'first' } })),
  }),
};

const receive = (message) => {
  if (message.id === 'init' && message.result) {
    send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    const effectiveCapabilities = ['pushEvents', 'channels.register', 'channels.lifecycle', 'channels.incoming'];
    send({ jsonrpc: '2.0', id: 'policy', method: 'featureSets/update', params: { effectiveCapabilities } });
    return;
  }
  const answer = answers[message.method];
  if (answer) send({ jsonrpc: '2.0', id: message.id, result: answer(message.params) });
  if (message.method === 'channels/register' && process.argv.includes('--open'))
    for (const { id } of message.params.channels)
      send({ jsonrpc: '2.0', id: 'open', method: 'channels/open', params: { channelId: id } });
};

createInterface({ input: process.stdin }).on('line', (line) => receive(JSON.parse(line)));
if (process.argv.includes('--greet')) greet();
