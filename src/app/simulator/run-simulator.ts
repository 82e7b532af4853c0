/** `tickwright simulator`: the broker alone, for any client in any language. */
import { formatProblem, type Problem } from '../../config/problem.ts';
import { readFile } from '../../config/read-file.ts';
import { readMarket } from '../../config/market-file.ts';
import type { TradingCalendar } from '../../domain/calendar.ts';
import type { CostSchedule } from '../../domain/costs.ts';
import { DEFAULT_OPTIONS, type SimulatorOptions } from '../../simulator/simulator-options.ts';
import {
  describeSimulator,
  type SimulatorDescription,
  startSimulator,
} from '../../simulator/start-simulator.ts';
import { type DescribedFault, describeFaults } from '../../simulator/faults/fault.ts';
import { accountProblems, accountsOf, type SimulatorFile, simulatorFileSchema } from './simulator-file.ts';

export interface SimulatorRunOptions {
  readonly port: number | null;
  readonly controlPort: number | null;
  readonly config: string | null;
  readonly fresh: boolean;
  readonly state: string | null;
  readonly seed: number | null;
  readonly speed: number | null;
  readonly tape: string | null;
}

export interface SimulatorRun {
  readonly description: SimulatorDescription;
  close(): Promise<void>;
}

const DEFAULT_PORT = 8700;
const DEFAULT_STATE = 'var/simulator';

export async function runSimulator(options: SimulatorRunOptions): Promise<SimulatorRun> {
  const running = await startSimulator(simulatorSettings(options));
  return { description: describeSimulator(running), close: () => running.close() };
}

/** The message has a line for each problem of the file. */
class SimulatorConfigError extends Error {
  override readonly name = 'SimulatorConfigError';
}

function fileAt(path: string): ReadSimulatorFile {
  const read = readSimulatorFile(path);
  if ('value' in read) return read.value;
  throw new SimulatorConfigError(read.problems.map(formatProblem).join('\n'));
}

const NO_FILE: ReadSimulatorFile = { file: simulatorFileSchema.parse({}), market: null };

function simulatorSettings(options: SimulatorRunOptions): Partial<SimulatorOptions> {
  const { file, market } = options.config === null ? NO_FILE : fileAt(options.config);
  const { auth, stream, time, readings, accounts, codes, streamCodes } = DEFAULT_OPTIONS;
  const tape = options.tape ?? file.tape ?? null;
  return {
    port: options.port ?? file.port ?? DEFAULT_PORT,
    controlPort: options.controlPort ?? file.controlPort ?? 0,
    stateDir: options.state ?? file.state ?? DEFAULT_STATE,
    fresh: options.fresh,
    accounts: file.accounts === undefined ? accounts : accountsOf(file.accounts),
    market: marketOf(options, file, tape),
    time: {
      ...time,
      speed: options.speed ?? file.speed ?? time.speed,
      start: tape === null ? 'origin' : 'first_subscriber',
    },
    ...market,
    codes: file.codes ?? codes,
    streamCodes: file.streamCodes ?? streamCodes,
    auth: { ...auth, ...given(file.auth) },
    stream: { ...stream, ...given(file.stream) },
    rules: rulesOf(file.rules),
    readings: { ...readings, ...given(file.readings) },
  };
}

function marketOf(
  { seed }: SimulatorRunOptions,
  file: SimulatorFile,
  tape: string | null,
): SimulatorOptions['market'] {
  if (tape !== null) return { kind: 'tape', path: tape, referencePoints: null };
  const { market } = DEFAULT_OPTIONS;
  if (market.kind !== 'synthetic') throw new Error('Invariant: the demo makes its own market');
  return {
    kind: 'synthetic',
    seed: seed ?? file.seed ?? market.seed,
    startPoints: file.startPoints ?? market.startPoints,
  };
}

function rulesOf({ entryPercent, warnPercent, forcePercent, ...rules }: SimulatorFile['rules']) {
  return given({
    ...rules,
    entryBps: bpsOf(entryPercent),
    warnBps: bpsOf(warnPercent),
    forceBps: bpsOf(forcePercent),
  });
}

const bpsOf = (percent: number | undefined): number | undefined =>
  percent === undefined ? undefined : Math.round(percent * 100);

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Removes undefined keys, which would hide the defaults. */
function given<T extends object>(keys: T): Given<T> {
  const kept: Given<T> = {};
  for (const key in keys) {
    const value = keys[key];
    if (isGiven(value)) kept[key] = value;
  }
  return kept;
}

const isGiven = <V>(value: V): value is Exclude<V, undefined> => value !== undefined;

/** Every fault by name, with its effect and its parameters. */
export const simulatorFaults = (): readonly DescribedFault[] => describeFaults();

interface ReadSimulatorFile {
  readonly file: SimulatorFile;
  /** Null: the demo's own. */
  readonly market: { readonly calendar: TradingCalendar; readonly costs: CostSchedule } | null;
}

type Read<T> = { readonly value: T } | { readonly problems: readonly Problem[] };

export function readSimulatorFile(path: string): Read<ReadSimulatorFile> {
  const main = readFile(path, simulatorFileSchema, 'a simulator file');
  if ('problems' in main) return main;
  const { source, value: file } = main;
  const problems = accountProblems(file.accounts ?? []).map((problem) =>
    source.problem(problem.path, problem.expected),
  );
  const market = file.market === undefined ? null : readMarket(source, file.market);
  if (market?.ok === false) problems.push(...market.problems);
  if (problems.length > 0 || market?.ok === false) return { problems };
  return { value: { file, market: market && pick(market) } };
}

const pick = ({ calendar, costs }: NonNullable<ReadSimulatorFile['market']>) => ({ calendar, costs });
