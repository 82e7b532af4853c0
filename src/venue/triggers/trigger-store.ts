/** Orders that wait for their trigger, of all accounts: by key, and by the contract they watch. */
import { assert } from '../../domain/assert.ts';
import type { AccountId, OrderCode } from '../../domain/ids.ts';
import type { TsUs } from '../../domain/units.ts';
import type { Outbox } from '../venue-event.ts';
import {
  isWaiting,
  reportOfTrigger,
  restoredTrigger,
  type TriggerOrder,
  type TriggerState,
} from './trigger-order.ts';
import { limitsOf, type OnTouch, TriggerWatch } from './trigger.ts';

class TriggerStore {
  #rows: TriggerOrder[] = [];
  readonly #byKey = new Map<string, TriggerOrder>();
  /** In order of entry. */
  readonly #waiting = new Map<OrderCode, Set<TriggerOrder>>();
  /** Orders that have not ended, suspended ones too. */
  readonly #waitingOf = new Map<AccountId, number>();
  #nextNo = 1;

  get nextNo(): number {
    return this.#nextNo;
  }

  takeNo(): string {
    const taken = String(this.#nextNo);
    this.#nextNo += 1;
    return taken;
  }

  add(row: TriggerOrder): void {
    this.#rows.push(row);
    this.#byKey.set(row.orderKey, row);
    if (!isWaiting(row)) return;
    this.#waitingIn(row.orderCode).add(row);
    this.#waitingOf.set(row.accountId, this.waitingOf(row.accountId) + 1);
  }

  /** It waits again, at its old place. */
  resumed(row: TriggerOrder): void {
    const { orderCode } = row;
    const again = this.#rows.filter(
      (other) => other.orderCode === orderCode && isWaiting(other) && !other.suspended,
    );
    this.#waiting.set(orderCode, new Set(again));
  }

  /** Trades pass it by. */
  suspended(row: TriggerOrder): void {
    this.#waitingIn(row.orderCode).delete(row);
  }

  /** It waits no longer. */
  ended(row: TriggerOrder): void {
    this.suspended(row);
    const waiting = this.waitingOf(row.accountId);
    assert(waiting > 0, 'an order that ends was counted');
    this.#waitingOf.set(row.accountId, waiting - 1);
  }

  find(id: AccountId, orderKey: string): TriggerOrder | undefined {
    const row = this.#byKey.get(orderKey);
    return row?.accountId === id ? row : undefined;
  }

  of(id: AccountId): TriggerOrder[] {
    return this.#rows.filter((row) => row.accountId === id);
  }

  all(): readonly TriggerOrder[] {
    return this.#rows;
  }

  /** Orders that wait for trades in a contract. */
  waitingIn(code: OrderCode): ReadonlySet<TriggerOrder> {
    return this.#waitingIn(code);
  }

  waitingOf(id: AccountId): number {
    return this.#waitingOf.get(id) ?? 0;
  }

  /** A new day shows what still waits, and nothing of what ended before. */
  beginDay(): void {
    for (const row of this.#rows) if (!isWaiting(row)) this.#byKey.delete(row.orderKey);
    this.#rows = this.#rows.filter(isWaiting);
  }

  restore(states: readonly TriggerState[], nextNo: number): void {
    this.#nextNo = nextNo;
    for (const state of states) this.add(restoredTrigger(state));
    for (const { orderKey, partnerKey } of states) {
      const row = this.#byKey.get(orderKey);
      const partner = partnerKey === null ? undefined : this.#byKey.get(partnerKey);
      if (row !== undefined && partner !== undefined) row.partner = partner;
    }
  }

  #waitingIn(code: OrderCode): Set<TriggerOrder> {
    let waiting = this.#waiting.get(code);
    if (waiting === undefined) {
      waiting = new Set();
      this.#waiting.set(code, waiting);
    }
    return waiting;
  }
}

/** The rows with their watches, and the messages about them: the one place where a row changes its status. */
export class TriggerRows {
  readonly store = new TriggerStore();
  readonly #outbox: Outbox;
  readonly #onTouch: OnTouch;
  readonly #watches = new Map<OrderCode, TriggerWatch>();

  constructor(outbox: Outbox, onTouch: OnTouch) {
    this.#outbox = outbox;
    this.#onTouch = onTouch;
  }

  /** The book of a contract tells its trades to it. */
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

  enter(row: TriggerOrder, at: TsUs): void {
    this.store.add(row);
    this.#watch(row);
    this.tell(row, at);
  }

  /** Reads anew what waits in a contract, after a trigger moved or went. */
  refresh(code: OrderCode): void {
    this.watchOf(code).forget();
    for (const row of this.store.waitingIn(code)) this.#watch(row);
  }

  /** Takes a row out of the trades' way while it is being sent, or its other half is. */
  suspend(row: TriggerOrder): void {
    row.suspended = true;
    this.store.suspended(row);
  }

  /** It was not sent after all. */
  resume(row: TriggerOrder): void {
    row.suspended = false;
    this.store.resumed(row);
    this.#watch(row);
  }

  activate(row: TriggerOrder, at: TsUs): void {
    row.activatedUs = at;
    this.#end(row, 'activated');
    this.tell(row, at);
  }

  reject(row: TriggerOrder, reason: string, at: TsUs): void {
    row.reason = reason;
    this.#end(row, 'rejected');
    this.tell(row, at);
  }

  /** By its owner, by the other half of a bracket, or at the end of its life. */
  cancel(row: TriggerOrder, reason: string, expired: boolean, at: TsUs): void {
    row.canceledUs = at;
    row.expired = expired;
    row.reason = reason;
    this.#end(row, 'canceled');
    this.tell(row, at);
  }

  tell(row: TriggerOrder, at: TsUs): void {
    this.#outbox.emit({ kind: 'trigger', tsUs: at, trigger: reportOfTrigger(row) });
  }

  #end(row: TriggerOrder, status: 'activated' | 'rejected' | 'canceled'): void {
    assert(isWaiting(row), 'an order with a trigger ends once');
    row.status = status;
    row.suspended = false;
    this.store.ended(row);
  }

  #watch({ trigger, orderCode }: TriggerOrder): void {
    const { rise, fall } = limitsOf(trigger);
    this.watchOf(orderCode).narrow(rise, fall);
  }
}
