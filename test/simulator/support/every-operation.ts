import type { OperationName } from '../../../src/simulator/faults/fault.ts';
import type { Reply, Stranger } from './stranger.ts';

/** One call of each of the 23 operations. */
export function everyOperation(
  stranger: Stranger,
  symbol: string,
): Readonly<Record<OperationName, () => Promise<Reply>>> {
  const { apiKey, otp } = stranger.account;
  const wish = { side: 'B', symbol, price: 1299, volume: 1, refId: 'H.1' } as const;
  return {
    request_otp: () => stranger.call('POST', '/gaia/v1/oauth2/openapi/request-otp', { apiKey }),
    token: () => stranger.call('POST', '/gaia/v1/oauth2/openapi/token', { apiKey, otp }),
    profile: () => stranger.profile('basicInfo'),
    account_status: () => stranger.status(),
    open_positions: () => stranger.positions(),
    closed_positions: () => stranger.closed(),
    place: () => stranger.place(wish),
    change: () => stranger.change('1', 1299.1, 1, 'H.2'),
    cancel: () => stranger.cancel('1'),
    in_day: () => stranger.inDay(),
    condition_place: () => stranger.placeCondition({ ...wish, orderType: 'SOL', soPrice: 1305 }),
    condition_change: () => stranger.changeCondition('1', 1305, 'H.3'),
    condition_cancel: () => stranger.cancelCondition('1'),
    condition_book: () => stranger.conditions(),
    derivatives: () => stranger.derivatives(),
    contracts: () => stranger.contracts(),
    deposit: () => stranger.deposit(1),
    withdraw: () => stranger.withdraw(1),
    transfer: () => stranger.transfer('A', 'B', 1),
    stock_assets: () => stranger.assets('A'),
    cancel_stock_orders: () => stranger.cancelStock('A', ['1']),
    cash_balance: () => stranger.cash('A'),
    loan_packages: () => stranger.packages('A'),
  };
}
