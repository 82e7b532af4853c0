/** Phases, and moments from which a day's entries are denied, computed once each: orders ask by the thousand, and date arithmetic is slow. */
import { nextPhaseChange, phaseAt, type SessionPhase, type TradingCalendar } from '../../domain/calendar.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import type { Contract } from '../../domain/contract.ts';
import { auctionStarts, expiryFlatFrom, flatFrom } from '../../domain/day-plan.ts';
import type { DurationUs, TsUs } from '../../domain/units.ts';

export class ClosingHours {
  readonly #calendar: TradingCalendar;
  readonly #before: DurationUs | null;
  readonly #expiries = new Map<Contract, number>();
  #day: TradingDay | null = null;
  /** Those of the day's moments: a newer calendar has others. */
  #closures: ReadonlySet<TradingDay> | null = null;
  #auctions: readonly TsUs[] = [];
  #nightUs = Infinity;
  #phase: SessionPhase = 'closed';
  /** The phase holds from here, and until there. */
  #phaseUs = Infinity;
  #phaseUntilUs = -Infinity;

  /** `before`: how long before the end of continuous trading positions are closed; null: they are not. */
  constructor(calendar: TradingCalendar, before: DurationUs | null) {
    this.#calendar = calendar;
    this.#before = before;
  }

  phaseAt(at: TsUs): SessionPhase {
    if (at < this.#phaseUs || at >= this.#phaseUntilUs) {
      this.#phase = phaseAt(this.#calendar, at);
      this.#phaseUs = at;
      this.#phaseUntilUs = nextPhaseChange(this.#calendar, at);
    }
    return this.#phase;
  }

  /** When auctions begin. */
  get auctions(): readonly TsUs[] {
    return this.#auctions;
  }

  /** For positions that do not stay overnight; infinite where they may, or there is no night. */
  get nightUs(): number {
    return this.#nightUs;
  }

  /** For a contract on its last day; infinite on any other. */
  expiryUs(contract: Contract): number {
    const known = this.#expiries.get(contract);
    if (known !== undefined || this.#day === null) return known ?? Infinity;
    const from = expiryFlatFrom(this.#calendar, contract, this.#day, this.#before) ?? Infinity;
    this.#expiries.set(contract, from);
    return from;
  }

  /** The rest is of this day. */
  turnTo(day: TradingDay): void {
    const { closures } = this.#calendar;
    if (day === this.#day && closures === this.#closures) return;
    this.#day = day;
    this.#closures = closures;
    this.#auctions = auctionStarts(this.#calendar, day);
    this.#nightUs = flatFrom(this.#calendar, day, this.#before) ?? Infinity;
    this.#expiries.clear();
  }
}
