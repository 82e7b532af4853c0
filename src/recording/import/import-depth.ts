/**
 * Imports depth as JSON lines: snapshots of a book, updates of its levels and trades, one message a line, as exchanges publish them. A
 * message has `time` (`E`, `T`); a book `bids` and `asks` (`b`, `a`) of `[price, quantity]`, where a quantity of 0 in an update takes the
 * level away; numbers are `sequence` (`u`, `lastUpdateId`), from `first` (`U`) where a message sums up several, after `before` (`pu`). A trade
 * has `price`, `qty` and the aggressor's `side` (`p`, `q`, and `m` where the buyer waited). Tables of depth are read by `DepthTable`.
 */
import { basename } from 'node:path';
import { dayAt } from '../../domain/civil-date.ts';
import { tsUs, US_PER_SECOND } from '../../domain/units.ts';
import { DecimalReader } from '../../text/decimals.ts';
import { BookSide } from '../collect/book-side.ts';
import type { Collector } from '../collect/collector.ts';
import { DayTicks, type StoredDay, storeDay } from '../collect/day-ticks.ts';
import type { TickGap, TickRows } from '../columns/tick-columns.ts';
import { DEPTH_COLUMNS, type DepthMessage, DepthTable, isDepthHeader } from './depth-table.ts';
import { isJsonLines, isSymbol, nameParts } from './file-kind.ts';
import {
  type BadRows,
  ImportError,
  type ImportOptions,
  type ImportReport,
  importRows,
  type ImportWatch,
  INT32_MAX,
  oneSymbol,
} from './import-table.ts';
import { StampReader } from './stamp-reader.ts';
import { openSource, SourceFileError } from './table-file.ts';

export function importDepth(
  file: string,
  options: ImportOptions,
  watch: ImportWatch,
): Promise<ImportReport<StoredDay>> {
  const gaps = new Map<DayTicks, TickGap[]>();
  const traded = new Set<DayTicks>();
  return importRows<DayTicks, StoredDay>(file, options, watch, {
    async read(collector, bad) {
      const reader = new DepthReader({ file, options, collector, bad, gaps, traded });
      await readLines(
        file,
        (line, number) => reader.add(line, number),
        (bytes, size) => watch.progress({ bytes, size, rows: reader.rows }),
      );
      reader.end();
      return reader.rows;
    },
    check: () => undefined,
    store: (ticks, badRows) =>
      storeDay(ticks, options, {
        source: basename(file),
        badRows,
        sides: 'source',
        gaps: gaps.get(ticks) ?? [],
        // Without trades orders that wait can only be filled by the other side's quotes.
        ...(traded.has(ticks) ? {} : { quotes: 'sized' as const, complete: asQuotes() }),
      }),
  });
}

/** Gives each row the middle of its book as price, or the last one where a side is empty. */
function asQuotes(): (part: TickRows) => void {
  let middle = 0;
  return ({ rows, priceTicks, qty, book }) => {
    const [bids, asks] = [book?.bidPrice[0], book?.askPrice[0]];
    for (let i = 0; i < rows; i += 1) {
      const [bid = 0, ask = 0] = [bids?.[i], asks?.[i]];
      if (bid > 0 && ask > 0) middle = Math.floor((bid + ask) / 2);
      priceTicks[i] = middle;
      qty[i] = middle > 0 ? 1 : 0;
    }
  };
}

const LINE_CHARS_MAX = 1 << 26;

async function readLines(
  file: string,
  onLine: (line: string, number: number) => void,
  onProgress: (bytes: number, size: number) => void,
): Promise<void> {
  const source = openSource(file);
  let rest = '';
  let count = 0;
  for await (const chunk of source.chunks()) {
    const text = rest + chunk.toString('latin1');
    let from = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      count += 1;
      onLine(text.slice(from, end), count);
      from = end + 1;
    }
    rest = text.slice(from);
    if (rest.length > LINE_CHARS_MAX)
      throw new SourceFileError(`${file}, line ${count + 1}: expected an end within ${LINE_CHARS_MAX} bytes`);
    onProgress(source.bytesRead, source.size);
  }
  if (rest.trim() !== '') onLine(rest, count + 1);
}

interface DepthParts {
  readonly file: string;
  readonly options: ImportOptions;
  readonly collector: Collector<DayTicks>;
  readonly bad: BadRows;
  /** Told by each day. */
  readonly gaps: Map<DayTicks, TickGap[]>;
  /** Days with trades. */
  readonly traded: Set<DayTicks>;
}

/** Thrown for a line that cannot be taken; nothing of it was. */
class BadLine extends Error {}

