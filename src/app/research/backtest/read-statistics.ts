/** Reads how the statistics of a run are computed, and the closes of its benchmark. */
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import type {
  BenchmarkClose,
  BenchmarkSource,
  StatisticsSettings,
} from '../../../backtest/statistics/statistics-settings.ts';
import type { Problem } from '../../../config/problem.ts';
import type { YamlSource } from '../../../config/yaml-source.ts';
import { dayAt, type TradingDay } from '../../../domain/civil-date.ts';
import { tsUs } from '../../../domain/units.ts';
import { mapColumns, shown } from '../../../recording/import/column-map.ts';
import { cellText, type CsvRow } from '../../../recording/import/csv-rows.ts';
import { faultOf, ImportError, isFileFault } from '../../../recording/import/import-table.ts';
import { StampReader } from '../../../recording/import/stamp-reader.ts';
import { readTable } from '../../../recording/import/table-file.ts';
import type { TimeZone } from '../../../text/time-zone.ts';
import type { BacktestMarket } from './backtest-market.ts';
import type { BacktestFile } from './backtest-schema.ts';
import type { SourceDays } from './source-days.ts';
import { placed } from '../../host/strategy-files/strategy-code.ts';

type Named = NonNullable<BacktestFile['statistics']['benchmark']>;

interface Failed {
  readonly problem: Problem;
}

export async function readStatistics(
  source: YamlSource,
  { statistics: { benchmark: named, ...settings } }: BacktestFile,
  data: { readonly market: BacktestMarket; readonly sources: SourceDays },
): Promise<StatisticsSettings | Failed> {
  if (named === undefined) return settings;
  const found = await benchmarkOf(source, named, data);
  return 'problem' in found ? found : { ...settings, benchmark: found };
}

async function benchmarkOf(
  source: YamlSource,
  named: Named,
  { market, sources: { all, days } }: { readonly market: BacktestMarket; readonly sources: SourceDays },
): Promise<BenchmarkSource | Failed> {
  const at = ['statistics', 'benchmark'];
  const name = named.file;
  if (all.some(({ code }) => code === name)) return { kind: 'symbol', name };
  const path = placed(name, source.file);
  if (!existsSync(path)) {
    const expected = 'a contract with data in this run, or a file of closes beside this file';
    return { problem: source.problem(at, expected, 'check the name or the path', name) };
  }
  try {
    const closes = await readCloses(path, named, market.zone);
    const played = new Set(days);
    if (closes.filter(({ day }) => played.has(day)).length > 1)
      return { kind: 'closes', name: basename(path), closes };
    const span = `closes from ${closes[0]?.day ?? 'no day'} to ${closes.at(-1)?.day ?? 'no day'}`;
    return { problem: source.problem(at, 'closes on two days of the run or more', '', span) };
  } catch (error) {
    if (!isFileFault(error)) throw error;
    const hint = 'say how it is written: columns, dateOrder, delimiter, header (config/README.md)';
    return {
      problem: source.problem(at, 'a file with a date and a close a row', hint, faultOf(path, error)),
    };
  }
}

/** The last row of each day is its close, in the order of days. */
async function readCloses(path: string, named: Named, zone: TimeZone): Promise<readonly BenchmarkClose[]> {
  const byDay = new Map<TradingDay, { readonly atUs: number; readonly close: number }>();
  const stamps = new StampReader({ zone, day: null, dateOrder: named.dateOrder });
  await readTable(path, {
    header: named.header,
    delimiter: named.delimiter,
    begin({ header, width }) {
      const mapped = mapColumns(header, named.columns, width);
      if (!mapped.ok) throw new ImportError(`${path}, line 1: ${mapped.problem}`);
      const { time = -1, close: closing = -1, price = closing } = mapped.columns;
      if (time < 0 || price < 0)
        throw new ImportError(
          `${path}, line 1: expected columns for time and close, was: ${shown(header, width)}`,
        );
      return (row) => {
        const { atUs, close } = readRow(path, row, { stamps, time, price });
        const day = dayAt(tsUs(atUs), zone.offsetAtMoment(atUs));
        if (atUs >= (byDay.get(day)?.atUs ?? -Infinity)) byDay.set(day, { atUs, close });
      };
    },
    progress: () => undefined,
  });
  return [...byDay].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([day, { close }]) => ({ day, close }));
}

function readRow(
  path: string,
  row: CsvRow,
  columns: { readonly stamps: StampReader; readonly time: number; readonly price: number },
): { readonly atUs: number; readonly close: number } {
  const { stamps, time, price } = columns;
  const atUs = stamps.read(row.bytes, row.bounds[2 * time] ?? 0, row.bounds[2 * time + 1] ?? 0);
  if (Number.isNaN(atUs)) throw bad(path, row, 'a date like 2026-03-04', time);
  const close = Number(cellText(row, price));
  if (!(close > 0 && close < Infinity)) throw bad(path, row, 'a close above 0', price);
  return { atUs, close };
}

const bad = (path: string, row: CsvRow, expected: string, cell: number): ImportError =>
  new ImportError(`${path}:${row.line}: expected ${expected}, was ${JSON.stringify(cellText(row, cell))}`);
