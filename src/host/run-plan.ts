/** Reads the configuration of a run, and changes it for that run: command line, tape, limits of the first day with real money. */
import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  type Config,
  loadConfig,
  type LoadedConfig,
  type OtherStrategies,
  type ReadConfig,
} from '../config/config.ts';
import type { TradingCalendar } from '../domain/calendar.ts';
import { isTradingDay, momentOf, tradingDay } from '../domain/civil-date.ts';
import { closing, errorText } from '../domain/failure.ts';
import type { StrategyRisk } from '../domain/settings.ts';
import { type Qty, qty, type TsUs, tsUs, US_PER_SECOND } from '../domain/units.ts';
import { isJournalThere } from '../journal/journal-database.ts';
import type { StatePaths } from './state/state-paths.ts';
import { readJournal } from '../journal/journal-reader.ts';
import { sessionDayAt, systemClock } from './system-clock.ts';
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Problem } from '../config/problem.ts';
import { CATALOG, isOwn } from './strategy-files/own-strategies.ts';
import { isInstalled, isStrategyFile } from './strategy-files/strategy-code.ts';

export interface RunOverrides {
  /** A tape of prints to trade instead of the synthetic market, or null. */
  readonly replay: string | null;
  /** Market seconds in one real second, or null for the configured speed. */
  readonly speed: number | null;
  readonly stateDir: string | null;
}

export interface RunPlan {
  readonly config: Config;
  /** The recorded day to trade, or null. */
  readonly tape: ReturnType<typeof tapeTimes> | null;
  /** Strategies that are left out, and why; shown at the start. */
  readonly remarks: readonly string[];
}

/** Reads of the book come no closer than 50 ms: a second of the market, as `poll.bookFast` has it. Tapes wait. */
const SPEED_MAX = 20;
const OUTRUN_WARNING = `above ${SPEED_MAX} times real time a made market outruns its broker: prices look stale, orders unknown`;

/** Remark of a run that cannot use the feed. */
const NO_FEED =
  'the feed of the configuration is left out: a recorded day, or a market at another speed, is not the present';

export function runPlan(configured: Config, overrides: RunOverrides): RunPlan {
  const { speed: usual, tape } = configured.simulator;
  const speed = overrides.speed ?? usual;
  const isPresent = configured.mode !== 'paper' || (speed === 1 && (overrides.replay ?? tape) === undefined);
  const base: Config = { ...configured, simulator: { ...configured.simulator, speed } };
  if (isPresent || configured.cluster?.feed === undefined) return planOf(base, overrides);
  const plan = planOf({ ...base, cluster: { ...configured.cluster, feed: undefined } }, overrides);
  return { ...plan, remarks: [...plan.remarks, NO_FEED] };
}

function planOf(base: Config, { replay, stateDir }: RunOverrides): RunPlan {
  const tapePath = replay ?? base.simulator.tape;
  if (tapePath === undefined || base.mode !== 'paper') {
    const remarks = base.mode === 'paper' && base.simulator.speed > SPEED_MAX ? [OUTRUN_WARNING] : [];
    return { config: { ...base, stateDir: stateDir ?? base.stateDir }, tape: null, remarks };
  }
  const tape = tapeTimes(tapePath, base.exchangeCalendar, base.simulator.speed);
  const { config, remarks } = withOneContract(base);
  return {
    config: {
      ...config,
      calendar: base.exchangeCalendar,
      // Each replay of a recorded day has an account and a journal of its own.
      stateDir: stateDir ?? join(dirname(base.stateDir), `replay-${tape.day}`),
      simulator: { ...config.simulator, tape: tapePath },
    },
    tape,
    remarks,
  };
}

