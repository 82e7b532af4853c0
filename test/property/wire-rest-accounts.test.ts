/** Closed positions, money and the stock side: what one side writes is what the other reads. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { money, qty } from '../../src/domain/units.ts';
import { closedPositions } from '../../src/wire/rest/closed-positions.ts';
import { deposit, transfer, withdraw } from '../../src/wire/rest/money-calls.ts';
import { CountedDrift } from '../wire/support/counted-drift.ts';
import { VN30 } from '../wire/support/listed-contracts.ts';
import {
  amounts,
  arrived,
  codes,
  hundredths,
  payments,
  sent,
  sides,
  sizes,
  texts,
  words,
} from './wire-arbitraries.ts';

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

it('deposits, withdrawals and transfers', () => {
  fc.assert(
    fc.property(words, words, payments, texts, (account, other, amount, note) => {
      const asked = { accountId: account, subAccountId: `${account}A`, amount, note };
      for (const operation of [deposit, withdraw]) {
        expect(operation.decodeRequest(arrived(operation.encodeRequest(asked)))).toEqual({
          ok: true,
          value: asked,
        });
      }
      const move = { from: account, to: other, amount, note };
      expect(transfer.decodeRequest(arrived(transfer.encodeRequest(move)))).toEqual({
        ok: true,
        value: move,
      });
    }),
  );
});
