/** Limits on the day's loss: each is noticed at once, and the bands of prices in which none is reached are never too wide. */
import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import {
  type InstrumentIndex,
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
import { ContractTable, Market } from '../../../src/engine/market/market.ts';
import type { EngineCore } from '../../../src/engine/engine-core.ts';
import { EntryHalt } from '../../../src/engine/risk/entry-halt.ts';
import { LossLimits } from '../../../src/engine/risk/halt-limits.ts';
import { Portfolio } from '../../../src/engine/positions/portfolio.ts';
import type { Journal } from '../../../src/engine/ports/outbound.ts';
import { type DecisionSource, EventContext } from '../../../src/engine/state/event-context.ts';
import { FRONT, NEXT, SETTINGS, worth } from '../../support/engine-world.ts';

const TWO = [FRONT, NEXT];
/** More than a fill has measured one by one. */
const MANY = Array.from({ length: 60 }, (_, at) => ({ ...FRONT, index: instrumentIndex(at) }));
const OWNERS = SETTINGS.strategies.map((_, place) => strategyIndex(place));

/** Limits are judged now. */
function contextOf(journal: Journal): EventContext {
  const context = new EventContext(journal);
  context.setDecisions({ halts: () => null } as unknown as DecisionSource);
  return context;
}

/** What the engine keeps of prices, positions and halts, without the rest of the engine. */
class World {
  readonly market = new Market();
  readonly portfolio: Portfolio;
  /** Halts, with their reasons. */
  readonly halts: [strategy: number | null, reason: string][] = [];
  readonly halt: EntryHalt;
  readonly losses: LossLimits;
  #total = 0;

  constructor(listed = TWO) {
    const contracts = new ContractTable();
    contracts.set(listed);
    const context = contextOf({
      append: (entry) => {
        if (entry.kind === 'halt' && entry.halted) this.halts.push([entry.strategy, entry.reason]);
      },
    });
    const { market } = this;
    this.portfolio = new Portfolio(contracts, market);
    const { portfolio } = this;
    const registry = { isStopped: () => false };
    const core = { context, contracts, market, portfolio, registry, settings: SETTINGS };
    this.halt = new EntryHalt(core as unknown as EngineCore, { withdrawEntries: () => undefined });
    this.losses = new LossLimits(core as unknown as EngineCore, this.halt);
  }

  trade(contract: number, price: number): void {
    this.#total += 1;
    this.market.of(instrumentIndex(contract)).onTrade({
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
    this.market.setReference({ kind: 'reference', seq: seq(0), tsUs: tsUs(0), rows: [row] }, true);
    this.losses.invalidate();
  }

  /** Whose limit is reached: the account's is -1. */
  reached(): readonly number[] {
    const owners = OWNERS.filter(
      (owner) => this.losses.strategyLoss(owner) >= (SETTINGS.strategies[owner]?.risk.dailyLossMax ?? 0),
    );
    const isAccount = this.losses.accountLoss() >= SETTINGS.risk.dailyLossMax;
    return isAccount ? [-1, ...owners] : owners;
  }

  /** A limit is reached, and entries go on. */
  isOneMissed(): boolean {
    return this.reached().some((owner) =>
      owner === -1 ? this.halt.reason === null : this.halt.strategyReason(strategyIndex(owner)) === null,
    );
  }
}

const contract = fc.nat(11);
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
    if (world.losses.isWithinBand(instrumentIndex(each.contract), at))
      return world.isOneMissed() ? 'missed' : 'passed';
    world.losses.measure();
  }
  world.losses.measureChanged();
  return world.isOneMissed() ? 'missed' : 'looked';
}

/** Each contract that the account holds goes to the price of its band at which it loses most. */
function missedAtTheEdges(world: World, listed: readonly { readonly index: InstrumentIndex }[]): boolean {
  for (const { index } of listed) {
    const isLong = world.portfolio.accountQty(index) > 0;
    const edge = isLong ? world.market.of(index).safePrices.low : world.market.of(index).safePrices.high;
    if (Number.isFinite(edge)) world.trade(index, edge);
  }
  return world.isOneMissed();
}

it.each([
  ['two contracts', TWO],
  ['many contracts', MANY.slice(0, 12)],
])('misses no limit of %s that is reached, by a price or by a fill', (_, listed) => {
  let passed = 0;
  let halted = 0;
  fc.assert(
    fc.property(fc.array(step, { minLength: 5, maxLength: 60 }), (drawn) => {
      const world = new World(listed);
      const last = listed.map(() => 13_000);
      const held = listed.length > TWO.length ? listed : [];
      for (const { index } of held) {
        world.trade(index, 13_000);
        world.fill(index % OWNERS.length, index, 1, 13_000);
      }
      const steps = drawn.map((each) => ({ ...each, contract: each.contract % listed.length }));
      const outcomes = steps.map((each) => play(world, each, last));
      expect(outcomes).not.toContain('missed');
      expect(missedAtTheEdges(world, listed), 'the worst prices within all bands').toBe(false);
      passed += outcomes.filter((one) => one === 'passed').length;
      halted += world.reached().length;
    }),
    { numRuns: 500 },
  );
  expect(passed, 'prices passed').toBeGreaterThan(1_000);
  expect(halted, 'limits were reached').toBeGreaterThan(100);
});

it('halts the account that has lost its limit, and a gain afterwards changes nothing', () => {
  const world = new World();
  world.refer(0, 13_000);
  world.trade(0, 13_000);
  world.fill(-1, 0, 5, 13_000);
  world.trade(0, 12_000);
  world.losses.measureChanged();
  world.trade(0, 13_000);
  world.losses.measure();
  expect(world.halts).toEqual([
    [null, "the account's loss of the day, 50,000,000, has reached 50,000,000 (risk.dailyLossMax)"],
  ]);
  expect(world.halt.reason).not.toBeNull();
});

it('bounds what many contracts may lose together, those that were bought since too', () => {
  const world = new World(MANY);
  const measured = vi.spyOn(world.losses, 'measure');
  for (const { index } of MANY) {
    world.trade(index, 13_000);
    world.fill(-1, index, 1, 13_000);
    world.losses.measureChanged();
  }
  expect(measured.mock.calls.length).toBeLessThan(MANY.length / 2);
  expect(world.losses.accountLoss()).toBeLessThan(world.losses.accountLossBound());
  expect(missedAtTheEdges(world, MANY)).toBe(false);
});
