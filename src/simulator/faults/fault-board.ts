/** The lasting faults in force, and how often each still strikes. */
import type { OperationName } from '../../wire/rest/operations.ts';
import type { DataChannel } from '../../wire/stream/control-frame.ts';
import type { LastingFault, LastingFaultName } from './fault.ts';
import type { Clock } from '../../domain/clock.ts';
import type { BrokerOrderKey } from '../../domain/ids.ts';
import { US_PER_SECOND } from '../../domain/units.ts';
import type { OrderReport } from '../../venue/venue-event.ts';

interface ArmedEntry {
  readonly fault: LastingFault;
  left: number;
}

export interface ArmedFault {
  readonly fault: LastingFault;
  /** Null: until it is cleared. */
  readonly left: number | null;
}

type FaultOf<N extends LastingFaultName> = Extract<LastingFault, { readonly name: N }>;

/** Target of a fault; a fault aimed elsewhere does not strike. */
interface FaultTarget {
  readonly operation?: OperationName;
  readonly channel?: DataChannel;
  readonly symbol?: string;
  readonly scope?: 'stream' | 'all';
  readonly book?: 'in-day' | 'conditions';
}

export class FaultBoard {
  #armed: ArmedEntry[] = [];

  arm(fault: LastingFault): void {
    this.#armed.push({ fault, left: ('times' in fault ? fault.times : undefined) ?? Infinity });
  }

  clear(name?: string): void {
    this.#armed = name === undefined ? [] : this.#armed.filter(({ fault }) => fault.name !== name);
  }

  list(): readonly ArmedFault[] {
    return this.#armed.map(({ fault, left }) => ({ fault, left: left === Infinity ? null : left }));
  }

  /** The latest fault of this name, which is in force until it is cleared and is not counted. */
  active<N extends LastingFaultName>(name: N): FaultOf<N> | undefined {
    for (const { fault } of this.#armed.toReversed()) if (isNamed(fault, name)) return fault;
    return undefined;
  }

  /** The first fault of this name that strikes here, and counts it; undefined without one. */
  strike<N extends LastingFaultName>(name: N, target: FaultTarget = {}): FaultOf<N> | undefined {
    if (this.#armed.length === 0) return undefined;
    for (const armed of this.#armed) {
      const { fault } = armed;
      if (!isNamed(fault, name) || !isAimedAt(fault, target)) continue;
      armed.left -= 1;
      if (armed.left <= 0) this.#armed = this.#armed.filter((other) => other !== armed);
      return fault;
    }
    return undefined;
  }
}

const isNamed = <N extends LastingFaultName>(fault: LastingFault, name: N): fault is FaultOf<N> =>
  fault.name === name;

function isAimedAt(fault: LastingFault, target: FaultTarget): boolean {
  if ('operation' in fault && fault.operation !== undefined && fault.operation !== target.operation)
    return false;
  if ('channel' in fault && fault.channel !== undefined && fault.channel !== target.channel) return false;
  if ('symbol' in fault && fault.symbol !== undefined && fault.symbol !== target.symbol) return false;
  if ('book' in fault && fault.book !== undefined && fault.book !== target.book) return false;
  if (fault.name === 'refuse_connections') return (fault.scope ?? 'stream') === target.scope;
  return true;
}

interface ShownOrder {
  readonly order: OrderReport;
  /** Letters to show in place of the true ones. */
  readonly statusText: string | null;
}

interface KeyedRow {
  readonly orderKey: BrokerOrderKey;
}

/** Hides orders from the books, and contradicts the in-day book, while a fault is in force. Positions and money stay true. */
export class BookDistortion {
  readonly #faults: FaultBoard;
  readonly #clock: Clock;
  /** Real time until which an order is not shown. */
  readonly #hiddenUntil = new Map<BrokerOrderKey, number>();

  constructor(faults: FaultBoard, clock: Clock) {
    this.#faults = faults;
    this.#clock = clock;
  }

  placed({ orderKey }: KeyedRow): void {
    const hidden = this.#faults.strike('hide_new_order');
    if (hidden) this.#hiddenUntil.set(orderKey, this.#clock.nowUs() + hidden.seconds * US_PER_SECOND);
  }

  /** One answer of the in-day book. A contradiction strikes once an answer, not once a row. */
  shown(orders: readonly OrderReport[]): readonly ShownOrder[] {
    const visible = this.visible('in-day', orders);
    const wrong = this.#faults.strike('contradict_status');
    return visible.map((order) => ({
      order,
      statusText: wrong && (wrong.orderNo ?? order.orderNo) === order.orderNo ? wrong.status : null,
    }));
  }

  visible<T extends KeyedRow>(book: 'in-day' | 'conditions', rows: readonly T[]): readonly T[] {
    if (this.#faults.strike('empty_book', { book }) !== undefined) return [];
    return this.#hiddenUntil.size === 0 ? rows : rows.filter((row) => !this.#isHidden(row));
  }

  #isHidden({ orderKey }: KeyedRow): boolean {
    const until = this.#hiddenUntil.get(orderKey);
    if (until === undefined) return false;
    if (this.#clock.nowUs() < until) return true;
    this.#hiddenUntil.delete(orderKey);
    return false;
  }
}
