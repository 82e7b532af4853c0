/** Finds the contracts and days that the columns on disk hold for a backtest, from names and headers alone, and reads their rows. */
import { InputFault } from '../../domain/failure.ts';
import { ROWS_PER_BAR } from '../../venue/exchange/bar-exchange.ts';
import { createHash } from 'node:crypto';
import { barTicks, endWithSession } from '../run/tape-player.ts';
import { assertDefined } from '../../domain/assert.ts';
import {
  isSession,
  isStandstill,
  neverCloses,
  nextPhaseChange,
  phaseAt,
  type TradingCalendar,
  tradingDayAt,
} from '../../domain/calendar.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import { aliasOf, contractMonthOf, legacyCode, listedMonths } from '../../domain/contract-code.ts';
import { tsUs, type TsUs, durationUs, minutes, US_PER_DAY } from '../../domain/units.ts';
import type { Path, YamlSource } from '../../config/yaml-source.ts';
import { type BarFile, barFiles, openCatalogue } from '../../recording/columns/catalogue.ts';
import {
  type BarMeta,
  type BarRows,
  barsOf,
  readBarMeta,
  readBarParts,
  readBars,
  tableOfBars,
} from '../../recording/columns/bar-file.ts';
import { sliceTable } from '../../recording/columns/row-table.ts';
import { type TickMeta, type TickRows, readColumns } from '../../recording/columns/tick-file.ts';
import { formatUtcOffset, timeZone } from '../../text/dates.ts';
import { stepsOf } from '../recorded/recorded-market.ts';
import { type BacktestMarket, wallShiftOf } from './backtest-market.ts';
import { type BacktestConfig, isOnBars } from './backtest-schema.ts';
import * as fs from 'node:fs';
import { join, resolve } from 'node:path';
import { meantHint, meantPath, type Problem } from '../../config/problem.ts';
import { placed } from '../../config/read-file.ts';
import { barBounds } from '../../domain/bars.ts';
import { type ImportReport, PLAIN_SIDES, VIETNAMESE_SIDES } from '../../recording/import/import-table.ts';
import { hasSymbols, nameParts } from '../../recording/import/file-kind.ts';
import { formatNumber, listed } from '../../text/numbers.ts';

/** One contract on one day, as some file has it. Plain data: it may be sent to a thread. */
export interface SourceDay {
  /** Order code in the contract table of the day. */
  readonly code: string;
  readonly day: TradingDay;
  readonly path: string;
  readonly rows: number;
  readonly digest: string;
  /** Bars of the file from `from` up to, not including, `to`; null for a file of ticks. */
  readonly bars: { readonly from: number; readonly to: number; readonly everyUs: number } | null;
  /** Where rows are quotes: whether they have sizes. */
  readonly quotes: 'sized' | 'unsized' | null;
  /** Stretches in which trades are known to be missing. */
  readonly missed: number;
}

interface NamedDir {
  readonly dir: string;
  readonly at: Path;
  /** The file that was imported; absent where the directory itself is named. */
  readonly file?: string;
}

export interface SourceDays {
  /** By day, then by code; includes days before `from`, whose closes are reference prices. */
  readonly all: readonly SourceDay[];
  readonly days: readonly TradingDay[];
  /** Data that was left out, with the reason. */
  readonly remarks: readonly string[];
  /** Days of which one file has the trades and another the quotes: they cannot be played together. */
  readonly apart: readonly (Pick<SourceDay, 'code' | 'day'> & Pick<NamedDir, 'at'>)[];
}

/** A day of the data directory before its symbol is resolved. */
type FoundDay = Omit<SourceDay, 'code'> & {
  readonly symbol: string;
  /** Decimal size of one tick and of one lot. */
  readonly tickSize: string;
  readonly lotSize: string;
  /** Where its file says which day it is; null where the market's calendar does. */
  readonly dated: Pick<TickMeta, 'firstUs' | 'lastUs' | 'utcOffsetMinutes'> | null;
};

