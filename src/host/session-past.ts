/**
 * The past of a session, in order: its frames and its other inputs, each with the decisions that the journal holds of it. A
 * restart drives a fresh engine through them (rulings, 31), in the engine's thread: journal and frames are read where they are used.
 */
import { closing } from '../domain/failure.ts';
import { Subject } from 'rxjs';
import { assert } from '../domain/assert.ts';
import type { Contract } from '../domain/contract.ts';
import { getOrCreate } from '../domain/lists.ts';
import { StrategyNames } from '../domain/ids.ts';
import { seq as seqOf, type StrategyIndex, strategyIndex, tsUs } from '../domain/units.ts';
import {
  type EngineEvent,
  type EventHead,
  isOfAccount,
  type MarketEvent,
} from '../engine/ports/engine-event.ts';
import type { JournalEntry } from '../engine/ports/journal-entry.ts';
import { DECIDING_KINDS, eventDecisions } from '../engine/replay/decisions.ts';
import { type JournalReader, readJournal } from '../journal/journal-reader.ts';
import { frameDamageText, type FrameLogEnd, readFrameBatches, readNote } from '../recording/frame-log.ts';
import { formatNumber } from '../text/numbers.ts';
import {
  type ContractLookup,
  decodeFrames,
  marketEvents,
  type StampedFrame,
} from '../wire/stream/server-frame.ts';
import type { ReplayRequest, ReplayedPast, ReplayStep } from './worker-protocol.ts';

export interface ReplaySource extends Pick<
  ReplayRequest,
  'session' | 'framesPath' | 'fromSeq' | 'versionsSince' | 'decidedUntil'
> {
  readonly read: JournalReader;
}

/** Gives `take` each step of a past; returns where it ends. */
export function readPast(
  { journal, names, ...rest }: ReplayRequest,
  take: (step: ReplayStep) => void,
): ReplayedPast {
  const known = new StrategyNames(names);
  return closing(readJournal(journal, known), ({ read }) => {
    const past = new SessionPast({ ...rest, read });
    past.read(take);
    return past.end(known.all);
  });
}

