/** The configuration of a simulated run, read once as the program reads it; each seed changes its limits and strategies. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Config } from '../../src/config/config.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { qty } from '../../src/domain/units.ts';
import type { Plan } from './plan.ts';
import { randomTrader } from './random-trader.ts';

const yaml = (market: string): string => `
mode: paper
market: ${market}
simulator: { seed: 7, cash: 5000000000 }
broker: { requestsPerSecond: 50, requestTimeout: 5s }
risk: { ordersPerSecondMax: 50, ordersPerMinuteMax: 3000, dailyLossMax: 2000000000, accountAgeMax: 5m, dataAgeMax: 60s, collarPercent: 3 }
poll: { bookFast: 500ms, bookSlow: 4s, positions: 2s, account: 5s }
lookUp: { scans: 3, spread: 3s }
flatten: { slipTicks: 20, attempts: 10 }
live: { assume: [entry-with-exits, order-after-order, conditional-change] }
strategies:
  - id: random
    strategy: random-trader
    symbols: [VN30F1M]
    overnight: true
    risk: { positionMax: 4, dailyLossMax: 2000000000, openOrdersMax: 8 }
    params: { seed: 1, qtyMax: 1, activity: 1, kinds: [limit], quietFrom: 0 }
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

export function configOf(plan: Plan, stateDir: string): Config {
  base ??= readBase();
  const [strategy] = base.strategies;
  const [settings] = base.engine.strategies;
  if (strategy === undefined || settings === undefined) throw new Error('the configuration has a strategy');
  const quietFrom = plan.startUs / 1e6 + plan.chaosSeconds;
  return {
    ...base,
    stateDir,
    strategies: plan.strategies.map(({ id, seed, activity, kinds }) => ({
      ...strategy,
      id,
      params: { seed, activity, kinds, quietFrom, qtyMax: plan.orderQtyMax },
    })),
    engine: {
      ...base.engine,
      risk: {
        ...base.engine.risk,
        orderQtyMax: qty(plan.orderQtyMax),
        accountPositionMax: qty(plan.accountPositionMax),
      },
      strategies: plan.strategies.map(({ id, positionMax }) => ({
        ...settings,
        id,
        risk: { ...settings.risk, positionMax: qty(positionMax) },
      })),
    },
  };
}