export function sourceDays(
  dirs: readonly NamedDir[],
  market: BacktestMarket,
  config: BacktestConfig,
): SourceDays {
  const { symbols, from = null, to = null, every } = config.data;
  const found = new Map<string, SourceDay & { readonly name: string }>();
  const apart: SourceDays['apart'][number][] = [];
  const remarks: string[] = [];
  const wanted = symbols?.map(plainCode) ?? null;
  // A directory may hold ticks and bars of several lengths.
  const dayAt = daysOf(market, null);
  const held = dirs.flatMap(({ dir, file, at }) => {
    const all = isOnBars(config) ? barDays(dir, market, every) : tickDays(dir);
    return all.map((each) => ({ ...each, at, name: file ?? each.path }));
  });
  for (const { symbol, tickSize, lotSize, dated, at, ...source } of held) {
    const { day, name } = source;
    const spec = market.specOf(symbol);
    const code = codeOn(market, symbol, day);
    if (spec === undefined || code === undefined || (to !== null && day > to)) continue;
    if (wanted !== null && !wanted.includes(code) && !wanted.includes(symbol)) continue;
    const own = stepsOf(spec);
    const why = !isSession(market.calendar, day)
      ? 'the calendar has no session on that day'
      : Number(tickSize) !== Number(own.tickSize) || Number(lotSize) !== Number(own.lotSize)
        ? `${name} counts in ticks of ${tickSize} and lots of ${lotSize}, the market in ${own.tickSize} and ${own.lotSize}`
        : dated !== null && (dayAt(dated.firstUs) !== day || dayAt(dated.lastUs) !== day)
          ? `${name} is a day at ${formatUtcOffset(dated.utcOffsetMinutes)}, and in ${market.calendar.timeZone} it lies on another one or on two`
          : null;
    if (why !== null) {
      remarks.push(`${symbol} on ${day}: left out, ${why}`);
      continue;
    }
    const key = `${day} ${code}`;
    const known = found.get(key);
    if (known === undefined) found.set(key, { ...source, code });
    else if ((known.quotes === null) !== (source.quotes === null)) apart.push({ code, day, at });
    else if (known.digest !== source.digest)
      remarks.push(`${code} on ${day}: ${name} is left out, ${known.name} has that day too`);
  }
  const all = [...found].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, source]) => source);
  const days = [...new Set(all.map(({ day }) => day))].filter((day) => from === null || day >= from);
  return { all, days, remarks, apart };
}

const tickDays = (dir: string): readonly FoundDay[] =>
  openCatalogue(dir).map(({ symbol, day, path, meta }) => ({
    symbol,
    day,
    path,
    rows: meta.rows,
    digest: meta.digest,
    tickSize: meta.tickSize,
    lotSize: meta.lotSize,
    dated: meta.rows === 0 ? null : meta,
    bars: null,
    quotes: meta.quotes ?? null,
    missed: meta.gaps.filter(({ kind }) => kind === 'missed').length,
  }));

/** Legacy form of a contract code; other symbols as they are. */
function plainCode(symbol: string): string {
  const month = contractMonthOf(symbol);
  return month === undefined ? symbol : legacyCode(month);
}

/** Microseconds; 0 where no source has bars. A run may have a million sources, too many for one list of arguments. */
export const longestBar = (sources: readonly SourceDay[]): number =>
  sources.reduce((longest, { bars }) => Math.max(longest, bars?.everyUs ?? 0), 0);

/** The contract of a symbol on a day: a series of the front month is another contract each month. */
export function codeOn(market: BacktestMarket, symbol: string, day: TradingDay): string | undefined {
  const alias = aliasOf(symbol);
  if (market.kind === 'own' || alias === undefined) return plainCode(symbol);
  const month = listedMonths(market.calendar, alias.underlying, day)[alias.place];
  return month === undefined ? undefined : legacyCode(month);
}

export function digestOfSources(sources: readonly SourceDay[], more: unknown): string {
  const hash = createHash('sha256').update(JSON.stringify(more));
  for (const { code, day, digest } of sources) hash.update(`${code} ${day} ${digest}\n`);
  return hash.digest('hex');
}

