/** Messages between main thread and engine thread: plain data that structured clone copies. */
import { assert } from '../domain/assert.ts';
import type { StrategyConfig } from '../config/config.ts';
import type { TradingCalendar } from '../domain/calendar.ts';
import type { CostSchedule } from '../domain/costs.ts';
import type { EngineSettings } from '../domain/settings.ts';
import type { BookLevel } from '../domain/ticks.ts';
import {
  type DurationUs,
  instrumentIndex,
  priceTicks,
  qty,
  seq,
  type StrategyIndex,
  type TsUs,
  tsUs,
} from '../domain/units.ts';
import type { EngineSnapshot } from '../engine/engine-snapshot.ts';
import type { ApprovedCancel, ApprovedModify, ApprovedOrder } from '../engine/ports/approved.ts';
import type { BookUpdate, EngineEvent, ReadKind, UnjournaledCalls } from '../engine/ports/engine-event.ts';
import type { JournalEntry } from '../engine/ports/journal-entry.ts';
import type { Gateway } from '../engine/ports/outbound.ts';
import type { EventDecisions } from '../engine/replay/decisions.ts';
import type { ReplayFault } from '../engine/session/strategy-stopper.ts';
import type { FrameLogEnd } from '../recording/frame-log.ts';

export interface StrategyInstanceSpec extends Omit<StrategyConfig, 'symbols'> {
  readonly index: StrategyIndex;
}

export interface EngineThreadData {
  readonly settings: EngineSettings;
  readonly calendar: TradingCalendar;
  readonly costs: CostSchedule;
  readonly strategies: readonly StrategyInstanceSpec[];
  /** Path of the run record that takes each strategy whose code begins to run, or null: see `followStrategies`. */
  readonly followPath: string | null;
  /** For the watchdog: the slots are in `strategy/containment.ts`. */
  readonly currentStrategy: SharedArrayBuffer;
}

export interface ReplayStep {
  readonly event: EngineEvent;
  /** Null: a kill cut the journal off before this event. */
  readonly decisions: EventDecisions | null;
  /** Strategies whose earlier version decided. */
  readonly olderVersions: readonly StrategyIndex[];
}

export interface ReplayRequest {
  readonly journal: string;
  readonly session: string;
  readonly framesPath: string;
  /** Earlier inputs are skipped; Infinity: all of them, for a session that restarts. */
  readonly fromSeq: number;
  /** By index of a strategy: number of the input from which on its present version decided. */
  readonly versionsSince: readonly number[];
  /** Another engine of this process has decided all inputs up to this one, and later ones are left out, to follow in `catch_up`; null: no other runs. */
  readonly decidedUntil: number | null;
  /** Calls that left while the journal could not be written. */
  readonly sent: UnjournaledCalls;
  readonly names: readonly string[];
}

export interface ReplayedPast {
  readonly inputs: number;
  readonly frames: number;
  /** Frames that decided something and are in no log. */
  readonly framesMissing: number;
  readonly lastSeq: number;
  readonly lastTsUs: TsUs;
  /** Number of the last halt or resume of the account; 0 without any. */
  readonly lastHaltCommand: number;
  readonly framesEnd: FrameLogEnd;
  /** Strategies by index: those given, and others that the past names. */
  readonly names: readonly string[];
}

export type ToEngine =
  | { readonly kind: 'events'; readonly events: EventBlock }
  | { readonly kind: 'replay'; readonly past: ReplayRequest }
  /** Ends a replay next to another engine, which sent calls and reads of these steps. */
  | { readonly kind: 'catch_up'; readonly steps: readonly ReplayStep[] }
  | { readonly kind: 'view'; readonly request: number };

export type GatewayCall =
  | { readonly call: 'place'; readonly order: ApprovedOrder }
  | { readonly call: 'modify'; readonly modify: ApprovedModify }
  | { readonly call: 'cancel'; readonly cancel: ApprovedCancel };

