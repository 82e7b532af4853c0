import type { TradingDay } from './civil-date.ts';
import type { CostSchedule } from './costs.ts';
import type { OrderCode, StreamCode } from './ids.ts';
import type { Side } from './order.ts';
import { notParsed, parsed, type ParseResult } from './parsed.ts';
import {
  type InstrumentIndex,
  type Money,
  money,
  type PriceHundredths,
  priceHundredths,
  type PriceTicks,
  priceTicks,
} from './units.ts';

/** The value of one contract. VN30F has a tick of 0.1 point and 100,000 VND a point (market rules, 1). */
export interface ContractSpec {
  readonly underlying: string;
  /** Hundredths of a point in one tick: 10 for a tick of 0.1. */
  readonly hundredthsPerTick: number;
  /** Money of one hundredth of a point for one contract: 1,000 VND. */
  readonly moneyPerHundredth: number;
  readonly orderQtyMax: number;
  /** Price band, as parts of 10,000 of the reference price: 700 is 7 %; `NO_BAND_BPS` where the market has none. */
  readonly bandBps: number;
  /**
   * Whole parts of one point in which reference prices are quoted; absent is 100, hundredths. A market with finer ticks has more, and
   * `hundredthsPerTick` and `moneyPerHundredth` are then about one such part.
   */
  readonly partsPerPoint?: number;
  /** Units of the underlying in one whole quantity, for people: 0.001 for thousandths of a coin; absent is 1. */
  readonly lotSize?: number;
  /** Rates of its own; absent: those of its market. */
  readonly costs?: CostSchedule;
}

/** A band as wide as this is none. */
export const NO_BAND_BPS = 10_000;
/** Ticks no price reaches: the ceiling of a market without one. */
export const CEILING_NONE = 1_000_000_000;
/** One tick: no price is lower. */
const FLOOR_NONE = 1;
const HUNDREDTHS = 100;
const DECIMALS_MAX = 12;
/** Every decimal of this many digits survives a double. */
const DOUBLE_DIGITS = 15;

/** One listed contract. `index` is its place in the session's contract table. */
export interface Contract {
  readonly index: InstrumentIndex;
  readonly orderCode: OrderCode;
  readonly streamCode: StreamCode;
  readonly expiry: TradingDay;
  readonly spec: ContractSpec;
}

export interface PriceBand {
  readonly ceiling: PriceTicks;
  readonly floor: PriceTicks;
  readonly reference: PriceHundredths;
}

/** Rates of a contract in a market with these. */
export const ratesOf = ({ costs }: ContractSpec, market: CostSchedule): CostSchedule => costs ?? market;

/** Money of `quantity` contracts at `price`: exact, always whole. */
export const valueOf = (spec: ContractSpec, price: PriceTicks, quantity: number): Money =>
  money(price * spec.hundredthsPerTick * spec.moneyPerHundredth * quantity);

export const valueAtHundredths = (spec: ContractSpec, price: PriceHundredths, quantity: number): Money =>
  money(price * spec.moneyPerHundredth * quantity);

export const hundredthsOf = (spec: ContractSpec, price: PriceTicks): PriceHundredths =>
  priceHundredths(price * spec.hundredthsPerTick);

/** The limit of a market order: no price is beyond it. */
export const marketLimit = (side: Side): PriceTicks => priceTicks(side === 'buy' ? CEILING_NONE : FLOOR_NONE);

/** Where the exchange takes market orders, an order with such a limit is one. */
export const isMarketLimit = (side: Side, limit: number): boolean =>
  side === 'buy' ? limit >= CEILING_NONE : limit <= FLOOR_NONE;

/** Points as people write them, `1305.2`. */
export const pointsOf = (spec: ContractSpec, price: PriceTicks): number =>
  (price * spec.hundredthsPerTick) / (spec.partsPerPoint ?? HUNDREDTHS);

export const formatPoints = (spec: ContractSpec, price: PriceTicks): string =>
  pointsOf(spec, price).toFixed(pointDecimals(spec));

/** A quantity in units of the underlying, `1.5` for 1,500 lots of 0.001, as people read it. */
export const unitsOf = ({ lotSize = 1 }: ContractSpec, qty: number): number =>
  Number((qty * lotSize).toPrecision(DOUBLE_DIGITS));

export const pointValueOf = ({ moneyPerHundredth, partsPerPoint = HUNDREDTHS }: ContractSpec): number =>
  moneyPerHundredth * partsPerPoint;

/** Average price of contracts with this value. */
export const avgPoints = (spec: ContractSpec, value: number, qty: number): number =>
  value / (Math.abs(qty) * pointValueOf(spec));

/** Digits behind the point that a whole number of ticks needs: 1 for a tick of 0.1, 2 for a tick of 0.25. */
export function pointDecimals({ hundredthsPerTick, partsPerPoint = HUNDREDTHS }: ContractSpec): number {
  let decimals = 0;
  for (let left = hundredthsPerTick % partsPerPoint; left !== 0 && decimals < DECIMALS_MAX; decimals += 1)
    left = (left * 10) % partsPerPoint;
  return decimals;
}

const GRID_TOLERANCE = 1e-6;
/** No contract is worth more, in the smallest unit of money: what an account holds at such a price is still an exact sum. */
const WORTH_MAX = 1e12;

/** Reads points; a price between two ticks is an error, not a rounding. */
export function parsePoints(spec: ContractSpec, points: number, path: string): ParseResult<PriceTicks> {
  const partsPerPoint = spec.partsPerPoint ?? HUNDREDTHS;
  const exact = (points * partsPerPoint) / spec.hundredthsPerTick;
  const whole = Math.round(exact);
  if (!Number.isSafeInteger(whole) || Math.abs(exact - whole) > GRID_TOLERANCE) {
    return notParsed(path, `a price on the grid of ${spec.hundredthsPerTick / partsPerPoint} points`, points);
  }
  if (Math.abs(whole) * spec.hundredthsPerTick * spec.moneyPerHundredth > WORTH_MAX)
    return notParsed(path, 'a price that a contract can have', points);
  return parsed(priceTicks(whole));
}

/** The band of a day, rounded inwards so that it never widens; one tick away where that equals the reference (market rules, 1). */
export function priceBand(spec: ContractSpec, reference: PriceHundredths): PriceBand {
  if (spec.bandBps >= NO_BAND_BPS)
    return { ceiling: marketLimit('buy'), floor: marketLimit('sell'), reference };
  const tick = spec.hundredthsPerTick;
  const ceiling = Math.floor((reference * (10_000 + spec.bandBps)) / (10_000 * tick));
  const floor = Math.ceil((reference * (10_000 - spec.bandBps)) / (10_000 * tick));
  const atReference = (ticks: number): boolean => ticks * tick === reference;
  return {
    ceiling: priceTicks(atReference(ceiling) ? ceiling + 1 : ceiling),
    floor: priceTicks(atReference(floor) ? floor - 1 : floor),
    reference,
  };
}

/** The code of a contract in the table of its session, for people; its place where it is not listed. */
export const shownCode = (contracts: readonly Contract[], instrument: InstrumentIndex): string =>
  contracts[instrument]?.orderCode ?? `instrument ${instrument}`;
