/** Orders that wait for their trigger, as the trigger book keeps them. */
import type { AccountId, OrderCode } from '../../domain/ids.ts';
import type { TsUs } from '../../domain/units.ts';
import type { Outbox } from '../venue-event.ts';
import {
  isPending,
  limitsOf,
  type OnTouch,
  type TriggerOrder,
  triggerReport,
  TriggerWatch,
} from './trigger.ts';
import { assert } from '../../domain/assert.ts';

/** For a restart: between two matches none is suspended. */
const copyOf = ({ trigger, ...row }: TriggerOrder): TriggerOrder => ({
  ...row,
  trigger: { ...trigger, trailing: trigger.trailing && { ...trigger.trailing } },
  suspended: false,
});

/** Rows of one contract that wait for trades. */
interface ContractTriggers {
  rows: Set<TriggerOrder>;
  readonly watch: TriggerWatch;
}

/** Of all accounts: the one place where a row changes its status. */
export class TriggerRows {
  readonly #outbox: Outbox;
  readonly #onTouch: OnTouch;
  #rows: TriggerOrder[] = [];
  readonly #byKey = new Map<string, TriggerOrder>();
  readonly #contracts = new Map<OrderCode, ContractTriggers>();
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

  exportState(): { readonly triggerNoNext: number; readonly triggers: readonly TriggerOrder[] } {
    return { triggerNoNext: this.#nextNo, triggers: this.#rows.map(copyOf) };
  }

  restore(states: readonly TriggerOrder[], nextNo: number): void {
    this.#nextNo = nextNo;
    for (const state of states) this.#add(copyOf(state));
  }

  /** The other half of a bracket, while the book shows it. */
  partnerOf({ partnerKey }: TriggerOrder): TriggerOrder | undefined {
    return partnerKey === null ? undefined : this.#byKey.get(partnerKey);
  }

  /** The book of a contract reports its trades to it. */
  watchOf(code: OrderCode): TriggerWatch {
    return this.#contract(code).watch;
  }

  consumeTraded(): boolean {
    let traded = false;
    for (const { watch } of this.#contracts.values()) traded = watch.consumeTraded() || traded;
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

  /** It was sent, could not be sent, or is canceled: by its owner, by the other half of a bracket, or at the end of its life. */
  end(
    row: TriggerOrder,
    status: 'activated' | 'rejected' | 'canceled',
    at: TsUs,
    reason = '',
    expired = false,
  ): void {
    assert(isPending(row), 'an order with a trigger ends once');
    row.status = status;
    row.suspended = false;
    row.reason = reason;
    row.expired = expired;
    if (status === 'activated') row.activatedUs = at;
    if (status === 'canceled') row.canceledUs = at;
    this.#contract(row.orderCode).rows.delete(row);
    this.#waitingOf.set(row.accountId, this.waitingOf(row.accountId) - 1);
    this.report(row, at);
  }

  report(row: TriggerOrder, at: TsUs): void {
    this.#outbox.emit({ kind: 'trigger', tsUs: at, trigger: triggerReport(row) });
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

  #contract(code: OrderCode): ContractTriggers {
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
