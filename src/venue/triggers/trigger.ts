/** When a waiting order is sent: a stop at a touch, a trailing stop behind the best price since its activation, in favour only. */
import type { OrderCode } from '../../domain/ids.ts';
import type { Side, TriggerWhen } from '../../domain/order.ts';

export interface VenueTrigger {
  /** Side of the order that is sent. */
  readonly side: Side;
  readonly when: TriggerWhen;
  /** Null while a trailing stop is not activated. */
  price: number | null;
  readonly trailing: TrailingTrigger | null;
}

interface TrailingTrigger {
  activation: number;
  readonly offset: number;
  best: number | null;
}

type TriggerStep = 'waits' | 'moves' | 'fires';

export const stopTrigger = (side: Side, when: TriggerWhen, price: number): VenueTrigger => ({
  side,
  when,
  price,
  trailing: null,
});

/** A sell protects a long position: it follows rising prices and fires when they fall. */
export const trailingTrigger = (side: Side, activation: number, offset: number): VenueTrigger => ({
  side,
  when: side === 'sell' ? 'at_or_below' : 'at_or_above',
  price: null,
  trailing: { activation, offset, best: null },
});

export function stepTrigger(trigger: VenueTrigger, traded: number): TriggerStep {
  const { trailing } = trigger;
  if (trigger.price !== null && touches(trigger.when, trigger.price, traded)) return 'fires';
  if (trailing === null || traded * favour(trigger.side) < followFrom(trigger, trailing)) return 'waits';
  trailing.best = traded;
  trigger.price = traded - favour(trigger.side) * trailing.offset;
  return 'moves';
}

/** The lowest price above and the highest below at which a trade does something. */
export function limitsOf(trigger: VenueTrigger): { readonly rise: number; readonly fall: number } {
  const { price, trailing, when, side } = trigger;
  let rise = Number.POSITIVE_INFINITY;
  let fall = Number.NEGATIVE_INFINITY;
  if (price !== null) {
    if (when === 'at_or_above') rise = price;
    else fall = price;
  }
  if (trailing !== null) {
    const follows = favour(side) * followFrom(trigger, trailing);
    if (side === 'sell') rise = Math.min(rise, follows);
    else fall = Math.max(fall, follows);
  }
  return { rise, fall };
}

const touches = (when: TriggerWhen, price: number, traded: number): boolean =>
  when === 'at_or_above' ? traded >= price : traded <= price;

/** Prices in favour of the protected position: rising for a sell. */
const favour = (side: Side): 1 | -1 => (side === 'sell' ? 1 : -1);

/** Where it begins to follow, or follows on; in the direction of its favour. */
const followFrom = ({ side }: VenueTrigger, { activation, best }: TrailingTrigger): number =>
  best === null ? favour(side) * activation : favour(side) * best + 1;

/** Called with a trade, or bid and ask of a quote, at which a trigger may move or fire. */
export type OnTouch = (orderCode: OrderCode, bid: number, ask: number) => void;

/** Keeps the prices of one contract between which no trigger moves or fires, so that a trade costs two comparisons. */
export class TriggerWatch {
  readonly orderCode: OrderCode;
  readonly #onTouch: OnTouch;
  #riseTo = Number.POSITIVE_INFINITY;
  #fallTo = Number.NEGATIVE_INFINITY;
  #hasTraded = false;

  constructor(orderCode: OrderCode, onTouch: OnTouch) {
    this.orderCode = orderCode;
    this.#onTouch = onTouch;
  }

  note(price: number): void {
    this.quote(price, price);
  }

  /** A row that buys uses the ask, one that sells the bid. */
  quote(bid: number, ask: number): void {
    this.#hasTraded = true;
    if (ask >= this.#riseTo || bid <= this.#fallTo) this.#onTouch(this.orderCode, bid, ask);
  }

  /** Nothing waits until the next `narrow`. */
  forget(): void {
    this.#riseTo = Number.POSITIVE_INFINITY;
    this.#fallTo = Number.NEGATIVE_INFINITY;
  }

  narrow(rise: number, fall: number): void {
    if (rise < this.#riseTo) this.#riseTo = rise;
    if (fall > this.#fallTo) this.#fallTo = fall;
  }

  /** Whether anything traded since this was last asked. */
  takeTraded(): boolean {
    const traded = this.#hasTraded;
    this.#hasTraded = false;
    return traded;
  }
}
