/** Orders that wait, brackets and arbitrage: what one side writes is what the other reads. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type {
  BrokerTriggerOrder,
  BrokerTriggerKind,
  BrokerTriggerStatus,
} from '../../src/domain/broker-order.ts';
import { dayFromNumber, type TradingDay } from '../../src/domain/civil-date.ts';
import { signOf, type TriggerWhen } from '../../src/domain/order.ts';
import { type PriceTicks, priceTicks } from '../../src/domain/units.ts';
import { pointsOf } from '../../src/domain/contract.ts';
import { conditionBook, encodeConditionStatus } from '../../src/wire/rest/condition-book.ts';
import { decodeOrderType, encodeOrderType, type OrderKindTerms } from '../../src/wire/rest/order-calls.ts';
import { CONDITION_ROW } from '../wire/support/condition-facts.ts';
import { CountedDrift } from '../wire/support/counted-drift.ts';
import { specOf, VN30 } from '../wire/support/listed-contracts.ts';
import { codes, orderKeys, orderNos, prices, sent, sides, sizes } from './wire-arbitraries.ts';

const distances = fc.integer({ min: 1, max: 10_000 }).map(priceTicks);
const whens = fc.constantFrom<TriggerWhen>('at_or_above', 'at_or_below');

/** A row as the book can say it: what it triggers on belongs to its kind. */
const conditions: fc.Arbitrary<BrokerTriggerOrder & { readonly lastDay: TradingDay }> = fc
  .record({
    orderNo: orderNos,
    orderKey: orderKeys,
    orderCode: codes,
    side: sides,
    qty: sizes,
    limitPrice: prices,
    kind: fc.constantFrom<BrokerTriggerKind>('stop', 'trailing_stop', 'exit', 'arbitrage'),
    trigger: prices,
    when: whens,
    status: fc.constantFrom<BrokerTriggerStatus>(
      'pending',
      'activated',
      'canceled',
      'rejected',
      'unrecognized',
    ),
    children: fc.array(orderNos, { maxLength: 3 }),
    parent: fc.option(orderNos),
    lastDay: fc.integer({ min: 10_000, max: 40_000 }).map(dayFromNumber),
  })
  .map(({ trigger, when, ...row }) => ({
    ...row,
    triggerPrice: row.kind === 'arbitrage' ? null : trigger,
    triggerWhen: row.kind === 'stop' || row.kind === 'exit' ? when : null,
    statusText: encodeConditionStatus(row.status),
  }));

const slashed = (day: TradingDay): string => day.split('-').toReversed().join('/');

it('the conditional book', () => {
  fc.assert(
    fc.property(fc.array(conditions, { maxLength: 5 }), (orders) => {
      const rows = orders.map((order) => ({ ...CONDITION_ROW, order, validTo: slashed(order.lastDay) }));
      const answer = sent(conditionBook.encodeResponse(rows));
      expect(conditionBook.decodeResponse(answer, specOf, new CountedDrift())).toEqual({
        ok: true,
        value: { orders, unreadable: [], foreign: 0 },
      });
    }),
  );
});

it('the terms of a normal order', () => {
  const terms = fc.oneof(
    fc.constant({ kind: 'regular' as const }),
    fc.record({ kind: fc.constant('bracket' as const), loss: distances, profit: distances }),
    fc.record({ kind: fc.constant('arbitrage' as const), leg: codes }),
  );
  fc.assert(
    fc.property(terms, sides, prices, (given, side, limitPrice) => {
      const order = { side, limitPrice, spec: VN30 };
      const sign = signOf(side);
      const asked =
        given.kind === 'bracket'
          ? {
              kind: 'bracket',
              stopLossPoints: pointsOf(VN30, given.loss),
              takeProfitPoints: pointsOf(VN30, given.profit),
            }
          : given;
      const sent_: OrderKindTerms =
        given.kind === 'bracket'
          ? {
              kind: 'bracket',
              stopLossPrice: (limitPrice - sign * given.loss) as PriceTicks,
              takeProfitPrice: (limitPrice + sign * given.profit) as PriceTicks,
            }
          : given;
      expect(decodeOrderType(encodeOrderType(sent_, order))).toEqual(asked);
    }),
  );
});
