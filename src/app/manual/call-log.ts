/**
 * Records calls by hand: one JSON line before the call is sent and one for its outcome, each on the disk before the next step
 * (rulings, 30). A process that dies in between leaves a call without an outcome: unknown, like a lost answer.
 */
import { ifThere } from '../../domain/failure.ts';
import { closeSync, fstatSync, fsyncSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import type { CallOutcome, CallReceipt } from '../../domain/broker-order.ts';
import type { TsUs } from '../../domain/units.ts';
import { type ManualCall, isMoneyCall, type MoneyCall } from './broker-call.ts';

export type ManualOutcome = CallOutcome | CallReceipt;

type Line =
  | { readonly id: string; readonly at: TsUs; readonly call: ManualCall }
  | { readonly id: string; readonly at: TsUs; readonly outcome: ManualOutcome };

const OWNER_ONLY = 0o600;
const NEW_LINE = 10;

export class CallLog {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Throws when the disk refuses: then the call must not leave. */
  begin(id: string, at: TsUs, call: ManualCall): void {
    this.#append({ id, at, call });
  }

  end(id: string, at: TsUs, outcome: ManualOutcome): void {
    this.#append({ id, at, outcome });
  }

  /** Time of the latest equal transfer whose outcome is unknown; undefined when there is none. */
  unknownTwin(call: MoneyCall): TsUs | undefined {
    const wanted = keyOf(call);
    let open: { readonly id: string; readonly at: TsUs } | undefined;
    for (const line of this.#lines()) {
      // The sender of a later equal call knew of the earlier one.
      if ('call' in line) open = isMoneyCall(line.call) && keyOf(line.call) === wanted ? line : open;
      else if (line.outcome.status !== 'unknown' && line.id === open?.id) open = undefined;
    }
    return open?.at;
  }

  #append(line: Line): void {
    const file = openSync(this.#path, 'a+', OWNER_ONLY);
    try {
      // After half a line of a power cut the next record begins a new line.
      writeSync(file, `${endsWhole(file) ? '' : '\n'}${JSON.stringify(line)}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  }

  #lines(): readonly Line[] {
    return (ifThere(() => readFileSync(this.#path, 'utf8')) ?? '').split('\n').flatMap(lineOf);
  }
}

function endsWhole(file: number): boolean {
  const { size } = fstatSync(file);
  const last = Buffer.alloc(1);
  return size === 0 || (readSync(file, last, 0, 1, size - 1) === 1 && last[0] === NEW_LINE);
}

/** Two transfers that differ only in their note are equal. */
const keyOf = (call: MoneyCall): string => JSON.stringify({ ...call, note: '' });

/** The last line may be cut off by a power cut: nothing was sent on the strength of half a line. */
function lineOf(text: string): readonly Line[] {
  if (text === '') return [];
  try {
    const line: Line = JSON.parse(text);
    return [line];
  } catch {
    // Half a line is ignored.
    return [];
  }
}