/** `everyUs` undefined takes bars of any length. */
function barDays(dir: string, market: BacktestMarket, everyUs: number | undefined): readonly FoundDay[] {
  return barFiles(dir).flatMap((file) => {
    const meta = readBarMeta(file.path);
    if (everyUs !== undefined && meta.everyUs !== everyUs) return [];
    return daysIn(file, meta, daysOf(market, meta.everyUs));
  });
}

function daysOf(market: BacktestMarket, everyUs: number | null): (atUs: number) => TradingDay {
  const shiftAt = wallShiftOf(market, everyUs);
  return (at) => tradingDayAt(market.calendar, tsUs(at + shiftAt(at)));
}

function daysIn({ path, symbol }: BarFile, meta: BarMeta, dayAt: (atUs: number) => TradingDay) {
  const { everyUs, tickSize, lotSize } = meta;
  const days: { readonly day: TradingDay; readonly from: number; to: number }[] = [];
  let row = 0;
  for (const { startUs, rows } of readBarParts(path)) {
    for (let i = 0; i < rows; i += 1) {
      const day = dayAt(startUs[i] ?? 0);
      const open = days.at(-1);
      row += 1;
      if (open?.day === day) open.to = row;
      else days.push({ day, from: row - 1, to: row });
    }
  }
  return days.map(({ day, from, to }): FoundDay => {
    const digest = createHash('sha256').update(`${meta.digest} ${from} ${to}`).digest('hex');
    const rows = ROWS_PER_BAR * (to - from);
    const bars = { from, to, everyUs };
    return { symbol, day, path, rows, digest, tickSize, lotSize, dated: null, bars, quotes: null, missed: 0 };
  });
}

/** Bars of a file that stay in memory: those of a day, and more of the days after. */
interface BarWindow {
  readonly path: string;
  readonly from: number;
  readonly bars: BarRows;
}

/** Rows of a window; a day with more is a window of its own. */
const WINDOW_ROWS = 4_096;

export type DayReader = (source: SourceDay) => TickRows;

/** Reads the rows of days in any order, at the moments of the run: ticks as stored, bars as the trades that a run plays for them. */
export function rowReader({ data, models }: BacktestConfig, market: BacktestMarket): DayReader {
  const windows = new Map<string, BarWindow>();
  return ({ code, path, bars }) => {
    if (bars === null) return atRunTime(quotedAt(readColumns(path), data.quotePrice), market, null);
    const { from, to, everyUs } = bars;
    let window = windows.get(code);
    if (window?.path !== path || from < window.from || to > window.from + window.bars.rows) {
      window = { path, from, bars: readBars(path, from, Math.max(to, from + WINDOW_ROWS)) };
      windows.set(code, window);
    }
    const table = sliceTable(tableOfBars(window.bars), from - window.from, to - window.from);
    return atRunTime(barTicks(barsOf(table), everyUs, models.path), market, everyUs);
  };
}

/** At the moments of the run: on the clock on the wall, and a bar no longer than its session. */
function atRunTime(rows: TickRows, market: BacktestMarket, everyUs: number | null): TickRows {
  const shift = wallShiftOf(market, everyUs)(rows.tsUs[0] ?? 0);
  if (shift !== 0)
    for (let row = 0; row < rows.rows; row += 1) rows.tsUs[row] = (rows.tsUs[row] ?? 0) + shift;
  endWithSession(rows, (at) => sessionEnd(market.calendar, tsUs(at)));
  return rows;
}

/** The next break or close after a bar begins, not an auction, whose price may be in the bar; Infinity where trading pauses already. */
function sessionEnd(calendar: TradingCalendar, startUs: TsUs): number {
  const isPaused = (at: TsUs): boolean => isStandstill(phaseAt(calendar, at));
  if (neverCloses(calendar) || isPaused(startUs)) return Infinity;
  let endUs = nextPhaseChange(calendar, startUs);
  for (let step = 0; !isPaused(endUs); step += 1) {
    if (step > 2 * calendar.phases.length) return Infinity;
    endUs = nextPhaseChange(calendar, endUs);
  }
  return endUs;
}

