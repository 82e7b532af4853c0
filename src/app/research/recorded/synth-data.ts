/**
 * Generates market data: the synthetic exchange trades some days, and its stream becomes columns. The same seed and days give the
 * same files to the bit.
 */
import { assert } from '../../../domain/assert.ts';
import { isSession, sessionAfter } from '../../../domain/calendar.ts';
import { momentOf, type TradingDay } from '../../../domain/civil-date.ts';
import type { ContractSpec } from '../../../domain/contract.ts';
import type { CostSchedule } from '../../../domain/costs.ts';
import type { OrderCode } from '../../../domain/ids.ts';
import type { BookLevel } from '../../../domain/ticks.ts';
import { minutes, type PriceTicks, tsUs, US_PER_MINUTE, US_PER_SECOND } from '../../../domain/units.ts';
import { Collector } from '../../../recording/collect/collector.ts';
import { type DayTicks, openDay, type StoredDay } from '../../../recording/collect/day-ticks.ts';
import { AuctionStamps } from '../../../recording/collect/session-times.ts';
import { Venue } from '../../../venue/venue.ts';
import type { VenueEvent } from '../../../venue/venue-event.ts';
import { storeOpened, STREAM_LEVELS } from './compile-frames.ts';
import type { RecordedMarket } from './recorded-market.ts';

export interface SynthRequest {
  readonly dir: string;
  /** First day; without a session, the next one that has a session. */
  readonly from: TradingDay;
  readonly days: number;
  readonly seed: number;
  /** Price of the front month at the start. */
  readonly startPrice: PriceTicks;
  /** Contracts, front month first. */
  readonly contracts: number;
  readonly spec: ContractSpec;
  readonly costs: CostSchedule;
  readonly replace: boolean;
  readonly archive: boolean;
}

export interface SynthWatch {
  /** `done` and `all` count minutes of the sessions. */
  progress(done: number, all: number, rows: number): void;
}

const SILENCE = minutes(5);
const STEP_MINUTES = 5;

/** Yields each file once it is written. */
export function* synthData(
  request: SynthRequest,
  market: RecordedMarket,
  watch: SynthWatch,
): Generator<StoredDay> {
  const { calendar } = market;
  const { spec, costs, seed, startPrice } = request;
  const opening = calendar.phases[0];
  const closing = calendar.phases.at(-1);
  assert(opening !== undefined && closing !== undefined, 'a trading day has phases');
  const first = isSession(calendar, request.from) ? request.from : sessionAfter(calendar, request.from);
  const at = (day: TradingDay, timeUs: number) => momentOf(day, timeUs, calendar.utcOffsetMinutes);
  const venue = new Venue({
    calendar,
    spec,
    costs,
    startUs: at(first, opening.fromUs - US_PER_SECOND),
    accounts: [],
    market: { kind: 'synthetic', seed, startPrice },
    codes: 'legacy',
  });
  const dayMinutes = Math.ceil((closing.toUs - opening.fromUs) / US_PER_MINUTE);
  let day = first;
  let rows = 0;
  for (let done = 0; done < request.days; done += 1) {
    venue.advance(at(day, opening.fromUs - US_PER_SECOND));
    const synth = new SynthDay(request, market, day, venue);
    try {
      for (let minute = 0; minute <= dayMinutes; minute += STEP_MINUTES) {
        const end = Math.min(
          opening.fromUs + (minute + STEP_MINUTES) * US_PER_MINUTE,
          closing.toUs + US_PER_SECOND,
        );
        for (const event of venue.advance(tsUs(at(day, end)))) synth.take(event);
        watch.progress(done * dayMinutes + minute, request.days * dayMinutes, rows + synth.rows);
      }
      yield* synth.store();
    } finally {
      synth.close();
    }
    rows += synth.rows;
    day = sessionAfter(calendar, day);
  }
}

class SynthDay {
  readonly #request: SynthRequest;
  readonly #market: RecordedMarket;
  readonly #collector: Collector<DayTicks>;
  readonly #auctions: AuctionStamps;
  readonly #byCode = new Map<OrderCode, SynthContract>();
  rows = 0;

  constructor(request: SynthRequest, market: RecordedMarket, day: TradingDay, venue: Venue) {
    this.#request = request;
    this.#market = market;
    this.#collector = new Collector<DayTicks>(request.dir);
    this.#auctions = new AuctionStamps(market.calendar);
    for (const { orderCode } of venue.contracts().slice(0, request.contracts)) {
      const ticks = openDay(this.#collector, { symbol: orderCode, day, depth: STREAM_LEVELS });
      this.#byCode.set(orderCode, { ticks, price: 0, bids: [], asks: [] });
    }
  }

  take(event: VenueEvent): void {
    if (event.kind !== 'trade' && event.kind !== 'book') return;
    const contract = this.#byCode.get(event.orderCode);
    if (contract === undefined) return;
    if (event.kind === 'trade') {
      contract.price = event.price;
      const side =
        event.aggressor === null || this.#auctions.isUncross(event.tsUs) ? 0 : SIDES[event.aggressor];
      contract.ticks.push(event.tsUs, event.price, event.qty, side);
    } else {
      contract.bids = event.bids;
      contract.asks = event.asks;
      contract.ticks.push(event.tsUs, contract.price, 0, 0);
    }
    contract.ticks.setBook(contract.bids, contract.asks);
    this.rows += 1;
  }

  *store(): Generator<StoredDay> {
    const { spec, seed } = this.#request;
    const origin = { source: `tickwright data synth, seed ${seed}`, badRows: 0, sides: 'source' } as const;
    const options = { ...this.#request, silence: SILENCE };
    for (const { ticks } of this.#byCode.values())
      yield storeOpened(ticks, this.#market, spec, options, origin);
  }

  close(): void {
    this.#collector.close();
  }
}

const SIDES = { buy: 1, sell: -1 } as const;

interface SynthContract {
  readonly ticks: DayTicks;
  price: number;
  bids: readonly BookLevel[];
  asks: readonly BookLevel[];
}
