import type { ThreadEntry } from '@mcpl-bridges/chat';
import type { Capability, PortalChannel, PortalGuild } from '@mcpl-bridges/portal-client';
import type { ChannelDescriptor } from '@mcpl-bridges/protocol';
import { mcplChannelId } from '../ids.js';

/** Where people talk, or whose threads they talk in. */
const TALKED_IN: ReadonlySet<PortalChannel['type']> = new Set(['text', 'voice', 'forum']);

const mayView = ({ capabilities }: PortalChannel): boolean => capabilities.includes('VIEW_CHANNEL');

/** What guilds, channels and threads there are on a relay, and what the persona may do in them. */
export class PortalDirectory {
  private readonly guilds = new Map<string, PortalGuild>();
  private readonly channels = new Map<string, PortalChannel>();
  /** By their channel. */
  private readonly threadIds = new Map<string, Set<string>>();
  private whole = false;

  /** A whole new directory takes the place of what was known. */
  replace(guilds: readonly PortalGuild[], channels: readonly PortalChannel[]): void {
    this.whole = true;
    this.guilds.clear();
    this.channels.clear();
    this.threadIds.clear();
    for (const guild of guilds) this.guilds.set(guild.id, guild);
    for (const channel of channels) this.put(channel);
  }

  put(channel: PortalChannel): void {
    const { id, type, parentId } = channel;
    this.channels.set(id, channel);
    if (type !== 'thread' || parentId === undefined) return;
    const siblings = this.threadIds.get(parentId) ?? new Set();
    this.threadIds.set(parentId, siblings.add(id));
  }

  putGuild(guild: PortalGuild, channels: readonly PortalChannel[]): void {
    this.guilds.set(guild.id, guild);
    for (const channel of channels) this.put(channel);
  }

  delete(id: string): void {
    for (const one of [id, ...(this.threadIds.get(id) ?? [])]) {
      const { parentId } = this.channels.get(one) ?? {};
      if (parentId !== undefined) this.threadIds.get(parentId)?.delete(one);
      this.channels.delete(one);
    }
    this.threadIds.delete(id);
  }

  deleteGuild(id: string): void {
    this.guilds.delete(id);
    for (const channel of [...this.channels.values()]) if (channel.guildId === id) this.delete(channel.id);
  }

  /** Of a channel, and its threads with it. */
  setCapabilities(id: string, capabilities: readonly Capability[]): void {
    for (const channel of [this.channels.get(id), ...this.threadsIn(id)])
      if (channel) this.put({ ...channel, capabilities });
  }

  get(id: string): PortalChannel | undefined {
    return this.channels.get(id);
  }

  /** Whether all there is was ever told, and not only news of it. */
  get isWhole(): boolean {
    return this.whole;
  }

  allGuilds(): PortalGuild[] {
    return [...this.guilds.values()];
  }

  /** Whether the persona may see a channel. */
  isVisible(id: string): boolean {
    const channel = this.channels.get(id);
    return channel !== undefined && mayView(channel);
  }

  /** The channels that a host is told of. */
  visible(): PortalChannel[] {
    return [...this.channels.values()].filter((channel) => TALKED_IN.has(channel.type) && mayView(channel));
  }

  /** The threads of channels that a host is told of. */
  threads(): PortalChannel[] {
    return [...this.threadIds.keys()].filter((id) => this.isVisible(id)).flatMap((id) => this.threadsIn(id));
  }

  threadsIn(channelId: string): PortalChannel[] {
    return [...(this.threadIds.get(channelId) ?? [])].flatMap((id) => this.channels.get(id) ?? []);
  }

  /** `#name (Guild)`. */
  descriptor(channel: PortalChannel): ChannelDescriptor {
    const { id, guildId, type, capabilities } = channel;
    return {
      id: mcplChannelId(id),
      type: 'portal',
      label: this.label(channel),
      direction: 'bidirectional',
      address: { channelId: id, guildId },
      metadata: { channelType: type, guildId, capabilities },
      capabilities: {
        acknowledgment: { kind: 'reaction', supportsValue: true },
        publish: { target: 'exact' },
        history: { supportsBeforeMessage: true },
      },
    };
  }

  /** `#parent › thread (Guild)`, under the id that tools take. */
  threadEntry(thread: PortalChannel): ThreadEntry {
    const locus = { channelId: mcplChannelId(thread.parentId ?? thread.id), threadId: thread.id };
    return { id: mcplChannelId(thread.id), label: this.label(thread), locus };
  }

  private label({ id, name, guildId, type, parentId }: PortalChannel): string {
    const guild = guildId === null ? undefined : this.guilds.get(guildId)?.name;
    const parent = type === 'thread' && parentId !== undefined ? this.channels.get(parentId) : undefined;
    const whole = parent ? `#${parent.name ?? parent.id} › ${name ?? id}` : `#${name ?? id}`;
    return guild === undefined ? whole : `${whole} (${guild})`;
  }
}
