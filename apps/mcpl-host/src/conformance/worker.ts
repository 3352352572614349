import type {
  AuditLine,
  HostCommand,
  HostSetup,
  HostState,
  ServerPolicy,
  ServerSetup,
  ServerState,
  WakeRule,
} from '@mcpl-bridges/conformance';
import {
  AgentLoop,
  Faults,
  Host,
  type HostSession,
  LmdbJournal,
  type Model,
  PROFILES,
  type Profile,
  type ProfileName,
  type WakePolicy,
} from '@mcpl-bridges/host';
import { plainText } from '@mcpl-bridges/protocol';
import { dialWebSocket } from '@mcpl-bridges/transport';
import type { WorkerAnswer, WorkerEvent } from './messages.js';

// A host process for the conformance adapter: driven over IPC, killed at will.
const tell = (message: WorkerEvent | WorkerAnswer): void => void process.send?.(message);
const now = (): number => performance.timeOrigin + performance.now();

class Worker {
  private readonly host: Host;
  private readonly sessions = new Map<string, { session: HostSession; setup: ServerSetup; connected: boolean }>();
  private readonly journal: LmdbJournal;
  private readonly loop: AgentLoop | undefined;
  private clockOffsetMs: number;
  private failing = false;
  private summaryLevel = 0;
  private assemblyStartedAt = 0;
  private audience: readonly string[];
  private readonly audit: AuditLine[] = [];

  constructor(private readonly setup: HostSetup) {
    this.audience = setup.agents;
    this.clockOffsetMs = setup.clockOffsetMs;
    this.journal = new LmdbJournal({ path: setup.stateDir });
    this.host = new Host({
      profile: profileOf(setup),
      audit: { write: (_at, _binding, entry) => this.audit.push({ ...entry }) },
      clock: { now: () => Date.now() + this.clockOffsetMs },
      journal: this.journal,
      route: () => this.audience,
      renders: { timeoutMs: setup.renderTimeoutMs },
      ...(setup.maxSubjects === undefined ? {} : { maxSubjects: setup.maxSubjects }),
    });
    this.host.on('error', () => {});
    if (setup.wake) this.loop = this.startLoop(setup.wake);
  }

  async run(command: HostCommand): Promise<unknown> {
    switch (command.op) {
      case 'connect':
        return this.connect(command.server);
      case 'policy':
        return this.applyPolicy(command.id, command.policy);
      case 'channel': {
        const session = this.sessions.get(command.id)?.session;
        return command.open ? session?.openChannel(command.channelId) : session?.closeChannel(command.channelId);
      }
      case 'audience':
        this.audience = command.agents;
        return undefined;
      case 'infer':
        return this.infer(command.agents, command.onlyForNews);
      case 'consume':
        return this.host.engine.assemble(command.agent).then(() => undefined);
      case 'materialize':
        return this.host.engine.materialize(command.agent);
      case 'compress':
        await this.host.compress({ name: 'summariser', respond: async () => ({ text: 'a summary' }) }, command.agent);
        this.summaryLevel += 1;
        return undefined;
      case 'failNextModel':
        this.failing = true;
        return undefined;
      case 'advanceClock':
        this.clockOffsetMs += command.ms;
        return undefined;
      case 'idle':
        while (this.loop?.busy) await new Promise((resolve) => setTimeout(resolve, 5));
        return undefined;
      case 'observe':
        return this.observe();
      case 'stop':
        this.loop?.stop();
        return this.host.close();
    }
  }

  private startLoop(wake: readonly WakeRule[]): AgentLoop {
    const [agent = 'agent'] = this.setup.agents;
    return new AgentLoop({
      host: this.host,
      model: this.model(agent),
      wake: wakePolicy(wake),
      owns: (context) => context === agent,
      onWake: (_context, causes) => {
        this.assemblyStartedAt = now();
        tell({ event: 'wake', wake: { at: this.assemblyStartedAt, causes } });
      },
      onTurn: () => {},
      onError: () => {},
    });
  }

  private model(agent: string): Model {
    return {
      name: `fixture-${agent}`,
      respond: async ({ messages }) => {
        const request = messages.map(({ role, text }) => ({ role, content: text }));
        const { assemblyStartedAt } = this;
        tell({
          event: 'modelCall',
          call: { model: `fixture-${agent}`, messages: request, assemblyStartedAt, observedAt: now() },
        });
        if (!this.failing) return undefined;
        this.failing = false;
        tell({ event: 'modelFailure' });
        throw new Error('the model failed, as it was told to');
      },
    };
  }

