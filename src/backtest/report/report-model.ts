/** Everything a report shows, as plain data: the same object is written as JSON, as tables and as pictures. */

/** One figure with its name, how it reads to a person, and the formula or source behind it. */
export interface ReportFigure {
  readonly name: string;
  readonly text: string;
  readonly meaning: string;
}

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

/** Samples in time order: seconds since 1970 and one value each. */
export interface ReportSeries {
  readonly tsSeconds: readonly number[];
  readonly values: readonly number[];
}

export interface ReportMark {
  readonly tsSeconds: number;
  /** In points of the contract. */
  readonly price: number;
  readonly side: 'buy' | 'sell';
  readonly effect: 'entry' | 'exit';
  readonly qty: number;
  readonly strategy: string;
}

export interface ReportPrices {
  readonly symbol: string;
  /** Close of each bar. */
  readonly series: ReportSeries;
  readonly marks: readonly ReportMark[];
}

export interface ReportHistogram {
  readonly title: string;
  /** Lower edges of the bins, one more than there are counts. */
  readonly edges: readonly number[];
  readonly counts: readonly number[];
}

/** Profit by two parameters; null where nothing was tried. */
export interface ReportHeatMap {
  readonly title: string;
  readonly xName: string;
  readonly yName: string;
  readonly xValues: readonly string[];
  readonly yValues: readonly string[];
  /** One row a y value. */
  readonly cells: readonly (readonly (number | null)[])[];
}

/** Outcomes of many paths, by how far along they are; bands from `p5` to `p95`. */
export interface ReportFan {
  readonly title: string;
  /** Name of the horizontal axis. */
  readonly xName: string;
  readonly x: readonly number[];
  readonly bands: readonly (readonly [name: string, values: readonly number[]])[];
}

/** Days on which something was chosen, and days after them on which it was tried; days as places among all of them. */
export interface ReportWindow {
  readonly name: string;
  readonly inFrom: number;
  readonly outFrom: number;
  readonly outTo: number;
  /** Net profit out of sample, in the currency; null where nothing was traded. */
  readonly profit: number | null;
  readonly text: string;
}

export interface ReportModel {
  readonly title: string;
  readonly subtitle: string;
  readonly currency: string;
  /** IANA zone in which times are shown. */
  readonly timeZone: string;
  /** Shown large at the top. */
  readonly headlines: readonly ReportFigure[];
  readonly figures: readonly ReportFigure[];
  readonly equity: ReportSeries | null;
  /** Money below the highest equity so far, zero or less. */
  readonly drawdown: ReportSeries | null;
  readonly prices: readonly ReportPrices[];
  readonly histograms: readonly ReportHistogram[];
  readonly heatMaps: readonly ReportHeatMap[];
  /** Of a sweep alone. */
  readonly fans?: readonly ReportFan[];
  readonly windows?: { readonly days: number; readonly rows: readonly ReportWindow[] };
  readonly tables: readonly ReportTable[];
  /** Assumptions, omissions and the number of tries. */
  readonly warnings: readonly string[];
  /** Name and value: digest, data, models, versions. */
  readonly provenance: readonly (readonly [string, string])[];
}

/** Where there is nothing to draw. */
export const EMPTY_REPORT: ReportModel = {
  title: '',
  subtitle: '',
  currency: '',
  timeZone: 'UTC',
  headlines: [],
  figures: [],
  equity: null,
  drawdown: null,
  prices: [],
  histograms: [],
  heatMaps: [],
  tables: [],
  warnings: [],
  provenance: [],
};
