/**
 * Reads trades and books from the bytes of their frames, without text or JSON between: a restart reads those of the whole day again. Only
 * the usual form is read, an object of known keys with plain numbers; `decodeServerFrame` reads any other, and gives the same for these.
 */
import { type Contract, type ContractSpec, parsePoints } from '../../domain/contract.ts';
import type { BookLevel, TradeTick } from '../../domain/ticks.ts';
import { type PriceTicks, qty, type Seq, type TsUs } from '../../domain/units.ts';
import { CHANNEL_WORDS } from './channel.ts';
import { type BookSide, type BookUpdateFrame, bookUpdate, LADDER, TRADE, tradeTick } from './data-frame.ts';

const ascii = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
/** Stands in JSON as it is. */
const isPlain = (text: string): boolean => /^[\w.-]*$/.test(text);

/** With the quotes around them. */
const keyBytes = (keys: readonly string[]): readonly Uint8Array[] => keys.map((key) => ascii(`"${key}"`));

const levelKeys = (side: BookSide): readonly Uint8Array[] =>
  keyBytes(LADDER[side].flatMap((level) => [level.price, level.qty]));

const TRADE_KEYS = keyBytes([TRADE.price, TRADE.qty, TRADE.change, TRADE.changePercent, TRADE.totalVolume]);
/** Places of the keys of a trade. */
const [PRICE, QTY, TOTAL_VOLUME] = [0, 1, 4];
const BID_KEYS = levelKeys('bid');
const ASK_KEYS = levelKeys('ask');
const NUMBERS_MAX = Math.max(TRADE_KEYS.length, BID_KEYS.length, ASK_KEYS.length);

const TRADE_HEAD = ascii(`s|${CHANNEL_WORDS.trade.id}|`);
const BID_HEAD = ascii(`s|${CHANNEL_WORDS.bid.id}|`);
const ASK_HEAD = ascii(`s|${CHANNEL_WORDS.offer.id}|`);
const SYMBOL = ascii('"symbol"');

const [TAB, NEWLINE, RETURN, BLANK] = [0x09, 0x0a, 0x0d, 0x20];
const [COMMA, MINUS, POINT, DIGIT_0, DIGIT_9] = [0x2c, 0x2d, 0x2e, 0x30, 0x39];
const [COLON, OPEN, CLOSE] = [0x3a, 0x7b, 0x7d];

/** So many digits are exact as a whole number, and so is their division by a power of ten: the number that JSON gives. */
const DIGITS_MAX = 15;
const POWERS_OF_TEN = Float64Array.from({ length: DIGITS_MAX + 1 }, (_, power) => 10 ** power);

interface Listed {
  readonly code: Uint8Array;
  readonly contract: Contract;
}

export class FrameBytes {
  readonly #listed: readonly Listed[];
  /** By place of their key; NaN for one that is left out. */
  readonly #numbers = new Float64Array(NUMBERS_MAX);
  #bytes: Uint8Array = new Uint8Array(0);
  #at = 0;

  constructor(contracts: Iterable<Contract>) {
    this.#listed = [...contracts]
      .filter(({ streamCode }) => isPlain(streamCode))
      .map((contract) => ({ code: ascii(`"${contract.streamCode}"`), contract }));
  }

  /** The frame from `from` up to `to`; undefined for one of another form. */
  read(
    bytes: Uint8Array,
    from: number,
    to: number,
    seq: Seq,
    tsUs: TsUs,
  ): TradeTick | BookUpdateFrame | undefined {
    this.#bytes = bytes;
    this.#at = from;
    if (this.#passes(TRADE_HEAD)) {
      const contract = this.#payload(TRADE_KEYS, to);
      return contract === undefined ? undefined : this.#trade(contract, seq, tsUs);
    }
    const side = this.#passes(BID_HEAD) ? 'bid' : 'ask';
    if (side === 'ask' && !this.#passes(ASK_HEAD)) return undefined;
    const contract = this.#payload(side === 'bid' ? BID_KEYS : ASK_KEYS, to);
    return contract === undefined ? undefined : this.#book(side, contract, seq, tsUs);
  }

  #trade({ spec, index }: Contract, seq: Seq, tsUs: TsUs): TradeTick | undefined {
    const price = priceOf(spec, this.#number(PRICE));
    const size = this.#number(QTY);
    const totalVolume = this.#number(TOTAL_VOLUME);
    if (price === undefined || !isWhole(size, 1) || !isWhole(totalVolume, 0)) return undefined;
    return tradeTick(seq, tsUs, index, price, qty(size), totalVolume);
  }

  #book(side: BookSide, { spec, index }: Contract, seq: Seq, tsUs: TsUs): BookUpdateFrame | undefined {
    const levels: (BookLevel | null | undefined)[] = [];
    for (let place = 0; place < BID_KEYS.length; place += 2) {
      const points = this.#number(place);
      const size = this.#number(place + 1);
      if (Number.isNaN(points) !== Number.isNaN(size)) return undefined;
      if (Number.isNaN(points)) levels.push(undefined);
      else if (points === 0 || size === 0) levels.push(null);
      else {
        const price = priceOf(spec, points);
        if (price === undefined || !isWhole(size, 1)) return undefined;
        levels.push({ price, qty: qty(size) });
      }
    }
    return bookUpdate(seq, tsUs, index, side, levels, null);
  }