  /** Runs the agents side by side; a model's failure is its own, not the run's. */
  private async infer(agents: readonly string[], onlyForNews: boolean): Promise<string | null> {
    this.assemblyStartedAt = now();
    const runs = agents.map((agent) =>
      onlyForNews ? this.host.turnForNews(this.model(agent), agent) : this.host.turn(this.model(agent), agent),
    );
    const failed = (await Promise.allSettled(runs)).find((run) => run.status === 'rejected');
    return failed ? String(failed.reason) : null;
  }

  private async connect(setup: ServerSetup): Promise<void> {
    const transport = await dialWebSocket(setup.url);
    const { id: serverId, url: endpoint, policy, retryWindowMs, losesFirstAnswerTo: method } = setup;
    const faults = new Faults(method === undefined ? {} : { answers: [{ method, fate: 'disconnect', times: 1 }] });
    const session = await this.host.connect(transport, { serverId, endpoint, policy, retryWindowMs, faults });
    const known = { session, setup, connected: true };
    this.sessions.set(serverId, known);
    this.host.on('closed', (closed) => {
      if (closed === session) known.connected = false;
    });
  }

  private async applyPolicy(id: string, policy: ServerPolicy): Promise<void> {
    const known = this.sessions.get(id);
    if (!known) throw new Error(`no server ${id}`);
    known.setup = { ...known.setup, policy };
    await known.session.applyPolicy(policy);
  }

  private observe(): HostState {
    const contexts = this.setup.agents.map((agent) => [agent, this.host.engine.entries(agent).map(stored)] as const);
    const servers = [...this.sessions].map(([id, known]) => [id, serverState(known)] as const);
    const [first] = this.sessions.values();
    return {
      contexts: Object.fromEntries(contexts),
      servers: Object.fromEntries(servers),
      summaryLevel: this.summaryLevel,
      audit: this.audit,
      capacity: { hard: true, ...this.host.engine.capacity(first?.session.binding ?? '') },
    };
  }
}

/** The profile as the setup bends it. A sealed host is sealed whatever it plays. */
const profileOf = ({ profile: name, leaves, sealed }: HostSetup): Profile => {
  const profile: Profile = PROFILES[name as ProfileName];
  return {
    ...profile,
    ...(profile.coalescing ? { coalescing: { ...profile.coalescing, ...leaves } } : {}),
    ...(sealed ? { recovery: 'sealed' } : {}),
  };
};

const wakePolicy = (rules: readonly WakeRule[]): WakePolicy => ({
  rules: rules.map(({ tag, quietMs, boundMs }) => ({
    match: { tagsAny: [tag] },
    behavior: { kind: 'debounce', ms: quietMs, maxMs: boundMs },
  })),
  otherwise: { kind: 'skip' },
});

const stored = (entry: ReturnType<Host['engine']['entries']>[number]) => ({
  role: entry.role,
  content: plainText([...entry.content]),
  metadata: {
    eventId: entry.eventId,
    ...(entry.message ? { messageId: entry.message.messageId } : {}),
    ...(entry.message?.threadId === undefined ? {} : { threadId: entry.message.threadId }),
  },
});

const serverState = ({
  session,
  setup,
  connected,
}: {
  session: HostSession;
  setup: ServerSetup;
  connected: boolean;
}): ServerState => ({
  connected,
  policyEstablished: connected && session.granted !== undefined,
  binding: session.binding,
  grant: session.granted?.capabilities ?? [],
  operatorPolicy: setup.policy,
  enabledFeatures: [...(session.granted?.featureSets ?? [])].flatMap(([name, state]) =>
    state === 'enabled' ? [name] : [],
  ),
});

const worker = new Worker(JSON.parse(process.argv[2] ?? '{}') as HostSetup);
process.on('message', ({ id, command }: { id: number; command: HostCommand }) => {
  worker.run(command).then(
    (result) => tell({ id, result }),
    (error: Error) => tell({ id, error: error.message }),
  );
});
process.on('disconnect', () => process.exit(0));
tell({ event: 'ready' });
