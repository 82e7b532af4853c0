/** The broker measures margin on the next whole second after a change, and closes positions without it; in continuous trading alone. */
import type { AccountId, OrderCode } from '../domain/ids.ts';
import type { Side } from '../domain/order.ts';
import { type TsUs, US_PER_SECOND } from '../domain/units.ts';
import { type AccountContext, marginFigures } from './account/account-figures.ts';
import type { Ledger } from './account/ledger.ts';
import { contractsToClose, marginOf } from './account/margin.ts';
import type { VenueContext } from './orders/order-checks.ts';
import type { OrderEntry } from './orders/order-entry.ts';
import type { Outbox } from './venue-event.ts';

/** Contracts of one account, and of one owner in it, that are to be closed. */
export interface ForcedClose {
  readonly code: OrderCode;
  readonly side: Side;
  readonly qty: number;
  readonly owner: number;
}

export interface MarginBooks {
  /** A position is held, or a level is to be reported. */
  readonly isExposed: boolean;
  /** Measures every account and reports levels that changed; returns the accounts to be closed. */
  measure(at: TsUs): readonly AccountId[];
  /** `alreadyClosing` returns the quantity that working forced orders will close. */
  closings(id: AccountId, alreadyClosing: (code: OrderCode) => number): readonly ForcedClose[];
}

export class MarginMonitor {
  /** Time of the next measurement; infinite while nothing moves. */
  nextUs = Infinity;
  readonly #entry: OrderEntry;
  readonly #books: MarginBooks;
  readonly #venue: VenueContext;

  constructor(entry: OrderEntry, books: MarginBooks, venue: VenueContext) {
    this.#entry = entry;
    this.#books = books;
    this.#venue = venue;
  }

  /** An input of margin changed. */
  notice(at: TsUs): void {
    if (this.nextUs === Infinity && this.#books.isExposed) this.#checkAfter(at);
  }

  run(at: TsUs): void {
    this.nextUs = Infinity;
    for (const id of this.#books.measure(at)) if (this.#venue.phase === 'continuous') this.#force(id, at);
  }

  /** Closes a second after the account's last order is withdrawn: until then one may fill. */
  #force(id: AccountId, at: TsUs): void {
    if (this.#withdraw(id)) return this.#checkAfter(at);
    for (const closing of this.#books.closings(id, (code) => this.#alreadyClosing(id, code)))
      this.#send(id, closing);
  }

  #checkAfter(at: TsUs): void {
    this.nextUs = (Math.floor(at / US_PER_SECOND) + 1) * US_PER_SECOND;
  }

  /** True while an order that is not the broker's own works. */
  #withdraw(id: AccountId): boolean {
    const others = this.#entry.store.open(id).filter(({ origin }) => origin !== 'forced');
    for (const { accountId, orderNo } of others) this.#entry.cancel({ accountId, orderNo });
    return others.length > 0;
  }

  #alreadyClosing(id: AccountId, code: OrderCode): number {
    let closing = 0;
    for (const { origin, orderCode, leavesQty } of this.#entry.store.open(id))
      if (origin === 'forced' && orderCode === code) closing += leavesQty;
    return closing;
  }

  #send(accountId: AccountId, { code, side, qty: quantity, owner }: ForcedClose): void {
    const { contract, band } = this.#venue.listing(code) ?? {};
    if (contract === undefined || band === undefined) return;
    const limitPrice = side === 'sell' ? band.floor : band.ceiling;
    const { nowUs: decidedUs } = this.#venue;
    const decidedMidTwice = this.#venue.midTwice?.(code) ?? 0;
    const sender = { owner, triggerPrice: null, decidedUs, decidedMidTwice };
    for (let left = quantity; left > 0; left -= contract.spec.orderQtyMax) {
      const qty = Math.min(left, contract.spec.orderQtyMax);
      this.#entry.place({ accountId, orderCode: code, side, limitPrice, qty, refId: null }, 'forced', sender);
    }
  }
}

export class LedgerMargin implements MarginBooks {
  readonly #ledger: Ledger;
  readonly #outbox: Outbox;
  readonly #context: AccountContext;

  constructor(ledger: Ledger, outbox: Outbox, context: AccountContext) {
    this.#ledger = ledger;
    this.#outbox = outbox;
    this.#context = context;
  }

  get isExposed(): boolean {
    for (const { holdings, level } of this.#ledger.accounts())
      if (holdings.size > 0 || level !== 'sound') return true;
    return false;
  }

  measure(at: TsUs): AccountId[] {
    const forced: AccountId[] = [];
    for (const account of this.#ledger.accounts()) {
      const { level, usageBps } = marginFigures(account, this.#context);
      const { accountId, holdings } = account;
      if (level !== account.level) {
        this.#ledger.setLevel(accountId, level);
        this.#outbox.emit({ kind: 'margin_level', tsUs: at, accountId, level, usageBps });
      }
      const isHolding = [...holdings.values()].some(({ entry }) => entry.qty !== 0);
      if (level === 'forced_close' && isHolding) forced.push(accountId);
    }
    return forced;
  }

  closings(id: AccountId, alreadyClosing: (code: OrderCode) => number): ForcedClose[] {
    const account = this.#ledger.account(id);
    if (account === undefined) return [];
    const context = this.#context;
    const held = Array.from(account.holdings, ([code, { entry }]) => {
      const mark = context.mark(code);
      const marginOfOne = marginOf(mark, context.day, 1);
      return {
        code,
        expiry: mark.contract.expiry,
        net: entry.qty,
        closing: alreadyClosing(code),
        marginOfOne,
      };
    });
    const closings = contractsToClose(held, marginFigures(account, context), context.rules);
    return closings.map((closing) => ({ ...closing, owner: 0 }));
  }
}