/** Messages of one symbol may be so much older than the one before: two streams were written into one file. */
const DISORDER_MAX_US = US_PER_SECOND;

class DepthReader {
  rows = 0;
  readonly #parts: DepthParts;
  readonly #stamps: StampReader;
  readonly #symbol: string | null;
  readonly #books = new Map<string, SymbolBook>();
  readonly #isTable: boolean;
  #table: DepthTable | null = null;
  /** Symbol of the first message, in a file of one. */
  #told: string | null = null;

  constructor(parts: DepthParts) {
    const { file, options } = parts;
    const name = nameParts(file);
    this.#parts = parts;
    this.#isTable = !isJsonLines(file);
    this.#stamps = new StampReader({ zone: options.zone, day: name.day, dateOrder: options.dateOrder });
    this.#symbol = options.symbol ?? name.symbol;
  }

  add(line: string, number: number): void {
    if (line.trim() === '') return;
    if (this.#table !== null) return this.#table.take(line, number);
    if (this.#isTable) {
      const names = line.trim().toLowerCase().split(',');
      if (!isDepthHeader(names))
        throw new ImportError(`${this.#parts.file}, line 1: expected columns ${DEPTH_COLUMNS}, was: ${line}`);
      this.#table = new DepthTable(names, (message, at) => this.#take(() => message, at));
    } else this.#take(() => messageOf(line), number);
  }

  #take(read: () => DepthMessage, number: number): void {
    const { bad } = this.#parts;
    try {
      const message = read();
      this.#bookOf(message).take(message, this.#timeOf(message));
      if (this.rows === 0) bad.good();
      this.rows += 1;
    } catch (error) {
      if (!(error instanceof BadLine)) throw error;
      bad.add(number, error.message);
    }
  }

  end(): void {
    this.#table?.end();
    for (const book of this.#books.values()) book.end();
  }

  #bookOf({ symbol }: DepthMessage): SymbolBook {
    const { options, file } = this.#parts;
    const named = options.symbol === null && symbol !== undefined ? symbol.toUpperCase() : this.#symbol;
    if (named === null)
      throw new ImportError(`${file}: expected a symbol in its name or messages; say which one it is`);
    if (!isSymbol(named)) throw new BadLine(`expected a symbol, was ${JSON.stringify(named)}`);
    if (options.symbol !== null && symbol !== undefined) {
      this.#told ??= symbol;
      if (symbol.toUpperCase() !== this.#told.toUpperCase())
        throw new BadLine(`expected ${oneSymbol(this.#told)}, was ${JSON.stringify(symbol)}`);
    }
    let book = this.#books.get(named);
    if (book === undefined) {
      book = new SymbolBook(named, this.#parts);
      this.#books.set(named, book);
    }
    return book;
  }

  /** Null where the message has none. */
  #timeOf({ time }: DepthMessage): number | null {
    if (time === undefined) return null;
    const bytes = Buffer.from(textOf(time), 'latin1');
    const at = this.#stamps.read(bytes, 0, bytes.length);
    if (Number.isNaN(at)) throw new BadLine(`expected a time, was ${JSON.stringify(time)}`);
    return at;
  }
}

function messageOf(line: string): DepthMessage {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new BadLine(`expected a JSON object, was ${JSON.stringify(line.slice(0, 60))}`);
  }
  const outer = objectOf(value);
  const of = 'data' in outer ? objectOf(outer['data']) : outer;
  const type = of['type'] ?? of['e'];
  const buyerWaited = of['m'];
  return {
    symbol: symbolOf(of) ?? streamSymbol(outer['stream']),
    time: of['time'] ?? of['T'] ?? of['E'],
    isSnapshot: type === 'snapshot' || (type === undefined && 'lastUpdateId' in of),
    first: of['first'] ?? of['U'],
    sequence: of['sequence'] ?? of['u'] ?? of['lastUpdateId'],
    before: of['before'] ?? of['pu'],
    bids: of['bids'] ?? listOf(of['b']),
    asks: of['asks'] ?? listOf(of['a']),
    price: of['price'] ?? of['p'],
    qty: of['qty'] ?? of['q'],
    side: of['side'] ?? (typeof buyerWaited === 'boolean' ? (buyerWaited ? 'sell' : 'buy') : undefined),
  };
}

const SYMBOL_KEYS = [
  'symbol',
  's',
  'instrument',
  'instrument_name',
  'instId',
  'product_id',
  'contract',
  'coin',
];

/** Some feeds number their contracts. */
function symbolOf(of: Readonly<Record<string, unknown>>): string | undefined {
  for (const key of SYMBOL_KEYS) {
    const told = of[key];
    if (told !== undefined && told !== null) return typeof told === 'string' ? told : JSON.stringify(told);
  }
  return undefined;
}

