/** Answers of the REST interface: what the broker writes is what the client reads. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BrokerOrder, BrokerOrderSource, BrokerOrderStatus } from '../../src/domain/broker-order.ts';
import { dayFromNumber } from '../../src/domain/civil-date.ts';
import { valueOf } from '../../src/domain/contract.ts';
import { money, qty, signedQty } from '../../src/domain/units.ts';
import { accountStatus } from '../../src/wire/rest/account-status.ts';
import { closedPositions, openPositions } from '../../src/wire/rest/positions.ts';
import { inDayBook, encodeStatus } from '../../src/wire/rest/in-day-book.ts';
import { ACCOUNT_ROW, IN_DAY_ROW, POSITION_ROW, SUB_ACCOUNT } from '../wire/support/broker-facts.ts';
import { CountedDrift } from '../wire/support/counted-drift.ts';
import { specOf, VN30 } from '../wire/support/listed-contracts.ts';
import {
  amounts,
  codes,
  hundredths,
  orderKeys,
  orderNos,
  payments,
  prices,
  refIds,
  sent,
  sides,
  sizes,
} from './wire-arbitraries.ts';

const days = fc.integer({ min: 18_000, max: 22_000 }).map(dayFromNumber);

const STATUSES: readonly BrokerOrderStatus[] = [
  'queued',
  'resting',
  'modify_pending',
  'modified',
  'cancel_pending',
  'canceled',
  'matched',
  'matched_cancel_pending',
  'matched_canceled',
  'unrecognized',
];

const lettersOf = (status: BrokerOrderStatus): string => {
  const { status: letters, quote } = encodeStatus(status);
  return quote === '' ? letters : `${letters}/${quote}`;
};

const orders: fc.Arbitrary<BrokerOrder> = fc
  .record({
    orderNo: orderNos,
    orderKey: fc.option(orderKeys),
    refId: fc.option(refIds),
    orderCode: codes,
    side: sides,
    qty: sizes,
    limitPrice: prices,
    filled: fc.nat(1_000),
    improvement: fc.integer({ min: -100, max: 100 }),
    status: fc.constantFrom(...STATUSES),
    canCancel: fc.boolean(),
    canModify: fc.boolean(),
    source: fc.constantFrom<BrokerOrderSource>('user', 'system', 'forced', 'unstated'),
    reason: fc.string(),
  })
  .map(({ filled, improvement, ...rest }) => {
    const filledQty = qty(Math.min(filled, rest.qty));
    const value = money(valueOf(VN30, rest.limitPrice, filledQty) + improvement * 10_000 * filledQty);
    return {
      ...rest,
      filledQty,
      filledValue: filledQty === 0 ? null : { value, quality: 'average' },
      statusText: lettersOf(rest.status),
    };
  });

describe('what the broker writes is what the client reads', () => {
  it('the in-day book, numbers or texts', () => {
    fc.assert(
      fc.property(fc.array(orders, { maxLength: 5 }), fc.constantFrom('contract', 'texts'), (book, style) => {
        const rows = book.map((order) => ({
          ...IN_DAY_ROW,
          order,
          filledValue: order.filledValue?.value ?? money(0),
        }));
        const read = inDayBook.decodeResponse(
          sent(inDayBook.encodeResponse(rows, style)),
          specOf,
          new CountedDrift(),
        );
        expect(read).toEqual({ ok: true, value: { orders: book, unreadable: [], foreign: 0 } });
      }),
    );
  });

  it('open positions', () => {
    const positions = fc.record({
      code: codes,
      net: fc.integer({ min: -50_000, max: 50_000 }),
      lastPrice: hundredths,
      profit: amounts,
      expiry: days,
    });
    fc.assert(
      fc.property(fc.array(positions, { maxLength: 4 }), (given) => {
        const rows = given.map(({ code, net, lastPrice, profit, expiry }) => ({
          ...POSITION_ROW,
          orderCode: code,
          qty: signedQty(net),
          lastPrice,
          openProfit: profit,
          expiry,
        }));
        const drift = new CountedDrift();
        expect(
          openPositions.decodeResponse(sent(openPositions.encodeResponse(rows, SUB_ACCOUNT)), drift),
        ).toEqual({
          ok: true,
          value: given.map(({ code, net, lastPrice, profit }) => ({
            orderCode: code,
            qty: net,
            lastPrice,
            openProfit: profit,
          })),
        });
        expect(drift.seen).toEqual([]);
      }),
    );
  });

  it('the account', () => {
    const figures = fc.record({
      cash: amounts,
      netAssetValue: amounts,
      initialMargin: amounts,
      requiredMargin: amounts,
      buyingPower: amounts,
      dayProfit: amounts,
      uncollected: amounts,
      tax: amounts,
      usageBps: fc.integer({ min: 0, max: 1_000_000 }),
    });
    fc.assert(
      fc.property(figures, ({ dayProfit, ...rest }) => {
        const drift = new CountedDrift();
        const answer = accountStatus.encodeResponse({ ...ACCOUNT_ROW, ...rest, dayProfit });
        expect(accountStatus.decodeResponse(sent(answer), drift)).toEqual({
          ok: true,
          value: { ...rest, profit: dayProfit, fee: 10_500, withdrawable: ACCOUNT_ROW.withdrawable },
        });
        expect(drift.seen).toEqual([]);
      }),
    );
  });

  it('closed positions: money to the VND, averages to the hundredth', () => {
    const rows = fc
      .record({
        orderCode: codes,
        side: sides,
        closedQty: sizes,
        held: fc.nat(500),
        open: hundredths,
        close: hundredths,
        fee: payments,
        tax: payments,
        closedProfit: amounts,
        openProfit: amounts,
        time: fc.constantFrom('', '09:00:00'),
      })
      .map(({ held, open, close, ...row }) => ({
        ...row,
        totalQty: qty(row.closedQty + held),
        openValue: money(open * 1_000 * row.closedQty),
        closeValue: money(close * 1_000 * row.closedQty),
        averages: { averageOpen: open, averageClose: close },
      }));
    fc.assert(
      fc.property(fc.array(rows, { maxLength: 4 }), (given) => {
        const closed = given.map(({ averages: _averages, ...row }) => ({ ...row, spec: VN30 }));
        const sum = (key: 'fee' | 'tax' | 'closedProfit' | 'openProfit'): number =>
          given.reduce((total, row) => total + row[key], 0);
        const drift = new CountedDrift();
        expect(
          closedPositions.decodeResponse(sent(closedPositions.encodeResponse(closed, closed)), drift),
        ).toEqual({
          ok: true,
          value: {
            total: {
              fee: sum('fee'),
              tax: sum('tax'),
              closedProfit: sum('closedProfit'),
              openProfit: sum('openProfit'),
            },
            positions: given.map(({ averages, openValue: _openValue, closeValue: _closeValue, ...row }) => ({
              ...row,
              ...averages,
            })),
          },
        });
        expect(drift.seen).toEqual([]);
      }),
    );
  });
});
