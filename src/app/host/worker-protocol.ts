/** Messages between main thread and engine thread: plain data that structured clone copies. */
import type { TradingCalendar } from '../../domain/calendar.ts';
import type { CostSchedule } from '../../domain/costs.ts';
import type { EngineSettings } from '../../domain/settings.ts';
import type { StrategyIndex, TsUs } from '../../domain/units.ts';
import type { EngineView } from '../../engine/engine-snapshot.ts';
import type { ApprovedCancel, ApprovedModify, ApprovedOrder } from '../../engine/ports/approved.ts';
import type { EngineEvent, ReportKind } from '../../engine/ports/engine-event.ts';
import type { JournalEntry } from '../../engine/ports/journal-entry.ts';
import type { Gateway } from '../../engine/ports/outbound.ts';
import type { EventDecisions } from '../../engine/replay/journal-decisions.ts';

/** One strategy as the worker builds it from the catalogue. */
export interface StrategyInstanceSpec {
  readonly index: StrategyIndex;
  readonly id: string;
  readonly strategy: string;
  readonly params: Readonly<Record<string, unknown>>;
}

export interface EngineThreadData {
  readonly settings: EngineSettings;
  readonly calendar: TradingCalendar;
  readonly costs: CostSchedule;
  readonly strategies: readonly StrategyInstanceSpec[];
  /** One Int32: index of the strategy whose code is running, or `NO_STRATEGY`. */
  readonly currentStrategy: SharedArrayBuffer;
}

export interface ReplayStep {
  readonly event: EngineEvent;
  /** Null: a kill cut the journal off before this event. */
  readonly decisions: EventDecisions | null;
  /** Strategies of which an earlier version decided. */
  readonly earlier: readonly StrategyIndex[];
}

export type ToEngine =
  | { readonly kind: 'events'; readonly events: readonly EngineEvent[] }
  | { readonly kind: 'replay'; readonly steps: readonly ReplayStep[] }
  | { readonly kind: 'end_replay' }
  | { readonly kind: 'view'; readonly request: number };

export type GatewayCall =
  | { readonly call: 'place'; readonly order: ApprovedOrder }
  | { readonly call: 'modify'; readonly modify: ApprovedModify }
  | { readonly call: 'cancel'; readonly cancel: ApprovedCancel };

/** Decisions of one batch, in order. */
export interface Outbox {
  readonly kind: 'outbox';
  readonly entries: readonly JournalEntry[];
  readonly calls: readonly GatewayCall[];
  readonly reads: readonly ReportKind[];
  readonly tempo: 'fast' | 'slow' | null;
  readonly wakeAt: TsUs | typeof Infinity | null;
}

export type FromEngine =
  /** The code is loaded; batches posted meanwhile are processed now. */
  | { readonly kind: 'ready' }
  | Outbox
  | { readonly kind: 'replayed'; readonly steps: number }
  | { readonly kind: 'view'; readonly request: number; readonly view: EngineView };

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
