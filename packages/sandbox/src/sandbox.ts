import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { type Clock, systemClock } from './clock.js';
import { Gateway } from './gateway/gateway.js';
import { restApp } from './rest/app.js';
import { Faults } from './rest/faults.js';
import { storeFile } from './rest/message-body.js';
import type { Attachment, Channel, Message, User } from './world/entities.js';
import * as messages from './world/message-ops.js';
import * as places from './world/place-ops.js';
import { World } from './world/world.js';

export interface SandboxOptions {
  readonly clock?: Clock;
  /** 0, the default, takes a free port. Always on the loopback interface. */
  readonly port?: number;
}

export interface PostOptions {
  readonly replyTo?: Message;
  readonly files?: readonly { readonly name: string; readonly bytes: Uint8Array; readonly contentType: string }[];
  readonly embeds?: Record<string, unknown>[];
  readonly type?: number;
  readonly flags?: number;
  /** Further members: a poll, stickers, snapshots of a forward. */
  readonly extra?: Record<string, unknown>;
}

/**
 * A local Discord: REST v10, gateway and file host on one loopback port. Real clients reach it by `apiBase`; tests and
 * the demo act in it as its users, and make it fail.
 */
export class Sandbox {
  readonly world: World;
  readonly gateway: Gateway;
  readonly faults = new Faults();
  /** What `GET /gateway/bot` recommends. */
  shards = 1;
  /** What `GET /gateway/bot` says is left of the day's IDENTIFYs. */
  sessionsLeft = 1000;
  /** How long files take to be served, ms. */
  fileDelayMs = 0;
  private readonly server: Server;

  private constructor(clock: Clock) {
    this.world = new World(clock);
    this.gateway = new Gateway(this.world);
    const app = restApp({
      world: this.world,
      faults: this.faults,
      clock,
      shards: () => this.shards,
      sessionsLeft: () => this.sessionsLeft,
      fileDelayMs: () => this.fileDelayMs,
    });
    this.server = createServer(getRequestListener(app.fetch));
    this.server.on('upgrade', (request, socket, head) => this.gateway.upgrade(request, socket, head));
  }

  static async start(options: SandboxOptions = {}): Promise<Sandbox> {
    const sandbox = new Sandbox(options.clock ?? systemClock);
    await new Promise<void>((resolve, reject) => {
      sandbox.server.once('error', reject);
      sandbox.server.listen(options.port ?? 0, '127.0.0.1', resolve);
    });
    sandbox.world.origin = `http://127.0.0.1:${(sandbox.server.address() as AddressInfo).port}`;
    return sandbox;
  }

  /** For `rest.api` of discord.js, and for `DISCORD_API_BASE`. */
  get apiBase(): string {
    return `${this.world.origin}/api`;
  }

  post(channel: Channel, author: User, content: string, options: PostOptions = {}): Message {
    const attachments = (options.files ?? []).map((file) => storeFile(this.world, channel, file));
    return messages.postMessage(this.world, {
      channel,
      author,
      content,
      attachments,
      ...(options.embeds ? { embeds: options.embeds } : {}),
      ...(options.type === undefined ? {} : { type: options.type }),
      ...(options.flags === undefined ? {} : { flags: options.flags }),
      ...(options.extra ? { extra: options.extra } : {}),
      ...(options.replyTo ? { reference: { type: 0, messageId: options.replyTo.id } } : {}),
    });
  }

  edit(channel: Channel, message: Message, content: string): Message {
    return messages.editMessage(this.world, channel, message, { content });
  }

  /** Replaces a message's files, which is an edit. */
  editAttachments(channel: Channel, message: Message, attachments: Attachment[]): Message {
    return messages.editMessage(this.world, channel, message, { attachments });
  }

  /** What Discord does when it has fetched a link's preview: new embeds, no edit. */
  unfurl(channel: Channel, message: Message, embed: Record<string, unknown>): void {
    messages.touchMessage(this.world, channel, message, { embeds: [...message.embeds, embed] });
  }

  delete(channel: Channel, message: Message): void {
    messages.deleteMessage(this.world, channel, message.id);
  }

  bulkDelete(channel: Channel, ids: readonly string[]): void {
    messages.bulkDelete(this.world, channel, ids);
  }

  /** A thread from a message also sets that message's HAS_THREAD flag, without an edit. */
  startThread(parent: Channel, name: string, owner: User, from?: Message): Channel {
    const thread = places.startThread(this.world, parent, name, owner, from);
    if (from) messages.touchMessage(this.world, parent, from, { flags: from.flags | 32 });
    return thread;
  }

  /** What stands in a channel now, oldest first. */
  history(channel: Channel): Message[] {
    return [...this.world.messagesOf(channel.id).values()];
  }

  async close(): Promise<void> {
    this.gateway.close();
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }
}
