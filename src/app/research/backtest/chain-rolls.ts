/** When the chains of a backtest roll, by the days before. */
import type { ChainRoll } from '../../../backtest/backtest-result.ts';
import { assert } from '../../../domain/assert.ts';
import type { Problem } from '../../../config/problem.ts';
import type { YamlSource } from '../../../config/yaml-source.ts';
import { addDays, type TradingDay } from '../../../domain/civil-date.ts';
import { pointsOf } from '../../../domain/contract.ts';
import { priceTicks } from '../../../domain/units.ts';
import { type ContractDays, continuousDays, NoSeries } from '../../../recording/continuous-days.ts';
import type { TickRows } from '../../../recording/columns/tick-columns.ts';
import type { BacktestMarket } from './backtest-market.ts';
import type { ChainTerms } from './backtest-schema.ts';
import { codesOf } from './market-chains.ts';
import type { SourceDay, SourceDays } from './source-days.ts';

export type ReadRolls = { readonly rolls: readonly ChainRoll[] } | { readonly problem: Problem };

/**
 * When each chain rolls: decided by the days before, at the latest on the last day of a contract, so that both trade on the day of the roll.
 * Includes rolls before the run, which say where it begins.
 */
export function readRolls(
  source: YamlSource,
  market: BacktestMarket,
  { all, days }: SourceDays,
  readRows: (source: SourceDay) => TickRows,
): ReadRolls {
  const rolls: ChainRoll[] = [];
  for (const chain of market.chains) {
    const codes = new Set(codesOf(market, chain.name));
    const own = all.filter(({ code }) => codes.has(code));
    if (chain.roll.by === 'volume' && own.some(({ quotes }) => quotes !== null)) {
      const hint = 'roll: { by: date, days: 5 } needs none';
      return { problem: source.problem(['market'], `volumes of ${chain.name}`, hint, 'quotes') };
    }
    const contracts = chain.contracts.flatMap(({ code, last }): readonly ContractDays[] => {
      const held = own.filter((each) => each.code === code);
      return held.length === 0
        ? []
        : [{ symbol: code, last: lastHeld(chain, last), days: held.map((each) => dayOf(each, readRows)) }];
    });
    try {
      const found = continuousDays(
        contracts,
        { by: chain.roll.by === 'volume' ? 'volume' : 'expiry', daysBefore: 0 },
        'none',
      );
      for (const { day, from, to, closeFrom, closeTo } of found.rolls) {
        const missing = [from, to].find(
          (code) => !own.some((each) => each.code === code && each.day === day),
        );
        if (missing !== undefined && days.includes(day)) {
          const hint = 'a position could not be rolled: add the data, or roll earlier';
          return {
            problem: source.problem(
              ['data'],
              `prices of ${from} and ${to} on ${day}, where ${chain.name} rolls`,
              hint,
              `none of ${missing}`,
            ),
          };
        }
        const spec = market.specOf(from);
        assert(spec !== undefined, 'a contract of a chain is one of the market');
        const points = (ticks: number): number => pointsOf(spec, priceTicks(ticks));
        rolls.push({
          chain: chain.name,
          day,
          from,
          to,
          closeFrom: points(closeFrom),
          closeTo: points(closeTo),
          rule: ruleText(chain, { from, day }),
        });
      }
    } catch (error) {
      if (!(error instanceof NoSeries)) throw error;
      return { problem: source.problem(['data'], `data in which ${chain.name} can roll`, '', error.message) };
    }
  }
  return { rolls: rolls.toSorted((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0)) };
}

/** The contract that a chain stands for on a day. */
export function frontOf(
  { name, contracts }: ChainTerms,
  rolls: readonly ChainRoll[],
  day: TradingDay,
  hasData: (code: string) => boolean,
): string | undefined {
  const before = rolls.findLast((roll) => roll.chain === name && roll.day <= day);
  return before?.to ?? contracts.find(({ code }) => hasData(code))?.code;
}

const lastHeld = ({ roll }: ChainTerms, last: TradingDay): TradingDay =>
  addDays(last, roll.by === 'date' ? -roll.days : -1);

function ruleText({ roll, contracts }: ChainTerms, { from, day }: { from: string; day: TradingDay }): string {
  if (roll.by === 'date') return `${roll.days} days before the last day`;
  const last = contracts.find(({ code }) => code === from)?.last;
  return last !== undefined && day >= last ? 'last day' : 'volume';
}

function dayOf(source: SourceDay, readRows: (source: SourceDay) => TickRows): ContractDays['days'][number] {
  const { priceTicks: prices, qty, rows, bars } = readRows(source);
  let volume = 0;
  for (const traded of bars?.volume ?? qty) volume += traded;
  const [open, close] = [prices[0] ?? 0, prices[rows - 1] ?? 0];
  // Highs and lows are for series of prices alone.
  return { day: source.day, open, high: open, low: close, close, volume };
}
