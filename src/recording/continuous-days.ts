/** Daily bars of futures contracts as one series: which contract each day is of, and prices without the gaps between contracts. */
import { addDays, type TradingDay } from '../domain/civil-date.ts';

/** The series cannot be made; the message says why. */
export class NoSeries extends Error {
  override readonly name = 'NoSeries';
}

/** Prices in ticks. */
export interface ContractDay {
  readonly day: TradingDay;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
}

/** Bars of one contract by day. */
export interface ContractDays {
  readonly symbol: string;
  /** Last day of trading; absent: the day of its last bar. */
  readonly last?: TradingDay;
  readonly days: readonly ContractDay[];
}

/** `volume`: the day after the next contract traded more. `expiry`: so many days before the last day; 0 is the day after it. */
export type RollRule = { readonly by: 'volume' } | { readonly by: 'expiry'; readonly daysBefore: number };

/**
 * Of days before a roll: nothing, the difference between the closes of both contracts on the last day before it, or their ratio. The
 * last contract keeps its prices.
 */
export type BackAdjustment = 'none' | 'difference' | 'ratio';

export interface ContinuousDay extends ContractDay {
  readonly symbol: string;
}

/** From `day` on; both closes are of the last day before on which both traded. */
export interface Roll {
  readonly day: TradingDay;
  readonly from: string;
  readonly to: string;
  readonly closeFrom: number;
  readonly closeTo: number;
}

export interface Continuous {
  readonly days: readonly ContinuousDay[];
  readonly rolls: readonly Roll[];
}

/** `contracts` in the order of their expiries. A roll looks at the days before it alone, and never back. */
export function continuousDays(
  contracts: readonly ContractDays[],
  rule: RollRule,
  adjustment: BackAdjustment,
): Continuous {
  const byDay = contracts.map(({ days }) => new Map(days.map((each) => [each.day, each])));
  const all = [...new Set(contracts.flatMap(({ days }) => days.map(({ day }) => day)))].toSorted();
  const rolls: Roll[] = [];
  const days: (ContinuousDay & { readonly rolls: number })[] = [];
  let front = 0;
  for (const [i, day] of all.entries()) {
    while (
      front + 1 < contracts.length &&
      isOver(contracts, byDay, rule, { front, day, before: all[i - 1] })
    ) {
      rolls.push(rollOf(contracts, byDay, front, day));
      front += 1;
    }
    const bar = byDay[front]?.get(day);
    if (bar !== undefined) days.push({ ...bar, symbol: contracts[front]?.symbol ?? '', rolls: rolls.length });
  }
  return { days: days.map(({ rolls: done, ...bar }) => adjusted(bar, rolls.slice(done), adjustment)), rolls };
}

type ByDay = readonly ReadonlyMap<TradingDay, ContractDay>[];

function isOver(
  contracts: readonly ContractDays[],
  byDay: ByDay,
  rule: RollRule,
  {
    front,
    day,
    before,
  }: { readonly front: number; readonly day: TradingDay; readonly before: TradingDay | undefined },
): boolean {
  const last = contracts[front]?.last ?? contracts[front]?.days.at(-1)?.day;
  if (last === undefined || last < day) return true;
  if (rule.by === 'expiry') return day > addDays(last, -rule.daysBefore);
  if (before === undefined) return false;
  const [own, next] = [byDay[front]?.get(before)?.volume, byDay[front + 1]?.get(before)?.volume];
  return next !== undefined && next > (own ?? 0);
}

function rollOf(contracts: readonly ContractDays[], byDay: ByDay, front: number, day: TradingDay): Roll {
  const [old, next] = [contracts[front], contracts[front + 1]];
  const common = old?.days.findLast((each) => each.day < day && byDay[front + 1]?.has(each.day) === true);
  const closeTo = common === undefined ? undefined : byDay[front + 1]?.get(common.day)?.close;
  if (old === undefined || next === undefined || common === undefined || closeTo === undefined)
    throw new NoSeries(
      `${old?.symbol ?? ''} and ${next?.symbol ?? ''} have no day in common before ${day}: nothing says how far their prices lie apart`,
    );
  return { day, from: old.symbol, to: next.symbol, closeFrom: common.close, closeTo };
}

/** `later`: rolls after the day. */
function adjusted(bar: ContinuousDay, later: readonly Roll[], adjustment: BackAdjustment): ContinuousDay {
  if (adjustment === 'none' || later.length === 0) return bar;
  const change = (price: number): number =>
    later.reduce(
      (sum, { closeFrom, closeTo }) =>
        adjustment === 'ratio' ? (sum * closeTo) / closeFrom : sum + closeTo - closeFrom,
      price,
    );
  const { open, high, low, close } = bar;
  return { ...bar, open: change(open), high: change(high), low: change(low), close: change(close) };
}
