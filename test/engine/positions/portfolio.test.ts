/** The account's figures against sums over all owners, made from scratch. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  instrumentIndex,
  money,
  OPERATOR_INDEX,
  priceHundredths,
  priceTicks,
  seq,
  signedQty,
  strategyIndex,
  tsUs,
} from '../../../src/domain/units.ts';
import { ContractTable, Market } from '../../../src/engine/market/market.ts';
import { Portfolio } from '../../../src/engine/positions/portfolio.ts';
import { FRONT, NEXT, worth } from '../../support/engine-world.ts';

const OWNERS = [OPERATOR_INDEX, strategyIndex(0), strategyIndex(1), strategyIndex(2)];
/** The last one is not listed: nothing is known of its value. */
const INSTRUMENTS = [FRONT.index, NEXT.index, instrumentIndex(2)];

const owner = fc.constantFrom(...OWNERS);
const instrument = fc.constantFrom(...INSTRUMENTS);
const price = fc.integer({ min: 12_000, max: 14_000 });
const lots = fc.integer({ min: -4, max: 4 }).filter((count) => count !== 0);
const cost = fc.nat(10_000);
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('fill' as const), owner, instrument, lots, price }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('charge' as const), owner, fee: cost, tax: cost }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('correct' as const), owner, instrument, cost }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('carry' as const), owner, instrument, lots, price }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('quote' as const), instrument, price }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('day' as const), isNew: fc.boolean() }) },
);

type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

function newPortfolio(): { readonly portfolio: Portfolio; readonly market: Market } {
  const contracts = new ContractTable();
  contracts.set([FRONT, NEXT]);
  const market = new Market();
  return { portfolio: new Portfolio(contracts, market), market };
}

function take(portfolio: Portfolio, market: Market, each: Step): void {
  switch (each.do) {
    case 'fill':
      return portfolio.add(each.owner, each.instrument, each.lots, worth(each.price, Math.abs(each.lots)));
    case 'charge':
      return portfolio.charge(each.owner, each.fee, each.tax);
    case 'correct':
      return portfolio.correct(each.owner, each.instrument, 1, each.cost);
    case 'carry': {
      const value = money(worth(each.price, Math.abs(each.lots)));
      return portfolio.carry(each.owner, each.instrument, signedQty(each.lots), value);
    }
    case 'quote': {
      const [ceiling, floor] = [priceTicks(each.price + 900), priceTicks(each.price - 900)];
      const reference = priceHundredths(each.price * 10);
      const row = { instrument: each.instrument, ceiling, floor, reference, lastPrice: null };
      return market.setReference({ kind: 'reference', seq: seq(0), tsUs: tsUs(0), rows: [row] }, true);
    }
    case 'day':
      if (!each.isNew) return market.newDay();
      portfolio.clear();
  }
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

function expectSums(portfolio: Portfolio): void {
  for (const each of INSTRUMENTS) {
    const held = OWNERS.map((one) => portfolio.position(one, each).qty);
    expect(portfolio.accountQty(each)).toBe(sumOf(held));
    expect(portfolio.grossQty(each, 'buy')).toBe(sumOf(held.map((qty) => Math.max(0, qty))));
    expect(portfolio.grossQty(each, 'sell')).toBe(sumOf(held.map((qty) => Math.max(0, 0 - qty))));
    const priced = OWNERS.map((one) => portfolio.pricedQty(one, each));
    expect(portfolio.pricedQty(null, each)).toBe(sumOf(priced));
  }
}

it("keeps the account's figures equal to the sums over all owners", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const { portfolio, market } = newPortfolio();
      for (const each of steps) {
        take(portfolio, market, each);
        expectSums(portfolio);
        expect(portfolio.accountDayPnl()).toBe(sumOf(OWNERS.map((one) => portfolio.dayPnl(one))));
      }
    }),
    { numRuns: 500 },
  );
});

it('names each owner whose position or costs changed once', () => {
  const { portfolio } = newPortfolio();
  portfolio.add(strategyIndex(1), FRONT.index, 1, worth(13_000, 1));
  portfolio.charge(strategyIndex(1), 2_700, 0);
  portfolio.charge(OPERATOR_INDEX, 2_700, 0);
  expect(portfolio.changedOwners).toEqual([1, -1]);
  portfolio.forgetChanges();
  expect(portfolio.changedOwners).toEqual([]);
  portfolio.clear();
  expect(portfolio.changedOwners, 'a new day changes everybody').toEqual([-1, 0, 1]);
});
