/** Imports the files that a backtest names once, into its own data directory; later runs read the columns. */
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { join, resolve } from 'node:path';
import { meantHint, meantPath, type Problem } from '../../config/problem.ts';
import { placed } from '../../config/read-file.ts';
import type { Path, YamlSource } from '../../config/yaml-source.ts';
import { barBounds } from '../../domain/bars.ts';
import { isSession, tradingDayAt } from '../../domain/calendar.ts';
import { durationUs, minutes, tsUs, US_PER_DAY } from '../../domain/units.ts';
import {
  faultOf,
  type ImportReport,
  isFileFault,
  PLAIN_SIDES,
  VIETNAMESE_SIDES,
} from '../../recording/import/import-table.ts';
import { SourceFileError } from '../../recording/import/table-file.ts';
import { hasSymbols, nameParts } from '../../recording/import/file-kind.ts';
import { stepsOf } from '../recorded/recorded-market.ts';
import { formatNumber, listed } from '../../text/numbers.ts';
import { timeZone } from '../../text/dates.ts';
import { type BacktestMarket, wallShiftOf } from './backtest-market.ts';
import type { BacktestFile } from './backtest-schema.ts';
import type { NamedDir } from './source-days.ts';

type NamedSource = BacktestFile['data']['prints'][number] | BacktestFile['data']['bars'][number];

export interface FileImports {
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

export async function importNamedFiles(data: BacktestFile['data'], imports: FileImports) {
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
  const dir = placeOf(path, how, { state, market });
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
    if (!isFileFault(error)) throw error;
    const hint =
      hintOn(error.message) ??
      (error instanceof SourceFileError
        ? 'nothing of it was taken'
        : 'say how it is written: columns, dateOrder, delimiter, header (config/README.md)');
    return source.problem(at, 'a file that can be imported', hint, faultOf(path, error));
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
function placeOf(
  path: string,
  how: readonly string[],
  { state, market: { calendar, zone } }: Pick<FileImports, 'state' | 'market'>,
): string {
  const { size, mtimeMs } = fs.statSync(path);
  const hours = JSON.stringify([calendar.phases, calendar.utcOffsetMinutes]);
  const what = [resolve(path), size, mtimeMs, ...how, hours, zone.name].join('|');
  return join(state, 'data', createHash('sha256').update(what).digest('hex').slice(0, 16));
}