/** The middle is stored. */
function quotedAt(rows: TickRows, price: BacktestConfig['data']['quotePrice']): TickRows {
  const { isQuotes, book } = rows;
  if (!isQuotes || book === null || price === 'mid') return rows;
  const priceTicks = assertDefined(
    (price === 'bid' ? book.bidPrice : book.askPrice)[0],
    'a quote has a level',
  );
  return { ...rows, priceTicks };
}

// Files that a backtest names are imported once, into its own data directory; later runs read the columns.

type NamedSource = BacktestConfig['data']['prints'][number] | BacktestConfig['data']['bars'][number];

interface FileImports {
  readonly source: YamlSource;
  readonly market: BacktestMarket;
  readonly state: string;
  readonly note: (text: string) => void;
}

interface ImportJob {
  readonly path: string;
  readonly at: Path;
  readonly entry: NamedSource;
  readonly kind: (typeof KINDS)[number];
}

const KINDS = ['prints', 'quotes', 'bars'] as const;
const NO_WATCH = { progress: () => undefined, bad: () => undefined };
const BAD_ROWS_SHOWN = 3;
export const NAMES_SHOWN = 10;

export async function importNamedFiles(data: BacktestConfig['data'], imports: FileImports) {
  const dirs: NamedDir[] = [];
  const problems: Problem[] = [];
  const jobs: ImportJob[] = [];
  for (const kind of KINDS) {
    for (const [i, entry] of data[kind].entries()) {
      const at = ['data', kind, i];
      const found = filesAt(entry.file, at, imports);
      if ('problem' in found) problems.push(found.problem);
      else jobs.push(...found.files.map((path) => ({ path, at, entry, kind })));
    }
  }
  for (const job of problems.length > 0 ? [] : jobs) {
    const made = await importOne(job, imports);
    if (typeof made === 'string') dirs.push({ dir: made, file: job.path, at: job.at });
    else problems.push(made);
  }
  const lines = dirs.flatMap(({ dir }) => fs.readFileSync(join(dir, 'source'), 'utf8').split('\n').slice(1));
  return { dirs, remarks: lines.filter((each) => each !== ''), problems };
}

function filesAt(name: string, at: Path, { source }: FileImports) {
  const path = placed(name, source.file);
  if (!fs.existsSync(path)) {
    const expected = 'an existing file or folder, next to this file';
    return { problem: source.problem(at, expected, meantPath(path, 'check the path'), `no ${path}`) };
  }
  if (!fs.statSync(path).isDirectory()) return { files: [path] };
  const files = fs
    .readdirSync(path)
    .filter((each) => /\.csv(\.gz)?$/.test(each))
    .toSorted()
    .map((each) => join(path, each));
  if (files.length > 0) return { files };
  return { problem: source.problem(at, 'a folder with .csv or .csv.gz files', '', `${path} without one`) };
}

