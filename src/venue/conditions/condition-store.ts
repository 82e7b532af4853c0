/** The conditional orders of all accounts: by key, and those that wait by the contract they watch. */
import type { AccountId, OrderCode } from '../../domain/ids.ts';
import { isWaiting, type LiveCondition, liveConditionOf } from './live-condition.ts';
import type { ConditionState } from '../venue-state.ts';

export class ConditionStore {
  #rows: LiveCondition[] = [];
  readonly #byKey = new Map<string, LiveCondition>();
  /** In order of entry. */
  readonly #waiting = new Map<OrderCode, Set<LiveCondition>>();
  #nextNo = 1;

  get nextNo(): number {
    return this.#nextNo;
  }

  takeNo(): string {
    const taken = String(this.#nextNo);
    this.#nextNo += 1;
    return taken;
  }

  add(row: LiveCondition): void {
    this.#rows.push(row);
    this.#byKey.set(row.orderKey, row);
    if (isWaiting(row)) this.#waitingIn(watchedBy(row)).add(row);
  }

  /** It waits again, at its old place. */
  resumed(row: LiveCondition): void {
    const code = watchedBy(row);
    const again = this.#rows.filter(
      (other) => watchedBy(other) === code && isWaiting(other) && !other.suspended,
    );
    this.#waiting.set(code, new Set(again));
  }

  /** It waits no longer. */
  ended(row: LiveCondition): void {
    this.#waitingIn(watchedBy(row)).delete(row);
  }

  find(id: AccountId, orderKey: string): LiveCondition | undefined {
    const row = this.#byKey.get(orderKey);
    return row?.accountId === id ? row : undefined;
  }

  of(id: AccountId): LiveCondition[] {
    return this.#rows.filter((row) => row.accountId === id);
  }

  all(): readonly LiveCondition[] {
    return this.#rows;
  }

  /** What waits for trades in a contract, or for own fills in it. */
  waitingIn(code: OrderCode): ReadonlySet<LiveCondition> {
    return this.#waitingIn(code);
  }

  waitingOf(id: AccountId): number {
    let count = 0;
    for (const row of this.#rows) if (row.accountId === id && isWaiting(row)) count += 1;
    return count;
  }

  /** A new day shows what still waits, and nothing of what ended before. */
  beginDay(): void {
    for (const row of this.#rows) if (!isWaiting(row)) this.#byKey.delete(row.orderKey);
    this.#rows = this.#rows.filter(isWaiting);
  }

  restore(states: readonly ConditionState[], nextNo: number): void {
    this.#nextNo = nextNo;
    for (const state of states) this.add(liveConditionOf(state));
    for (const { condition, partnerKey } of states) {
      const row = this.#byKey.get(condition.orderKey);
      const partner = partnerKey === null ? undefined : this.#byKey.get(partnerKey);
      if (row !== undefined && partner !== undefined) row.partner = partner;
    }
  }

  #waitingIn(code: OrderCode): Set<LiveCondition> {
    let waiting = this.#waiting.get(code);
    if (waiting === undefined) {
      waiting = new Set();
      this.#waiting.set(code, waiting);
    }
    return waiting;
  }
}

const watchedBy = ({ leg, orderCode }: LiveCondition): OrderCode => leg ?? orderCode;
