/**
 * Rows that only strategies look at go by without the engine and the venue. Random days of two contracts, with auctions, silences,
 * orders of all kinds, timers, bars and faults, are played with such stretches and row by row: the same journal, fills and views.
 */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { BacktestPlan } from '../../../src/research/backtest-plan.ts';
import { runBacktest } from '../../../src/research/run/run-backtest.ts';
import {
  milliseconds,
  minutes,
  money,
  priceTicks,
  seconds,
  US_PER_HOUR,
  US_PER_MS,
} from '../../../src/domain/units.ts';
import { momentOf, tradingDay } from '../../../src/domain/civil-date.ts';
import { allocateRows } from '../../../src/recording/columns/tick-file.ts';
import type { JournalEntry } from '../../../src/engine/ports/journal-entry.ts';
import { defineStrategy, type LegTrader } from '../../../src/strategy/index.ts';
import { DEFAULT_MARGIN_RULES } from '../../../src/venue/account/margin.ts';
import { Random } from '../../../src/venue/market/random.ts';
import { planOf, tapesOf, strategyOf } from '../../support/backtest-plan.ts';
import { drawnRows } from './drawn-rows.ts';

const DAYS = ['2026-03-04', '2026-03-05'] as const;
const ROWS = 700;
const SEEDS = 4;
const LEGS = ['near', 'far'] as const;
const reason = 'drawn';

const params = z.object({ seed: z.int(), mood: z.enum(['calm', 'busy', 'faulty']) });

/** Orders of any kind around a price. */
function order(random: Random, own: LegTrader, price: number): void {
  const side = random.chance(500) ? 'buy' : 'sell';
  const near = (reach: number) => priceTicks(price + random.below(2 * reach + 1) - reach);
  const head = { side, qty: 1 + random.below(4), reason } as const;
  const behind = side === 'buy' ? -1 : 1;
  switch (random.below(5)) {
    case 0:
      return void own.submit({ ...head, kind: 'stop', trigger: near(6), price: near(9) });
    case 1:
      return void own.submit({
        ...head,
        kind: 'trailing_stop',
        activation: near(5),
        offset: 2,
        price: near(9),
      });
    case 2:
      return void own.submit({
        ...head,
        kind: 'bracket',
        price: near(3),
        stopLoss: priceTicks(price + 5 * behind),
        takeProfit: priceTicks(price - 5 * behind),
      });
    default:
      return void own.submit(side, { qty: head.qty, price: near(8), reason });
  }
}

/** Looks at all it can ask for, trades, changes its mind, and listens now to this, now to that. */
const drifter = (seen: unknown[]) =>
  defineStrategy({
    name: 'drifter',
    summary: 'does anything by chance',
    params,
    legs: LEGS,
    connect(ticks, trader) {
      const { seed, mood } = trader.params;
      const random = new Random(seed);
      const pace = mood === 'calm' ? 2 : 15;
      const look = (own: LegTrader): void => {
        seen.push([
          trader.time(),
          trader.phase(),
          own.lastTrade(),
          own.position(),
          own.workingOrders().length,
        ]);
        if (random.chance(500)) seen.push(own.lastBook());
      };
      const act = (own: LegTrader): void => {
        look(own);
        const [working] = own.workingOrders();
        if (working !== undefined && random.chance(300)) own.cancel(working.clientOrderId);
        else if (working !== undefined && random.chance(200)) own.modify(working.clientOrderId, { qty: 2 });
        else order(random, own, own.lastTrade()?.price ?? 1_300);
        if (random.chance(200)) trader.note(`seen ${seen.length}`);
      };
      for (const leg of LEGS) {
        const own = trader.leg(leg);
        let books: { unsubscribe(): void } | null = null;
        ticks.leg(leg).trades$.subscribe((tick) => {
          if (random.chance(20)) seen.push(tick);
          if (random.chance(pace)) act(own);
          if (mood === 'faulty' && random.chance(2)) throw new Error('drawn');
          if (!random.chance(5)) return;
          if (books === null) books = ticks.leg(leg).books$.subscribe((book) => seen.push(book));
          else {
            books.unsubscribe();
            books = null;
          }
        });
      }
      ticks.bars({ every: minutes(1) }).subscribe((bar) => seen.push(bar));
      ticks.bars({ everyTicks: 50 }).subscribe((bar) => seen.push(bar));
      ticks.orders$.subscribe((update) => seen.push(update));
      const ring = (): void => {
        act(trader.leg(random.chance(500) ? 'near' : 'far'));
        trader.after(
          random.chance(300) ? milliseconds(random.below(900)) : seconds(1 + random.below(240)),
          ring,
        );
      };
      trader.after(seconds(1), ring);
    },
  });

