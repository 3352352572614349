import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { downloader } from './download.js';

const server = createServer((request, response) => {
  if (request.url === '/redirect') response.writeHead(302, { location: '/file' }).end();
  else if (request.url === '/gone') response.writeHead(404).end();
  else response.end(Buffer.alloc(100_000, 'x'));
});
let origin = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

describe('a file is fetched', () => {
  it('as far as it is wanted, from the host of the API in use', async () => {
    const download = downloader(`${origin}/api`);
    const { bytes, isCut } = await download(`${origin}/file`, 5000);
    expect([bytes.length, isCut]).toEqual([5000, true]);
    expect(await download(`${origin}/file`, 100_000)).toMatchObject({ isCut: false });
  });

  it('not where a host sends one on, and not when it is gone', async () => {
    const download = downloader(`${origin}/api`);
    await expect(download(`${origin}/redirect`, 10)).rejects.toThrow();
    await expect(download(`${origin}/gone`, 10)).rejects.toThrow('HTTP 404');
  });

  it.each([
    'http://cdn.discordapp.com/attachments/1/2/a.png',
    'https://cdn.discordapp.com.evil.example/a.png',
    'https://cdn.discordapp.com:8443/a.png',
    'https://user@cdn.discordapp.com/a.png',
    'https://169.254.169.254/latest/meta-data',
    'file:///etc/passwd',
    'not a url',
  ])('never from %s', async (url) => {
    await expect(downloader(undefined)(url, 10)).rejects.toThrow('not on a host of Discord');
  });
});
