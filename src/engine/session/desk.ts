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
import type { OrderView, Owners } from '../owners.ts';
import type { EventContext } from '../state/event-context.ts';
import { CONTROLLER_TIMER, type TimerHeap } from '../state/timer-heap.ts';
import type { Snapshots } from './snapshots.ts';
import type { StrategyStops } from './strategy-stops.ts';
import type { Place } from './targets.ts';

/** What is asked for through `context` is queued and carried out after the event: nothing re-enters, and the guard checks each call. */
export interface Desk extends Owners {
  readonly settings: EngineSettings;
  readonly calendar: TradingCalendar;
  readonly snapshots: Pick<Snapshots, 'want'>;
  readonly entries: Pick<EntryWithdrawal, 'isCover' | 'withdraw'>;
  readonly stops: Pick<StrategyStops, 'stop'>;
  readonly timers: SessionTimers;
}

export const ordersOf = ({ orders }: Desk, { strategy, instrument }: Place): readonly OrderView[] =>
  orders.open.filter((order) => order.strategy === strategy && order.instrument === instrument);

export const codeOf = ({ contracts }: Desk, instrument: InstrumentIndex): string =>
  contracts.at(instrument)?.orderCode ?? `contract ${instrument}`;

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
