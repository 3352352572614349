import type { Lane } from '@mcpl-bridges/protocol';
import type { WireForm } from '../occurrence/wire-form.js';

/** What was kept of an attempt by schema 1 of either store: the request's params as an object. */
export interface WireFormOne {
  readonly method: Lane;
  readonly coalesced: boolean;
  readonly params: { readonly messages?: readonly unknown[]; readonly coalesce?: { readonly channelId?: string } };
}

/** The same to the byte: members keep the order in which they were sent. */
export const fromFirstSchema = ({ method, coalesced, params }: WireFormOne): WireForm => ({
  method,
  coalesced,
  inChannelScope: params.coalesce?.channelId !== undefined,
  body: JSON.stringify(method === 'push/event' ? params : params.messages?.[0]),
});

/** How long records of schema 1, which were kept for good, are kept on, ms. */
export const OLD_RECORDS_KEPT_MS = 30 * 86_400_000;
