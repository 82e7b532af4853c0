import { expect, test } from 'vitest';
import { strategyResults } from '../../../src/app/live/session-summary.ts';
import type { BrokerAccount, BrokerPosition } from '../../../src/domain/broker-order.ts';
import { money, priceHundredths, signedQty } from '../../../src/domain/units.ts';
import { FRONT } from '../../support/engine-world.ts';

const accounts = [
  {
    strategy: 'breakout',
    orders: 1,
    fills: 1,
    filledQty: 2,
    rejected: 0,
    denials: new Map(),
    fee: money(10_500),
    tax: money(22_100),
    realised: money(0),
    positions: [
      {
        instrument: FRONT.index,
        position: { qty: signedQty(2), openValue: money(260_000_000), realised: money(0) },
      },
    ],
  },
];

const resultAt = (lastPrice: BrokerPosition['lastPrice']) => {
  const row = { orderCode: FRONT.orderCode, qty: signedQty(2), lastPrice, openProfit: null };
  // The account is not looked at.
  return strategyResults(accounts, [FRONT], { account: {} as BrokerAccount, positions: [row] })[0];
};

test('an open position is worth its last price', () => {
  expect(resultAt(priceHundredths(130_100))).toMatchObject({ open: 200_000, net: 167_400 });
});

test('without a last price its profit is unknown, not the loss of its whole value', () => {
  expect(resultAt(null)).toMatchObject({ open: null, net: null });
  expect(strategyResults(accounts, [FRONT], undefined)[0]).toMatchObject({ open: null, net: null });
});