async function importOne({ path, at, entry, kind }: ImportJob, imports: FileImports) {
  const { source, market, state, note } = imports;
  const content = await contentOf(path, entry, market);
  if (content === null) {
    const names = Object.keys(market.contracts);
    const expected = `a contract of this market (${listed(names, NAMES_SHOWN)})`;
    const { symbol } = entry;
    if (symbol !== undefined) return source.problem(at, expected, meantHint(symbol, names), symbol);
    const hint =
      'say which contract it is, { file: ..., symbol: NAME }; a file with a column of symbols needs contracts of one tick and lot';
    return source.problem(at, `a file of ${expected}`, hint, path);
  }
  const how = [kind, JSON.stringify(entry), content.symbol ?? '', content.tickSize];
  const dir = importDir(path, how, { state, market });
  if (fs.existsSync(join(dir, 'source'))) return dir;
  note(`importing ${path}`);
  const unfinished = `${join(state, 'data')}/.part-${process.pid}`;
  fs.rmSync(unfinished, { recursive: true, force: true });
  fs.mkdirSync(unfinished, { recursive: true });
  try {
    const options = { ...importOptions(entry, market), ...content, dir: unfinished };
    // Readers are loaded when a file is imported: later runs start without them.
    const { importTicksOrBars } = await import('../recorded/import-file.ts');
    const report = await importTicksOrBars(path, kind, options, NO_WATCH);
    if (report.badRows > 0) return badFile(source, at, path, report);
    const outside = outsideText(path, report, market);
    const hint = outsideHint(entry);
    if (outside !== '' && isMostlyOutside(report, market))
      return source.problem(at, 'rows within the hours of the market', hint, outside);
    for (const text of report.notes) note(`${path}: ${text}`);
    const remark = outside === '' ? '' : `${outside}, and no order trades on them: ${hint}`;
    fs.writeFileSync(join(unfinished, 'source'), `${resolve(path)}\n${remark}`);
    fs.rmSync(dir, { recursive: true, force: true });
    fs.renameSync(unfinished, dir);
    return dir;
  } catch (error) {
    if (!(error instanceof InputFault)) throw error;
    const hint =
      hintOn(error.message) ??
      (error.of === 'file'
        ? 'nothing of it was taken'
        : 'say how it is written: columns, dateOrder, delimiter, header (config/README.md)');
    return source.problem(at, 'a file that can be imported', hint, error.message);
  } finally {
    fs.rmSync(unfinished, { recursive: true, force: true });
  }
}

/** The contract of a file, or of each row where a column names it (`symbol` is undefined then), and its steps. */
async function contentOf(path: string, entry: NamedSource, market: BacktestMarket) {
  const symbol = entry.symbol ?? nameParts(path).symbol ?? undefined;
  const spec = symbol === undefined ? undefined : market.specOf(symbol);
  if (spec !== undefined) return { symbol, ...stepsOf(spec) };
  if (entry.symbol !== undefined || !(await hasSymbols(path, entry.columns))) return null;
  const [first, ...others] = Object.values(market.contracts).map((each) => stepsOf(each));
  const isOne = ({ tickSize, lotSize }: ReturnType<typeof stepsOf>): boolean =>
    tickSize === first?.tickSize && lotSize === first.lotSize;
  return first !== undefined && others.every(isOne) ? { symbol: undefined, ...first } : null;
}

const OR_ROUND = ', or round prices to the nearest tick: { file: ..., round: true }';
/** What to write for what a fault shows; the first counts. */
const HINTS = [
  [
    /was "\d{1,3}(?:(?:,\d{3})+\.|(?:\.\d{3})+,)/,
    'take the separators of thousands out of its numbers; nothing of it was taken',
  ],
  [/was "\d[\d.]*,\d+"/, 'write { file: ..., decimalComma: true } where the comma is the decimal point'],
  [
    /finest step/,
    `write a tick and a lot of these steps for its contract${OR_ROUND}, or say how it is written: columns, delimiter`,
  ],
  [
    /a side out of/,
    'say its words: { file: ..., sides: { buy: B, sell: A, none: N } }; nothing of it was taken',
  ],
  [
    /was "\d{1,2}[-/.]\d{1,2}[-/.]\d{4}/,
    'write { file: ..., dateOrder: dmy } where the day comes first, mdy where the month does; nothing of it was taken',
  ],
] as const;

const hintOn = (text: string): string | undefined => HINTS.find(([shows]) => shows.test(text))?.[1];

