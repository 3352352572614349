import { Scenario } from '@mcpl-bridges/conformance';
import { processDriver } from 'mcpl-host/conformance';
import { expect, it } from 'vitest';
import { afterThisTest } from '../helpers/cleanup.js';
import { randomOf } from '../helpers/random.js';

/** How often the host is killed; `npm run soak` asks for more. */
const KILLS = Number(process.env.MCPL_KILLS ?? 6);
const SEED = Number(process.env.MCPL_SEED ?? Date.now() % 1_000_000);
const KEYS = 7;
const EVENTS_A_ROUND = 60;

interface Sent {
  readonly params: Record<string, unknown>;
  readonly key: string;
  readonly text: string;
  answer?: unknown;
}

it(
  `47: nothing accepted is lost, doubled or answered differently over ${KILLS} SIGKILLs under load (seed ${SEED})`,
  async () => {
    const random = randomOf(SEED);
    const scenario = await Scenario.open(processDriver('strict'));
    afterThisTest(() => scenario.close());
    const sent: Sent[] = [];
    const make = (): Sent => {
      const key = `K${Math.floor(random() * KEYS)}`;
      const text = `${key} revision ${sent.length}.`;
      const coalesce = { key, initial: !sent.some((one) => one.key === key) };
      const payload = { content: [{ type: 'text', text }] };
      const one = {
        key,
        text,
        params: { featureSet: 'doc', eventId: `e${sent.length}`, timestamp: '2026-01-01T00:00:00Z', payload, coalesce },
      };
      sent.push(one);
      return one;
    };
    const send = async (one: Sent, mayBeLost: boolean): Promise<void> => {
      const { result, error, lost } = await scenario.send('push/event', one.params);
      expect(error).toBeUndefined();
      if (lost && mayBeLost) return;
      expect(lost).toBeUndefined();
      if (one.answer !== undefined) expect(result).toEqual(one.answer);
      one.answer = result;
    };

    for (let kill = 0; kill < KILLS; kill++) {
      const round = Array.from({ length: EVENTS_A_ROUND }, make);
      // Each may or may not have been taken in when the host dies; those without an answer are sent again.
      const flight = round.map((one) => send(one, true));
      await new Promise((resolve) => setTimeout(resolve, random() * 25));
      await scenario.restart({ kill: true, keepHistory: true });
      await Promise.all(flight);
      for (const one of round) await send(one, false);
    }

    const last = new Map(sent.map(({ key, text }) => [key, text]));
    const { contexts } = await scenario.state();
    const read = (contexts.agent ?? []).map((message) => message.content);
    expect([...read].sort()).toEqual([...last.values()].sort());
  },
  60_000 + KILLS * 3000,
);
