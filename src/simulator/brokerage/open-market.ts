/** Market time and the market behind it, from the options and the stored state. */
import { assert } from '../../domain/assert.ts';
import { dayAt, formatTime } from '../../domain/civil-date.ts';
import { codedForm, contractMonthOf, legacyCode } from '../../domain/contract-code.ts';
import { type ContractSpec, hundredthsOf, parsePoints } from '../../domain/contract.ts';
import { type OrderCode, orderCode } from '../../domain/ids.ts';
import { priceHundredths, type PriceTicks, type TsUs, tsUs } from '../../domain/units.ts';
import { readPrints, type Tape, type Print } from '../../recording/read-prints.ts';
import type { MarketOptions, TapePrint } from '../../venue/venue-options.ts';
import { type MarketSource, type SimulatorOptions, VN30_FUTURE } from '../simulator-options.ts';
import type { VenueMemory } from '../state/state-store.ts';
import { MarketClock } from '../time/market-clock.ts';

export interface OpenedMarket {
  readonly clock: MarketClock;
  readonly venueMarket: MarketOptions;
  readonly prints: Pick<MarketSource, 'nextDueUs' | 'take'> | null;
  /** Where a new venue begins; absent: now. */
  readonly startUs?: TsUs | undefined;
}

const CLOCKS_REMEDY = 'set the clocks of this machine and of the publisher right (NTP), or wait until then';

export function openMarket(options: SimulatorOptions, memory: VenueMemory): OpenedMarket {
  const { market, time, calendar } = options;
  const leftOffUs = memory.leftOffUs();
  if (market.kind !== 'tape') {
    const startPrice = ticks(VN30_FUTURE, market.startPoints, 'market.startPoints');
    // A paper account at speed 60 is ahead of the world: it carries on from where it was, time does not go back.
    const originUs = time.originMarketUs ?? Math.max(options.clock.nowUs(), leftOffUs ?? -Infinity);
    const clock = clockFrom(options, tsUs(originUs));
    if (market.kind === 'feed') {
      assertNotBefore(leftOffUs, options.clock.nowUs(), options, CLOCKS_REMEDY);
      const { source } = market;
      return {
        clock,
        venueMarket: { kind: 'feed', startPrice },
        prints: source,
        startUs: source.begin(leftOffUs),
      };
    }
    const venueMarket: MarketOptions =
      market.kind === 'synthetic'
        ? { kind: 'synthetic', seed: market.seed, startPrice }
        : { kind: 'empty', startPrice };
    return { clock, venueMarket, prints: null };
  }
  const tape = readPrints(market.path, { spec: VN30_FUTURE, utcOffsetMinutes: calendar.utcOffsetMinutes });
  const first = tape.prints[0];
  if (first === undefined) throw new Error(`tape ${market.path}: expected at least one print, was empty`);
  const clock = clockFrom(options, time.originMarketUs ?? first.tsUs);
  assertNotBefore(leftOffUs, clock.nowUs(), options);
  const code = codeOf(tape, options.codes, market.path);
  const reference =
    market.referencePoints === null
      ? hundredthsOf(VN30_FUTURE, first.price)
      : priceHundredths(Math.round(market.referencePoints * 100));
  return {
    clock,
    venueMarket: { kind: 'tape', orderCode: code, reference },
    prints: new PrintFeed(tape.prints, code, leftOffUs),
  };
}

function clockFrom({ clock, time }: SimulatorOptions, originMarketUs: TsUs): MarketClock {
  const origin = { originRealUs: time.originRealUs ?? clock.nowUs(), originMarketUs, speed: time.speed };
  const map = time.start === 'as_in_life' ? { ...origin, untilUs: originMarketUs } : origin;
  return new MarketClock(clock, map, time.start === 'first_subscriber');
}

function assertNotBefore(
  leftOffUs: TsUs | undefined,
  startUs: TsUs,
  { calendar, stateDir }: SimulatorOptions,
  remedy = 'start fresh or use another state directory',
): void {
  if (leftOffUs === undefined || leftOffUs <= startUs) return;
  const shown = (at: TsUs): string =>
    `${dayAt(at, calendar.utcOffsetMinutes)} ${formatTime(at, calendar.utcOffsetMinutes)}`;
  throw new Error(
    `simulator state ${stateDir ?? ''}: expected one from before ${shown(startUs)}, was from ${shown(leftOffUs)}; ` +
      remedy,
  );
}

function codeOf(tape: Tape, form: 'legacy' | 'coded', path: string): OrderCode {
  const month = contractMonthOf(tape.code);
  if (month === undefined) {
    throw new Error(`tape ${path}: expected a contract code such as vn30f2603 in the name, was ${tape.code}`);
  }
  return orderCode(form === 'legacy' ? legacyCode(month) : codedForm(month));
}

function ticks(spec: ContractSpec, points: number, path: string): PriceTicks {
  const price = parsePoints(spec, points, path);
  if (!price.ok)
    throw new Error(`${path}: expected ${price.issues[0].expected}, was ${price.issues[0].received}`);
  assert(price.value > 0, 'a start price is above zero');
  return price.value;
}

/** The stream's own code of a contract: the form that its order code does not have. */
export function internalStreamCode(code: OrderCode): string {
  const month = contractMonthOf(code);
  if (month === undefined) return code;
  const coded = codedForm(month);
  return coded === code ? legacyCode(month) : coded;
}

/** A recorded day, handed out print by print as market time reaches each. */
export class PrintFeed {
  readonly #prints: readonly Print[];
  readonly #orderCode: OrderCode;
  #next = 0;

  /** Prints at or before `after` count as seen: a restart carries on from the venue's last state. */
  constructor(prints: readonly Print[], orderCode: OrderCode, after: TsUs | undefined) {
    this.#prints = prints;
    this.#orderCode = orderCode;
    if (after !== undefined) this.#next = prints.findIndex(({ tsUs }) => tsUs > after);
    if (this.#next < 0) this.#next = prints.length;
  }

  nextDueUs(): number {
    return this.#prints[this.#next]?.tsUs ?? Infinity;
  }

  take(nowUs: TsUs): TapePrint | undefined {
    const print = this.#prints[this.#next];
    if (print === undefined || print.tsUs > nowUs) return undefined;
    this.#next += 1;
    const { tsUs, price, qty, aggressor } = print;
    return { tsUs, orderCode: this.#orderCode, price, qty, aggressor };
  }
}