function planFor(seed: number, depth: number, seen: unknown[]): BacktestPlan {
  const random = new Random(seed);
  const tapes = DAYS.flatMap((day) =>
    ['VN30F2603', 'VN30F2604'].map((code) => ({ code, day, rows: drawnRows(random, day, ROWS, depth) })),
  );
  const moods = ['calm', 'busy', 'faulty'] as const;
  const span = { kind: 'exponential', min: milliseconds(1), mean: milliseconds(40) } as const;
  const plan = planOf(
    tapesOf(tapes),
    moods.slice(0, 1 + random.below(3)).map((mood, place) => ({
      id: mood,
      definition: drifter(seen),
      params: { seed: seed + place, mood },
    })),
    { symbols: ['VN30F1M', 'VN30F2M'], latency: { order: span, report: span } },
  );
  const isTight = random.chance(500);
  return {
    ...plan,
    capital: money(isTight ? 300_000_000 : 2_000_000_000),
    margin: isTight ? DEFAULT_MARGIN_RULES : null,
    memory: random.chance(500) ? 'day' : 'run',
    fill: {
      on: 'ticks',
      queue: (['queue', 'touch', 'through'] as const)[random.below(3)]!,
      cancels: 'proportional',
      slippageTicks: random.below(2),
    },
    settings: {
      ...plan.settings,
      risk: { ...plan.settings.risk, dailyLossMax: money(isTight ? 1_000_000 : 1e12) },
    },
  };
}

function play(seed: number, depth: number, isRowByRow: boolean) {
  const seen: unknown[] = [];
  const entries: JournalEntry[] = [];
  const { journalHash, counts } = runBacktest(planFor(seed, depth, seen), {
    isRowByRow,
    onEntry: (entry) => entries.push(entry),
  });
  return {
    counts,
    entries,
    seen: seen.length,
    facts: JSON.stringify({ journalHash, counts, entries, seen }),
  };
}

describe.each([0, 1, 3])('%i recorded levels', (depth) => {
  test('come to the same in stretches and row by row', () => {
    const happened = { fills: 0, seen: 0, stopped: 0, halts: 0 };
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const [quick, slow] = [play(seed, depth, false), play(seed, depth, true)];
      expect(quick.facts === slow.facts, `seed ${seed}`).toBe(true);
      happened.fills += quick.counts.fills;
      happened.seen += quick.seen;
      for (const entry of quick.entries) {
        const { kind } = entry;
        if (kind === 'strategy_fault') happened.stopped += 1;
        if (kind === 'halt') happened.halts += 1;
      }
    }
    expect(Math.min(happened.fills, happened.seen), 'orders were filled, and much was seen').toBeGreaterThan(
      200,
    );
    expect(
      Math.min(happened.stopped, happened.halts),
      'strategies failed and limits were reached',
    ).toBeGreaterThan(0);
  });
});

/** The stop fires in the third row; the report of its order takes a minute, and trades go on filling it meanwhile. */
test.each([false, true])(
  'fill an order that the engine does not know of yet (row by row: %s)',
  (isRowByRow) => {
    const prices = [1_301, 1_302, 1_303, 1_302, 1_303, 1_299, 1_302, 1_303];
    const rows = allocateRows(0, prices.length);
    prices.forEach((price, row) => {
      rows.tsUs[row] = momentOf(tradingDay(DAYS[0]), 9.5 * US_PER_HOUR, 420) + row * US_PER_MS;
      rows.priceTicks[row] = price;
      rows.qty[row] = 5;
      rows.side[row] = row % 2 === 0 ? 1 : -1;
    });
    const strategy = strategyOf(
      'stopper',
      (ticks, trader) => {
        let isSent = false;
        ticks.trades$.subscribe(({ price }) => {
          if (isSent) return;
          isSent = true;
          const at = { trigger: priceTicks(price + 2), price: priceTicks(price + 2) };
          trader.submit({ kind: 'stop', side: 'buy', qty: 40, reason, ...at });
        });
      },
      ['near'],
    );
    const plan = planOf(tapesOf([{ code: 'VN30F2603', day: DAYS[0], rows }]), [strategy]);
    const none = { kind: 'constant', span: milliseconds(0) } as const;
    const latency = { order: none, report: { kind: 'constant', span: minutes(1) } } as const;
    expect(runBacktest({ ...plan, latency }, { isRowByRow }).counts.fills).toBe(3);
  },
);