  #number(place: number): number {
    return this.#numbers[place] ?? NaN;
  }

  /** The contract of a payload that ends at `to`, once its numbers are read. */
  #payload(keys: readonly Uint8Array[], to: number): Contract | undefined {
    this.#numbers.fill(NaN);
    if (!this.#comes(OPEN) || !this.#comesText(SYMBOL) || !this.#comes(COLON)) return undefined;
    const contract = this.#contract();
    if (contract === undefined) return undefined;
    for (let likely = 0; this.#comes(COMMA); likely += 1) {
      likely = this.#key(keys, likely);
      if (likely === -1 || !this.#comes(COLON)) return undefined;
      const number = this.#plainNumber();
      if (Number.isNaN(number)) return undefined;
      this.#numbers[likely] = number;
    }
    return this.#comes(CLOSE) && this.#at === to ? contract : undefined;
  }

  #contract(): Contract | undefined {
    for (const { code, contract } of this.#listed) if (this.#comesText(code)) return contract;
    return undefined;
  }

  /** Place of the next key; -1 for one that is not among them. */
  #key(keys: readonly Uint8Array[], likely: number): number {
    const key = keys[likely];
    if (key !== undefined && this.#comesText(key)) return likely;
    return keys.findIndex((each) => this.#comesText(each));
  }

  /** NaN for a number with an exponent or too many digits, and for anything else. */
  #plainNumber(): number {
    this.#skipBlanks();
    const bytes = this.#bytes;
    let at = this.#at;
    const isNegative = bytes[at] === MINUS;
    if (isNegative) at += 1;
    const first = at;
    let point = -1;
    let digits = 0;
    for (; ; at += 1) {
      const byte = bytes[at] ?? 0;
      if (byte >= DIGIT_0 && byte <= DIGIT_9) digits = digits * 10 + byte - DIGIT_0;
      else if (byte === POINT && point === -1) point = at;
      else break;
    }
    this.#at = at;
    const whole = (point === -1 ? at : point) - first;
    const decimals = point === -1 ? 0 : at - point - 1;
    if (whole === 0 || (whole > 1 && bytes[first] === DIGIT_0)) return NaN;
    if ((point !== -1 && decimals === 0) || whole + decimals > DIGITS_MAX) return NaN;
    const value = decimals === 0 ? digits : digits / (POWERS_OF_TEN[decimals] ?? NaN);
    return isNegative ? -value : value;
  }

  #comes(expected: number): boolean {
    this.#skipBlanks();
    if (this.#bytes[this.#at] !== expected) return false;
    this.#at += 1;
    return true;
  }

  #comesText(expected: Uint8Array): boolean {
    this.#skipBlanks();
    return this.#passes(expected);
  }

  #passes(expected: Uint8Array): boolean {
    const bytes = this.#bytes;
    const from = this.#at;
    for (let i = 0; i < expected.length; i += 1) if (bytes[from + i] !== expected[i]) return false;
    this.#at = from + expected.length;
    return true;
  }

  #skipBlanks(): void {
    for (;;) {
      const byte = this.#bytes[this.#at] ?? 0;
      if (byte > BLANK || (byte !== BLANK && byte !== NEWLINE && byte !== TAB && byte !== RETURN)) return;
      this.#at += 1;
    }
  }
}

function priceOf(spec: ContractSpec, points: number): PriceTicks | undefined {
  const price = parsePoints(spec, points, '');
  return price.ok && price.value > 0 ? price.value : undefined;
}

const isWhole = (value: number, min: number): boolean => Number.isSafeInteger(value) && value >= min;
