/**
 * The course of a trading day: phases, auctions that end, the close with its settlement prices, and the night in which
 * money moves and the next day's contracts are listed. The same on a calendar that never closes: the day then rolls at
 * midnight, in the middle of continuous trading, and day orders end there too.
 */
import { assert } from '../domain/assert.ts';
import { isSession, nextPhaseChange, phaseAt, type SessionPhase, tradingDayAt } from '../domain/calendar.ts';
import type { OrderCode } from '../domain/ids.ts';
import { momentOf, type TradingDay } from '../domain/civil-date.ts';
import { hundredthsOf, type Contract } from '../domain/contract.ts';
import { type PriceHundredths, type TsUs, tsUs } from '../domain/units.ts';
import type { TriggerBook } from './triggers/trigger-book.ts';
import type { Ledger } from './account/ledger.ts';
import type { OrderEntry } from './orders/order-entry.ts';
import type { Outbox } from './venue-event.ts';
import type { SyntheticMarket } from './market/synthetic-market.ts';
import type { VenueContracts } from './venue-contracts.ts';
import type { VenueOptions } from './venue-options.ts';

/** Recorded times are whole seconds: prints of the closing cross may come this long after the close. */
const TAPE_GRACE_US = 2_000_000;

interface DayCycleParts {
  readonly options: VenueOptions;
  readonly contracts: VenueContracts;
  readonly entry: OrderEntry;
  readonly triggers: TriggerBook;
  readonly ledger: Ledger;
  readonly background: SyntheticMarket;
  readonly outbox: Outbox;
}

export class DayCycle {
  readonly #parts: DayCycleParts;
  phase: SessionPhase = 'closed';
  /** The next moment the phase, the day or the state of the close may change. */
  nextEdgeUs = 0;

  constructor(parts: DayCycleParts) {
    this.#parts = parts;
  }

  /** A first day, without a past. */
  begin(day: TradingDay, at: TsUs): void {
    this.#parts.contracts.openDay(day, this.#index(at), at);
    this.#enter(day, at);
  }

  /** Goes on with the day that `VenueContracts` has resumed. */
  resume(day: TradingDay, at: TsUs): void {
    const { contracts } = this.#parts;
    if (!contracts.isClosed && (contracts.day !== day || at >= this.#closeUs())) this.#close(at);
    if (contracts.day !== day) this.#roll(day, at);
    this.#enter(day, at);
  }

  runEdge(at: TsUs): void {
    const { contracts, outbox, background, options } = this.#parts;
    const before = this.phase;
    this.phase = phaseAt(options.calendar, at);
    const changed = before !== this.phase;
    if (changed) {
      outbox.emit({ kind: 'phase', tsUs: at, day: contracts.day, phase: this.phase });
      const auction =
        before === 'opening_auction' ? 'opening' : before === 'closing_auction' ? 'closing' : null;
      if (auction !== null) for (const book of contracts.books()) book.uncross(auction, at);
    }
    if (!contracts.isClosed && at >= this.#closeUs()) this.#close(at);
    const day = tradingDayAt(options.calendar, at);
    const rolls = day > contracts.day && isSession(options.calendar, day);
    if (rolls) {
      if (!contracts.isClosed) this.#close(at);
      this.#roll(day, at);
      background.openDay(contracts.books(), at);
    }
    if (changed || rolls) this.#applyPhase(at);
    this.#schedule(at);
  }

  /** The front contract expires now: the exchange's calendar is overruled for it. */
  rollFront(at: TsUs): void {
    const { entry, contracts, outbox, background } = this.#parts;
    const front = contracts.books()[0]?.listing.contract.orderCode;
    assert(front !== undefined, 'a contract is listed');
    const { price } = contracts.mark(front);
    const index = this.#index(at);
    entry.endContract(front, at);
    outbox.emit({
      kind: 'settlement_price',
      tsUs: at,
      day: contracts.day,
      orderCode: front,
      price,
      final: true,
    });
    this.#settleFinal(front, at);
    contracts.rollFront(index, at);
    background.openDay(contracts.books(), at);
    this.#applyPhase(at);
  }

  #settleFinal(code: OrderCode, at: TsUs): void {
    const { triggers, contracts, ledger, outbox } = this.#parts;
    triggers.endContract(code, at);
    ledger.settleFinal(code, contracts.mark(code), contracts.day, at);
    outbox.emit({ kind: 'contract_expired', tsUs: at, day: contracts.day, orderCode: code });
  }

  #enter(day: TradingDay, at: TsUs): void {
    const { contracts, outbox, options, background } = this.#parts;
    this.phase = phaseAt(options.calendar, at);
    outbox.emit({ kind: 'phase', tsUs: at, day, phase: this.phase });
    if (!contracts.isClosed && at >= this.#closeUs()) this.#close(at);
    background.openDay(contracts.books(), at);
    this.#applyPhase(at);
    this.#schedule(at);
  }

  #applyPhase(at: TsUs): void {
    const { contracts, background } = this.#parts;
    for (const book of contracts.books()) book.setPhase(this.phase, at);
    background.setPhase(this.phase, at);
    for (const book of contracts.books()) book.publish(at);
  }

  #schedule(at: TsUs): void {
    const { calendar } = this.#parts.options;
    const closeUs = this.#closeUs();
    const phaseUs = nextPhaseChange(calendar, at);
    this.nextEdgeUs = !this.#parts.contracts.isClosed && closeUs > at ? Math.min(phaseUs, closeUs) : phaseUs;
  }

