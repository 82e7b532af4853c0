/** The contracts of one trading day with their books: opens the day, marks, closes it with the settlement prices. */
import { assert } from '../domain/assert.ts';
import { tradingDayAt } from '../domain/calendar.ts';
import { addDays, type TradingDay } from '../domain/civil-date.ts';
import { codedForm, contractMonthOf, expiryOf, legacyCode, listedMonths } from '../domain/contract-code.ts';
import { type Contract, hundredthsOf, priceBand, valueAtHundredths } from '../domain/contract.ts';
import { type OrderCode, orderCode, streamCode } from '../domain/ids.ts';
import { instrumentIndex, priceHundredths, type PriceHundredths, qty, type TsUs } from '../domain/units.ts';
import type { Mark } from './account/account-figures.ts';
import { dailySettlement, finalSettlement, theoreticalPrice } from './exchange/settlement-price.ts';
import type { IndexSamples } from './market/synthetic-market.ts';
import type { Listing, Outbox } from './venue-event.ts';
import type { VenueOptions, VenueRules } from './venue-options.ts';
import type { ContractBook } from './exchange/contract-book.ts';

/** Not traded this many sessions in a row: the theoretical price takes over (market rules, 5). */
const UNTRADED_DAYS_MAX = 2;
const OPEN_INTEREST_FRONT = 42_000;

/** How one contract ended a day. */
interface Close {
  readonly price: PriceHundredths;
  /** Sessions in a row without a trade. */
  readonly untradedDays: number;
}

type ContractsState = Readonly<ReturnType<VenueContracts['exportState']>>;

/** A price list's row of one contract. */
export type ContractBoard = NonNullable<ReturnType<VenueContracts['board']>>;

export class VenueContracts {
  readonly #options: VenueOptions;
  readonly #rules: VenueRules;
  readonly #outbox: Outbox;
  readonly #newBook: (listing: Listing) => ContractBook;
  day: TradingDay;
  #books = new Map<OrderCode, ContractBook>();
  #inOrder: readonly ContractBook[] = [];
  /** Settlement prices of today once the day is closed, of the day before until then. */
  #closes = new Map<OrderCode, Close>();
  isClosed = false;
  /** Contracts that expire on or before this day were rolled by hand. */
  #rolledThrough: TradingDay | null = null;
  readonly #expired = new Set<OrderCode>();

  constructor(
    options: VenueOptions,
    rules: VenueRules,
    day: TradingDay,
    outbox: Outbox,
    newBook: (listing: Listing) => ContractBook,
  ) {
    this.#options = options;
    this.#rules = rules;
    this.day = day;
    this.#outbox = outbox;
    this.#newBook = newBook;
  }

  books(): readonly ContractBook[] {
    return this.#inOrder;
  }
  book(code: OrderCode): ContractBook | undefined {
    return this.#books.get(code);
  }
  hasExpired(code: OrderCode): boolean {
    const month = contractMonthOf(code);
    const fromDay = this.#listedFrom(this.day);
    return (
      this.#expired.has(code) || (month !== undefined && expiryOf(this.#options.calendar, month) < fromDay)
    );
  }

