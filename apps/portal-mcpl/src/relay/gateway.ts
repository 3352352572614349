import type { ChatBridge, ChatMessage, Hearing, Locus } from '@mcpl-bridges/chat';
import { ProgramError } from '@mcpl-bridges/chat/program';
import { dialNode, PortalClient, type PortalEvent, type Ready, type SessionPoint } from '@mcpl-bridges/portal-client';
import { systemTime } from '@mcpl-bridges/producer';
import type { Logger } from 'pino';
import type { Access } from '../credentials.js';
import { containerAt, mcplChannelId, portalChannelId, timeOfId } from '../ids.js';
import { PortalPresence } from '../presence.js';
import { CatchUp } from './catch-up.js';
import { PortalDirectory } from './directory.js';
import { RelayEvents } from './events.js';
import type { Self } from './normalise.js';
import { ReadState } from './read-state.js';
import { MessageReader } from './reader.js';
import { Recent } from './recent.js';
import { Registrar } from './registrar.js';
import { Relay } from './relay.js';
import { Sending } from './sending.js';
import { SessionKeeper } from './session-keeper.js';

export interface PortalGatewayOptions {
  readonly url: string;
  readonly access: Access;
  readonly log: Logger;
  /** Channels of which all talk is asked for from the first moment, and `'all'` for whatever there is. */
  readonly hears: ReadonlySet<string> | 'all';
  /** The relay will never let the persona in. */
  readonly onFatal: (error: Error) => void;
  /** ms since the Unix epoch. */
  readonly now?: () => number;
}

/** The process exits with this when the relay refuses an invitation; 2 is a wrong configuration. */
const REFUSED = 3;

/** The connection to a relay: what it tells goes to the bridge, in order, and what was missed is found out. */
export class PortalGateway {
  readonly directory = new PortalDirectory();
  readonly relay = new Relay(() => this.client);
  readonly sending: Sending;
  readonly recent = new Recent();
  readonly reader: MessageReader;
  private readonly readState: ReadState;
  private readonly catchUp: CatchUp;
  private readonly registrar = new Registrar(this.directory);
  readonly presence = new PortalPresence({
    directory: this.directory,
    selfId: () => this.self.personaId,
    selfName: () => this.self.name,
    now: () => systemTime.monotonic(),
  });
  private client: PortalClient | undefined;
  private bridge: ChatBridge | undefined;
  private events: RelayEvents | undefined;
  private self: Self = { personaId: '', name: '' };
  private keeper: SessionKeeper | undefined;
  /** What came before it was known which channels there are. */
  private held: (() => void)[] | undefined;

  constructor(private readonly options: PortalGatewayOptions) {
    const { directory, relay, recent } = this;
    const { log } = options;
    this.sending = new Sending(() => this.now());
    this.reader = new MessageReader({
      directory,
      recent,
      sending: this.sending,
      relay,
      self: () => this.self,
      isKnownOwn: async (channelId, id) => (await this.bridge?.standingOf(channelId, id)) === 'own',
    });
    this.readState = new ReadState(
      (method, params) => relay.call(method, params),
      (ms, action) => systemTime.after(ms, action),
    );
    this.catchUp = new CatchUp({ relay, directory, reader: this.reader, log });
  }

  /** Starts delivering to `bridge` and comes in, trying again until the relay lets it. Does not wait for it. */
  start(bridge: ChatBridge): void {
    const { url, access, log, hears } = this.options;
    this.bridge = bridge;
    this.events = new RelayEvents({
      bridge,
      directory: this.directory,
      registrar: this.registrar,
      catchUp: this.catchUp,
      reader: this.reader,
      self: () => this.self,
      presence: this.presence,
      reload: () => this.loadDirectory(),
      renamed: (name) => {
        this.self = { ...this.self, name };
      },
      now: () => new Date(this.now()).toISOString(),
    });
    this.keeper = new SessionKeeper(bridge.producer, url, access.login);
    this.keeper
      .kept()
      .then((kept) => {
        if (kept) this.self = kept.self;
        this.client = this.newClient(kept?.session);
        if (hears !== 'all') for (const id of hears) this.client.subscribe(id).catch(() => {});
        this.client.start();
      })
      .catch((error: Error) => log.error({ reason: error.message }, 'the relay cannot be dialled'));
  }

  /** Leaves; resolves when the persona is away. */
  async close(): Promise<void> {
    this.readState.stop();
    await this.client?.stop();
  }

  /** What of a channel the relay is asked to tell. */
  get hearing(): Hearing {
    return {
      begin: (channelId) => this.relay.hear(portalChannelId(channelId)),
      end: (channelId) => this.relay.unhear(portalChannelId(channelId)),
    };
  }

  isNew(locus: Locus): Promise<boolean> {
    return this.catchUp.isNew(locus);
  }

  /** The agent's host has a message. What is read of a closed channel says nothing of the rest. */
  delivered({ channelId, createdAt }: Pick<ChatMessage, 'channelId' | 'createdAt'>, isOpen: boolean): void {
    if (isOpen) this.readState.read({ channelId: portalChannelId(channelId), createdAt });
  }

