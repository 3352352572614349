import { vi } from 'vitest';
import { BRIDGE, node, type Program } from './programs.js';
import { type Room, TOKEN } from './scene.js';

/** A host played by hand: every line it sends is the test's own. */
export interface RawHost {
  readonly bridge: Program;
  send(message: Record<string, unknown>): void;
  /** The answer to a request, once it is there. */
  answer(id: number | null): Promise<Record<string, unknown>>;
  /** Requests and notifications the bridge has sent, by method. */
  asked(method: string): Record<string, unknown>[];
}

export const MCPL_ADVERT = {
  experimental: {
    mcpl: { version: '0.5', pushEvents: true, channels: true, featureSets: true, eventCoalescing: true },
  },
};

export const rawHost = (room: Room, env: Readonly<Record<string, string>> = {}): RawHost => {
  const bridge = node(BRIDGE, [], { DISCORD_TOKEN: TOKEN, DISCORD_API_BASE: room.sandbox.apiBase, ...env });
  return {
    bridge,
    send: (message) => bridge.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
    answer: (id) =>
      vi.waitFor(() => {
        const found = bridge.lines().find((line) => !('method' in line) && line.id === id);
        if (!found) throw new Error(`no answer to ${id} yet; stderr: ${bridge.stderr()}`);
        return found;
      }, 10_000),
    asked: (method) => bridge.lines().filter((line) => line.method === method),
  };
};

export const initialize = async (
  host: RawHost,
  capabilities: Record<string, unknown> = MCPL_ADVERT,
  protocolVersion = '2024-11-05',
): Promise<Record<string, unknown>> => {
  const clientInfo = { name: 'raw', version: '0' };
  host.send({ id: 1, method: 'initialize', params: { protocolVersion, capabilities, clientInfo } });
  const answer = await host.answer(1);
  host.send({ method: 'notifications/initialized' });
  return answer.result as Record<string, unknown>;
};
