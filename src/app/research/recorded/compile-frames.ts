/**
 * Compiles a log of frames into columns, by the same decoder, the same merged books and the same chain of volumes as the
 * engine that trades on them. A packed log is read as it is.
 */
import { basename } from 'node:path';
import type { TradingCalendar } from '../../../domain/calendar.ts';
import { tradingDay } from '../../../domain/civil-date.ts';
import type { Contract, ContractSpec } from '../../../domain/contract.ts';
import { orderCode, streamCode } from '../../../domain/ids.ts';
import { type DurationUs, instrumentIndex } from '../../../domain/units.ts';
import { Collector } from '../../../recording/collect/collector.ts';
import type { DayTicks } from '../../../recording/collect/day-ticks.ts';
import { type StoredDay, storeDay } from '../../../recording/collect/store-day.ts';
import { FrameRecords, type RecordedFrame } from '../../../recording/frame-records.ts';
import { type BadRow, BadRows } from '../../../recording/import/bad-rows.ts';
import { isSymbol } from '../../../recording/import/file-name.ts';
import type { ImportWatch } from '../../../recording/import/import-options.ts';
import { openSource } from '../../../recording/import/source-file.ts';
import { decodeServerFrame } from '../../../wire/stream/server-frame.ts';
import { ContractTicks } from './contract-ticks.ts';
import { tickSizeOf } from './recorded-market.ts';

export interface FrameOptions {
  readonly dir: string;
  readonly calendar: TradingCalendar;
  /** What a contract is worth; undefined for a code that is none of this market. */
  readonly specOf: (code: string) => ContractSpec | undefined;
  readonly silence: DurationUs;
  /** Keep the good frames of a log that has bad ones. */
  readonly skipBad: boolean;
  readonly replace: boolean;
  readonly archive: boolean;
}

/** What the frames of a log were. All of them together are all there were. */
export interface FrameCounts {
  trades: number;
  books: number;
  /** Day summaries and channels that hold neither trades nor books. */
  others: number;
  /** Trades that came twice. */
  duplicates: number;
}

export interface FrameReport {
  readonly file: string;
  readonly rows: number;
  readonly badRows: number;
  readonly bad: readonly BadRow[];
  readonly stored: readonly StoredDay[];
  readonly counts: FrameCounts;
  /** Bytes at the end that a crash tore off. */
  readonly tornBytes: number;
}

export async function compileFrames(
  file: string,
  options: FrameOptions,
  watch: ImportWatch,
): Promise<FrameReport> {
  const collector = new Collector<DayTicks>(options.dir);
  try {
    const compiler = new FrameCompiler(options, collector, new BadRows((row) => watch.bad(row)));
    const source = openSource(file);
    const records = new FrameRecords();
    let bytes = 0;
    for await (const chunk of source.chunks()) {
      for (const frame of records.read(chunk)) compiler.add(frame);
      bytes += chunk.length;
      watch.progress({ bytes: source.bytesRead, size: source.size, rows: compiler.rows });
    }
    return { file, ...compiler.store(basename(file)), tornBytes: bytes - records.wholeBytes };
  } finally {
    collector.close();
  }
}

/** Nobody asks a recording when its contracts expire. */
const NO_EXPIRY = tradingDay('9999-12-31');

class FrameCompiler {
  readonly #options: FrameOptions;
  readonly #collector: Collector<DayTicks>;
  readonly #bad: BadRows;
  readonly #contracts: ContractTicks[] = [];
  readonly #byCode = new Map<string, Contract | undefined>();
  readonly #counts: FrameCounts = { trades: 0, books: 0, others: 0, duplicates: 0 };
  #frames = 0;

  constructor(options: FrameOptions, collector: Collector<DayTicks>, bad: BadRows) {
    this.#options = options;
    this.#collector = collector;
    this.#bad = bad;
  }

  get rows(): number {
    return this.#counts.trades + this.#counts.books;
  }

  add(frame: RecordedFrame): void {
    this.#frames += 1;
    const read = decodeServerFrame(frame.text, this, frame.seq, frame.tsUs);
    switch (read.kind) {
      case 'market':
        break;
      case 'malformed':
        return this.#bad.add(
          this.#frames,
          read.issues
            .map(({ path, expected, received }) => `${path}: expected ${expected}, was ${received}`)
            .join('; '),
        );
      case 'unknown_symbol':
        return this.#bad.add(
          this.#frames,
          `expected a contract of the configured market, was ${JSON.stringify(read.symbol)}`,
        );
      case 'ignored':
      case 'auth_result':
      case 'heartbeat_timeout':
      case 'pong':
      case 'control':
        this.#counts.others += 1;
        return;
    }
    this.#bad.good();
    const { event } = read;
    const ticks = this.#contracts[event.instrument];
    if (event.kind === 'summary') this.#counts.others += 1;
    else if (event.kind === 'book_update') {
      this.#counts.books += 1;
      ticks?.book(event);
    } else if (ticks?.trade(event) === true) this.#counts.trades += 1;
    else this.#counts.duplicates += 1;
  }

  byStreamCode(code: string): Contract | undefined {
    if (!this.#byCode.has(code)) this.#byCode.set(code, this.#newContract(code));
    return this.#byCode.get(code);
  }

  store(source: string): Omit<FrameReport, 'file' | 'tornBytes'> {
    const { calendar, skipBad } = this.#options;
    const { count, kept } = this.#bad;
    const zone = { offsetAtMoment: () => calendar.utcOffsetMinutes };
    const wanted = count > 0 && !skipBad ? [] : this.#contracts;
    const stored = wanted.flatMap(({ contract: { spec }, days }) =>
      [...days.values()].map(({ ticks, gaps }) =>
        storeDay(
          ticks,
          { ...this.#options, zone, tickSize: tickSizeOf(spec), lotSize: String(spec.lotSize ?? 1) },
          { source, badRows: count, sides: 'touch', gaps },
        ),
      ),
    );
    return { rows: this.rows, badRows: count, bad: kept, stored, counts: this.#counts };
  }

  #newContract(code: string): Contract | undefined {
    const spec = isSymbol(code) ? this.#options.specOf(code) : undefined;
    if (spec === undefined) return undefined;
    const contract: Contract = {
      index: instrumentIndex(this.#contracts.length),
      orderCode: orderCode(code),
      streamCode: streamCode(code),
      expiry: NO_EXPIRY,
      spec,
    };
    this.#contracts.push(new ContractTicks(contract, this.#options.calendar, this.#collector));
    return contract;
  }
}
