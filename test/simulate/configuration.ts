/** The configuration of a simulated run, read once as the program reads it; each seed changes its limits and strategies. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Config, loadConfig } from '../../src/config/config.ts';
import type { TradingCalendar } from '../../src/domain/calendar.ts';
import { money, qty, seconds } from '../../src/domain/units.ts';
import type { Plan } from './plan.ts';
import { randomTrader } from './random-trader.ts';

const yaml = (market: string): string => `
mode: paper
market: ${market}
simulator: { seed: 7, cash: 5000000000 }
broker: { requestsPerSecond: 50, requestTimeout: 5s }
risk: { ordersPerSecondMax: 50, ordersPerMinuteMax: 3000, dailyLossMax: 2000000000, accountAgeMax: 5m, dataAgeMax: 60s, collarPercent: 3 }
poll: { bookFast: 500ms, bookSlow: 4s, positions: 2s, account: 5s }
lookUp: { scans: 3, spread: 6s }
flatten: { slipTicks: 20, attempts: 10 }
live: { assume: [entry-with-exits, order-after-order, conditional-change] }
strategies:
  - id: random
    strategy: random-trader
    symbols: [VN30F1M]
    overnight: true
    risk: { positionMax: 4, dailyLossMax: 2000000000, openOrdersMax: 8 }
    params: { seed: 1, qtyMax: 1, activity: 1, kinds: [limit], isPatient: false, faulty: 0, quietFrom: 0 }
`;

function readBase(): Config {
  const dir = mkdtempSync(join(tmpdir(), 'tickwright-simulate-'));
  try {
    const file = join(dir, 'simulate.yaml');
    writeFileSync(file, yaml(resolve('config/vn30f.yaml')));
    const loaded = loadConfig(file, [randomTrader]);
    if (loaded.ok) return loaded.config;
    throw new Error(loaded.problems.map((problem) => JSON.stringify(problem)).join('\n'));
  } finally {
    rmSync(dir, { recursive: true });
  }
}

let base: Config | undefined = undefined;

const at = (hours: number, seconds: number): number => (hours * 3_600 + seconds) * 1e6;

/** A day that ends and begins within the faults: trading goes on from one midnight to the next but for the half minute before and after it. */
const DAY_WITH_AUCTIONS: TradingCalendar['phases'] = [
  { phase: 'opening_auction', fromUs: at(0, 3), toUs: at(0, 7) },
  { phase: 'continuous', fromUs: at(0, 7), toUs: at(23, 3_585) },
  { phase: 'closing_auction', fromUs: at(23, 3_585), toUs: at(23, 3_592) },
];

/** `edit`: how often somebody has edited the file. */
export function configOf(plan: Plan, stateDir: string, edit = 0): Config {
  base ??= readBase();
  const [strategy] = base.strategies;
  const [settings] = base.engine.strategies;
  if (strategy === undefined || settings === undefined) throw new Error('the configuration has a strategy');
  const quietFrom = plan.startUs / 1e6 + plan.chaosSeconds;
  return {
    ...base,
    mode: plan.isDryRun ? 'dry-run' : 'paper',
    stateDir,
    calendar: plan.hasAuctions ? { ...base.calendar, phases: DAY_WITH_AUCTIONS } : base.calendar,
    strategies: plan.strategies.map(({ id, seed, activity, kinds, isPatient, faulty }) => ({
      ...strategy,
      id,
      params: { seed: seed + edit, activity, kinds, isPatient, faulty, quietFrom, qtyMax: plan.orderQtyMax },
    })),
    engine: {
      ...base.engine,
      cancelBeforeAuction: seconds(3),
      flatBeforeClose: seconds(3),
      ...(plan.policies === null ? {} : { policies: plan.policies }),
      risk: {
        ...base.engine.risk,
        ...(plan.protectiveTicks === null
          ? {}
          : { protectiveStop: { distanceTicks: plan.protectiveTicks, slipTicks: 20 } }),
        orderQtyMax: qty(plan.orderQtyMax),
        positionMax: qty(plan.accountPositionMax),
        openOrdersMax: plan.accountOrdersMax,
        ordersPerSecondMax: plan.ordersPerSecondMax,
        ordersPerMinuteMax: plan.ordersPerMinuteMax,
        dailyLossMax: money(plan.accountLossMax),
        nakedSecondsMax: plan.nakedSeconds,
        ...(plan.messagesPerMinuteMax === null ? {} : { messagesPerMinuteMax: plan.messagesPerMinuteMax }),
      },
      strategies: plan.strategies.map(({ id, positionMax }) => ({
        ...settings,
        id,
        risk: {
          positionMax: qty(positionMax),
          dailyLossMax: money(plan.dailyLossMax),
          openOrdersMax: plan.openOrdersMax,
        },
      })),
    },
  };
}
