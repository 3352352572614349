import type { HostDriver, WakeRule } from '../host-port.js';
import { Scenario } from '../scenario.js';
import type { RenderPlan, Reply } from '../synthetic-server.js';
import { continuousReplacements, unrelatedDebounce } from '../timing.js';

type Json = Record<string, unknown>;

export interface Step extends Json {
  readonly op: string;
}

interface GateSetup {
  readonly policies: readonly {
    readonly match: { readonly tagsAny?: readonly string[] };
    readonly behavior: { readonly debounce: number };
  }[];
}

export interface Setup {
  readonly agents?: readonly string[];
  readonly servers?: readonly string[];
  readonly gate?: GateSetup;
  readonly wakePolicy?: 'debounce';
  readonly eventCoalescing?: { readonly channelScopedPush?: boolean };
}

/** What a subject may be put off by its own replacements, as a multiple of its quiet period. */
const BOUND_FACTOR = 2;

/** The wake rules a scenario asks for; none, when its agents run only when told to. */
const wakeOf = ({ gate, wakePolicy }: Setup): readonly WakeRule[] | undefined => {
  if (gate)
    return gate.policies.flatMap(({ match, behavior }) =>
      (match.tagsAny ?? []).map((tag) => ({
        tag,
        quietMs: behavior.debounce,
        boundMs: behavior.debounce * BOUND_FACTOR,
      })),
    );
  if (wakePolicy !== 'debounce') return undefined;
  return [
    { tag: 'doc:ordinary', quietMs: 200, boundMs: 10_000 },
    { tag: 'doc:subject', quietMs: 150, boundMs: 150 * BOUND_FACTOR },
  ];
};

const CAPABILITIES = [
  'initial-history-none',
  'untracked-history-unknown',
  'conservative-recovery',
  'unadvertised-channel-scoped-push',
  'retain-64-notices',
  'materialized-unread',
  'restart-without-history',
  'hard-subject-limit',
  'timing-observation',
  'finite-wake-postponement-bound',
  'paired-debounce-control',
  'per-context-consumption',
  'changing-advertised-retry-window',
] as const;

const HARD_LIMIT = 4;

class Session implements PublicSession {
  private reply: Reply | undefined;
  private timing: unknown;
  private runError: string | null | undefined;
  private readonly suppressed = new Set<string>();

  constructor(
    private readonly scenario: Scenario,
    private readonly setup: Setup,
  ) {}

  async step(step: Step): Promise<Json> {
    this.reply = undefined;
    this.runError = undefined;
    await this.act(step);
    return this.observe();
  }

  close(): Promise<void> {
    return this.scenario.close();
  }

  private get agents(): readonly string[] {
    return this.setup.agents ?? ['agent'];
  }

  private get awake(): readonly string[] {
    return this.agents.filter((agent) => !this.suppressed.has(agent));
  }

