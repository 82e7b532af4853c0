/** Orders that wait for their trigger, of all accounts, and the messages about them. */
import { assert } from '../../domain/assert.ts';
import type { AccountId, OrderCode } from '../../domain/ids.ts';
import type { TsUs } from '../../domain/units.ts';
import type { Outbox } from '../venue-event.ts';
import {
  isPending,
  triggerReport,
  restoredTrigger,
  type TriggerOrder,
  type TriggerOrderState,
  triggerState,
} from './trigger-order.ts';
import { limitsOf, type OnTouch, TriggerWatch } from './trigger.ts';

/** Rows of one contract that wait for trades. */
interface OfContract {
  rows: Set<TriggerOrder>;
  readonly watch: TriggerWatch;
}

/** The one place where a row changes its status. */
export class TriggerRows {
  readonly #outbox: Outbox;
  readonly #onTouch: OnTouch;
  #rows: TriggerOrder[] = [];
  readonly #byKey = new Map<string, TriggerOrder>();
  readonly #contracts = new Map<OrderCode, OfContract>();
  /** Orders that have not ended, suspended ones too. */
  readonly #waitingOf = new Map<AccountId, number>();
  #nextNo = 1;

  constructor(outbox: Outbox, onTouch: OnTouch) {
    this.#outbox = outbox;
    this.#onTouch = onTouch;
  }

  takeNo(): string {
    const taken = String(this.#nextNo);
    this.#nextNo += 1;
    return taken;
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

  waitingIn(code: OrderCode): ReadonlySet<TriggerOrder> {
    return this.#contract(code).rows;
  }

  waitingOf(id: AccountId): number {
    return this.#waitingOf.get(id) ?? 0;
  }

  /** A new day shows the waiting rows, and none that ended before. */
  beginDay(): void {
    for (const row of this.#rows) if (!isPending(row)) this.#byKey.delete(row.orderKey);
    this.#rows = this.#rows.filter(isPending);
  }

  exportState(): { readonly triggerNoNext: number; readonly triggers: readonly TriggerOrderState[] } {
    return { triggerNoNext: this.#nextNo, triggers: this.#rows.map(triggerState) };
  }

  restore(states: readonly TriggerOrderState[], nextNo: number): void {
    this.#nextNo = nextNo;
    for (const state of states) this.#add(restoredTrigger(state));
    for (const { orderKey, partnerKey } of states) {
      const row = this.#byKey.get(orderKey);
      const partner = partnerKey === null ? undefined : this.#byKey.get(partnerKey);
      if (row !== undefined && partner !== undefined) row.partner = partner;
    }
  }

  /** The book of a contract reports its trades to it. */
  watchOf(code: OrderCode): TriggerWatch {
    return this.#contract(code).watch;
  }

  /** Whether anything traded since this was last asked. */
  takeTraded(): boolean {
    let traded = false;
    for (const { watch } of this.#contracts.values()) traded = watch.takeTraded() || traded;
    return traded;
  }

  enter(row: TriggerOrder, at: TsUs): void {
    this.#add(row);
    this.report(row, at);
  }

  /** Reads the waiting rows of a contract again, after a trigger moved or went. */
  refresh(code: OrderCode): void {
    const { rows, watch } = this.#contract(code);
    watch.forget();
    for (const row of rows) narrow(watch, row);
  }

  /** Takes a row out of the trades' way while it is being sent, or its other half is. */
  suspend(row: TriggerOrder): void {
    row.suspended = true;
    this.#contract(row.orderCode).rows.delete(row);
  }

  /** It was not sent after all, and waits at its old place. */
  resume(row: TriggerOrder): void {
    row.suspended = false;
    const { orderCode } = row;
    const again = this.#rows.filter(
      (other) => other.orderCode === orderCode && isPending(other) && !other.suspended,
    );
    const contract = this.#contract(orderCode);
    contract.rows = new Set(again);
    narrow(contract.watch, row);
  }

  activate(row: TriggerOrder, at: TsUs): void {
    row.activatedUs = at;
    this.#end(row, 'activated');
    this.report(row, at);
  }

  reject(row: TriggerOrder, reason: string, at: TsUs): void {
    row.reason = reason;
    this.#end(row, 'rejected');
    this.report(row, at);
  }

  /** By its owner, by the other half of a bracket, or at the end of its life. */
  cancel(row: TriggerOrder, reason: string, expired: boolean, at: TsUs): void {
    row.canceledUs = at;
    row.expired = expired;
    row.reason = reason;
    this.#end(row, 'canceled');
    this.report(row, at);
  }

  report(row: TriggerOrder, at: TsUs): void {
    this.#outbox.emit({ kind: 'trigger', tsUs: at, trigger: triggerReport(row) });
  }

  #end(row: TriggerOrder, status: 'activated' | 'rejected' | 'canceled'): void {
    assert(isPending(row), 'an order with a trigger ends once');
    row.status = status;
    row.suspended = false;
    this.#contract(row.orderCode).rows.delete(row);
    this.#waitingOf.set(row.accountId, this.waitingOf(row.accountId) - 1);
  }

  #add(row: TriggerOrder): void {
    this.#rows.push(row);
    this.#byKey.set(row.orderKey, row);
    if (!isPending(row)) return;
    const { rows, watch } = this.#contract(row.orderCode);
    rows.add(row);
    narrow(watch, row);
    this.#waitingOf.set(row.accountId, this.waitingOf(row.accountId) + 1);
  }

  #contract(code: OrderCode): OfContract {
    let contract = this.#contracts.get(code);
    if (contract === undefined) {
      contract = { rows: new Set(), watch: new TriggerWatch(code, this.#onTouch) };
      this.#contracts.set(code, contract);
    }
    return contract;
  }
}

function narrow(watch: TriggerWatch, { trigger }: TriggerOrder): void {
  const { rise, fall } = limitsOf(trigger);
  watch.narrow(rise, fall);
}