  #close(at: TsUs): void {
    const { triggers, entry, contracts, background } = this.#parts;
    entry.expireAll(at);
    triggers.expireAll(at);
    const samples = background.samples(this.#momentOfSpanEnd('any'), this.#closingFromUs());
    contracts.closeDay(this.#momentOfSpanEnd('continuous'), samples, at);
  }

  /** The night: expired contracts are settled in cash, then the day is paid out, then the next day is opened. */
  #roll(day: TradingDay, at: TsUs): void {
    const { triggers, entry, contracts, ledger } = this.#parts;
    const index = this.#index(at);
    ledger.forgetSettled();
    for (const { contract } of contracts.endingBefore(day)) this.#settleFinal(contract.orderCode, at);
    ledger.settleDay((code) => contracts.mark(code), at);
    for (const { contract } of contracts.endingBefore(day)) contracts.forget(contract.orderCode);
    entry.beginDay();
    triggers.beginDay();
    contracts.openDay(day, index, at);
  }

  /** Base price of new contracts: the index, else the front month, else the configured start. */
  #index(at: TsUs): PriceHundredths {
    const { contracts, options, background } = this.#parts;
    const index = background.index(at);
    if (index !== null) return index;
    const front: Contract | undefined = contracts.books()[0]?.listing.contract;
    if (front !== undefined) return contracts.mark(front.orderCode).price;
    const { market, spec } = options;
    return market.kind === 'tape' ? market.reference : hundredthsOf(spec, market.startPrice);
  }

  #closeUs(): TsUs {
    const grace = this.#parts.options.market.kind === 'tape' ? TAPE_GRACE_US : 0;
    return tsUs(this.#momentOfSpanEnd('any') + grace);
  }

  #momentOfSpanEnd(which: 'any' | 'continuous'): TsUs {
    const { calendar } = this.#parts.options;
    const span = calendar.phases.findLast(({ phase }) => which === 'any' || phase === which);
    return momentOf(this.#parts.contracts.day, span?.toUs ?? 0, calendar.utcOffsetMinutes);
  }

  #closingFromUs(): TsUs {
    const { calendar } = this.#parts.options;
    const span = calendar.phases.find(({ phase }) => phase === 'closing_auction');
    if (span === undefined) return this.#momentOfSpanEnd('any');
    return momentOf(this.#parts.contracts.day, span.fromUs, calendar.utcOffsetMinutes);
  }
}
