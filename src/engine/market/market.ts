/** The session's contracts and their market: last trades, merged books, bands of the day, and how old each is. */
import { type Contract, formatPoints, type PriceBand } from '../../domain/contract.ts';
import type { Side } from '../../domain/order.ts';
import type { BookLevel, BookTick, HalfLevel, TradeTick } from '../../domain/ticks.ts';
import type { InstrumentIndex, PriceTicks } from '../../domain/units.ts';
import type { BookUpdate, ReferencePrices } from '../ports/engine-event.ts';
import type { OrderCode } from '../../domain/ids.ts';

export class Market {
  readonly #instruments: InstrumentMarket[] = [];
  #isLive = false;
  #isReferenceFresh = false;
  referenceUs = -Infinity;
  /** They were read when the broker had begun the day: before, they are those of the day before. */
  isReferenceOfDay = false;

  get isLive(): boolean {
    return this.#isLive;
  }

  /** The reference prices were read since the stream last came up (rulings, 20). */
  get isReferenceFresh(): boolean {
    return this.#isReferenceFresh;
  }

  /** Null until both sides of the book are known. */
  mergeBook(update: BookUpdate): BookTick | null {
    const market = this.of(update.instrument);
    market.seenUs = update.tsUs;
    const tick = market.book.merge(update);
    return market.book.isKnown ? tick : null;
  }

  /** `areBandsExact`: those of the broker, not guesses of a backtest. */
  setReference({ rows, tsUs }: ReferencePrices, isOfDay: boolean, areBandsExact = false): void {
    this.referenceUs = tsUs;
    this.isReferenceOfDay = isOfDay;
    for (const { instrument, ceiling, floor, reference, lastPrice } of rows) {
      const market = this.of(instrument);
      market.band = { ceiling, floor, reference };
      if (isOfDay && areBandsExact) market.possiblePrices.set(floor, ceiling);
      market.bandUs = tsUs;
      market.quotedPrice = lastPrice;
    }
    this.#isReferenceFresh = this.#isLive;
  }

  onStreamUp(): void {
    this.#isLive = true;
    this.#isReferenceFresh = false;
  }

  /** Empties the books: frames after a disconnect do not fit the levels before it (failure cases, 23). Trades are missed. */
  onStreamDown(): void {
    this.#isLive = false;
    this.#isReferenceFresh = false;
    for (const market of this.#instruments) {
      market.book.empty();
      market.quotedPrice = null;
      market.isTradeOld = true;
      market.quietPrices.empty();
    }
  }

