/** The operations of the service, in the order of the contract. Client and simulator have no other list. */
import { accountStatus } from './account-status.ts';
import { cancelOrder, changeOrder, placeOrder } from './order-calls.ts';
import { cancelStockOrders, cashBalance, loanPackages, stockAssets } from './securities.ts';
import { closedPositions, openPositions } from './positions.ts';
import { conditionBook } from './condition-book.ts';
import { cancelCondition, changeCondition, placeCondition } from './condition-calls.ts';
import { contractList, derivatives } from './market-reads.ts';
import { deposit, transfer, withdraw } from './money-calls.ts';
import { exchangeToken, requestOtp } from './token-calls.ts';
import { inDayBook } from './in-day-book.ts';
import type { WireOperation } from './wire-message.ts';
import { profile } from './profile.ts';

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

export type OperationName = (typeof OPERATIONS)[number]['name'];
