/**
 * Reads depth from a table, as vendors sell it: one level a row (tardis.dev, incremental_book_L2), or the whole book in each row
 * (tardis.dev, book_snapshot_N; Databento, mbp-10). Rows of one moment are one message.
 */

/** A message about a book, or a trade; cells are read later. */
export interface DepthMessage {
  /** Undefined where the message does not name one. */
  readonly symbol: string | undefined;
  readonly time: unknown;
  readonly isSnapshot: boolean;
  readonly first: unknown;
  readonly sequence: unknown;
  readonly before: unknown;
  readonly bids: unknown;
  readonly asks: unknown;
  readonly price: unknown;
  readonly qty: unknown;
  readonly side: unknown;
}

/** Takes a message and the line at which it begins. */
type OnMessage = (message: DepthMessage, line: number) => void;

const NOTHING: DepthMessage = {
  symbol: undefined,
  time: undefined,
  isSnapshot: false,
  first: undefined,
  sequence: undefined,
  before: undefined,
  bids: undefined,
  asks: undefined,
  price: undefined,
  qty: undefined,
  side: undefined,
};

type Level = readonly [price: string, qty: string];

interface WholeBook {
  /** Places of price and quantity, best level first. */
  readonly bids: readonly (readonly [number, number])[];
  readonly asks: readonly (readonly [number, number])[];
}

const cellsOf = (line: string): readonly string[] => line.trimEnd().split(',');

/** Null where each row is one level. */
function wholeBookOf(names: readonly string[]): WholeBook | null {
  const side = (of: 'bid' | 'ask'): [number, number][] => {
    const places: [number, number][] = [];
    for (let level = 0; ; level += 1) {
      const digits = String(level).padStart(2, '0');
      const place = (words: readonly string[]): number => names.findIndex((name) => words.includes(name));
      const price = place([`${of}s[${level}].price`, `${of}_px_${digits}`]);
      const qty = place([`${of}s[${level}].amount`, `${of}_sz_${digits}`]);
      if (price === -1 || qty === -1) return places;
      places.push([price, qty]);
    }
  };
  const [bids, asks] = [side('bid'), side('ask')];
  return bids.length > 0 && asks.length > 0 ? { bids, asks } : null;
}

const LEVEL_COLUMNS = ['is_snapshot', 'side', 'price', 'amount'];

/** A quote alone, one level a side, is no depth. */
export function isDepthHeader(names: readonly string[]): boolean {
  const whole = wholeBookOf(names);
  return (whole !== null && whole.bids.length > 1) || LEVEL_COLUMNS.every((name) => names.includes(name));
}

/** Columns that `DepthTable` needs, for messages. */
export const DEPTH_COLUMNS = `timestamp, ${LEVEL_COLUMNS.join(', ')}; or bids[0].price, bids[0].amount and so on; or bid_px_00, bid_sz_00 and so on`;

const TIMES = ['timestamp', 'ts_event', 'ts_recv', 'time'];
/** Databento writes B for a buyer that crossed the spread, A for a seller. */
const AGGRESSORS: Readonly<Record<string, string>> = { B: 'buy', A: 'sell' };

export class DepthTable {
  readonly #emit: OnMessage;
  readonly #whole: WholeBook | null;
  readonly #at: Readonly<
    Record<'time' | 'symbol' | 'snapshot' | 'side' | 'price' | 'qty' | 'action', number>
  >;
  /** Rows of one moment, until the next one. */
  #open: { line: number; key: string; message: DepthMessage; bids: Level[]; asks: Level[] } | null = null;

  /** `header` is one of `isDepthHeader`. */
  constructor(header: readonly string[], emit: OnMessage) {
    const at = (...words: readonly string[]): number =>
      words.map((word) => header.indexOf(word)).find((place) => place !== -1) ?? -1;
    this.#emit = emit;
    this.#whole = wholeBookOf(header);
    this.#at = {
      time: at(...TIMES),
      symbol: at('symbol'),
      snapshot: at('is_snapshot'),
      side: at('side'),
      price: at('price'),
      qty: at('amount', 'size'),
      action: at('action'),
    };
  }

  take(line: string, number: number): void {
    const cells = cellsOf(line);
    if (this.#whole === null) this.#takeLevel(cells, number);
    else this.#takeBook(cells, number, this.#whole);
  }

  end(): void {
    const open = this.#open;
    this.#open = null;
    if (open !== null) this.#emit({ ...open.message, bids: open.bids, asks: open.asks }, open.line);
  }

  #takeBook(cells: readonly string[], number: number, { bids, asks }: WholeBook): void {
    const at = this.#at;
    const message = { ...NOTHING, symbol: cells[at.symbol], time: cells[at.time] };
    if (at.action !== -1 && cells[at.action] === 'T') {
      const side = AGGRESSORS[cells[at.side] ?? ''];
      this.#emit({ ...message, price: cells[at.price], qty: cells[at.qty], side }, number);
    }
    const levels = (places: WholeBook['bids']): readonly Level[] =>
      places
        .map(([price, qty]): Level => [cells[price] ?? '', cells[qty] ?? ''])
        .filter(([price, qty]) => price !== '' && Number(qty) !== 0);
    this.#emit({ ...message, isSnapshot: true, bids: levels(bids), asks: levels(asks) }, number);
  }

  #takeLevel(cells: readonly string[], number: number): void {
    const at = this.#at;
    const isSnapshot = cells[at.snapshot]?.toLowerCase() === 'true';
    const symbol = cells[at.symbol];
    const side = cells[at.side];
    if (side !== 'bid' && side !== 'ask') {
      this.end();
      return this.#emit({ ...NOTHING, symbol, time: cells[at.time], bids: `a side of ${side}` }, number);
    }
    // A snapshot is one however long it took.
    const key = isSnapshot ? `${symbol}` : `${symbol} ${cells[at.time]}`;
    if (this.#open?.key !== key || this.#open.message.isSnapshot !== isSnapshot) {
      this.end();
      const message = { ...NOTHING, symbol, time: cells[at.time], isSnapshot };
      this.#open = { line: number, key, message, bids: [], asks: [] };
    }
    (side === 'bid' ? this.#open.bids : this.#open.asks).push([cells[at.price] ?? '', cells[at.qty] ?? '']);
  }
}
