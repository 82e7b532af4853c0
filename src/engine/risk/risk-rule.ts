/** A risk rule and its inputs. */
import { nextPhaseChange, phaseAt, type SessionPhase, type TradingCalendar } from '../../domain/calendar.ts';
import type { Contract } from '../../domain/contract.ts';
import type { CostSchedule } from '../../domain/costs.ts';
import type { Side } from '../../domain/order.ts';
import type { EngineSettings, StrategySettings } from '../../domain/settings.ts';
import type { DurationUs, StrategyIndex, TsUs } from '../../domain/units.ts';
import type { Purpose } from '../ports/approved.ts';
import type { Denial, DenialScope } from '../ports/denial.ts';
import type { OrderView, PurposeHint, RiskView } from './risk-view.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import { auctionStarts, expiryFlatFrom, flatFrom } from '../../domain/day-plan.ts';

/** A new order, or an order as it would be after a change: the same rules look at both. */
export interface RiskRequest {
  readonly strategy: StrategyIndex;
  readonly hint: PurposeHint;
  /** The engine asks for it on the strategy's behalf. */
  readonly isSystem: boolean;
  readonly contract: Contract;
  readonly side: Side;
  /** Total quantity as asked for, not validated yet. */
  readonly qty: number;
  readonly limitPrice: number;
  /** Triggers and exits, which have to fit the market like the limit. */
  readonly otherPrices: readonly number[];
  /** It waits at the broker: nothing of it rests at the exchange yet. */
  readonly isWaiting: boolean;
  /** A stop of the engine itself. */
  readonly isProtective: boolean;
  /** Largest quantity that may still fill once it is sent; of a change, the larger of before and after. */
  readonly exposedQty: number;
  /** The order that is changed; null for a new one. */
  readonly changed: OrderView | null;
}

/** The first of the prices of a request that is not allowed, or undefined. */
export function firstPrice(
  { limitPrice, otherPrices }: RiskRequest,
  isWrong: (price: number) => boolean,
): number | undefined {
  return isWrong(limitPrice) ? limitPrice : otherPrices.find(isWrong);
}

/** Terms that are the same for every request. */
export interface RiskTerms {
  readonly settings: EngineSettings;
  readonly calendar: TradingCalendar;
  readonly hours: ClosingHours;
  readonly costs: CostSchedule;
}

export interface RiskScene extends RiskTerms {
  view: RiskView;
  /** Undefined for the operator, who has no limits of his own and therefore enters nothing. */
  strategy: StrategySettings | undefined;
  purpose: Purpose;
}

export interface RiskRule {
  readonly name: string;
  /** Whether it may stop a reduction too (rulings, 36). */
  readonly appliesTo: DenialScope;
  check(request: RiskRequest, scene: Readonly<RiskScene>): Denial | undefined;
}

// Phases, and moments from which a day's entries are denied, computed once each: orders ask by the thousand, and date arithmetic is slow.

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
  auctions(day: TradingDay): readonly TsUs[] {
    this.#turnTo(day);
    return this.#auctions;
  }

  /** For positions that do not stay overnight; infinite where they may, or there is no night. */
  night(day: TradingDay): number {
    this.#turnTo(day);
    return this.#nightUs;
  }

  /** For a contract on its last day; infinite on any other. */
  expiry(day: TradingDay, contract: Contract): number {
    this.#turnTo(day);
    const known = this.#expiries.get(contract);
    if (known !== undefined) return known;
    const from = expiryFlatFrom(this.#calendar, contract, day, this.#before) ?? Infinity;
    this.#expiries.set(contract, from);
    return from;
  }

  #turnTo(day: TradingDay): void {
    const { closures } = this.#calendar;
    if (day === this.#day && closures === this.#closures) return;
    this.#day = day;
    this.#closures = closures;
    this.#auctions = auctionStarts(this.#calendar, day);
    this.#nightUs = flatFrom(this.#calendar, day, this.#before) ?? Infinity;
    this.#expiries.clear();
  }
}
