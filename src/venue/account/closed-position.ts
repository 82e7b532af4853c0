/** What was closed today in one contract and direction. */
import type { OrderCode } from '../../domain/ids.ts';
import type { Side } from '../../domain/order.ts';
import type { Money, Qty, TsUs } from '../../domain/units.ts';

export interface ClosedPosition {
  readonly orderCode: OrderCode;
  /** How it was opened: `buy` was long. */
  readonly side: Side;
  readonly closedQty: Qty;
  /** Closed today and still open, on this side. */
  readonly totalQty: Qty;
  /** Money at which the closed contracts were entered and left: divide by `closedQty` for the averages. */
  readonly openValue: Money;
  readonly closeValue: Money;
  /** Costs of today's trades on this side, opening and closing. */
  readonly fee: Money;
  readonly tax: Money;
  /** Against the entry, before costs. */
  readonly closedProfit: Money;
  /** Of what is still open on this side, against its entry. */
  readonly openProfit: Money;
  readonly lastClosedUs: TsUs;
}
