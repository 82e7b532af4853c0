/** The operations of the service, in the order of the contract (part 4): name, method and path of each. */
import type { z } from 'zod';
import { accountStatus } from './account-status.ts';
import { cancelOrder } from './cancel-order.ts';
import { cancelStockOrders } from './cancel-stock-orders.ts';
import { cashBalance } from './cash-balance.ts';
import { changeOrder } from './change-order.ts';
import { closedPositions } from './closed-positions.ts';
import { conditionBook } from './condition-book.ts';
import { cancelCondition } from './condition-cancel.ts';
import { changeCondition } from './condition-change.ts';
import { placeCondition } from './condition-place.ts';
import { contractList } from './contract-list.ts';
import { deposit } from './deposit.ts';
import { derivatives } from './derivatives.ts';
import { exchangeToken } from './exchange-token.ts';
import { inDayBook } from './in-day-book.ts';
import { loanPackages } from './loan-packages.ts';
import { openPositions } from './open-positions.ts';
import { placeOrder } from './place-order.ts';
import { profile } from './profile.ts';
import { requestOtp } from './request-otp.ts';
import { stockAssets } from './stock-assets.ts';
import { transfer } from './transfer.ts';
import { withdraw } from './withdraw.ts';

export interface WireOperation {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  /** With `:custodyCode` and `:accountNo` where an account stands in the path. */
  readonly path: string;
  /** Query of a GET, body of the others; null when there is neither. */
  readonly asks: z.ZodType | null;
  /** What is written, key by key. */
  readonly answers: z.ZodType;
}

export const OPERATIONS = [
  requestOtp,
  exchangeToken,
  profile,
  accountStatus,
  openPositions,
  closedPositions,
  placeOrder,
  changeOrder,
  cancelOrder,
  inDayBook,
  placeCondition,
  changeCondition,
  cancelCondition,
  conditionBook,
  derivatives,
  contractList,
  deposit,
  withdraw,
  transfer,
  stockAssets,
  cancelStockOrders,
  cashBalance,
  loanPackages,
] as const satisfies readonly WireOperation[];
