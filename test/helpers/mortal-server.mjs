// An MCP server on standard streams that ends as it is told: crash, finish, nonsense from the beginning, or live on.
import { createInterface } from 'node:readline';

const how = process.argv[2];
if (how === 'nonsense') {
  process.stdout.write('{"jsonrpc":"2.0","id":0,"error":{"code":-32603,"message":"no"}}\n');
  process.exit(1);
}
const result = { protocolVersion: '2024-11-05', capabilities: {}, serverInfo: { name: 'mortal', version: '1' } };
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (method === 'initialize') process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
  if (method === 'notifications/initialized' && how !== 'live')
    setTimeout(() => process.exit(how === 'crash' ? 7 : 0), 20);
});