  openDay(day: TradingDay, index: PriceHundredths, at: TsUs): void {
    const { market, spec } = this.#options;
    const listings = this.#contractsOn(day).map((contract) => {
      const known = this.#closes.get(contract.orderCode)?.price;
      const reference = known ?? theoreticalPrice(index, this.#rules.carry, day, contract.expiry);
      // A recording brings its own reference: the account's state knows that of another market.
      return { contract, band: priceBand(spec, market.kind === 'tape' ? market.reference : reference) };
    });
    this.#list(day, listings, at);
  }

  /** Takes the front contract off the list in the middle of a day, and lists the one that follows the last. */
  rollFront(index: PriceHundredths, at: TsUs): void {
    const [front] = this.#books.values();
    assert(front !== undefined, 'a contract is listed');
    const { contract } = front.listing;
    front.close(at);
    this.#rolledThrough = contract.expiry;
    this.forget(contract.orderCode);
    const books = this.#contractsOn(this.day).map((next) => {
      const known = this.#books.get(next.orderCode);
      const reference = theoreticalPrice(index, this.#rules.carry, this.day, next.expiry);
      const band = known?.listing.band ?? priceBand(this.#options.spec, reference);
      const listing = { contract: next, band };
      const book = known ?? this.#newBook(listing);
      book.listing = listing;
      return book;
    });
    this.#books = new Map(books.map((book) => [book.listing.contract.orderCode, book]));
    this.#inOrder = books;
    const listings = books.map((book) => book.listing);
    this.#outbox.emit({ kind: 'listings_changed', tsUs: at, day: this.day, listings });
  }

  /** Opens the day of a state again: its contracts, references and trades. */
  resumeDay({ contracts, day, isClosed, rolledThrough }: ContractsState, at: TsUs): void {
    this.#rolledThrough = rolledThrough;
    const listings = contracts.map(({ listing }) => listing);
    this.#list(day, listings, at);
    this.isClosed = isClosed;
    for (const { listing, close, tally, tape } of contracts) {
      const code = listing.contract.orderCode;
      const book = this.#books.get(code);
      book?.tally.resume(tally);
      if (tape !== null) book?.importTape?.(tape);
      if (close !== null) this.#closes.set(code, close);
    }
  }

  /** Sets the settlement prices; the books are empty afterwards. */
  closeDay(continuousEndUs: TsUs, samples: IndexSamples, at: TsUs): void {
    assert(!this.isClosed, 'a day is closed once');
    this.isClosed = true;
    let frontMove = 0;
    for (const [i, book] of this.books().entries()) {
      const { contract, band } = book.listing;
      const code = contract.orderCode;
      const traded = dailySettlement(book.tally, continuousEndUs, this.#options.spec.hundredthsPerTick);
      const untradedDays = traded === undefined ? (this.#closes.get(code)?.untradedDays ?? 0) + 1 : 0;
      const isLast = contract.expiry === this.day;
      const final = isLast ? finalSettlement(samples.continuous, samples.closing) : undefined;
      const moved = priceHundredths(band.reference + frontMove);
      const stale = untradedDays > UNTRADED_DAYS_MAX;
      const untraded = stale ? this.#theoretical(moved, contract.expiry) : moved;
      const price = final ?? traded ?? untraded;
      if (i === 0) frontMove = price - band.reference;
      this.#closes.set(code, { price, untradedDays });
      this.#outbox.emit({
        kind: 'settlement_price',
        tsUs: at,
        day: this.day,
        orderCode: code,
        price,
        final: isLast,
      });
      book.close(at);
    }
  }

  /** The contracts that are not listed any more when `next` begins: expired, or left behind with another market. */
  endingBefore(next: TradingDay): Listing[] {
    const listed = new Set(this.#contractsOn(next).map((contract) => contract.orderCode));
    return this.books()
      .map((book) => book.listing)
      .filter(({ contract }) => !listed.has(contract.orderCode));
  }

  forget(code: OrderCode): void {
    this.#expired.add(code);
    this.#closes.delete(code);
  }

  mark(code: OrderCode): Mark {
    const book = this.#books.get(code);
    assert(book !== undefined, 'a contract that is held is listed until it is settled');
    const { contract, band } = book.listing;
    const { last } = book.tally;
    const close = this.isClosed ? this.#closes.get(code)?.price : undefined;
    const price = close ?? (last === null ? band.reference : hundredthsOf(contract.spec, last));
    const { spec, costs } = this.#options;
    return { contract, price, costs, unitValue: valueAtHundredths(spec, price, 1) };
  }

  board(code: OrderCode) {
    const book = this.#books.get(code);
    if (book === undefined) return undefined;
    const { open, high, low, last, lastQty, volume } = book.tally;
    const average = book.tally.average(this.#options.spec.hundredthsPerTick);
    const hasDay = open !== null && high !== null && low !== null && average !== null;
    return {
      contract: book.listing.contract,
      band: book.listing.band,
      lastPrice: last,
      lastQty: qty(lastQty),
      totalVolume: volume,
      openInterest: openInterestOf(book.listing.contract.index),
      /** Null before the first trade of the day. */
      day: hasDay ? { open, high, low, average } : null,
      ...book.view(),
    };
  }

  exportState() {
    const contracts = this.books().map((book) => ({
      listing: book.listing,
      /** Its latest settlement; null before the first. */
      close: this.#closes.get(book.listing.contract.orderCode) ?? null,
      tally: book.tally.exportState(),
      /** State inferred from recorded trades; null where everybody's orders are in the book. */
      tape: book.exportTape?.() ?? null,
    }));
    return { day: this.day, isClosed: this.isClosed, rolledThrough: this.#rolledThrough, contracts };
  }

  /** A contract rolled by hand stays off the list, whatever the calendar says. */
  #contractsOn(day: TradingDay): Contract[] {
    return contractsOn(this.#options, this.#listedFrom(day));
  }

  #listedFrom(day: TradingDay): TradingDay {
    const rolled = this.#rolledThrough;
    return rolled !== null && rolled >= day ? addDays(rolled, 1) : day;
  }

  #list(day: TradingDay, listings: readonly Listing[], at: TsUs): void {
    this.day = day;
    this.isClosed = false;
    this.#inOrder = listings.map((listing) => this.#newBook(listing));
    this.#books = new Map(this.#inOrder.map((book) => [book.listing.contract.orderCode, book]));
    this.#outbox.emit({ kind: 'day_started', tsUs: at, day, listings });
  }

  /** From the front month's settlement, which replaces the index. */
  #theoretical(fallback: PriceHundredths, expiry: TradingDay): PriceHundredths {
    const [front] = this.#books.keys();
    const base = front === undefined ? undefined : this.#closes.get(front)?.price;
    return theoreticalPrice(base ?? fallback, this.#rules.carry, this.day, expiry);
  }
}

