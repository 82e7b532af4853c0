/** Every conditional order with what it watches, and what is told of each: the one place where a row changes its status. */
import { assert } from '../../domain/assert.ts';
import type { OrderCode } from '../../domain/ids.ts';
import type { TsUs } from '../../domain/units.ts';
import { ConditionStore } from './condition-store.ts';
import { conditionOf, isWaiting, type LiveCondition } from './live-condition.ts';
import type { Outbox } from '../outbox.ts';
import { type OnTouch, TriggerWatch } from './trigger-watch.ts';
import { limitsOf } from './trigger.ts';

export class ConditionBook {
  readonly store = new ConditionStore();
  readonly #outbox: Outbox;
  readonly #onTouch: OnTouch;
  readonly #watches = new Map<OrderCode, TriggerWatch>();

  constructor(outbox: Outbox, onTouch: OnTouch) {
    this.#outbox = outbox;
    this.#onTouch = onTouch;
  }

  /** What the book of a contract tells its trades to. */
  watchOf(code: OrderCode): TriggerWatch {
    let watch = this.#watches.get(code);
    if (watch === undefined) {
      watch = new TriggerWatch(code, this.#onTouch);
      this.#watches.set(code, watch);
    }
    return watch;
  }

  /** Whether anything traded since this was last asked. */
  takeTraded(): boolean {
    let traded = false;
    for (const watch of this.#watches.values()) traded = watch.takeTraded() || traded;
    return traded;
  }

  enter(row: LiveCondition, at: TsUs): void {
    this.store.add(row);
    this.#heed(row);
    this.tell(row, at);
  }

  /** Reads anew what waits in a contract, after a trigger moved or went. */
  refresh(code: OrderCode): void {
    this.watchOf(code).forget();
    for (const row of this.store.waitingIn(code)) this.#heed(row);
  }

  /** Takes a row out of the trades' way while it is being sent, or its other half is. */
  suspend(row: LiveCondition): void {
    row.suspended = true;
    this.store.ended(row);
  }

  /** It was not sent after all. */
  resume(row: LiveCondition): void {
    row.suspended = false;
    this.store.resumed(row);
    this.#heed(row);
  }

  activate(row: LiveCondition, at: TsUs): void {
    row.activatedUs ??= at;
    if (row.sentQty === row.qty) this.#end(row, 'activated');
    this.tell(row, at);
  }

  reject(row: LiveCondition, reason: string, at: TsUs): void {
    row.reason = reason;
    this.#end(row, 'rejected');
    this.tell(row, at);
  }

  /** By its owner, by the other half of a bracket, or at the end of its life. */
  cancel(row: LiveCondition, reason: string, expired: boolean, at: TsUs): void {
    row.canceledUs = at;
    row.expired = expired;
    row.reason = reason;
    this.#end(row, 'canceled');
    this.tell(row, at);
  }

  tell(row: LiveCondition, at: TsUs): void {
    this.#outbox.emit({ kind: 'condition', tsUs: at, condition: conditionOf(row) });
  }

  #end(row: LiveCondition, status: 'activated' | 'rejected' | 'canceled'): void {
    assert(isWaiting(row), 'a conditional order ends once');
    row.status = status;
    row.owedQty = 0;
    row.suspended = false;
    this.store.ended(row);
  }

  #heed({ trigger, orderCode }: LiveCondition): void {
    if (trigger === null) return;
    const { rise, fall } = limitsOf(trigger);
    this.watchOf(orderCode).heed(rise, fall);
  }
}
