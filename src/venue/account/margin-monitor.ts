/**
 * The broker watches margin: at the next whole second after something traded it looks at every account that holds or owes
 * anything, says when an account's level changes, and closes positions that have no margin any more. First it withdraws the
 * account's working orders; once they are gone it sells or buys at the edge of the band what brings usage back under the
 * warning ratio. Only in continuous trading, where orders can be withdrawn.
 */
import type { SessionPhase } from '../../domain/calendar.ts';
import { type AccountId, brokerOrderNo, type OrderCode } from '../../domain/ids.ts';
import type { Side } from '../../domain/order.ts';
import { type TsUs, US_PER_SECOND } from '../../domain/units.ts';
import type { AccountFigures } from './account-figures.ts';
import { type AccountContext, accountFigures } from './account-view.ts';
import type { Ledger, LedgerAccount } from './ledger.ts';
import { leavesOf } from '../orders/live-order.ts';
import { marginOf } from './margin.ts';
import type { OrderEntry } from '../orders/order-entry.ts';
import type { Outbox } from '../outbox.ts';
import type { TradingFloor } from '../exchange/trading-floor.ts';

export interface SurveillanceParts {
  readonly ledger: Ledger;
  readonly floor: TradingFloor;
  readonly desk: OrderEntry;
  readonly outbox: Outbox;
  readonly phase: () => SessionPhase;
  readonly context: () => AccountContext;
}

const NEVER = Number.POSITIVE_INFINITY;

export class MarginMonitor {
  readonly #parts: SurveillanceParts;
  #nextUs = NEVER;

  constructor(parts: SurveillanceParts) {
    this.#parts = parts;
  }

  get nextUs(): number {
    return this.#nextUs;
  }

  /** Something moved that margin depends on. */
  notice(at: TsUs): void {
    if (this.#nextUs !== NEVER) return;
    for (const { holdings, level } of this.#parts.ledger.accounts()) {
      if (holdings.size === 0 && level === 'sound') continue;
      this.#nextUs = (Math.floor(at / US_PER_SECOND) + 1) * US_PER_SECOND;
      return;
    }
  }

  run(at: TsUs): void {
    const { ledger, outbox, phase, context } = this.#parts;
    this.#nextUs = NEVER;
    for (const account of ledger.accounts()) {
      const figures = accountFigures(account, context());
      const { level, usageBps } = figures;
      if (level !== account.level) {
        ledger.setLevel(account.accountId, level);
        outbox.emit({ kind: 'margin_level', tsUs: at, accountId: account.accountId, level, usageBps });
      }
      if (level === 'forced_close' && phase() === 'continuous') this.#force(account, figures, at);
    }
  }

  #force(account: LedgerAccount, figures: AccountFigures, at: TsUs): void {
    if (![...account.holdings.values()].some(({ entry }) => entry.qty !== 0)) return;
    if (this.#withdraw(account.accountId)) return this.#close(account, figures);
    this.#nextUs = (Math.floor(at / US_PER_SECOND) + 1) * US_PER_SECOND;
  }

  /** Cancels what works and is not ours; true once nothing of it is left. */
  #withdraw(id: AccountId): boolean {
    const { desk } = this.#parts;
    const others = desk.open(id).filter(({ origin }) => origin !== 'forced');
    for (const { accountId, orderNo } of others) desk.cancel({ accountId, orderNo: brokerOrderNo(orderNo) });
    return others.length === 0;
  }

  /** Closes as little as brings the requirement back under the warning ratio, nearest expiry first. */
  #close(account: LedgerAccount, { requiredMargin, collateral }: AccountFigures): void {
    const context = this.#parts.context();
    let tooMuch = requiredMargin - Math.floor((collateral * context.rules.warnBps) / 10_000);
    for (const [code, { entry }] of account.holdings) {
      if (entry.qty === 0) continue;
      const ofOne = marginOf(context.terms, 1, context.mark(code).price);
      const closing = this.#alreadyClosing(account.accountId, code);
      tooMuch -= closing * ofOne;
      const held = Math.abs(entry.qty) - closing;
      const toClose = Math.min(held, Math.max(0, Math.ceil(tooMuch / ofOne)));
      tooMuch -= toClose * ofOne;
      this.#send(account.accountId, code, entry.qty > 0 ? 'sell' : 'buy', toClose);
    }
  }

  #alreadyClosing(id: AccountId, code: OrderCode): number {
    const forced = this.#parts.desk.open(id).filter(({ orderCode }) => orderCode === code);
    return forced.reduce((sum, order) => sum + leavesOf(order), 0);
  }

  #send(id: AccountId, code: OrderCode, side: Side, quantity: number): void {
    const { desk, floor } = this.#parts;
    const listing = floor.book(code)?.listing;
    if (listing === undefined) return;
    const limitPrice = side === 'sell' ? listing.band.floor : listing.band.ceiling;
    const max = listing.contract.spec.orderQtyMax;
    for (let left = quantity; left > 0; left -= max) {
      const qty = Math.min(left, max);
      desk.place({ accountId: id, orderCode: code, side, limitPrice, qty, refId: null }, 'forced');
    }
  }
}
