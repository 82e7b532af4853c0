/** Everything a report shows, as plain data: the same object is written as JSON, as tables and as pictures. */

/** One figure with its name, how it reads to a person, and the formula or source behind it. */
export type ReportFigure = readonly [name: string, text: string, meaning: string];

export interface ReportTable {
  readonly title: string;
  /** A caution for the reader; empty when there is none. */
  readonly note: string;
  readonly columns: readonly string[];
  /** Cells are words that may take several lines; absent is no. */
  readonly isText?: boolean;
  /** The first cell of a row is its name; numbers are shown grouped and right-aligned. */
  readonly rows: readonly (readonly (string | number | null)[])[];
}

export interface ReportMark {
  readonly tsSeconds: number;
  /** In points of the contract. */
  readonly price: number;
  readonly side: 'buy' | 'sell';
  readonly effect: 'entry' | 'exit';
  readonly qty: number;
}

/** A line that a strategy draws: its last value of each candle; null before the first, and where it drew nothing. */
export interface ReportLine {
  readonly name: string;
  readonly values: readonly (number | null)[];
}

/** `time`: its start, in seconds since 1970. */
export type ReportCandle = Readonly<Record<'time' | 'open' | 'high' | 'low' | 'close', number>>;

/** Candles in time order, those without a trade left out. Prices are points. */
export interface ReportPrices {
  readonly name: string;
  /** Contracts that follow each other in it. */
  readonly symbols: readonly string[];
  readonly decimals: number;
  readonly tick: number;
  readonly everySeconds: number;
  readonly candles: readonly ReportCandle[];
  /** A run with very many shows the first. */
  readonly lines: readonly ReportLine[];
  readonly lineCount: number;
  /** Fills; a run with very many shows the first. */
  readonly marks: readonly ReportMark[];
  readonly fills: number;
}

/** One round trip. Prices are means in points, money is in the currency. */
export interface ReportTrade {
  readonly strategy: string;
  readonly symbol: string;
  readonly direction: 'long' | 'short';
  readonly qty: number;
  readonly entrySeconds: number;
  readonly entryPrice: number;
  readonly exitSeconds: number;
  readonly exitPrice: number;
  readonly costs: number;
  /** After costs. */
  readonly profit: number;
  /** Largest open loss and gain on the way, before costs: zero or less, zero or more. */
  readonly adverse: number;
  readonly favourable: number;
  readonly isOpen: boolean;
}

/** Samples in time order that keep the outline of equity, and what happened since the sample before each. */
export interface ReportAccount {
  readonly tsSeconds: readonly number[];
  readonly equity: readonly number[];
  /** Held over all strategies, long above zero: the largest position, in contracts or in the account's currency. */
  readonly position: readonly number[];
  readonly positionUnit: string;
  /** Funds when buying power was least. */
  readonly cash: readonly number[];
  readonly marginUsed: readonly number[];
  readonly buyingPower: readonly number[];
}

/** Sessions, with the change of equity in each. */
export interface ReportDaily {
  readonly days: readonly string[];
  readonly profit: readonly number[];
}

/** Returns in percent; null where no session was traded. */
export interface ReportYear {
  readonly year: string;
  readonly months: readonly (number | null)[];
  readonly total: number;
}

export interface ReportDrawdown {
  readonly peakSeconds: number;
  readonly troughSeconds: number;
  /** Null: not until the end of the run. */
  readonly recoveredSeconds: number | null;
  readonly depth: number;
  /** Of the peak, in percent. */
  readonly percent: number;
}

export interface ReportCosts {
  readonly gross: number;
  readonly charges: readonly (readonly [name: string, amount: number])[];
  readonly net: number;
  /** Paid in prices, not charged; null where the data has no book. */
  readonly spread: number | null;
  readonly trades: number;
}

export interface ReportHistogram {
  readonly title: string;
  /** Lower edges of the bins, one more than there are counts. */
  readonly edges: readonly number[];
  readonly counts: readonly number[];
  readonly mean: number;
  readonly median: number;
}

/** Outcomes of many paths, by how far along they are; bands from `p5` to `p95`. */
export interface ReportFan {
  readonly title: string;
  readonly xName: string;
  readonly x: readonly number[];
  readonly bands: readonly (readonly [name: string, values: readonly number[]])[];
}

/** What the script of the page draws. */
export interface ReportData {
  readonly currency: string;
  readonly moneyDigits: number;
  /** Of the times that are shown, as the run took it. */
  readonly utcOffsetMinutes: number;
  readonly account: ReportAccount;
  /** The deepest falls, the deepest first. */
  readonly worst: readonly ReportDrawdown[];
  readonly daily: ReportDaily;
  /** In the order of their exits; a run with very many shows the first of `tradeCount`. */
  readonly trades: readonly ReportTrade[];
  readonly tradeCount: number;
  readonly prices: readonly ReportPrices[];
  /** Null for fewer than two trades. */
  readonly histogram: ReportHistogram | null;
  readonly fans: readonly ReportFan[];
}

export interface ReportModel {
  readonly title: string;
  readonly subtitle: string;
  readonly moneyDigits: number;
  readonly headlines: readonly ReportFigure[];
  readonly tables: readonly ReportTable[];
  /** Assumptions, omissions and the number of tries; the weightiest first. */
  readonly warnings: readonly string[];
  /** Name and value: digest, data, models, versions. */
  readonly provenance: readonly (readonly [string, string])[];
  /** Null where the page is tables alone. */
  readonly run: ReportedRun | null;
}

export interface ReportedRun {
  readonly drawn: ReportData;
  /** Zone of the times that are shown, in words. */
  readonly timeZone: string;
  readonly years: readonly ReportYear[];
  readonly costs: ReportCosts;
  readonly settings: readonly ReportTable[];
}
