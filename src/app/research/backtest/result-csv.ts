/** Rows of a run for spreadsheets and notebooks: times as ISO 8601 of the exchange, prices in points, money in the currency. */
import type {
  BacktestFill,
  BacktestResult,
  BacktestTrade,
  ResultInstrument,
} from '../../../backtest/backtest-result.ts';
import type { RunStatistics } from '../../../backtest/statistics/run-statistics.ts';
import { assert } from '../../../domain/assert.ts';
import { dayAt, formatTime } from '../../../domain/civil-date.ts';
import { formatPoints, pointDecimals } from '../../../domain/contract.ts';
import { priceTicks, type TsUs, tsUs } from '../../../domain/units.ts';

const csv = (head: string, rows: readonly string[]): string => `${[head, ...rows].join('\n')}\n`;

/** What stands behind a time: its offset, or nothing where moments were moved to the clocks on the wall. */
export type ZoneText = string;

const stamps =
  ({ utcOffsetMinutes }: BacktestResult, zone: ZoneText): ((at: TsUs) => string) =>
  (at) =>
    `${dayAt(at, utcOffsetMinutes)}T${formatTime(at, utcOffsetMinutes)}${zone}`;

/** A text with what CSV itself uses goes into quotes. */
const cell = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Money in the currency, every digit of it. */
function amounts({ moneyScale }: BacktestResult): (value: number) => string {
  const digits = Math.round(Math.log10(moneyScale));
  return (value) => (value / moneyScale).toFixed(digits);
}

function instrumentOf({ instruments }: BacktestResult, place: number): ResultInstrument {
  const found = instruments[place];
  assert(found !== undefined, 'what was traded is an instrument of the run');
  return found;
}

export function tradesCsv(result: BacktestResult, zone: ZoneText): string {
  const [stamp, amount] = [stamps(result, zone), amounts(result)];
  const row = (trade: BacktestTrade, strategy: string): string => {
    const { instrument, direction, qty, entryUs, exitUs, entryValue, exitValue, isOpen } = trade;
    const { symbol, spec } = instrumentOf(result, instrument);
    const average = (value: number): string =>
      (value / (qty * spec.moneyPerHundredth * (spec.partsPerPoint ?? 100))).toFixed(pointDecimals(spec) + 4);
    return [
      cell(strategy),
      symbol,
      direction,
      stamp(entryUs),
      stamp(exitUs),
      qty,
      trade.qtyMax,
      average(entryValue),
      average(exitValue),
      amount(trade.grossProfit),
      amount(trade.fee),
      amount(trade.tax),
      amount(trade.netProfit),
      amount(trade.adverse),
      amount(trade.favourable),
      trade.fills,
      isOpen ? 'open' : 'closed',
    ].join(',');
  };
  return csv(
    'strategy,symbol,direction,entry_time,exit_time,qty,qty_max,entry_price,exit_price,gross_profit,fee,tax,net_profit,adverse,favourable,fills,state',
    result.strategies.flatMap(({ id, trades }) => [...trades].map((trade) => row(trade, id))),
  );
}

export function fillsCsv(result: BacktestResult, zone: ZoneText): string {
  const [stamp, amount] = [stamps(result, zone), amounts(result)];
  const row = (fill: BacktestFill, strategy: string): string => {
    const { symbol, spec } = instrumentOf(result, fill.instrument);
    return [
      stamp(fill.tsUs),
      stamp(fill.decidedUs),
      cell(strategy),
      symbol,
      fill.side,
      fill.qty,
      formatPoints(spec, priceTicks(fill.priceTicks)),
      amount(fill.value),
      amount(fill.fee),
      amount(fill.tax),
      fill.liquidity,
      fill.clause,
      fill.cause,
      fill.positionAfter,
    ].join(',');
  };
  return csv(
    'time,decided,strategy,symbol,side,qty,price,value,fee,tax,liquidity,clause,cause,position_after',
    result.strategies.flatMap(({ id, fills }) => [...fills].map((fill) => row(fill, id))),
  );
}

export function equityCsv(result: BacktestResult, zone: ZoneText): string {
  const [stamp, amount] = [stamps(result, zone), amounts(result)];
  const { tsUs: times, values } = result.equity;
  return csv(
    'time,equity',
    Array.from(times, (at, i) => `${stamp(tsUs(at))},${amount(values[i] ?? 0)}`),
  );
}

export function dailyCsv(result: BacktestResult, { daily }: RunStatistics): string {
  const amount = amounts(result);
  return csv(
    'day,net_profit,equity',
    daily.map(({ day, equity }, i) => {
      const before = daily[i - 1]?.equity ?? result.capital;
      return `${day},${amount(equity - before)},${amount(equity)}`;
    }),
  );
}