function badFile(
  source: YamlSource,
  at: Path,
  path: string,
  { bad, badRows, steps: { prices, volumes }, notes }: ImportReport<unknown>,
): Problem {
  const first = bad.slice(0, BAD_ROWS_SHOWN).map(({ line, reason }) => `${path}:${line}: ${reason}`);
  if (badRows > first.length) first.push(`and ${formatNumber(badRows - first.length)} more`);
  const received = `${badRows} bad ${badRows === 1 ? 'row' : 'rows'}:\n  ${first.join('\n  ')}\n `;
  const reasons = bad.map(({ reason }) => reason).join('\n');
  const lines = [
    ...(prices.isFiner ? [`tick: ${prices.step}`] : []),
    ...(volumes.isFiner ? [`lot: ${volumes.step}`] : []),
  ];
  const finer = `write ${lines.join(', ')} for its contract (${notes.join('; ')})${prices.isFiner ? OR_ROUND : ''}; nothing of it was taken`;
  const hint = hintOn(reasons) ?? (lines.length > 0 ? finer : 'repair them; nothing of it was taken');
  return source.problem(at, 'a file without bad rows', hint, received);
}

const outsideHint = ({ zone }: NamedSource): string =>
  `${zone === undefined ? 'where its times are those of UTC without saying so, write { file: ..., zone: UTC }' : `zone says that its times are those of ${zone}: write the zone that they are of`}; of bars with the time of their end, stamp: end; where the market trades then, other hours; else take these rows out of the file`;

/** A file of all hours has as many rows an hour within those of the market as outside, and crosses both ends of them. */
function isMostlyOutside(
  { outside, rows }: Pick<ImportReport<unknown>, 'outside' | 'rows'>,
  { calendar: { phases } }: BacktestMarket,
): boolean {
  const openUs = phases.reduce((sum, { fromUs, toUs }) => sum + toUs - fromUs, 0);
  const isThin = (2 * (rows - outside.rows)) / openUs < outside.rows / (US_PER_DAY - openUs);
  return 2 * outside.rows > rows && (outside.ends.size < 2 || isThin);
}

/** Empty where all rows are within the hours. Bars of a day have a mistake of their own where a market has hours. */
function outsideText(
  path: string,
  { outside: { rows, first, last }, rows: all, stored }: ImportReport<object>,
  { zone }: BacktestMarket,
): string {
  const isDaily = stored.some(({ meta }) => 'everyUs' in meta && Number(meta.everyUs) >= US_PER_DAY);
  if (rows === 0 || isDaily) return '';
  return `${formatNumber(rows)} of ${formatNumber(all)} rows of ${path} (lines ${first} to ${last}) outside the hours of the market in ${zone.name}`;
}

const importOptions = (entry: NamedSource, market: BacktestMarket) => ({
  ...entry,
  stampZone: entry.zone === undefined ? undefined : timeZone(entry.zone),
  isClosed: closedIn(market),
  ...('stamp' in entry
    ? { stamp: entry.stamp, every: entry.every === undefined ? undefined : durationUs(entry.every) }
    : { stamp: 'start' as const, every: undefined }),
  zone: market.zone,
  sides: entry.sides ?? (market.kind === 'own' ? PLAIN_SIDES : VIETNAMESE_SIDES),
  calendar: market.isZoneFixed ? market.calendar : null,
  silence: minutes(5),
});

/** On a day with a session; the print of a closing auction is not. */
function closedIn(market: BacktestMarket): (atUs: number) => boolean {
  const { calendar } = market;
  const shiftAt = wallShiftOf(market, null);
  return (us) => {
    const at = tsUs(us + shiftAt(us));
    const { phase } = barBounds(calendar, at, null);
    return phase === 'closed' && isSession(calendar, tradingDayAt(calendar, at));
  };
}

/** A directory of its own for the file as it is now, read as it is read now. */
function importDir(
  path: string,
  how: readonly string[],
  { state, market: { calendar, zone } }: Pick<FileImports, 'state' | 'market'>,
): string {
  const { size, mtimeMs } = fs.statSync(path);
  const hours = JSON.stringify([calendar.phases, calendar.utcOffsetMinutes]);
  const what = [resolve(path), size, mtimeMs, ...how, hours, zone.name].join('|');
  return join(state, 'data', createHash('sha256').update(what).digest('hex').slice(0, 16));
}