  /** The agent has noticed a message. */
  noticed(channelId: string, messageId: string): void {
    const createdAt = this.recent.get(messageId)?.createdAt;
    if (createdAt !== undefined) this.readState.read({ channelId: portalChannelId(channelId), createdAt });
  }

  /** A time that may be said to be read up to: one from the future would hide all that follows. */
  notAfterNow(time: string): string {
    return new Date(Math.min(Date.parse(time), this.now())).toISOString();
  }

  /** Where a message stands whose id says so. */
  locusOf(container: string): Locus {
    const parentId = this.directory.get(container)?.parentId;
    const isThread = this.directory.get(container)?.type === 'thread';
    return isThread && parentId !== undefined
      ? { channelId: mcplChannelId(parentId), threadId: container }
      : { channelId: mcplChannelId(container) };
  }

  /** The persona has posted: nobody else will say so. */
  posted(locus: Locus, messageId: string, text: string): void {
    const { personaId: id, name } = this.self;
    const message: ChatMessage = {
      ...locus,
      messageId,
      author: { id, name, kind: 'self' },
      text,
      attachments: [],
      inserts: [],
      addressing: { mention: false, replyToAgent: false, broadcast: false, direct: false },
      inThread: locus.threadId !== undefined,
      createdAt: new Date(timeOfId(messageId)).toISOString(),
      origin: {},
    };
    void this.bridge?.receive(containerAt(locus), async () => ({ kind: 'created', message }));
  }

  /** Takes a new token and keeps it. */
  async rotateToken(): Promise<void> {
    await this.client?.rotateToken();
  }

  get personaId(): string {
    return this.self.personaId;
  }

  get name(): string {
    return this.self.name;
  }

  private newClient(session: SessionPoint | undefined): PortalClient {
    const { url, access, log, onFatal } = this.options;
    return new PortalClient({
      url,
      login: access.login,
      dial: dialNode,
      keep: access.keep,
      ...(session ? { session } : {}),
      on: {
        entered: (how, ready) => this.entered(how, ready),
        event: (event, seq) => this.take(event, seq),
        passing: (event) => this.presence.told(event),
        lost: () => {
          this.presence.lost();
          log.info('the relay is gone; coming back');
        },
        refused: (reason) => {
          // Whoever was in once has credentials.
          if (access.login.kind === 'invite' && this.personaId === '')
            onFatal(new ProgramError(`the relay does not accept PORTAL_INVITE: ${reason}`, REFUSED));
          else log.error({ reason }, 'the relay does not let the persona in; asking again, slowly');
        },
      },
    });
  }

  private entered(how: 'anew' | 'resumed', ready: Ready | undefined): void {
    const { log } = this.options;
    if (ready) {
      this.self = { personaId: ready.persona.id, name: ready.persona.displayName };
      this.directory.replace(ready.guilds, ready.channels);
    }
    log.info({ how, persona: this.self.personaId, channels: this.directory.visible().length }, 'in the relay');
    if (this.directory.isWhole && this.options.hears !== 'all') {
      this.begin();
      return;
    }
    this.held ??= [];
    this.prepare().then(
      () => this.begin(),
      (error: Error) => log.warn({ reason: error.message }, 'the relay does not say which channels there are'),
    );
  }

  /** Learns which channels there are; a host is told of none whose talk is wanted and not heard yet. */
  private async prepare(): Promise<void> {
    if (!this.directory.isWhole) await this.loadDirectory();
    if (this.options.hears === 'all')
      await Promise.allSettled(this.directory.visible().map(({ id }) => this.relay.hear(id)));
  }

  /** A session that an earlier process began comes back without a directory. */
  private async loadDirectory(): Promise<void> {
    const { guilds } = await this.relay.call('list_guilds', {});
    const lists = await Promise.all(guilds.map(({ id: guildId }) => this.relay.call('list_channels', { guildId })));
    this.directory.replace(
      guilds,
      lists.flatMap(({ channels }) => channels),
    );
  }

  private begin(): void {
    if (!this.bridge) return;
    this.registrar.look(this.bridge);
    this.presence.entered();
    this.catchUp.run(this.bridge);
    this.relay.arrived();
    this.keeper?.changed(this.client?.session, this.self);
    const held = this.held ?? [];
    this.held = undefined;
    for (const take of held) take();
  }

  private take(event: PortalEvent, seq: number): void {
    if (this.held) {
      this.held.push(() => this.take(event, seq));
      return;
    }
    const { client, events } = this;
    const name = `${client?.session?.id}:${seq}`;
    events?.take(event, name).then(
      () => {
        client?.handled(seq);
        this.keeper?.changed(client?.session, this.self);
      },
      ({ message }: Error) =>
        this.options.log.error({ type: event.type, reason: message }, 'what the relay tells could not be taken in'),
    );
  }

  /** ms since the Unix epoch. */
  now(): number {
    return (this.options.now ?? Date.now)();
  }
}
