/** Discord's file hosts. */
const HOSTS: ReadonlySet<string> = new Set(['cdn.discordapp.com', 'media.discordapp.net']);

const TIMEOUT_MS = 10_000;

/**
 * Fetches the beginning of a file from Discord's hosts, and from that of another API where one is used; never from
 * elsewhere, whatever a message names or a host redirects to.
 * @param apiBase the API in use where it is not Discord's own
 */
export const downloader =
  (apiBase: string | undefined) =>
  async (url: string, maxBytes: number): Promise<{ bytes: Uint8Array; isCut: boolean }> => {
    if (!isAllowed(url, apiBase)) throw new Error('the file is not on a host of Discord');
    const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!response.ok || !response.body) throw new Error(`the file cannot be fetched (HTTP ${response.status})`);
    const parts: Uint8Array[] = [];
    let length = 0;
    for await (const part of response.body as AsyncIterable<Uint8Array>) {
      parts.push(part);
      length += part.length;
      // Leaving the loop ends the transfer.
      if (length > maxBytes) break;
    }
    return { bytes: Buffer.concat(parts).subarray(0, maxBytes), isCut: length > maxBytes };
  };

const isAllowed = (text: string, apiBase: string | undefined): boolean => {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return false;
  if (apiBase !== undefined) return url.origin === new URL(apiBase).origin;
  return url.protocol === 'https:' && url.port === '' && HOSTS.has(url.hostname);
};
