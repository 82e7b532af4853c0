/** Closed positions, money and the stock side: what one side writes is what the other reads. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { money, qty } from '../../src/domain/units.ts';
import { cancelStockOrders, cashBalance, loanPackages, stockAssets } from '../../src/wire/rest/securities.ts';
import { closedPositions } from '../../src/wire/rest/closed-positions.ts';
import { deposit, transfer, withdraw } from '../../src/wire/rest/money-calls.ts';
import {
  classifyCashReply,
  classifyStockCancelReply,
  classifyTransferReply,
} from '../../src/wire/rest/call-reply.ts';
import { CASH_ROW } from '../wire/support/condition-facts.ts';
import { CountedDrift } from '../wire/support/counted-drift.ts';
import { VN30 } from '../wire/support/listed-contracts.ts';
import {
  amounts,
  arrived,
  codes,
  hundredths,
  pages,
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

it('what closed positions are asked for', () => {
  fc.assert(
    fc.property(words, pages, pages, fc.option(words), (account, pageNo, pageSize, symbol) => {
      const asked = { accountId: account, subAccountId: `${account}A`, pageNo, pageSize, symbol };
      expect(closedPositions.decodeRequest(arrived(closedPositions.encodeRequest(asked)))).toEqual({
        ok: true,
        value: asked,
      });
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

const reply = (answer: unknown) => ({ httpStatus: 200, text: JSON.stringify(answer) });

it('their receipts, accepted and rejected', () => {
  const codesBelowZero = fc.integer({ min: -9_999, max: -1 });
  fc.assert(
    fc.property(fc.stringMatching(/^[0-9a-f]{32}$/), codesBelowZero, texts, (transactionId, code, text) => {
      const drift = new CountedDrift();
      const rejected = { status: 'rejected', code: String(code), text };
      for (const operation of [deposit, withdraw]) {
        const read = (answer: unknown) => classifyCashReply(reply(answer), operation.name, drift);
        expect(read(operation.encodeResponse(transactionId))).toEqual({ status: 'accepted', transactionId });
        expect(read(operation.encodeRefusal(code, text))).toEqual(rejected);
      }
      const accepted = { status: 'accepted', transactionId: null };
      expect(classifyTransferReply(reply(transfer.encodeResponse()), 'transfer', drift)).toEqual(accepted);
      expect(classifyTransferReply(reply(transfer.encodeRefusal(code, text)), 'transfer', drift)).toEqual(
        rejected,
      );
      const canceled = cancelStockOrders.encodeResponse([
        { orderId: '1', error: String(code), message: text },
      ]);
      expect(classifyStockCancelReply(reply(canceled), 'cancel-stock-orders', drift)).toEqual(accepted);
      expect(
        classifyStockCancelReply(
          reply(cancelStockOrders.encodeRefusal(code, text)),
          'cancel-stock-orders',
          drift,
        ),
      ).toEqual(rejected);
      expect(drift.seen).toEqual([]);
    }),
  );
});

it('the cancel of stock orders', () => {
  fc.assert(
    fc.property(words, fc.array(words, { minLength: 1, maxLength: 5 }), (accountNo, orderIds) => {
      const request = arrived(cancelStockOrders.encodeRequest(orderIds), accountNo);
      expect(cancelStockOrders.decodeRequest(request)).toEqual({ ok: true, value: { accountNo, orderIds } });
    }),
  );
});

it('shares and cash', () => {
  const holdings = fc.record({
    symbol: words,
    qty: fc.nat(1_000_000).map(qty),
    availableQty: fc.nat(1_000_000).map(qty),
    averagePrice: fc.nat(1_000_000).map(money),
    lastPrice: fc.nat(1_000_000).map(money),
  });
  const symbolsOnce = fc.uniqueArray(holdings, { maxLength: 4, selector: ({ symbol }) => symbol });
  fc.assert(
    fc.property(symbolsOnce, (rows) => {
      const drift = new CountedDrift();
      expect(stockAssets.decodeResponse(sent(stockAssets.encodeResponse(rows)), drift)).toEqual({
        ok: true,
        value: rows.map(({ lastPrice, ...row }) => ({ ...row, marketValue: lastPrice * row.qty })),
      });
      expect(drift.seen).toEqual([]);
    }),
  );
  const figures = fc.record({
    accountNo: words,
    cash: amounts,
    withdrawable: amounts,
    buying: amounts,
    blocked: amounts,
    purchasingPower: amounts,
  });
  fc.assert(
    fc.property(fc.array(figures, { maxLength: 3 }), (rows) => {
      const drift = new CountedDrift();
      const answer = cashBalance.encodeResponse(rows.map((row) => ({ ...CASH_ROW, ...row })));
      expect(cashBalance.decodeResponse(sent(answer), drift)).toEqual({
        ok: true,
        value: rows.map((row) => ({ ...row, balance: row.cash })),
      });
      expect(drift.seen).toEqual([]);
    }),
  );
});

it('loan packages', () => {
  const head = { id: fc.nat(), name: texts, status: words };
  const lists = fc.record({
    packages: fc.array(fc.record({ ...head, code: words, subscriptionFee: payments }), { maxLength: 3 }),
    tiered: fc.array(
      fc.record({ ...head, firstRate: fc.integer({ min: 0, max: 3_000 }).map((rate) => rate / 100) }),
      { maxLength: 3 },
    ),
  });
  fc.assert(
    fc.property(lists, (given) => {
      const drift = new CountedDrift();
      expect(loanPackages.decodeResponse(sent(loanPackages.encodeResponse(given)), drift)).toEqual({
        ok: true,
        value: given,
      });
      expect(drift.seen).toEqual([]);
    }),
  );
});