  setClockBack(at: number): void {
    for (const market of this.#instruments) market.seenUs = Math.min(market.seenUs, at);
  }

  /** A new trading day: yesterday's band and volume are void. */
  newDay(): void {
    this.#isReferenceFresh = false;
    this.isReferenceOfDay = false;
    for (const market of this.#instruments) {
      market.band = undefined;
      market.quotedPrice = null;
      market.chain.restart();
      market.possiblePrices.set(-Infinity, Infinity);
      market.isOddPriceReported = false;
    }
  }

  /** In ticks, of the last trade, else the reference price: the base of price measurements. */
  lastOrReference({ index, spec }: Contract): number | undefined {
    const { last, band } = this.of(index);
    const { price } = last;
    if (price !== undefined || band === undefined) return price;
    return band.reference / spec.hundredthsPerTick;
  }

  of(instrument: InstrumentIndex): InstrumentMarket {
    const known = this.#instruments[instrument];
    if (known !== undefined) return known;
    // Filled without holes: an array of one kind stays fast.
    for (let i = this.#instruments.length; i <= instrument; i += 1)
      this.#instruments.push(new InstrumentMarket());
    return this.of(instrument);
  }

  /** Empties the quiet prices, so that the next price of each contract takes the full path. */
  emptyQuietPrices(): void {
    for (let at = 0; at < this.#instruments.length; at += 1) this.#instruments[at]?.quietPrices.empty();
  }
}

type ChainLink = 'first' | 'next' | 'duplicate' | 'reset' | 'gap';

/** Chain state before the first trade after a start or a reset. */
const UNKNOWN = -1;

/** Each trade's total volume is the one before plus its own (notes, 7). A break means a missed trade, even on a healthy connection. */
export class GapChain {
  #total = UNKNOWN;
  #expected = 0;

  /** The total that the trade last checked should have had. */
  get expectedTotal(): number {
    return this.#expected;
  }

  take(qty: number, totalVolume: number): ChainLink {
    const before = this.#total;
    this.#expected = before === UNKNOWN ? totalVolume : before + qty;
    if (totalVolume === before) return 'duplicate';
    this.#total = totalVolume;
    if (before === UNKNOWN) return 'first';
    if (totalVolume === this.#expected) return 'next';
    // Volume never shrinks within a day: a new day, or another contract behind the code.
    return totalVolume < before ? 'reset' : 'gap';
  }

  get total(): number {
    return this.#total;
  }

  /** A trade that is known to be the next. */
  advance(totalVolume: number): void {
    this.#total = totalVolume;
  }

  /** A new trading day: the next trade has nothing before it. */
  restart(): void {
    this.#total = UNKNOWN;
  }
}

/** The last trade as numbers: keeping the message itself would make it the only object that outlives its event. */
class LastTrade {
  #isKnown = false;
  #seq = 0;
  #tsUs = 0;
  #price = 0;
  #qty = 0;
  #totalVolume = 0;

  set({ seq, tsUs, price, qty, totalVolume }: TradeTick): void {
    this.#isKnown = true;
    this.#seq = seq;
    this.#tsUs = tsUs;
    this.#price = price;
    this.#qty = qty;
    this.#totalVolume = totalVolume;
  }

  /* oxlint-disable typescript/no-unsafe-type-assertion -- what was taken had its brands */
  /** Undefined before the first one since the start. */
  get price(): PriceTicks | undefined {
    return this.#isKnown ? (this.#price as PriceTicks) : undefined;
  }

  tick(instrument: InstrumentIndex): TradeTick | undefined {
    if (!this.#isKnown) return undefined;
    return {
      kind: 'trade',
      seq: this.#seq as TradeTick['seq'],
      tsUs: this.#tsUs as TradeTick['tsUs'],
      instrument,
      price: this.#price as PriceTicks,
      qty: this.#qty as TradeTick['qty'],
      totalVolume: this.#totalVolume,
    };
  }
}

/** Prices, both ends included, at which a fact stays true: a price pays one comparison. */
export class PriceRange {
  low: number;
  high: number;

  constructor(low = -Infinity, high = Infinity) {
    this.low = low;
    this.high = high;
  }

  has(price: number): boolean {
    return price >= this.low && price <= this.high;
  }

  set(low: number, high: number): void {
    this.low = low;
    this.high = high;
  }

  empty(): void {
    this.set(Infinity, -Infinity);
  }
}

export class InstrumentMarket {
  readonly chain = new GapChain();
  readonly book = new MergedBook();
  readonly last = new LastTrade();
  /** Time of the last market event; -Infinity when there was none. */
  seenUs = -Infinity;
  band: PriceBand | undefined = undefined;
  /** When it was read: one that the last read lacks may be of the day before. */
  bandUs = -Infinity;
  /** Last price of the reference read: the mark of a contract that has not traded since the prices stopped, or since the start. */
  quotedPrice: PriceTicks | null = null;
  /** Trades may have been missed since the last one. */
  isTradeOld = true;
  /** The band of the day, where it is surely known: no trade of the day has another price. */
  readonly possiblePrices = new PriceRange();
  isOddPriceReported = false;
  /** A trade at its prices touches no order of ours and reaches no limit; empty after a change of either, until the next trade. */
  readonly quietPrices = new PriceRange(Infinity, -Infinity);
  /** At its prices no limit on losses is reached that was not reached before. */
  readonly safePrices = new PriceRange();

  /** Price of the last trade, or of a reference read since the prices stopped; null when neither is known. */
  get lastPrice(): PriceTicks | null {
    const price = this.last.price ?? null;
    return this.isTradeOld ? (this.quotedPrice ?? price) : price;
  }

  /** A duplicate changes nothing. */
  onTrade(tick: TradeTick): ChainLink {
    const link = this.chain.take(tick.qty, tick.totalVolume);
    this.seenUs = tick.tsUs;
    if (link !== 'duplicate') this.last.set(tick);
    this.isTradeOld = false;
    return link;
  }

  /** The next trade of the chain, at a price that is a no-op. */
  onQuietTrade(tick: TradeTick): void {
    this.chain.advance(tick.totalVolume);
    this.last.set(tick);
  }
}

/** The session's contracts by index, as everything inside names them, and by the code that orders carry. */
export class ContractTable {
  #all: readonly Contract[] = [];
  #ended: ReadonlySet<InstrumentIndex> = new Set();
  readonly #byIndex: Contract[] = [];
  readonly #byCode = new Map<string, Contract>();

  get all(): readonly Contract[] {
    return this.#all;
  }

  /** `listed`: codes of those that still trade; all of them when it is absent. */
  set(contracts: readonly Contract[], listed?: readonly OrderCode[]): void {
    this.#all = contracts;
    this.#ended = new Set(
      listed === undefined
        ? []
        : contracts.filter(({ orderCode }) => !listed.includes(orderCode)).map(({ index }) => index),
    );
    for (const contract of contracts) {
      this.#byIndex[contract.index] = contract;
      this.#byCode.set(contract.orderCode, contract);
    }
  }

  /** The broker no longer lists it. */
  isEnded(index: InstrumentIndex): boolean {
    return this.#ended.has(index);
  }

  at(index: InstrumentIndex): Contract | undefined {
    return this.#byIndex[index];
  }

  /** As the broker's screen shows it; in ticks where the contract was never listed. */
  priceText(index: InstrumentIndex, price: PriceTicks): string {
    const spec = this.at(index)?.spec;
    return spec === undefined ? `${price} ticks` : formatPoints(spec, price);
  }

  /** For a person to read. */
  codeOf(index: InstrumentIndex): string {
    return this.at(index)?.orderCode ?? `contract ${index}`;
  }

  byOrderCode(code: string): Contract | undefined {
    return this.#byCode.get(code);
  }
}

/** Levels a side; a frame's further levels are ignored. */
const LEVELS_MAX = 10;
const NO_LEVELS: readonly BookLevel[] = [];

/** By position in the frame: null and absent are empty. Never changed, only replaced, because messages keep it. */
type Slots = readonly (BookLevel | null | undefined)[];

export interface DeferredBook {
  /** Each change is handed out once, in the order of the sequence. */
  drainDeferred(): readonly BookUpdate[];
}

/**
 * The book of one contract, merged from partial frames (rulings, 21): a level that is absent keeps its value, null or a quantity of zero
 * empties it, a disconnect empties all of it. Until both best levels have come again the book is hidden, because the second level would
 * pass for the best; and entries wait (failure cases, 23).
 */
export class MergedBook {
  #bidSlots: Slots = NO_LEVELS;
  #askSlots: Slots = NO_LEVELS;
  #last: BookTick | undefined = undefined;
  #isKnown = false;
  #wasKnown = false;
  #deferred: DeferredBook | null = null;

  /** Undefined until both best levels were seen after the last disconnect, even if one of them is empty. */
  get last(): BookTick | undefined {
    return this.isKnown ? this.#last : undefined;
  }

  /** Both best levels were seen since the last disconnect. */
  get isKnown(): boolean {
    this.mergeDeferred();
    return this.#isKnown;
  }

  /** A disconnect emptied it, and a side has not come back. A contract without book data waits for nothing. */
  get isAwaited(): boolean {
    return this.#wasKnown && !this.isKnown;
  }

  defer(late: DeferredBook): void {
    if (this.#deferred !== late) this.mergeDeferred();
    this.#deferred = late;
  }

  merge(update: BookUpdate): BookTick {
    this.mergeDeferred();
    const isBid = update.side === 'bid';
    const slots = mergeSlots(isBid ? this.#bidSlots : this.#askSlots, update);
    if (isBid) this.#bidSlots = slots;
    else this.#askSlots = slots;
    if (!this.#isKnown) this.#isKnown = this.#bidSlots[0] !== undefined && this.#askSlots[0] !== undefined;
    const known = knownOf(slots);
    const bids = isBid ? known : (this.#last?.bids ?? NO_LEVELS);
    const asks = isBid ? (this.#last?.asks ?? NO_LEVELS) : known;
    const bestBid = bids[0];
    const bestAsk = asks[0];
    const tick: BookTick = {
      kind: 'book',
      seq: update.seq,
      tsUs: update.tsUs,
      instrument: update.instrument,
      bids,
      asks,
      crossed: bestBid !== undefined && bestAsk !== undefined && bestBid.price >= bestAsk.price,
    };
    this.#last = tick;
    return tick;
  }

  mergeDeferred(): void {
    const late = this.#deferred;
    if (late === null) return;
    this.#deferred = null;
    for (const update of late.drainDeferred()) this.merge(update);
  }

  empty(): void {
    this.mergeDeferred();
    this.#bidSlots = NO_LEVELS;
    this.#askSlots = NO_LEVELS;
    this.#last = undefined;
    this.#wasKnown ||= this.#isKnown;
    this.#isKnown = false;
  }
}

/** The best price of the other side; a crossed book is torn, and not to be traded on (rulings, 21). */
export function touchOf(book: BookTick | undefined, side: Side): PriceTicks | undefined {
  if (book === undefined || book.crossed) return undefined;
  return (side === 'buy' ? book.asks : book.bids)[0]?.price;
}

/** A message with every level is kept as it is. */
function mergeSlots(before: Slots, { levels, halves }: BookUpdate): Slots {
  const isWhole = levels.length >= before.length && levels.length <= LEVELS_MAX && isFull(levels);
  if (isWhole && (halves === undefined || halves === null)) return levels;
  const slots: (BookLevel | null | undefined)[] = [...before];
  const count = Math.min(levels.length, LEVELS_MAX);
  for (let i = 0; i < count; i += 1) {
    const level = levels[i];
    if (level !== undefined) slots[i] = level === null || level.qty === 0 ? null : level;
  }
  if (halves !== undefined && halves !== null) for (const half of halves) mergeHalf(slots, half);
  return slots;
}

function isFull(levels: Slots): levels is readonly BookLevel[] {
  for (let i = 0; i < levels.length; i += 1) {
    const level = levels[i];
    if (level === undefined || level === null || level.qty === 0) return false;
  }
  return true;
}

/** Levels behind one that was not seen yet are hidden: they would appear in its place. */
function knownOf(slots: Slots): readonly BookLevel[] {
  if (isFull(slots)) return slots;
  const known: BookLevel[] = [];
  for (const level of slots) {
    if (level === undefined) break;
    if (level !== null) known.push(level);
  }
  return known;
}

/** An absent half keeps its value; on an empty level there is nothing to keep. */
function mergeHalf(slots: (BookLevel | null | undefined)[], { level, price, qty }: HalfLevel): void {
  const previous = slots[level];
  if (previous === undefined || previous === null) return;
  const merged: BookLevel = { price: price ?? previous.price, qty: qty ?? previous.qty };
  slots[level] = merged.qty === 0 ? null : merged;
}