/** A tape holds one contract: strategies that need another one are left out. */
function withOneContract(config: Config): { readonly config: Config; readonly remarks: readonly string[] } {
  const fits = config.strategies.map(({ symbols }) => new Set(symbols).size === 1);
  const left = config.strategies.filter((_, i) => fits[i] !== true);
  const kept = <T>(of: readonly T[]): readonly T[] => of.filter((_, i) => fits[i] === true);
  const engine = { ...config.engine, strategies: kept(config.engine.strategies) };
  return {
    config: { ...config, strategies: kept(config.strategies), engine },
    remarks: left.map(
      ({ id, symbols }) =>
        `${id} is not started: it needs ${symbols.join(' and ')}, the tape holds one contract`,
    ),
  };
}

/** Real seconds between the start and the first continuous phase: the daemon must listen before the first print. */
const LEAD_SECONDS = 8;

function tapeTimes(path: string, calendar: TradingCalendar, speed: number) {
  const dayText = basename(path).slice(0, 10);
  if (!isTradingDay(dayText)) {
    throw new Error(
      `tape ${path}: expected a name like 2026-03-04_vn30f2603.csv.gz that starts with the trading day`,
    );
  }
  const day = tradingDay(dayText);
  const opening = calendar.phases[0];
  const continuous = calendar.phases.find(({ phase }) => phase === 'continuous') ?? opening;
  const closing = calendar.phases.at(-1);
  if (opening === undefined || continuous === undefined || closing === undefined) {
    throw new Error(`calendar ${calendar.name}: expected phases, was empty`);
  }
  const at = (timeUs: number): TsUs => momentOf(day, timeUs, calendar.utcOffsetMinutes);
  const lead = LEAD_SECONDS * speed * US_PER_SECOND;
  return {
    day,
    startUs: tsUs(Math.max(at(opening.fromUs), Math.round(at(continuous.fromUs) - lead))),
    endUs: at(closing.toUs),
  };
}

/** Counter of the days on which this journal traded real money. */
export const LIVE_DAY = 'live_day';

/**
 * Limits the first day with real money to the smallest size, whatever the rest of the configuration says. `onUnreadable`: takes why the
 * journal cannot be read, which then shows no day; without it that throws.
 */
export function withFirstDayLimits(
  config: Config,
  journalPath: string,
  onUnreadable?: (reason: string) => void,
): { readonly config: Config; readonly remarks: readonly string[] } {
  if (config.mode !== 'live') return { config, remarks: [] };
  const today = sessionDayAt(config.calendar, systemClock.nowUs());
  let days: readonly string[] = [];
  try {
    days = liveDays(journalPath);
  } catch (error) {
    if (onUnreadable === undefined) throw error;
    onUnreadable(errorText(error));
  }
  if (days.some((day) => day < today)) return { config, remarks: [] };
  const max = config.live.firstDayQtyMax;
  const remark = `first day with real money: orders and positions of at most ${max} until a start on a later day`;
  return { config: withOrderQtyMax(config, max), remarks: [remark] };
}

/**
 * A journal that cannot be read may have, and one that was moved away from its copies and frames, unless a paper account is next to it:
 * that one starts with a new journal by `--fresh`.
 */
export function mayHaveTradedMoney({ journal, simulator, ...others }: StatePaths): boolean {
  try {
    if (isJournalThere(journal)) return liveDays(journal).length > 0;
    const { archive, backups, frames, data } = others;
    if (![archive, backups, frames, data].some((path) => existsSync(path))) return false;
  } catch {
    // It cannot be read.
  }
  return !existsSync(simulator);
}

/** Key of the account in the counter of days with real money. */
export const accountKey = ({ account }: Pick<Config, 'account'>): number =>
  Number.parseInt(
    hash('sha256', `${account?.custodyCode} ${account?.subAccountId}`, 'hex').slice(0, ACCOUNT_DIGITS),
    16,
  );

/** A whole number has room for them. */
const ACCOUNT_DIGITS = 12;

/** The last day with real money was another account's; a 1 does not say whose it was. */
export function isOfOtherAccount(path: string, config: Pick<Config, 'account'>): boolean {
  if (!isJournalThere(path)) return false;
  return closing(readJournal(path), ({ read }) => {
    const day = read.counterDays(LIVE_DAY).at(-1);
    const key = day === undefined ? 1 : read.counter(LIVE_DAY, day);
    return key !== 1 && key !== accountKey(config);
  });
}

