/** What became of a call that moves money or stock orders (rulings, 7). Never sent twice: money calls have no id of ours. */
import type { CallOutcome } from './broker-order.ts';

export type CallReceipt =
  /** `transactionId` is the broker's, null where it gives none. */
  | { readonly status: 'accepted'; readonly transactionId: string | null }
  | Exclude<CallOutcome, { readonly status: 'accepted' }>;