export interface EngineOutput {
  readonly kind: 'outbox';
  readonly entries: readonly JournalEntry[];
  readonly calls: readonly GatewayCall[];
  readonly reads: readonly ReadKind[];
  readonly pace: 'fast' | 'slow' | null;
  readonly wakeAt: TsUs | typeof Infinity | null;
  /** Time that the thread took for the batch, without the way to it and back. */
  readonly took: DurationUs;
}

export type FromEngine =
  /** The code is loaded; batches posted meanwhile are processed now. */
  | { readonly kind: 'ready' }
  | EngineOutput
  | { readonly kind: 'replaying' }
  | {
      readonly kind: 'replayed';
      readonly past: ReplayedPast;
      readonly faults: readonly ReplayFault[];
    }
  | { readonly kind: 'view'; readonly request: number; readonly view: EngineSnapshot };

/** Carries one call of the engine thread out, in the main thread. */
export function dispatchCall(gateway: Gateway, call: GatewayCall): void {
  switch (call.call) {
    case 'place':
      return gateway.submit(call.order);
    case 'modify':
      return gateway.modify(call.modify);
    case 'cancel':
      return gateway.cancel(call.cancel);
  }
}

// Events on their way to the engine thread. Trades and updates of the book are most of them, and a structured clone of such an object costs
// more than its processing: they cross as numbers, all else as objects.

export type EventBlock = ReturnType<typeof packEvents>;

const OBJECT = 0;
const TRADE = 1;
const BID = 2;
const ASK = 3;

/** In place of the price of a level. */
const KEPT = Infinity;
const EMPTIED = -Infinity;

export function packEvents(events: readonly EngineEvent[]) {
  const numbers: number[] = [];
  const objects: EngineEvent[] = [];
  for (const event of events)
    if (event.kind === 'trade')
      numbers.push(TRADE, event.seq, event.tsUs, event.instrument, event.price, event.qty, event.totalVolume);
    else if (event.kind === 'book_update' && (event.halves ?? null) === null) packBook(numbers, event);
    else {
      numbers.push(OBJECT);
      objects.push(event);
    }
  return {
    /** The tag of each event in turn; for one that is not an object its fields too. */
    numbers: Float64Array.from(numbers),
    /** The others, in their order. */
    objects,
    count: events.length,
  };
}

function packBook(numbers: number[], { side, seq: number, tsUs: at, instrument, levels }: BookUpdate): void {
  numbers.push(side === 'bid' ? BID : ASK, number, at, instrument, levels.length);
  for (const level of levels)
    if (level === undefined) numbers.push(KEPT, 0);
    else if (level === null) numbers.push(EMPTIED, 0);
    else numbers.push(level.price, level.qty);
}

export function unpackEvents({ numbers, objects, count }: EventBlock): readonly EngineEvent[] {
  const events: EngineEvent[] = [];
  let offset = 0;
  let object = 0;
  const next = (): number => {
    const value = numbers[offset];
    assert(value !== undefined, 'a block ends with an event');
    offset += 1;
    return value;
  };
  const level = (): BookLevel | null | undefined => {
    const price = next();
    const size = next();
    if (price === KEPT) return undefined;
    return price === EMPTIED ? null : { price: priceTicks(price), qty: qty(size) };
  };
  for (let i = 0; i < count; i += 1) {
    const tag = next();
    if (tag === OBJECT) {
      const event = objects[object];
      assert(event !== undefined, 'a block has all its objects');
      object += 1;
      events.push(event);
      continue;
    }
    const number = seq(next());
    const at = tsUs(next());
    const instrument = instrumentIndex(next());
    if (tag === TRADE) {
      const price = priceTicks(next());
      const size = qty(next());
      events.push({
        kind: 'trade',
        seq: number,
        tsUs: at,
        instrument,
        price,
        qty: size,
        totalVolume: next(),
      });
    } else {
      const side = tag === BID ? 'bid' : 'ask';
      const levels = Array.from({ length: next() }, level);
      events.push({ kind: 'book_update', seq: number, tsUs: at, instrument, side, levels, halves: null });
    }
  }
  return events;
}
