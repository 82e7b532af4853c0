/** `tickwright simulator`: the broker alone, for any client in any language. */
import { formatProblem } from '../../config/problem.ts';
import { DEFAULT_OPTIONS } from '../../simulator/default-options.ts';
import { describeSimulator, type SimulatorDescription } from '../../simulator/describe-simulator.ts';
import type { RunningSimulator } from '../../simulator/running-simulator.ts';
import type { SimulatorOptions } from '../../simulator/simulator-options.ts';
import { startSimulator } from '../../simulator/start-simulator.ts';
import { readSimulatorFile, type ReadSimulatorFile } from './read-simulator-file.ts';
import { accountsOf } from './simulator-accounts.ts';
import { type SimulatorFile, simulatorFileSchema } from './simulator-file.ts';

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
  readonly running: RunningSimulator;
}

const DEFAULT_PORT = 8700;
const DEFAULT_STATE = 'var/simulator';

export async function runSimulator(options: SimulatorRunOptions): Promise<SimulatorRun> {
  const running = await startSimulator(simulatorSettings(options));
  return { description: describeSimulator(running), running };
}

/** The file of `--config` is wrong: the message has a line for each problem. */
class SimulatorConfigError extends Error {
  override readonly name = 'SimulatorConfigError';
}

function readFile(path: string): ReadSimulatorFile {
  const read = readSimulatorFile(path);
  if ('value' in read) return read.value;
  throw new SimulatorConfigError(read.problems.map(formatProblem).join('\n'));
}

const NO_FILE: ReadSimulatorFile = { file: simulatorFileSchema.parse({}), market: null, scenario: null };

function simulatorSettings(options: SimulatorRunOptions): Partial<SimulatorOptions> {
  const { file, market, scenario } = options.config === null ? NO_FILE : readFile(options.config);
  const { auth, stream, time, readings, accounts, codes, streamCodes } = DEFAULT_OPTIONS;
  const tape = options.tape ?? file.tape ?? null;
  return {
    port: options.port ?? file.port ?? DEFAULT_PORT,
    controlPort: options.controlPort ?? file.controlPort ?? null,
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
    auth: { ...auth, ...said(file.auth) },
    stream: { ...stream, ...said(file.stream) },
    rules: rulesOf(file.rules),
    readings: { ...readings, ...said(file.readings) },
    scenario,
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
  return said({
    ...rules,
    entryBps: bpsOf(entryPercent),
    warnBps: bpsOf(warnPercent),
    forceBps: bpsOf(forcePercent),
  });
}

const bpsOf = (percent: number | undefined): number | undefined =>
  percent === undefined ? undefined : Math.round(percent * 100);

type Said<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Without the keys that the file leaves out: they would hide the defaults. */
function said<T extends object>(keys: T): Said<T> {
  const given: Said<T> = {};
  for (const key in keys) {
    const value = keys[key];
    if (isSaid(value)) given[key] = value;
  }
  return given;
}

const isSaid = <V>(value: V): value is Exclude<V, undefined> => value !== undefined;
