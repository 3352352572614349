import {
  channelsChangedParams,
  channelsRegisterParams,
  type DescriptorResult,
  parseParams,
} from '@mcpl-bridges/protocol';
import type { Profile } from '../profile.js';
import { requireCapability, type SessionView } from './admission.js';
import type { ChannelRegistry } from './channels.js';
import type { Faults } from './faults.js';

export interface RegistrationOptions {
  readonly channels: ChannelRegistry;
  readonly view: () => SessionView;
  readonly answers: Profile['registration'];
  readonly descriptors: Faults['descriptors'];
  readonly onChange: () => void;
  /** A Notification cannot carry a refusal; it is told here instead (SPEC §14.5). */
  readonly onDefect: (defect: Error) => void;
}

/** Answers `channels/register` and `channels/changed`, each descriptor on its own (SPEC §14.5). */
export class Registration {
  constructor(private readonly options: RegistrationOptions) {}

  register(params: Record<string, unknown>): Record<string, unknown> {
    const grant = requireCapability(this.options.view(), 'channels.register');
    const { channels } = parseParams(channelsRegisterParams, params);
    const results = channels.map((raw) => this.one(raw, grant));
    this.options.onChange();
    return this.answer(results);
  }

  changed(params: Record<string, unknown>, isRequest: boolean): Record<string, unknown> {
    const grant = requireCapability(this.options.view(), 'channels.register');
    const { added = [], updated = [], removed = [] } = parseParams(channelsChangedParams, params);
    const additions = [...added, ...updated].map((raw) => this.one(raw, grant));
    const removals = removed.map((id) => this.options.channels.remove(id));
    if (!isRequest) this.tellRefusals(additions);
    this.options.onChange();
    return this.answer(this.options.answers === 'additions-only' ? additions : [...additions, ...removals]);
  }

  private one(raw: unknown, grant: Parameters<ChannelRegistry['register']>[0]): DescriptorResult {
    if (this.options.descriptors !== 'refused') return this.options.channels.register(grant, raw);
    return { id: String((raw as { id?: unknown } | null)?.id ?? ''), accepted: false, reason: 'channel_not_permitted' };
  }

  private tellRefusals(results: readonly DescriptorResult[]): void {
    for (const { id, accepted, reason } of results)
      if (!accepted) this.options.onDefect(new Error(`channel ${id} was not accepted: ${reason ?? 'no reason'}`));
  }

  private answer(results: readonly DescriptorResult[]): Record<string, unknown> {
    switch (this.options.answers) {
      case 'itemised':
      case 'additions-only':
        return { results };
      case 'registered':
        return { registered: results.filter(({ accepted }) => accepted).map(({ id }) => id) };
      case 'empty':
        return {};
    }
  }
}
