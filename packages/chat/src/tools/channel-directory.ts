import type { ChannelDescriptor } from '@mcpl-bridges/protocol';
import { ToolFailure } from './tool.js';

/** How many channels are named where several could be meant. */
const MAX_CHOICES = 10;

/** The channels that tools know, by whatever people and models call them. */
export class ChannelDirectory {
  private readonly descriptors = new Map<string, ChannelDescriptor>();

  put(descriptor: ChannelDescriptor): void {
    this.descriptors.set(descriptor.id, descriptor);
  }

  delete(id: string): void {
    this.descriptors.delete(id);
  }

  has(id: string): boolean {
    return this.descriptors.has(id);
  }

  labelOf(id: string): string | undefined {
    return this.descriptors.get(id)?.label;
  }

  all(): ChannelDescriptor[] {
    return [...this.descriptors.values()];
  }

  /**
   * The MCPL id of the channel that is meant: by that id, by the platform's own, by its label (`#general (Home)`), or by its
   * name (`#general`) where that is the only one.
   * @throws ToolFailure that names what could be meant
   */
  resolve(text: string): string {
    if (this.descriptors.has(text)) return text;
    const wanted = text.trim().toLowerCase();
    const all = this.all();
    const named = (test: (label: string) => boolean) => all.filter(({ label }) => test(label.toLowerCase()));
    const ways = [
      all.filter(({ id }) => id.endsWith(`:${text}`)),
      named((label) => label === wanted),
      named((label) => label.startsWith(`${wanted.startsWith('#') ? wanted : `#${wanted}`} (`)),
    ];
    const found = ways.find((way) => way.length > 0) ?? [];
    if (found.length === 1) return (found[0] as ChannelDescriptor).id;
    if (found.length === 0)
      throw new ToolFailure(`there is no channel ${text} here; use an id from the channel list (list_channels)`);
    const choices = found.slice(0, MAX_CHOICES).map(({ id, label }) => `${id} ${label}`);
    throw new ToolFailure(`${text} could be any of ${found.length} channels; use an id: ${choices.join(', ')}`);
  }
}
