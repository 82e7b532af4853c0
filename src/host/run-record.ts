/** The durable record of a run: its start, its end, and whose code ran. A run without an end died: the next start reads that. */
import { openSync, writeSync } from 'node:fs';
import { thrownText, isDiskFull } from '../domain/failure.ts';
import { minutes, type TsUs, US_PER_MINUTE } from '../domain/units.ts';
import { block, BLOCK_BYTES, readBlocks, writeBlocks } from './state/state-paths.ts';

/** The run before, as it recorded itself. */
export interface EarlierRun {
  /** Null, as `pid`: a power cut left a record that cannot be read. */
  readonly startedUs: TsUs | null;
  readonly pid: number | null;
  /** Null: it was killed, it crashed, or the machine lost its power. */
  readonly ended: { readonly atUs: TsUs; readonly reason: string } | null;
  /** Strategy whose code was running when it died; null: none, or it was not recorded. */
  readonly strategy: string | null;
}

interface StoredRun extends Omit<EarlierRun, 'strategy'> {
  /** When the starts before found that a run had died. */
  readonly deaths: readonly TsUs[];
}

/** After this many the strategy that ran is left out, after one more all are. */
const DEATHS_BEFORE_EXCLUSION = 2;
/** Deaths further apart have nothing to do with each other. */
const DEATH_SPAN = minutes(10);
const DEATHS_MAX = 10;
/** Of three bytes each at most: they fit a block. */
const REASON_CHARACTERS_MAX = 1_200;

export class RunRecord {
  readonly #path: string;
  readonly #run: StoredRun;
  /** Null in the first run of a state directory. */
  readonly earlier: EarlierRun | null;

  private constructor(path: string, run: StoredRun, earlier: EarlierRun | null) {
    this.#path = path;
    this.#run = run;
    this.earlier = earlier;
  }

  /** Records the run that begins. Only while the lock of its state directory is held. */
  static begin(path: string, now: TsUs): RunRecord {
    const before = readRunRecord(path);
    const isDeath = before !== undefined && before.run.ended === null;
    const deaths = isDeath ? [...before.deaths, now].filter((at) => Math.abs(now - at) <= DEATH_SPAN) : [];
    const run = { startedUs: now, pid: process.pid, ended: null, deaths: deaths.slice(-DEATHS_MAX) };
    write(path, [JSON.stringify(run), '']);
    return new RunRecord(path, run, before?.run ?? null);
  }

  /** Runs that died one after the other, within minutes. */
  get deaths(): number {
    return this.#run.deaths.length;
  }

  /** Path at which this run notes whose code is running; null after a run that ended. */
  get followPath(): string | null {
    return this.deaths === 0 ? null : this.#path;
  }

  /** Strategies that a run must not start: after two deaths the one that ran at the second, after three all of `ids`. */
  excluded(ids: readonly string[]) {
    const { deaths, earlier } = this;
    const within = `within ${DEATH_SPAN / US_PER_MINUTE} minutes`;
    if (deaths > DEATHS_BEFORE_EXCLUSION)
      return { ids, reason: `the daemon died ${deaths} times ${within}: no strategy is started` };
    const strategy = earlier?.strategy ?? null;
    if (deaths < DEATHS_BEFORE_EXCLUSION || strategy === null || !ids.includes(strategy)) return null;
    const reason = `the daemon died twice ${within}, the last time in the code of ${strategy}, which is not started`;
    return { ids: [strategy], reason };
  }

  end(reason: string, now: TsUs): void {
    const isLong = reason.length > REASON_CHARACTERS_MAX;
    const ended = { atUs: now, reason: isLong ? `${reason.slice(0, REASON_CHARACTERS_MAX)}…` : reason };
    // The end of a run does not fail for its record: the next start takes it for a death.
    void thrownText(() => write(this.#path, [JSON.stringify({ ...this.#run, ended })]));
  }
}

/** Undefined before the first run. */
export function readRunRecord(path: string) {
  const [text = '', strategy = ''] = readBlocks(path) ?? [];
  // A full disk left it empty at its first start.
  if (text === '') return undefined;
  try {
    const { startedUs, pid, ended, deaths }: StoredRun = JSON.parse(text);
    return {
      run: { startedUs, pid, ended, strategy: strategy === '' ? null : strategy },
      deaths: deaths.slice(),
    };
  } catch {
    return { run: { startedUs: null, pid: null, ended: null, strategy: null }, deaths: [] };
  }
}

function write(path: string, texts: readonly string[]): void {
  try {
    writeBlocks(path, texts);
  } catch (error) {
    // A start on a full disk must reach the orders; only the first one has no room of its own yet.
    if (!isDiskFull(error)) throw error;
  }
}

/** Writes the strategy that runs into the record: two microseconds a call, so only after a run that died. */
export function followStrategies(
  running: Int32Array,
  path: string,
  ids: ReadonlyMap<number, string>,
): Int32Array {
  const file = openSync(path, 'r+');
  const none = block('');
  const blocks = new Map([...ids].map(([index, id]) => [index, block(id)]));
  return new Proxy(running, {
    get: (target, slot): unknown => Reflect.get(target, slot),
    set: (target, slot, value: number) => {
      // A full disk must not stop trading.
      if (slot !== COUNT)
        thrownText(() => writeSync(file, blocks.get(value) ?? none, 0, BLOCK_BYTES, BLOCK_BYTES));
      return Reflect.set(target, slot, value);
    },
  });
}

/** Slot of `running` that counts calls. */
const COUNT = '1';