/** Of `btcusdt@depth20`: what is received of several streams names its symbol beside the message alone. */
const streamSymbol = (stream: unknown): string | undefined =>
  typeof stream === 'string' && stream.includes('@') ? stream.slice(0, stream.indexOf('@')) : undefined;

/** Trades of some exchanges have numbers under these names. */
const listOf = (value: unknown): unknown => (Array.isArray(value) ? value : undefined);

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new BadLine('expected a JSON object with a book or a trade');
  return value as Readonly<Record<string, unknown>>; // oxlint-disable-line typescript/no-unsafe-type-assertion -- its values are unknown
}

interface Change {
  readonly price: number;
  readonly qty: number;
}

/** The book of one symbol while its messages are read. */
class SymbolBook {
  readonly #symbol: string;
  readonly #parts: DepthParts;
  readonly #prices: DecimalReader;
  readonly #lots: DecimalReader;
  readonly #bids = new BookSide('buy');
  readonly #asks = new BookSide('sell');
  /** Levels of the row before. */
  readonly #shown: Float64Array;
  /** False before the first snapshot, and after a gap until the next one. */
  #isKnown = false;
  #sequence = NaN;
  #gapFromUs: number | null = null;
  #atUs = -Infinity;
  #last = 0;
  #ticks: DayTicks | null = null;

  constructor(symbol: string, parts: DepthParts) {
    const { tickSize, lotSize, levels, isRounding } = parts.options;
    this.#symbol = symbol;
    this.#parts = parts;
    this.#prices = new DecimalReader(tickSize, isRounding);
    this.#lots = new DecimalReader(lotSize);
    this.#shown = new Float64Array(4 * levels);
  }