function liveDays(path: string): readonly string[] {
  if (!isJournalThere(path)) return [];
  return closing(readJournal(path), ({ read }) => read.counterDays(LIVE_DAY));
}

/** The configuration file as a running daemon uses it; limits of the first day hold until a start on a later one. */
export async function readAgain(
  { file, mode }: Pick<Config, 'file' | 'mode'>,
  overrides: RunOverrides,
  isFirstDay: boolean,
): Promise<LoadedConfig> {
  const loaded = await loadRunConfig(file);
  if (!loaded.ok) return loaded;
  // A dry run takes a file for live.
  const configured =
    mode === 'dry-run' && loaded.config.mode === 'live' ? { ...loaded.config, mode } : loaded.config;
  const { config } = runPlan(configured, overrides);
  return { ok: true, config: isFirstDay ? withOrderQtyMax(config, config.live.firstDayQtyMax) : config };
}

function withOrderQtyMax(config: Config, max: number): Config {
  const { engine } = config;
  const atMost = (value: Qty): Qty => qty(Math.min(value, max));
  const small = <T extends StrategyRisk>(risk: T): T => ({ ...risk, positionMax: atMost(risk.positionMax) });
  return {
    ...config,
    engine: {
      ...engine,
      risk: { ...small(engine.risk), orderQtyMax: atMost(engine.risk.orderQtyMax) },
      strategies: engine.strategies.map((strategy) => ({ ...strategy, risk: small(strategy.risk) })),
    },
  };
}

// Reads a configuration that is to run. The user's own code is loaded in a separate process first: where it hangs, throws, takes all memory
// or changes shared objects, nothing of this process is touched.

/** Until all strategies are loaded and their types are checked. */
const LOAD_MS_MAX = 60_000;
const HEAP_MB_MAX = 512;

export async function loadRunConfig(file: string): Promise<ReadConfig> {
  const asWritten = loadConfig(file, CATALOG, (name) => isStrategyFile(name) || isInstalled(name, file));
  if (!asWritten.ok || !asWritten.config.strategies.some(({ strategy }) => isOwn(strategy))) return asWritten;
  const read = await readInProcess(file);
  if (typeof read !== 'string') return loadConfig(file, CATALOG, read);
  const problem: Problem = {
    file,
    line: 1,
    column: 1,
    path: 'strategies',
    expected: 'strategies that load',
    received: read,
    hint: 'code outside of connect() may neither wait nor end the program',
  };
  return { ok: false, problems: [problem], reach: asWritten.config };
}

const PROGRAM = fileURLToPath(new URL('./strategy-files/own-strategies-process.js', import.meta.url));

/** The reason where it failed. */
function readInProcess(file: string): Promise<OtherStrategies | string> {
  const child = fork(PROGRAM, [file], {
    serialization: 'advanced',
    execArgv: [...process.execArgv, `--max-old-space-size=${HEAP_MB_MAX}`],
    // The standard output belongs to the program.
    stdio: ['ignore', 2, 2, 'ipc'],
  });
  return new Promise((resolve) => {
    const end = (outcome: OtherStrategies | string): void => {
      clearTimeout(limit);
      resolve(outcome);
      child.kill('SIGKILL');
    };
    const late = `code that did not load within ${LOAD_MS_MAX / 1_000} seconds`;
    const limit = setTimeout(() => end(late), LOAD_MS_MAX);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- sent by our own process
    child.once('message', (read) => end(read as OtherStrategies));
    child.once('error', (error) => end(`${error.name}: ${error.message}`));
    // After the last message.
    child.once('close', (code, signal) =>
      end(`code that ended ${signal === null ? `with exit code ${code}` : `its process (${signal})`}`),
    );
  });
}
