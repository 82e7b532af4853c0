/** A search as it travels: all that a host needs to run its trials, the columns as pieces that each host keeps by their hash. */
import { createHash } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import type { TradingDay } from '../../domain/civil-date.ts';
import { ProgramFiles } from '../../host/program-files.ts';
import { copyTable, tableBytes, tableOn } from '../../recording/columns/row-table.ts';
import { rowTableOf, tickLayout, type TickRows, ticksOf } from '../../recording/columns/tick-file.ts';
import { type BacktestInputs, inputsOf } from '../../research/spec/load-backtest.ts';
import type { TrialParams } from '../../research/sweep/read-sweep.ts';
import { taskKey, type TrialPoolOptions, type TrialTask } from '../../research/sweep/trial-pool.ts';
import type { TrialFigures } from '../../research/sweep/judgement.ts';

/** Another program or Node.js may find other figures: it gets no trial. */
export interface Program {
  readonly build: string;
  readonly node: string;
}

export interface Job extends Program {
  readonly id: string;
  readonly fingerprint: string;
  readonly whose: string;
  readonly eventMsMax: number;
  readonly inputs: BacktestInputs;
  readonly pieces: readonly Piece[];
}

/** Columns of one contract on one day. */
export type Piece = ReturnType<typeof pieceOf>;

/** Trials of the same days. */
export interface Batch extends Pick<TrialTask, 'warmUpDays'> {
  readonly span: readonly [TradingDay, TradingDay] | null;
  readonly params: readonly TrialParams[];
}

export type Result =
  | { readonly figures: TrialFigures; readonly ms: number }
  | { readonly error: string; readonly ms: number };

const hashOf = (...parts: readonly (string | Uint8Array)[]): string => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
};

export const sha256 = (bytes: Uint8Array): string => hashOf(bytes);

const NAME_LENGTH = 32;

/** Name of a result: the same for the same trial, whoever ran it. */
export const resultName = (task: TrialTask): string => hashOf(taskKey(task)).slice(0, NAME_LENGTH);

export function thisProgram(): Program {
  const compiled = join(import.meta.dirname, '../../..');
  const parts = ['src', 'strategies'].map((dir) => new ProgramFiles(join(compiled, dir)).digest);
  return { build: parts.join('-'), node: process.version };
}

export function jobOf({ backtest, fingerprint, columns, eventMsMax }: TrialPoolOptions): Job {
  const program = thisProgram();
  return {
    ...program,
    id: hashOf(JSON.stringify([fingerprint, program, eventMsMax])).slice(0, NAME_LENGTH),
    fingerprint,
    whose: `${userInfo().username}@${hostname()}`,
    eventMsMax,
    inputs: inputsOf(backtest),
    pieces: [...columns].map(([key, rows]) => pieceOf(key, rows)),
  };
}

export const jobText = (job: Job): string =>
  JSON.stringify(job, (_key, value: unknown) => (value instanceof Map ? [...value] : value));

export function jobFrom(text: string): Job {
  const job = JSON.parse(text) as Job; // oxlint-disable-line typescript/no-unsafe-type-assertion -- of the same build
  const { texts, codes } = job.inputs;
  return { ...job, inputs: { ...job.inputs, texts: new Map(texts), codes: new Map(codes) } };
}

// Bytes of columns: their table, then the volumes of bars.

function pieceOf(key: string, columns: TickRows) {
  const bytes = bytesOf(columns);
  const { rows, book, bars, isQuotes } = columns;
  return {
    key,
    hash: sha256(bytes),
    bytes: bytes.length,
    rows,
    depth: book?.depth ?? 0,
    isQuotes,
    /** Null: no bars. */
    everyUs: bars?.everyUs ?? null,
  };
}

export function bytesOf(rows: TickRows): Uint8Array {
  const layout = tickLayout(rows.book?.depth ?? 0);
  const volume = rows.bars?.volume ?? new Float64Array();
  const at = tableBytes(layout, rows.rows);
  const memory = new ArrayBuffer(at + volume.byteLength);
  copyTable(tableOn(memory, layout, rows.rows), 0, rowTableOf(rows), 0, rows.rows);
  new Float64Array(memory, at).set(volume);
  return new Uint8Array(memory);
}

export function columnsOn(memory: SharedArrayBuffer, { rows, depth, isQuotes, everyUs }: Piece): TickRows {
  const layout = tickLayout(depth);
  const ticks = ticksOf(tableOn(memory, layout, rows), isQuotes);
  if (everyUs === null) return ticks;
  return { ...ticks, bars: { everyUs, volume: new Float64Array(memory, tableBytes(layout, rows)) } };
}

export function batchOf(tasks: readonly TrialTask[]): Batch {
  const { days, warmUpDays } = tasks[0] ?? { days: null };
  const [first, last] = [days?.[0], days?.at(-1)];
  const span = first === undefined || last === undefined ? null : ([first, last] as const);
  return {
    ...(warmUpDays === undefined ? {} : { warmUpDays }),
    span,
    params: tasks.map(({ params }) => params),
  };
}

export function tasksOf({ span, params, ...own }: Batch, all: readonly TradingDay[]): readonly TrialTask[] {
  const days = span === null ? null : all.filter((day) => day >= span[0] && day <= span[1]);
  return params.map((each) => ({ params: each, days, ...own }));
}
