/** Bands of prices in which no limit on the day's loss is reached: they may be too narrow, never too wide. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  instrumentIndex,
  money,
  priceHundredths,
  priceTicks,
  qty,
  seq,
  signedQty,
  strategyIndex,
  tsUs,
} from '../../../src/domain/units.ts';
import { ContractTable } from '../../../src/engine/state/contract-table.ts';
import { EntryHalt } from '../../../src/engine/risk/entry-halt.ts';
import { LossLimitBand } from '../../../src/engine/risk/loss-limit-band.ts';
import { LossMeasure } from '../../../src/engine/risk/loss-measure.ts';
import { Market } from '../../../src/engine/market/market.ts';
import { Portfolio } from '../../../src/engine/positions/portfolio.ts';
import { EventContext } from '../../../src/engine/state/event-context.ts';
import { FRONT, NEXT, SETTINGS, worth } from '../../support/engine-world.ts';

const CONTRACTS = [FRONT, NEXT];
const OWNERS = SETTINGS.strategies.map((_, place) => strategyIndex(place));

/** What the engine keeps of prices, positions and halts, with nobody around it. */
class World {
  readonly market = new Market();
  readonly portfolio: Portfolio;
  readonly halt = new EntryHalt(new EventContext({ append: () => undefined }));
  readonly losses: LossMeasure;
  readonly lossBand: LossLimitBand;
  #total = 0;

  constructor() {
    const contracts = new ContractTable();
    contracts.set(CONTRACTS);
    const { market, halt } = this;
    this.portfolio = new Portfolio(contracts, market);
    this.losses = new LossMeasure(
      { context: new EventContext({ append: () => undefined }), portfolio: this.portfolio, halt },
      SETTINGS,
    );
    const { portfolio, losses } = this;
    this.lossBand = new LossLimitBand({ contracts, market, portfolio, halt, losses }, SETTINGS);
  }

  trade(contract: number, price: number): void {
    this.#total += 1;
    this.market.of(instrumentIndex(contract)).trade({
      kind: 'trade',
      seq: seq(this.#total),
      tsUs: tsUs(this.#total),
      instrument: instrumentIndex(contract),
      price: priceTicks(price),
      qty: qty(1),
      totalVolume: this.#total,
    });
  }

  fill(owner: number, contract: number, change: number, price: number): void {
    const value = worth(price, Math.abs(change));
    this.portfolio.add(strategyIndex(owner), instrumentIndex(contract), change, value);
  }

  carry(owner: number, contract: number, held: number, price: number): void {
    const value = money(worth(price, Math.abs(held)));
    this.portfolio.carry(strategyIndex(owner), instrumentIndex(contract), signedQty(held), value);
  }

  refer(contract: number, price: number): void {
    const [ceiling, floor] = [priceTicks(price + 900), priceTicks(price - 900)];
    const reference = priceHundredths(price * 10);
    const row = { instrument: instrumentIndex(contract), ceiling, floor, reference, lastPrice: null };
    this.market.reference({ kind: 'reference', seq: seq(0), tsUs: tsUs(0), rows: [row] });
    this.lossBand.invalidate();
  }

  /** Whose limit is reached: the account's is -1. */
  reached(): readonly number[] {
    const owners = OWNERS.filter(
      (owner) => this.losses.of(owner) >= (SETTINGS.strategies[owner]?.risk.dailyLossMax ?? 0),
    );
    const isAccount = this.losses.ofAccount() >= SETTINGS.risk.accountDailyLossMax;
    return isAccount ? [-1, ...owners] : owners;
  }

  /** As the keeper does. */
  haltReached(): void {
    for (const owner of this.reached())
      if (owner === -1) this.halt.lossReached('too much');
      else this.halt.haltStrategy(strategyIndex(owner), 'too much');
  }

  isHalted(owner: number): boolean {
    return owner === -1 ? this.halt.reason !== null : this.halt.strategyReason(strategyIndex(owner)) !== null;
  }
}

const contract = fc.nat(CONTRACTS.length - 1);
const owner = fc.nat(OWNERS.length - 1);
const price = fc.integer({ min: 12_000, max: 14_000 });
const lots = fc.integer({ min: -4, max: 4 }).filter((count) => count !== 0);
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('trade' as const), contract, price }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('drift' as const),
      contract,
      by: fc.integer({ min: -300, max: 300 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('fill' as const), owner, contract, lots, price }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('carry' as const), owner, contract, lots, price }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('refer' as const), contract, price }) },
);

