import { type ChannelDescriptor, channelDescriptor, type DescriptorResult, firstProblem } from '@mcpl-bridges/protocol';
import type { Grant } from './grant.js';

/** The channels one server has registered on this connection, each authorised on its own (SPEC §14.5). */
export class ChannelRegistry {
  private readonly registered = new Map<string, ChannelDescriptor>();
  private readonly opened = new Set<string>();

  has(id: string): boolean {
    return this.registered.has(id);
  }

  get(id: string): ChannelDescriptor | undefined {
    return this.registered.get(id);
  }

  all(): ChannelDescriptor[] {
    return [...this.registered.values()];
  }

  register(grant: Grant, raw: unknown): DescriptorResult {
    const parsed = channelDescriptor.safeParse(raw);
    if (!parsed.success) {
      const { field, reason } = firstProblem(parsed.error);
      return { id: String((raw as { id?: unknown } | null)?.id ?? ''), accepted: false, reason: `${field} ${reason}` };
    }
    const descriptor = parsed.data;
    if (!grant.allowsChannel(descriptor.id))
      return { id: descriptor.id, accepted: false, reason: 'channel_not_permitted' };
    this.registered.set(descriptor.id, descriptor);
    return { id: descriptor.id, accepted: true };
  }

  remove(id: string): DescriptorResult {
    this.opened.delete(id);
    return this.registered.delete(id) ? { id, accepted: true } : { id, accepted: false, reason: 'unknown_channel' };
  }

  markOpen(id: string): void {
    this.opened.add(id);
  }

  markClosed(id: string): void {
    this.opened.delete(id);
  }

  isOpen(id: string): boolean {
    return this.opened.has(id);
  }
}
