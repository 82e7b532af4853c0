import type { OperationName } from '../../../src/wire/rest/operations.ts';
import type { Reply, Stranger } from './stranger.ts';

/** One call of each of the 23 operations. */
export function everyOperation(
  stranger: Stranger,
  symbol: string,
): Readonly<Record<OperationName, () => Promise<Reply>>> {
  const { apiKey, otp } = stranger.account;
  const wish = { side: 'B', symbol, price: 1299, volume: 1, refId: 'H.1' } as const;
  return {
    'request-otp': () => stranger.call('POST', '/gaia/v1/oauth2/openapi/request-otp', { apiKey }),
    token: () => stranger.call('POST', '/gaia/v1/oauth2/openapi/token', { apiKey, otp }),
    profile: () => stranger.profile('basicInfo'),
    'account-status': () => stranger.status(),
    positions: () => stranger.positions(),
    'closed-positions': () => stranger.closed(),
    place: () => stranger.place(wish),
    change: () => stranger.change('1', 1299.1, 1, 'H.2'),
    cancel: () => stranger.cancel('1'),
    'in-day': () => stranger.inDay(),
    'condition-place': () => stranger.placeCondition({ ...wish, orderType: 'SOL', soPrice: 1305 }),
    'condition-change': () => stranger.changeCondition('1', 1305, 'H.3'),
    'condition-cancel': () => stranger.cancelCondition('1'),
    conditions: () => stranger.conditions(),
    derivatives: () => stranger.derivatives(),
    contracts: () => stranger.contracts(),
    deposit: () => stranger.deposit(1),
    withdraw: () => stranger.withdraw(1),
    transfer: () => stranger.transfer('A', 'B', 1),
    'stock-assets': () => stranger.assets('A'),
    'cancel-stock-orders': () => stranger.cancelStock('A', ['1']),
    'cash-balance': () => stranger.cash('A'),
    'loan-packages': () => stranger.packages('A'),
  };
}