  take(message: DepthMessage, time: number | null): void {
    const { isSnapshot, bids, asks, price } = message;
    if (time === null && !isSnapshot) throw new BadLine('expected a time, was none');
    if (time !== null && time < this.#atUs - DISORDER_MAX_US)
      throw new BadLine('expected a time at most a second before the message before, was an earlier one');
    const atUs = time === null ? null : Math.max(time, this.#atUs);
    if (bids !== undefined || asks !== undefined) this.#takeBook(message, atUs);
    else if (price !== undefined && atUs !== null) this.#takeTrade(message, atUs);
    else throw new BadLine('expected bids and asks, or a price with a qty');
    if (atUs !== null) this.#atUs = atUs;
  }

  end(): void {
    if (this.#gapFromUs !== null) this.#noteGap(this.#gapFromUs, this.#atUs);
  }

  #takeBook(message: DepthMessage, atUs: number | null): void {
    const { isSnapshot } = message;
    const bids = this.#changes(message.bids);
    const asks = this.#changes(message.asks);
    const sequence = numberOf(message.sequence);
    if (isSnapshot) {
      this.#bids.clear();
      this.#asks.clear();
    } else {
      if (sequence <= this.#sequence) return;
      if (!this.#isKnown && this.#gapFromUs === null)
        throw new BadLine('expected a snapshot before the first update');
      if (this.#isGap(message)) this.#lose(atUs);
      this.#sequence = sequence;
      if (!this.#isKnown) return;
    }
    for (const { price, qty } of bids) this.#bids.set(price, qty);
    for (const { price, qty } of asks) this.#asks.set(price, qty);
    const [bid, ask] = [this.#bids.priceAt(0), this.#asks.priceAt(0)];
    if (bid > 0 && ask > 0 && bid >= ask) {
      this.#lose(atUs);
      throw new BadLine(
        `expected bids below asks, was a crossed book: ${bid} and ${ask} ticks of ${this.#parts.options.tickSize}`,
      );
    }
    if (isSnapshot) this.#know(sequence, atUs);
    if (atUs !== null && this.#isNew()) this.#push(atUs, 0, 0);
  }

  #takeTrade({ price: priceOf, qty: qtyOf, side }: DepthMessage, atUs: number): void {
    const price = this.#priceOf(priceOf);
    const qty = this.#qtyOf(qtyOf);
    if (qty === 0) throw new BadLine('expected a qty above 0, was 0');
    if (side !== undefined && side !== 'buy' && side !== 'sell')
      throw new BadLine(`expected a side of buy or sell, was ${JSON.stringify(side)}`);
    this.#last = price;
    this.#parts.traded.add(this.#push(atUs, qty, side === undefined ? 0 : side === 'buy' ? 1 : -1));
  }

  #isGap({ first, sequence, before }: DepthMessage): boolean {
    if (!this.#isKnown || Number.isNaN(this.#sequence) || sequence === undefined) return false;
    const from = numberOf(first ?? sequence);
    return from > this.#sequence + 1 && numberOf(before) !== this.#sequence;
  }

  /** A missing message may have changed any level: no book until the next snapshot. */
  #lose(atUs: number | null): void {
    this.#isKnown = false;
    this.#bids.clear();
    this.#asks.clear();
    if (this.#gapFromUs === null) this.#gapFromUs = Number.isFinite(this.#atUs) ? this.#atUs : atUs;
    if (atUs !== null && this.#isNew()) this.#push(atUs, 0, 0);
  }

  #know(sequence: number, atUs: number | null): void {
    if (this.#gapFromUs !== null) this.#noteGap(this.#gapFromUs, atUs ?? this.#atUs);
    this.#gapFromUs = null;
    this.#isKnown = true;
    this.#sequence = sequence;
  }

  #noteGap(fromUs: number, toUs: number): void {
    const ticks = this.#ticks;
    if (ticks === null) return;
    const gap: TickGap = { fromUs, toUs, kind: 'missed', qty: null };
    const known = this.#parts.gaps.get(ticks);
    if (known === undefined) this.#parts.gaps.set(ticks, [gap]);
    else known.push(gap);
  }

  /** One of the levels that are kept differs from the row before. */
  #isNew(): boolean {
    const shown = this.#shown;
    let isNew = false;
    for (let i = 0, level = 0; i < shown.length; i += 4, level += 1) {
      const [bid, bidQty] = [this.#bids.priceAt(level), this.#bids.qtyAt(level)];
      const [ask, askQty] = [this.#asks.priceAt(level), this.#asks.qtyAt(level)];
      if (shown[i] === bid && shown[i + 1] === bidQty && shown[i + 2] === ask && shown[i + 3] === askQty)
        continue;
      isNew = true;
      shown[i] = bid;
      shown[i + 1] = bidQty;
      shown[i + 2] = ask;
      shown[i + 3] = askQty;
    }
    return isNew;
  }

  #push(atUs: number, qty: number, side: number): DayTicks {
    const ticks = this.#ticksAt(atUs);
    ticks.push(atUs, this.#last, qty, side);
    ticks.setLevels(this.#bids, this.#asks);
    return ticks;
  }

  #ticksAt(atUs: number): DayTicks {
    const { options, collector } = this.#parts;
    const day = dayAt(tsUs(atUs), options.zone.offsetAtMoment(atUs));
    if (this.#ticks?.day === day) return this.#ticks;
    const symbol = this.#symbol;
    this.#ticks = collector.at(
      `${symbol} ${day}`,
      (spillFile, onGrow) => new DayTicks({ symbol, day, depth: options.levels }, spillFile, onGrow),
    );
    return this.#ticks;
  }

  #changes(levels: unknown): readonly Change[] {
    if (levels === undefined) return [];
    if (!Array.isArray(levels))
      throw new BadLine(`expected levels as [[price, quantity], ...], was ${JSON.stringify(levels)}`);
    return levels.map((level: unknown) => {
      if (!Array.isArray(level) || level.length < 2)
        throw new BadLine('expected a level as [price, quantity]');
      return { price: this.#priceOf(level[0]), qty: this.#qtyOf(level[1]) };
    });
  }

  #priceOf(value: unknown): number {
    const price = decimal(this.#prices, value);
    if (price > 0 && price <= INT32_MAX) return price;
    throw new BadLine(
      `expected a price above 0 on the grid of ${this.#parts.options.tickSize}, was ${JSON.stringify(value)}`,
    );
  }

  #qtyOf(value: unknown): number {
    const qty = decimal(this.#lots, value);
    if (qty >= 0 && qty < INT32_MAX) return qty;
    const most = `at most ${INT32_MAX - 1} of them`;
    throw new BadLine(
      `expected a quantity in lots of ${this.#parts.options.lotSize}, ${most}, was ${JSON.stringify(value)}`,
    );
  }
}

const numberOf = (value: unknown): number =>
  typeof value === 'number' || typeof value === 'string' ? Number(value) : NaN;

/** Of a number or a text; empty for anything else. */
const textOf = (value: unknown): string =>
  typeof value === 'number' ? String(value) : typeof value === 'string' ? value : '';

/** NaN for what is no decimal on the grid. */
function decimal(reader: DecimalReader, value: unknown): number {
  const bytes = Buffer.from(textOf(value), 'latin1');
  return reader.read(bytes, 0, bytes.length);
}
