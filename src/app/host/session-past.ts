/**
 * The past of a session, in order: its frames and its other inputs, each with the decisions that the journal holds of it. A
 * restart drives a fresh engine through them (rulings, 31), in the engine's thread: journal and frames are read where they are used.
 */
import { assert } from '../../domain/assert.ts';
import type { Contract } from '../../domain/contract.ts';
import { StrategyNames } from '../../domain/strategy-names.ts';
import { type StrategyIndex, strategyIndex, tsUs } from '../../domain/units.ts';
import type { EngineEvent, MarketEvent } from '../../engine/ports/engine-event.ts';
import type { JournalEntry } from '../../engine/ports/journal-entry.ts';
import {
  DECIDING_KINDS,
  type EventDecisions,
  eventDecisions,
} from '../../engine/replay/journal-decisions.ts';
import type { JournaledInput } from '../../journal/compact-input.ts';
import { type JournalReader, readJournal, type StoredEntry } from '../../journal/journal-reader.ts';
import { type FrameLogEnd, readFrames, type RecordedFrame } from '../../recording/frame-log.ts';
import { decodeServerFrame } from '../../wire/stream/server-frame.ts';
import type { PastPlace, ReplayedPast, ReplayStep } from './worker-protocol.ts';

export interface ReplaySource extends Pick<
  PastPlace,
  'session' | 'framesPath' | 'versionsSince' | 'decidedUntil'
> {
  readonly read: JournalReader;
}

/** Gives `take` each step of a past; returns where it ends. */
export function readPast(
  { journal, names, ...place }: PastPlace,
  take: (step: ReplayStep) => void,
): ReplayedPast {
  const known = new StrategyNames(names);
  const opened = readJournal(journal, known);
  try {
    const past = new SessionPast({ ...place, read: opened.read });
    for (const step of past.steps()) take(step);
    return past.end(known.all);
  } finally {
    opened.close();
  }
}

/** A session so far. Its inputs, frames and entries are read once, by `steps`. */
export class SessionPast {
  readonly #source: ReplaySource;
  #inputs = 0;
  #frameCount = 0;
  #lastSeq = 0;
  #lastTsUs = tsUs(0);
  #framesEnd: FrameLogEnd | undefined = undefined;

  constructor(source: ReplaySource) {
    this.#source = source;
  }

  /** Known after the steps. */
  end(names: readonly string[]): ReplayedPast {
    assert(this.#framesEnd !== undefined, 'the frames were read to their end');
    return {
      inputs: this.#inputs,
      frames: this.#frameCount,
      lastSeq: this.#lastSeq,
      lastTsUs: this.#lastTsUs,
      framesEnd: this.#framesEnd,
      names,
    };
  }

  *steps(): Generator<ReplayStep> {
    const { read, session, versionsSince, decidedUntil } = this.#source;
    const byCause = entriesByCause(read.entries({ session, kinds: DECIDING_KINDS }));
    const writtenUntil = lastCauses(
      decidedUntil === null ? read.causes(session) : [...read.causes(session), decidedUntil],
      read.seqsOf(session, 'booted'),
    );
    const table = new ReplayTable();
    let earlier = earlierAt(0, versionsSince);
    for (const input of inOrder(read.inputs(session), this.#frames())) {
      if (decidedUntil !== null && input.seq > decidedUntil) continue;
      this.#lastSeq = Math.max(this.#lastSeq, input.seq);
      this.#lastTsUs = input.tsUs;
      if ('kind' in input) this.#inputs += 1;
      else this.#frameCount += 1;
      const event = 'kind' in input ? input : decoded(input, table);
      if (event === undefined) continue;
      if (event.kind === 'contracts') table.set(event.contracts);
      if (event.kind === 'strategies') earlier = earlierAt(event.seq, versionsSince);
      const decisions = event.seq > writtenUntil(event.seq) ? null : decisionsAt(byCause, event);
      yield { event, decisions, earlier };
    }
  }

  *#frames(): Generator<RecordedFrame> {
    this.#framesEnd = yield* readFrames(this.#source.framesPath);
  }
}

/** Strategies of which an earlier version decided at an input; that changes only with a list of strategies. */
export const earlierAt = (seq: number, versionsSince: readonly number[]): readonly StrategyIndex[] =>
  versionsSince.flatMap((since, place) => (since > seq ? [strategyIndex(place)] : []));

const NOTHING_DECIDED = eventDecisions([]);

function decisionsAt(
  byCause: ReadonlyMap<number, readonly JournalEntry[]>,
  event: EngineEvent,
): EventDecisions {
  const entries = byCause.get(event.seq);
  return entries === undefined ? NOTHING_DECIDED : eventDecisions(entries);
}

function decoded(frame: RecordedFrame, table: ReplayTable): MarketEvent | undefined {
  const read = decodeServerFrame(frame.text, table, frame.seq, frame.tsUs);
  return read.kind === 'market' ? read.event : undefined;
}

class ReplayTable {
  #byCode = new Map<string, Contract>();

  set(contracts: readonly Contract[]): void {
    this.#byCode = new Map(contracts.map((contract) => [contract.streamCode, contract]));
  }

  byStreamCode(code: string): Contract | undefined {
    return this.#byCode.get(code);
  }
}

function entriesByCause(stored: readonly StoredEntry[]): ReadonlyMap<number, readonly JournalEntry[]> {
  const byCause = new Map<number, JournalEntry[]>();
  for (const { entry } of stored) {
    const list = byCause.get(entry.cause) ?? [];
    list.push(entry);
    byCause.set(entry.cause, list);
  }
  return byCause;
}

/** Returns, for an event, the last event of the same start of which the journal holds an entry. */
function lastCauses(causes: readonly number[], boots: readonly number[]): (at: number) => number {
  const startOf = (at: number): number => boots.findLast((boot) => boot <= at) ?? 0;
  const last = new Map<number, number>();
  for (const cause of causes) last.set(startOf(cause), Math.max(last.get(startOf(cause)) ?? 0, cause));
  return (at) => last.get(startOf(at)) ?? 0;
}

/** Two sequences, each in order, as one. */
function* inOrder(
  inputs: Generator<JournaledInput>,
  frames: Generator<RecordedFrame>,
): Generator<JournaledInput | RecordedFrame> {
  try {
    let input = inputs.next();
    let frame = frames.next();
    while (input.done !== true || frame.done !== true) {
      if (frame.done === true || (input.done !== true && input.value.seq < frame.value.seq)) {
        if (input.done !== true) yield input.value;
        input = inputs.next();
      } else {
        yield frame.value;
        frame = frames.next();
      }
    }
  } finally {
    // A reader that stops half way leaves no query and no file open.
    inputs.return(undefined);
    frames.return(undefined);
  }
}
