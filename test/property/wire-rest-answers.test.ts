/** Answers of the REST interface: what the broker writes is what the client reads. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type {
  BrokerOrder,
  BrokerOrderSource,
  BrokerOrderStatus,
  CallOutcome,
} from '../../src/domain/broker-order.ts';
import { dayFromNumber } from '../../src/domain/civil-date.ts';
import { valueOf } from '../../src/domain/contract.ts';
import { brokerOrderKey, brokerOrderNo, clientOrderId, orderCode } from '../../src/domain/ids.ts';
import type { Side } from '../../src/domain/order.ts';
import { money, priceHundredths, priceTicks, qty, signedQty } from '../../src/domain/units.ts';
import { accountStatus } from '../../src/wire/rest/account-status.ts';
import { classifyCallReply } from '../../src/wire/rest/call-reply.ts';
import { cancelOrder, changeOrder, placeOrder } from '../../src/wire/rest/order-calls.ts';
import { contractList, derivatives } from '../../src/wire/rest/market-reads.ts';
import { exchangeToken, requestOtp } from '../../src/wire/rest/token-calls.ts';
import { inDayBook } from '../../src/wire/rest/in-day-book.ts';
import { openPositions } from '../../src/wire/rest/open-positions.ts';
import { encodeStatus } from '../../src/wire/rest/order-status.ts';
import { profile } from '../../src/wire/rest/profile.ts';
import {
  ACCOUNT_ROW,
  IN_DAY_ROW,
  POSITION_ROW,
  QUOTE_ROW,
  SUB_ACCOUNT,
} from '../wire/support/broker-facts.ts';
import { CountedDrift } from '../wire/support/counted-drift.ts';
import { FRONT, NEXT, specOf, VN30 } from '../wire/support/listed-contracts.ts';

/** Over the wire and back: what JSON cannot carry does not arrive. */
const sent = (json: unknown): unknown => JSON.parse(JSON.stringify(json));

const codes = fc.constantFrom(FRONT.orderCode, NEXT.orderCode);
const sides = fc.constantFrom<Side>('buy', 'sell');
const prices = fc.integer({ min: 8_000, max: 20_000 }).map(priceTicks);
const sizes = fc.integer({ min: 1, max: 500 }).map(qty);
const amounts = fc.integer({ min: -1_000_000_000_000, max: 1_000_000_000_000 }).map(money);
const hundredths = fc.integer({ min: 1, max: 300_000 }).map(priceHundredths);
const days = fc.integer({ min: 18_000, max: 22_000 }).map(dayFromNumber);
const words = fc.stringMatching(/^[A-Za-z0-9.]{1,20}$/);
const orderNos = fc.integer({ min: 1, max: 99_999 }).map((no) => brokerOrderNo(String(no)));
const orderKeys = fc.integer({ min: 1_000_000, max: 9_999_999 }).map((key) => brokerOrderKey(String(key)));
const refIds = words.map(clientOrderId);

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

const outcomeOf = (answer: unknown): CallOutcome =>
  classifyCallReply({ httpStatus: 200, text: JSON.stringify(answer) }, 'call', new CountedDrift());

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
      net: fc.integer(),
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

  it('the price board and the contract list', () => {
    fc.assert(
      fc.property(
        prices,
        prices,
        hundredths,
        fc.option(prices),
        days,
        (ceiling, floor, reference, last, expiry) => {
          const drift = new CountedDrift();
          const row = {
            ...QUOTE_ROW,
            contract: { ...FRONT, expiry },
            band: { ceiling, floor, reference },
            lastPrice: last,
          };
          const board = derivatives.decodeResponse(sent(derivatives.encodeResponse([row])), specOf, drift);
          expect(board).toEqual({
            ok: true,
            value: [{ orderCode: FRONT.orderCode, ceiling, floor, reference, lastPrice: last, expiry }],
          });
          const listed = [{ code: FRONT.streamCode, expiry, frontMonth: true }];
          expect(contractList.decodeResponse(sent(contractList.encodeResponse(listed)), drift)).toEqual({
            ok: true,
            value: [{ code: FRONT.streamCode, expiry }],
          });
          expect(drift.seen).toEqual([]);
        },
      ),
    );
  });

  it('the outcome of a call: accepted with its numbers, or rejected with code and text', () => {
    fc.assert(
      fc.property(orderNos, orderKeys, prices, sizes, sides, (orderNo, orderKey, limitPrice, size, side) => {
        const order = {
          orderNo,
          orderKey,
          limitPrice,
          qty: size,
          side,
          time: '09:00:00',
          spec: VN30,
        } as const;
        const terms = {
          refId: 'H.1',
          subAccountId: SUB_ACCOUNT,
          orderCode: orderCode('A'),
          status: 'queued',
        } as const;
        const accepted = { status: 'accepted', orderNo, orderKey };
        expect(outcomeOf(placeOrder.encodeResponse({ ...order, ...terms }))).toEqual(accepted);
        expect(outcomeOf(changeOrder.encodeResponse(order))).toEqual(accepted);
        expect(outcomeOf(cancelOrder.encodeResponse(order))).toEqual(accepted);
      }),
    );
    fc.assert(
      fc.property(fc.integer({ min: -9_999, max: 0 }), fc.string(), (code, text) => {
        for (const operation of [placeOrder, changeOrder, cancelOrder]) {
          const verdict = { status: 'rejected', code: String(code), text };
          expect(outcomeOf(operation.encodeRefusal(code, text))).toEqual(verdict);
        }
      }),
    );
  });

  it('profile, password id and token', () => {
    const accounts = fc.record(
      {
        accountNo: words,
        accountType: fc.constantFrom('NORMAL', 'MARGIN', 'DERIVATIVE'),
        isActive: fc.boolean(),
        isDefault: fc.boolean(),
      },
      { noNullPrototype: true },
    );
    fc.assert(
      fc.property(fc.array(accounts), words, (subAccounts, text) => {
        const answer = profile.encodeResponse({ custodyCode: text, name: text, subAccounts }, [
          'bankSubAccounts',
        ]);
        expect(profile.decodeResponse(sent(answer))).toMatchObject({ ok: true, value: subAccounts });
        expect(requestOtp.decodeResponse(sent(requestOtp.encodeResponse(text)))).toEqual({
          ok: true,
          value: text,
        });
        expect(exchangeToken.decodeResponse(sent(exchangeToken.encodeResponse(text)))).toEqual({
          ok: true,
          value: text,
        });
      }),
    );
  });
});