type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

/** What came of it: a price that passed, one that passed although it reached a limit, or something that was looked at. */
function play(world: World, each: Step, last: number[]): 'passed' | 'missed' | 'looked' {
  if (each.do === 'fill') world.fill(each.owner, each.contract, each.lots, each.price);
  else if (each.do === 'carry') world.carry(each.owner, each.contract, each.lots, each.price);
  else if (each.do === 'refer') world.refer(each.contract, each.price);
  else {
    const at = Math.max(11_000, each.do === 'trade' ? each.price : (last[each.contract] ?? 0) + each.by);
    last[each.contract] = at;
    world.trade(each.contract, at);
    if (world.lossBand.contains(instrumentIndex(each.contract), at))
      return world.reached().some((one) => !world.isHalted(one)) ? 'missed' : 'passed';
  }
  world.haltReached();
  world.lossBand.recompute();
  return 'looked';
}

it('lets no price pass that reaches a limit', () => {
  let passed = 0;
  let halted = 0;
  fc.assert(
    fc.property(fc.array(step, { minLength: 5, maxLength: 60 }), (steps) => {
      const world = new World();
      const last = [13_000, 13_000];
      const outcomes = steps.map((each) => play(world, each, last));
      expect(outcomes).not.toContain('missed');
      passed += outcomes.filter((one) => one === 'passed').length;
      halted += world.reached().length;
    }),
    { numRuns: 500 },
  );
  expect(passed, 'prices passed').toBeGreaterThan(1_000);
  expect(halted, 'limits were reached').toBeGreaterThan(100);
});

/** One contract at 13,000; the strategy may lose 20,000,000, which is 2,000 ticks of it. */
it('holds a band up to the price before the limit', () => {
  const world = new World();
  world.refer(0, 13_000);
  world.trade(0, 13_000);
  world.fill(0, 0, 1, 13_000);
  expect(world.lossBand.contains(FRONT.index, 13_000), 'not yet looked at').toBe(false);
  world.lossBand.recompute();
  expect(world.lossBand.lowOf(FRONT.index)).toBe(13_000 - 1_999);
  expect(world.lossBand.highOf(FRONT.index)).toBe(13_000 + 1_999);
  expect(world.lossBand.contains(NEXT.index, 1), 'nobody holds it').toBe(true);
  world.portfolio.charge(strategyIndex(0), 5_000, 0);
  expect(world.lossBand.contains(FRONT.index, 13_000), 'a fee is a loss').toBe(false);
  world.lossBand.recompute();
  expect(world.lossBand.lowOf(FRONT.index), 'half a tick less to lose').toBe(13_000 - 1_999);
});

it('shares what may be lost among the contracts that are held', () => {
  const world = new World();
  for (const [at, each] of CONTRACTS.entries()) {
    world.refer(each.index, 13_000);
    world.trade(each.index, 13_000);
    world.fill(0, at, at === 0 ? 1 : -2, 13_000);
  }
  world.lossBand.recompute();
  expect(world.lossBand.lowOf(FRONT.index)).toBe(13_000 - 999);
  expect(world.lossBand.highOf(NEXT.index)).toBe(13_000 + 499);
});

it('covers nothing where the limit is reached and nobody was told', () => {
  const world = new World();
  world.refer(0, 13_000);
  world.trade(0, 13_000);
  world.fill(0, 0, 1, 13_000);
  world.trade(0, 11_000);
  world.lossBand.recompute();
  expect(world.lossBand.contains(FRONT.index, 11_000)).toBe(false);
  world.haltReached();
  world.lossBand.recompute();
  expect(world.lossBand.contains(FRONT.index, 11_000), 'told: only the account has a limit left').toBe(true);
});
