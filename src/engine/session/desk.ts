/** What the session's procedures work with: the engine's owners, and timers that call back. */
import type { TradingCalendar } from '../../domain/calendar.ts';
import type { CancelTimer } from '../../domain/clock.ts';
import type { EngineSettings } from '../../domain/settings.ts';
import {
  addUs,
  type DurationUs,
  type InstrumentIndex,
  type Money,
  type SignedQty,
  type TsUs,
} from '../../domain/units.ts';
import type { EntryWithdrawal } from '../orders/entry-withdrawal.ts';
import type { Orders } from '../orders/orders.ts';
import type { Portfolio } from '../positions/portfolio.ts';
import type { OrderView, RiskView } from '../risk/risk-view.ts';
import type { DecisionSource } from '../state/decision-source.ts';
import type { EventContext } from '../state/event-context.ts';
import { CONTROLLER_TIMER, type TimerHeap } from '../state/timer-heap.ts';
import type { Snapshots } from './snapshots.ts';
import type { StrategyRegistry } from './strategy-registry.ts';
import type { StrategyStops } from './strategy-stops.ts';
import type { Place, Targets } from './targets.ts';

/** Of each owner what is asked of it: tests put simpler ones in their place. */
export interface Desk {
  readonly settings: EngineSettings;
  readonly calendar: TradingCalendar;
  /** The same view the guard reads: orders, positions, ages, phase, P&L. */
  readonly view: RiskView;
  /** What is asked for is queued and carried out after the event: nothing re-enters, and the guard checks each call. */
  readonly context: Pick<EventContext, 'ask' | 'cancel' | 'withdraw' | 'append' | 'alert' | 'head'> & {
    readonly decisions: Pick<DecisionSource, 'policies'>;
  };
  readonly orders: Pick<Orders, 'canceledWaiting' | 'waiting'>;
  readonly portfolio: Pick<Portfolio, 'held' | 'isHolding' | 'has' | 'addWithoutFill'>;
  readonly registry: Pick<StrategyRegistry, 'seats' | 'hasUnmanaged' | 'isStopped' | 'legs' | 'setLegs'>;
  readonly snapshots: Pick<Snapshots, 'want'>;
  readonly entries: Pick<EntryWithdrawal, 'isCover' | 'withdraw'>;
  readonly stops: Pick<StrategyStops, 'stop'>;
  readonly targets: Targets;
  readonly timers: SessionTimers;
}

export const ordersOf = ({ view }: Desk, { strategy, instrument }: Place): readonly OrderView[] =>
  view.openOrders().filter((order) => order.strategy === strategy && order.instrument === instrument);

export const codeOf = ({ view }: Desk, instrument: InstrumentIndex): string =>
  view.contract(instrument)?.orderCode ?? `contract ${instrument}`;

/** Changes a position without a fill, `qty` as added to it and `value` zero or more. */
export function changeWithoutFill(
  { portfolio, context }: Desk,
  { strategy, instrument }: Place,
  event: 'settled' | 'forced_close',
  qty: SignedQty,
  value: Money,
): void {
  portfolio.addWithoutFill(strategy, event, instrument, qty, value);
  context.append({ ...context.head(strategy), kind: 'position_event', event, instrument, qty, value });
}

/** The controller's timers by callback; the engine knows them by a number. */
export class SessionTimers {
  readonly #context: Pick<EventContext, 'nowUs'>;
  readonly #heap: Pick<TimerHeap, 'set' | 'clear'>;
  readonly #waiting = new Map<number, () => void>();
  #lastTag = 0;

  constructor(context: Pick<EventContext, 'nowUs'>, heap: Pick<TimerHeap, 'set' | 'clear'>) {
    this.#context = context;
    this.#heap = heap;
  }

  /** After a span of market time. */
  after(span: DurationUs, run: () => void): CancelTimer {
    return this.#set(addUs(this.#context.nowUs, span), run, false);
  }

  at(moment: TsUs, run: () => void): CancelTimer {
    return this.#set(moment, run, true);
  }

  fire(tag: number): void {
    const run = this.#waiting.get(tag);
    this.#waiting.delete(tag);
    run?.();
  }

  #set(dueUs: TsUs, run: () => void, isMoment: boolean): CancelTimer {
    this.#lastTag += 1;
    const tag = this.#lastTag;
    this.#waiting.set(tag, run);
    const timer = this.#heap.set(CONTROLLER_TIMER, dueUs, tag, isMoment);
    return () => {
      if (this.#waiting.delete(tag)) this.#heap.clear(timer);
    };
  }
}
