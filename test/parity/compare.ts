/** Puts one day through both sides; what has to be equal is what the two reports hold. */
import { priceBand } from '../../src/domain/contract.ts';
import { milliseconds, priceHundredths } from '../../src/domain/units.ts';
import { fileTape } from '../support/backtest-plan.ts';
import { contract } from '../support/strategy-fixtures.ts';
import { backtestDay } from './backtest-side.ts';
import type { DayOutcome, ParityDay } from './parity.ts';
import { drawScript, type Step } from './script.ts';
import { wireDay } from './wire-side.ts';

/** Enough for anything a script asks for, VND. */
const CAPITAL = 200_000_000_000;
/** Prints carry whole seconds: so nothing arrives in the moment of one. */
const LATENCY = milliseconds(300);
const { spec } = contract(0);

export interface CompareOptions extends Pick<ParityDay, 'fill' | 'restarts'> {
  readonly seed: number;
  /** Steps that are drawn. */
  readonly steps: number;
  readonly capital?: number;
  /** Asked instead of what would be drawn. */
  readonly script?: readonly Step[];
}

interface Report {
  readonly fills: readonly string[];
  readonly orders: readonly string[];
  readonly refused: readonly string[];
  readonly cash: number;
  readonly net: number;
  readonly tape: string;
}

export interface Compared {
  readonly backtest: Report;
  readonly wire: Report;
  /** Of the simulator's account at the last price, before the day is settled. */
  readonly worth: number;
  /** Clauses of the fills, each once. */
  readonly clauses: ReadonlySet<string>;
}

export async function compareDay(path: string, options: CompareOptions): Promise<Compared> {
  const { seed, steps: count, capital = CAPITAL, script, ...others } = options;
  const tape = fileTape(path);
  const { rows, priceTicks, qty } = tape.rows;
  const band = priceBand(spec, priceHundredths((priceTicks[0] ?? 0) * spec.hundredthsPerTick));
  const steps = script ?? drawScript(tape, band, seed, count);
  const day = { path, tape, steps, capital, latency: LATENCY, ...others };
  const backtest = backtestDay(day);
  const wire = await wireDay(day, backtest.calls);
  const volume = qty.subarray(0, rows).reduce((sum, each) => sum + each, 0);
  return {
    backtest: reportOf(backtest, rows, volume),
    wire: reportOf(wire, wire.trades, wire.volume),
    worth: wire.worth,
    clauses: new Set(backtest.fills.map((line) => line.split(' ').slice(5).join(' '))),
  };
}

const reportOf = (
  { fills, orders, refused, cash, net }: DayOutcome,
  trades: number,
  volume: number,
): Report => ({
  fills,
  orders: [...orders].map(([id, filled]) => `${id}: ${filled}`).toSorted(),
  refused: refused.toSorted(),
  cash,
  net,
  tape: `${trades} trades of ${volume}`,
});
