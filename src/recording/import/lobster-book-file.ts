/**
 * Reads an order book file of LOBSTER ("orderbook_N.csv") beside its message file: each line is the book after the message of that
 * line, as ask, its size, bid, its size a level. It tells what the messages do not: what stood before them, or came unseen.
 */
import { lobsterBookBeside } from './file-kind.ts';
import { newlines, openSource, SourceFileError } from './table-file.ts';

/** One side of the book, best level first. */
export class ShownSide {
  /** Levels with a quantity. */
  count = 0;
  /** All levels of the market are shown; false where deeper ones may exist. */
  isWhole = false;
  /** In ticks; no whole number where it lies between two. */
  readonly price: Float64Array;
  readonly qty: Float64Array;

  constructor(levels: number) {
    this.price = new Float64Array(levels);
    this.qty = new Float64Array(levels);
  }

  clear(): void {
    this.count = 0;
    this.isWhole = false;
  }

  add(price: number, qty: number): void {
    const last = this.count - 1;
    if (qty === 0) this.isWhole = true;
    else if (this.price[last] === price) this.qty[last] = (this.qty[last] ?? 0) + qty;
    else {
      this.price[this.count] = price;
      this.qty[this.count] = qty;
      this.count += 1;
    }
  }
}

const NEWLINE = 10;
const COMMA = 44;
const MINUS = 45;
const ZERO = 48;
const RETURN = 13;
const NOTHING = new Uint8Array(0);
const CELLS_A_LEVEL = 4;

export class LobsterBookFile {
  readonly path: string;
  readonly levels: number;
  readonly bids: ShownSide;
  readonly asks: ShownSide;
  readonly #tick: number;
  readonly #isRounding: boolean;
  readonly #chunks: AsyncGenerator<Buffer>;
  #bytes: Uint8Array;
  #at = 0;
  /** Lines in `bytes` that nobody read yet. */
  #ready: number;
  /** Lines read so far. */
  #line = 0;

  private constructor(
    path: string,
    { chunks, first }: { readonly chunks: AsyncGenerator<Buffer>; readonly first: Uint8Array },
    tick: number,
    isRounding: boolean,
  ) {
    this.path = path;
    this.#tick = tick;
    this.#isRounding = isRounding;
    this.#chunks = chunks;
    this.#bytes = first;
    this.#ready = newlines(first);
    const end = first.indexOf(NEWLINE);
    let cells = 1;
    for (let i = 0; i < (end === -1 ? first.length : end); i += 1) if (first[i] === COMMA) cells += 1;
    if (cells % CELLS_A_LEVEL !== 0)
      throw new SourceFileError(
        `${path}, line 1: expected ${CELLS_A_LEVEL} columns a level, was ${cells} columns`,
      );
    this.levels = cells / CELLS_A_LEVEL;
    this.bids = new ShownSide(this.levels);
    this.asks = new ShownSide(this.levels);
  }

  /** Null where no such file is beside the message file; `tick` in ten-thousandths. */
  static async beside(
    messageFile: string,
    tick: number,
    isRounding: boolean,
  ): Promise<LobsterBookFile | null> {
    const path = lobsterBookBeside(messageFile);
    if (path === null) return null;
    const chunks = openSource(path).chunks();
    const first = await chunks.next();
    return new LobsterBookFile(
      path,
      { chunks, first: first.done === true ? NOTHING : first.value },
      tick,
      isRounding,
    );
  }

  /** Reads ahead until so many lines can be had, or the file is over. */
  async fill(lines: number): Promise<void> {
    if (this.#ready >= lines) return;
    const parts: Uint8Array[] = [this.#bytes.subarray(this.#at)];
    while (this.#ready < lines) {
      const next = await this.#chunks.next();
      if (next.done === true) {
        // The last line may lack its end.
        const last = parts.findLast((part) => part.length > 0);
        if (last !== undefined && last[last.length - 1] !== NEWLINE) {
          parts.push(Uint8Array.of(NEWLINE));
          this.#ready += 1;
        }
        break;
      }
      parts.push(next.value);
      this.#ready += newlines(next.value);
    }
    this.#bytes = Buffer.concat(parts);
    this.#at = 0;
  }

  /** Reads the book of a line, counted from 1 and never falling. */
  read(line: number): void {
    while (this.#line < line) {
      if (this.#ready === 0)
        throw new SourceFileError(
          `${this.path}: expected a line for each message, was over before that of line ${line}`,
        );
      if (this.#line + 1 === line) this.#parse(line);
      else this.#at = this.#bytes.indexOf(NEWLINE, this.#at) + 1;
      this.#line += 1;
      this.#ready -= 1;
    }
  }

  /** One line more was read ahead, if there is one: messages that were cut off do not look like a quiet end. */
  assertOver(messages: number): void {
    if (this.#line + this.#ready > messages)
      throw new SourceFileError(`${this.path}: expected a line for each of ${messages} messages, was longer`);
  }

  #parse(line: number): void {
    const { asks, bids, levels } = this;
    asks.clear();
    bids.clear();
    for (let level = 0; level < levels; level += 1) {
      const ask = this.#price(line);
      asks.add(ask, this.#number(line, false));
      const bid = this.#price(line);
      bids.add(bid, this.#number(line, level === levels - 1));
    }
  }

  #price(line: number): number {
    const ticks = this.#number(line, false) / this.#tick;
    return this.#isRounding ? Math.round(ticks) : ticks;
  }

  /** A whole number and the sign behind it. */
  #number(line: number, isLast: boolean): number {
    const bytes = this.#bytes;
    let i = this.#at;
    const isNegative = bytes[i] === MINUS;
    if (isNegative) i += 1;
    let value = 0;
    let digits = 0;
    for (; ; i += 1, digits += 1) {
      const digit = (bytes[i] ?? 0) - ZERO;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
    }
    if (isLast && bytes[i] === RETURN) i += 1;
    if (digits === 0 || bytes[i] !== (isLast ? NEWLINE : COMMA))
      throw new SourceFileError(
        `${this.path}, line ${line}: expected ${CELLS_A_LEVEL * this.levels} whole numbers between commas`,
      );
    this.#at = i + 1;
    return isNegative ? -value : value;
  }
}
