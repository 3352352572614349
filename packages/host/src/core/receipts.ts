import type { CoalesceResult } from '@mcpl-bridges/protocol';

/** The answer an admitted occurrence got, and gets again on every retry inside the window (RFC-006 §3.1). */
export interface Receipt {
  readonly coalesce?: CoalesceResult;
}

interface Kept {
  readonly receipt: Receipt;
  /** When the window advertised at admission ends, ms of the host's clock. */
  readonly until: number;
}

/** Receipts by binding and occurrence, oldest first. */
export interface Receipts {
  readonly kept: Map<string, Kept>;
}

export const createReceipts = (): Receipts => ({ kept: new Map() });

const receiptId = (binding: string, eventId: string): string => JSON.stringify([binding, eventId]);

export const keepReceipt = (
  receipts: Receipts,
  binding: string,
  eventId: string,
  receipt: Receipt,
  until: number,
): void => {
  receipts.kept.set(receiptId(binding, eventId), { receipt, until });
};

export const findReceipt = (receipts: Receipts, binding: string, eventId: string, now: number): Receipt | undefined => {
  const kept = receipts.kept.get(receiptId(binding, eventId));
  return kept && now < kept.until ? kept.receipt : undefined;
};

/** Frees receipts whose window has passed. Stops at the first live one: windows change rarely, so order nearly holds. */
export const pruneReceipts = (receipts: Receipts, now: number): void => {
  for (const [id, kept] of receipts.kept) {
    if (now < kept.until) return;
    receipts.kept.delete(id);
  }
};