/** A figure to display: the front month carries most of it. */
const openInterestOf = (index: number): number => Math.floor(OPEN_INTEREST_FRONT / (index * index * 12 + 1));

/** Life given to a contract whose code names no month. */
const OPAQUE_LIFE_DAYS = 30;

/** The contracts of `day`, nearest expiry first. A tape lists the recorded contract alone. */
function contractsOn(options: VenueOptions, day: TradingDay): Contract[] {
  const { calendar, market, spec } = options;
  if (market.kind === 'tape') {
    const expiry = expiryOfCode(options, market.orderCode);
    return expiry < day ? [] : [contractOf(options, market.orderCode, expiry, 0)];
  }
  const underlying = spec.underlying === 'VN100' ? 'VN100' : 'VN30';
  return listedMonths(calendar, underlying, day).map((month, i) => {
    const code = options.codes === 'legacy' ? legacyCode(month) : codedForm(month);
    return contractOf(options, orderCode(code), expiryOf(calendar, month), i);
  });
}

function contractOf(options: VenueOptions, code: OrderCode, expiry: TradingDay, index: number): Contract {
  return {
    index: instrumentIndex(index),
    orderCode: code,
    streamCode: streamCode(options.streamCodeOf?.(code) ?? code),
    expiry,
    spec: options.spec,
  };
}

function expiryOfCode(options: VenueOptions, code: OrderCode): TradingDay {
  const month = contractMonthOf(code);
  if (month !== undefined) return expiryOf(options.calendar, month);
  return addDays(tradingDayAt(options.calendar, options.startUs), OPAQUE_LIFE_DAYS);
}
