/** What an engine under test sends. */
import type { Assumption } from '../../src/domain/settings.ts';
import type { ApprovedCancel, ApprovedModify, ApprovedOrder } from '../../src/engine/ports/approved.ts';

export type SentCall =
  | { readonly call: 'place'; readonly order: ApprovedOrder }
  | { readonly call: 'modify'; readonly modify: ApprovedModify }
  | { readonly call: 'cancel'; readonly cancel: ApprovedCancel };

export const ALL_ASSUMED: readonly Assumption[] = [
  'entry-with-exits',
  'order-after-order',
  'conditional-change',
];