/** A session so far. Its inputs, frames and entries are read once, by `read`. */
export class SessionPast {
  readonly #source: ReplaySource;
  readonly #past = {
    inputs: 0,
    frames: 0,
    framesMissing: 0,
    lastSeq: 0,
    lastTsUs: tsUs(0),
    lastHaltCommand: 0,
  };
  /** Inputs and frames that are there. */
  #known = 0;
  #framesEnd: FrameLogEnd | undefined = undefined;

  constructor(source: ReplaySource) {
    this.#source = source;
  }

  /** The end of the past, known once it was read. */
  end(names: readonly string[]): ReplayedPast {
    assert(this.#framesEnd !== undefined, 'the frames were read to their end');
    return { ...this.#past, framesEnd: this.#framesEnd, names };
  }

  /** What it lacks, in words, or null: inputs and frames share one sequence, which has a hole where some are lost. */
  lacking(): string | null {
    const { framesEnd } = this.end([]);
    const missing = this.#past.lastSeq - this.#known;
    const texts = [
      frameDamageText(framesEnd),
      missing > 0 ? `inputs or frames missing: ${formatNumber(missing)}` : null,
    ];
    return texts.filter((text) => text !== null).join('; ') || null;
  }

  read(take: (step: ReplayStep) => void): void {
    const { read, session, fromSeq, versionsSince, decidedUntil } = this.#source;
    const byCause = new Map<number, JournalEntry[]>();
    for (const { entry } of read.entries({ session, kinds: DECIDING_KINDS }))
      getOrCreate(byCause, entry.cause, () => []).push(entry);
    const lastOfStart = lastCauses(
      decidedUntil === null ? read.causes(session) : [...read.causes(session), decidedUntil],
      read.seqsOf(session, 'booted'),
    );
    let byCode = new Map<string, Contract>();
    let olderVersions = olderVersionsAt(fromSeq, versionsSince);
    let writtenUntil = lastOfStart(fromSeq);
    const causes = [...byCause.keys()].filter((seq) => seq >= Math.max(fromSeq, 1)).toSorted((a, b) => a - b);
    let next = 0;
    // The log lacks the frame that an order came from: what the journal decided there stands, without its price.
    const takeMissing = (before: number): void => {
      for (let seq = causes[next]; seq !== undefined && seq < before; seq = causes[(next += 1)]) {
        const at = byCause.get(seq)?.[0]?.tsUs ?? this.#past.lastTsUs;
        const event = { kind: 'clock', seq: seqOf(seq), tsUs: at } as const;
        this.#passed(event);
        this.#past.framesMissing += 1;
        take({ event, decisions: decisionsAt(byCause, event), olderVersions });
      }
    };
    this.#inOrder(
      (event) => {
        const { kind } = event;
        takeMissing(event.seq);
        if (causes[next] === event.seq) next += 1;
        if (kind === 'booted') writtenUntil = lastOfStart(event.seq);
        else if (kind === 'contracts')
          byCode = new Map(event.contracts.map((each) => [each.streamCode, each]));
        if (kind === 'booted' || kind === 'strategies')
          olderVersions = olderVersionsAt(event.seq, versionsSince);
        const decisions = event.seq > writtenUntil ? null : decisionsAt(byCause, event);
        take({ event, decisions, olderVersions });
      },
      { byStreamCode: (code) => byCode.get(code) },
    );
    takeMissing((decidedUntil ?? Infinity) + 1);
  }

  /** Two sequences, each in order, as one. */
  #inOrder(take: (event: EngineEvent) => void, table: ContractLookup): void {
    const { read, session, fromSeq, decidedUntil } = this.#source;
    const until = decidedUntil ?? Infinity;
    const inputs = read.inputs(session);
    // The engine gets no event inside a subscription: its errors would be lost.
    const read$ = new Subject<StampedFrame>();
    const decoded: { event?: MarketEvent | undefined } = {};
    read$.pipe(decodeFrames(table), marketEvents).subscribe((event) => {
      decoded.event = event;
    });
    try {
      let input = inputs.next();
      let lastFrame = 0;
      const takeInputs = (before: number): void => {
        for (; input.done !== true && input.value.seq < before; input = inputs.next()) {
          if (input.value.seq > until) continue;
          this.#passed(input.value);
          this.#known += 1;
          if (input.value.kind === 'command' && isOfAccount(input.value.command))
            this.#past.lastHaltCommand = input.value.seq;
          if (input.value.seq < fromSeq) continue;
          this.#past.inputs += 1;
          take(input.value);
        }
      };
      for (const frames of this.#frameBatches())
        for (const frame of frames) {
          // Of a log that was put behind itself, or behind that of a run before: what it lacks then is missing.
          // A note is an input of the journal too.
          if (frame.seq <= lastFrame || readNote(frame) !== undefined) continue;
          lastFrame = frame.seq;
          takeInputs(frame.seq);
          if (frame.seq > until) continue;
          this.#passed(frame);
          this.#known += 1;
          if (frame.seq < fromSeq) continue;
          this.#past.frames += 1;
          decoded.event = undefined;
          read$.next(frame);
          if (decoded.event !== undefined) take(decoded.event);
        }
      takeInputs(Infinity);
    } finally {
      // A reader that stops half way leaves no query open.
      inputs.return(undefined);
    }
  }

  #passed({ seq, tsUs: at }: EventHead): void {
    this.#past.lastSeq = Math.max(this.#past.lastSeq, seq);
    this.#past.lastTsUs = at;
  }

  *#frameBatches(): Generator<readonly StampedFrame[]> {
    this.#framesEnd = yield* readFrameBatches(this.#source.framesPath);
  }
}

/** Strategies whose earlier version decided at an input; that changes only with a list of strategies. */
export const olderVersionsAt = (seq: number, versionsSince: readonly number[]): readonly StrategyIndex[] =>
  versionsSince.flatMap((since, index) => (since > seq ? [strategyIndex(index)] : []));

const NOTHING_DECIDED = eventDecisions([]);

function decisionsAt(byCause: ReadonlyMap<number, readonly JournalEntry[]>, event: EngineEvent) {
  const entries = byCause.get(event.seq);
  return entries === undefined ? NOTHING_DECIDED : eventDecisions(entries);
}

/** Returns, for an event, the last event of the same start of which the journal holds an entry. */
function lastCauses(causes: readonly number[], boots: readonly number[]): (at: number) => number {
  const startOf = (at: number): number => boots.findLast((boot) => boot <= at) ?? 0;
  const last = new Map<number, number>();
  for (const cause of causes) last.set(startOf(cause), Math.max(last.get(startOf(cause)) ?? 0, cause));
  return (at) => last.get(startOf(at)) ?? 0;
}
