import type { ChannelDescriptor, DescriptorResult } from '@mcpl-bridges/protocol';

/** Where a channel's registration stands on the present connection. */
export type Registration =
  | { readonly kind: 'unasked' }
  | { readonly kind: 'asked' }
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly reason: string };

interface Known {
  descriptor: ChannelDescriptor;
  registration: Registration;
  open: boolean;
  /** A host has opened or closed it in this process. */
  isTold: boolean;
}

/** The channels this server wants registered, what the host said to each, and which it has opened. */
export class ChannelTable {
  private readonly known = new Map<string, Known>();
  private readonly gone = new Set<string>();

  put(descriptor: ChannelDescriptor): 'added' | 'updated' {
    const existing = this.known.get(descriptor.id);
    if (existing) {
      existing.descriptor = descriptor;
      return 'updated';
    }
    this.gone.delete(descriptor.id);
    this.known.set(descriptor.id, { descriptor, registration: { kind: 'unasked' }, open: false, isTold: false });
    return 'added';
  }

  delete(id: string): boolean {
    this.gone.add(id);
    return this.known.delete(id);
  }

  get(id: string): ChannelDescriptor | undefined {
    return this.known.get(id)?.descriptor;
  }

  all(): ChannelDescriptor[] {
    return [...this.known.values()].map((one) => one.descriptor);
  }

  registration(id: string): Registration {
    if (this.gone.has(id)) return { kind: 'refused', reason: 'the channel is gone' };
    return this.known.get(id)?.registration ?? { kind: 'unasked' };
  }

  isOpen(id: string): boolean {
    return this.known.get(id)?.open ?? false;
  }

  setOpen(id: string, open: boolean): void {
    const known = this.known.get(id);
    if (!known) return;
    known.open = open;
    known.isTold = true;
  }

  /** As a host left it in an earlier process; what a host has said since counts more. */
  assumeOpen(id: string): void {
    const known = this.known.get(id);
    if (known && !known.isTold) known.open = true;
  }

  asked(ids: readonly string[]): void {
    for (const id of ids) this.mark(id, { kind: 'asked' });
  }

  /** Applies a per-descriptor answer; a host of MCPL 0.4 gives none, which means that it took all. */
  answered(ids: readonly string[], results: readonly DescriptorResult[] | undefined): void {
    for (const id of ids) {
      const result = results?.find((one) => one.id === id);
      if (results && !result) this.mark(id, { kind: 'refused', reason: 'the host did not answer for this channel' });
      else if (result && !result.accepted)
        this.mark(id, { kind: 'refused', reason: result.reason ?? 'no reason given' });
      else this.mark(id, { kind: 'accepted' });
    }
  }

  /** A new connection knows no channel (SPEC §14). What was open stays so until the host says otherwise. */
  forgetRegistrations(): void {
    for (const known of this.known.values()) known.registration = { kind: 'unasked' };
  }

  private mark(id: string, registration: Registration): void {
    const known = this.known.get(id);
    if (known) known.registration = registration;
  }
}