  private async act(step: Step): Promise<void> {
    const { scenario } = this;
    const ms = Number(step.ms);
    const [first = 'agent'] = this.agents;
    switch (step.op) {
      case 'send':
        this.reply = await scenario.send(String(step.method), step.params as Json, step.server as string | undefined);
        return;
      case 'register':
        this.reply = await scenario.register(String(step.channel), step.server as string | undefined);
        return;
      case 'channelTool':
        return scenario.channel(String(step.channel ?? 'chat'), step.name === 'channel_open');
      case 'grant':
        return scenario.setPolicy({ capabilities: step.leaves as string[] });
      case 'disableFeature':
        return scenario.setPolicy({ disabled: ['doc'] });
      case 'render':
        return scenario.plan(step.plan as RenderPlan);
      case 'waitRender':
        while (scenario.renders.length < Number(step.count)) await new Promise((resolve) => setTimeout(resolve, 5));
        return;
      case 'releaseRender':
        scenario.release(String(step.text));
        return;
      case 'assemble':
        this.runError = await scenario.infer(this.agents, false);
        return;
      case 'turn':
        // Agents that run by themselves are only waited for.
        if (this.setup.gate) await scenario.idle();
        else this.runError = await scenario.infer(this.awake, true);
        this.runError ??= null;
        this.suppressed.clear();
        return;
      case 'startTurn':
        scenario.begin(this.awake);
        return;
      case 'joinTurn':
        this.runError = await scenario.join();
        return;
      case 'suppressWake':
        this.suppressed.add(String(step.agent));
        return;
      case 'failNextModel':
        return void (await scenario.run({ op: 'failNextModel' }));
      case 'compress':
        return void (await scenario.run({ op: 'compress', agent: first }));
      case 'consumeContext':
        return void (await scenario.run({ op: 'consume', agent: String(step.agent) }));
      case 'materializeWithoutConsume':
        return void (await scenario.run({ op: 'materialize', agent: first }));
      case 'wait':
        return new Promise((resolve) => setTimeout(resolve, ms));
      case 'observe':
        return;
      case 'restart':
        return scenario.restart({ kill: false, keepHistory: true });
      case 'kill':
        return scenario.restart({ kill: true, keepHistory: true });
      case 'restartWithoutHistory':
        return scenario.restart({ kill: false, keepHistory: false });
      case 'disconnect':
        return scenario.disconnect();
      case 'reconnect':
        return scenario.reconnect();
      case 'reassign':
        return scenario.reassign();
      case 'advertiseWindow':
      case 'reconnectWithWindow':
        await scenario.disconnect();
        return scenario.reconnect(ms);
      case 'advanceClock':
        return scenario.advanceClock(ms);
      case 'fillCapacity':
        return this.fillCapacity(String(step.channel));
      case 'continuousReplacements': {
        const { quietMs, intervalMs, count } = step as unknown as {
          quietMs: number;
          intervalMs: number;
          count: number;
        };
        this.timing = await continuousReplacements(scenario, {
          quietMs,
          intervalMs,
          count,
          boundMs: quietMs * BOUND_FACTOR,
        });
        return;
      }
      case 'unrelatedDebounce':
        this.timing = await unrelatedDebounce(scenario, {
          ordinaryQuietMs: Number(step.ordinaryQuietMs),
          boundMs: 150 * BOUND_FACTOR,
        });
        return;
      default:
        throw new Error(`this adapter does not know the step ${step.op}`);
    }
  }

  private async fillCapacity(channelId: string): Promise<void> {
    for (let i = 0; i < HARD_LIMIT; i++)
      await this.scenario.send('push/event', {
        featureSet: 'doc',
        eventId: `fill-${i}`,
        timestamp: '2026-01-01T00:00:00Z',
        coalesce: { key: `fill-${i}`, channelId, initial: true },
        payload: { content: [{ type: 'text', text: `FILL_${i}` }] },
      });
  }

  private async observe(): Promise<Json> {
    const { observed, renders } = this.scenario;
    const state = await this.scenario.state();
    return {
      ...state,
      agents: this.agents,
      requests: observed.requests,
      modelCalls: observed.requests.length,
      modelFailures: observed.modelFailures,
      renders: renders.map(({ params, inferenceResponse }) => ({
        params,
        ...(inferenceResponse ? { inferenceResponse } : {}),
      })),
      scheduler: observed.wakes,
      ...(this.reply ? { reply: this.reply } : {}),
      ...(this.timing === undefined ? {} : { timing: this.timing }),
      ...(this.runError === undefined ? {} : { runError: this.runError }),
    };
  }
}

export interface PublicSession {
  /** Does one step of a scenario and returns what can be observed after it. */
  step(step: Step): Promise<Json>;
  close(): Promise<void>;
}

/** The interface of the public runner. */
export interface PublicAdapter {
  readonly identity: { readonly name: string; readonly implementation: string };
  readonly profile: { readonly capabilities: readonly string[] };
  open(setup: Setup, options?: { readonly requires?: readonly string[] }): Promise<PublicSession>;
}

/** The adapter that the public RFC-006 corpus is run with. */
export const publicAdapter = (driver: HostDriver): PublicAdapter => ({
  identity: { name: driver.name, implementation: 'mcpl-bridges' },
  profile: { capabilities: [...CAPABILITIES] },
  open: async (setup: Setup, { requires = [] }: { readonly requires?: readonly string[] } = {}) => {
    const { agents = ['agent'], servers = ['editor'], eventCoalescing = {} } = setup;
    const scenario = await Scenario.open(driver, {
      agents,
      serverIds: servers,
      leaves: eventCoalescing,
      sealed: requires.includes('conservative-recovery'),
      maxSubjects: requires.includes('hard-subject-limit') ? HARD_LIMIT : undefined,
      wake: wakeOf(setup),
    });
    return new Session(scenario, setup);
  },
});
