import { isAuction, isSession, type TradingCalendar } from '../../domain/calendar.ts';
import { momentOf, timeOfDayUs, type TradingDay } from '../../domain/civil-date.ts';
import { type DurationUs, tsUs, US_PER_SECOND } from '../../domain/units.ts';
import type { TickGap, TickRows } from '../columns/tick-columns.ts';

interface TradingStretch {
  readonly fromUs: number;
  /** The uncross of an auction is printed in the second that begins here. */
  readonly toUs: number;
}

/** Recognises times of an auction, where no side crosses a spread, even if a tape has one. */
export class AuctionStamps {
  readonly #auctions: readonly TradingStretch[];
  readonly #utcOffsetMinutes: number;
  #second = NaN;
  #isUncross = false;

  constructor(calendar: TradingCalendar | null) {
    const phases = calendar?.phases ?? [];
    this.#auctions = phases.filter(({ phase }) => isAuction(phase));
    this.#utcOffsetMinutes = calendar?.utcOffsetMinutes ?? 0;
  }

  /** In an auction, or in the second in which its result is printed. */
  isUncross(at: number): boolean {
    const second = Math.floor(at / US_PER_SECOND);
    if (second !== this.#second) {
      this.#second = second;
      const time = timeOfDayUs(tsUs(second * US_PER_SECOND), this.#utcOffsetMinutes);
      this.#isUncross = this.#auctions.some(({ fromUs, toUs }) => time >= fromUs && time <= toUs);
    }
    return this.#isUncross;
  }
}

/** Finds stretches of continuous trading without a trade: in a liquid contract a sign of missing data. */
export class Silences {
  readonly #longest: number;
  readonly #spans: readonly TradingStretch[];
  readonly #gaps: TickGap[] = [];
  /** The span that was not over at the last row, and the time of its last row. */
  #span = 0;
  #lastUs: number;

  constructor(calendar: TradingCalendar | null, day: TradingDay, longest: DurationUs) {
    this.#longest = longest;
    const phases = calendar === null || !isSession(calendar, day) ? [] : calendar.phases;
    this.#spans = phases
      .filter(({ phase }) => phase === 'continuous')
      .map(({ fromUs, toUs }) => ({
        fromUs: momentOf(day, fromUs, calendar?.utcOffsetMinutes ?? 0),
        toUs: momentOf(day, toUs, calendar?.utcOffsetMinutes ?? 0),
      }));
    this.#lastUs = this.#spans[0]?.fromUs ?? Infinity;
  }

  add({ rows, tsUs }: TickRows): void {
    for (let i = 0; i < rows; i += 1) {
      const at = tsUs[i] ?? 0;
      while (at >= this.#endUs()) this.#closeSpan();
      if (at - this.#lastUs > this.#longest) this.#note(this.#lastUs, at);
      if (at > this.#lastUs) this.#lastUs = at;
    }
  }

  /** Call once, after all rows. */
  gaps(): readonly TickGap[] {
    while (this.#span < this.#spans.length) this.#closeSpan();
    return this.#gaps;
  }

  #endUs(): number {
    return this.#spans[this.#span]?.toUs ?? Infinity;
  }

  #closeSpan(): void {
    const end = this.#endUs();
    if (end - this.#lastUs > this.#longest) this.#note(this.#lastUs, end);
    this.#span += 1;
    this.#lastUs = this.#spans[this.#span]?.fromUs ?? Infinity;
  }

  #note(fromUs: number, toUs: number): void {
    this.#gaps.push({ fromUs, toUs, kind: 'silence', qty: null });
  }
}
