/** What an import is told. */
import type { TradingCalendar } from '../../domain/calendar.ts';
import type { DurationUs } from '../../domain/units.ts';
import type { NamedColumns } from './column-map.ts';
import type { SideWords } from './side-codes.ts';
import type { DateOrder } from './stamp-reader.ts';
import type { TimeZone } from '../../text/time-zone.ts';

export interface ImportOptions {
  /** Where the data directory is. */
  readonly dir: string;
  /** Null: the file's name or a column of it says. */
  readonly symbol: string | null;
  /** Date of times without one; null: the file's name says. */
  readonly day: string | null;
  readonly zone: TimeZone;
  readonly dateOrder: DateOrder | null;
  /** Decimals: a price is a whole number of ticks, a quantity one of lots. */
  readonly tickSize: string;
  readonly lotSize: string;
  readonly columns: NamedColumns;
  readonly sides: SideWords;
  readonly hasHeader: boolean;
  /** Null: found out from the first line. */
  readonly delimiter: string | null;
  /** Trading hours: for auctions and silences. Null where nobody knows them. */
  readonly calendar: TradingCalendar | null;
  /** A longer time without a trade in continuous trading is noted as a gap. */
  readonly silence: DurationUs;
  /** Keep the good rows of a file that has bad ones. */
  readonly skipBad: boolean;
  /** Write over what is there already and differs. */
  readonly replace: boolean;
  /** Write the compressed archive beside the columns. */
  readonly archive: boolean;
}

/** What an import tells while it works. */
export interface ImportWatch {
  /** Bytes of the file that were read, of how many, and rows so far. */
  progress(done: { readonly bytes: number; readonly size: number; readonly rows: number }): void;
  bad(row: { readonly line: number; readonly reason: string }): void;
}
