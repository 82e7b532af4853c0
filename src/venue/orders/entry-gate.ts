/** The broker's gate before an order: is there such an account and contract, are the values sound, is there margin? */
import type { SessionPhase } from '../../domain/calendar.ts';
import type { AccountId, OrderCode } from '../../domain/ids.ts';
import { type AccountContext, accountFigures } from '../account/account-view.ts';
import { bracketRefusal } from '../conditions/condition-checks.ts';
import type { Ledger } from '../account/ledger.ts';
import { marginOf, NOTHING_WORKING, plus, worstPosition } from '../account/margin.ts';
import { entryRefusal, priceRefusal, qtyRefusal } from './order-checks.ts';
import { refusal } from './refusals.ts';
import type { TradingFloor } from '../exchange/trading-floor.ts';
import type { PlaceLimit, Refusal } from '../venue-command.ts';

export class EntryGate {
  readonly #ledger: Ledger;
  readonly #floor: TradingFloor;

  constructor(ledger: Ledger, floor: TradingFloor) {
    this.#ledger = ledger;
    this.#floor = floor;
  }

  placeRefusal(command: PlaceLimit, phase: SessionPhase, context: AccountContext): Refusal | null {
    const unknown = this.unknownRefusal(command.accountId, command.orderCode);
    const book = this.#floor.book(command.orderCode);
    if (unknown !== null || book === undefined) return unknown;
    return (
      entryRefusal(phase) ??
      qtyRefusal(command.qty, book.listing.contract.spec.orderQtyMax) ??
      priceRefusal(command.limitPrice, book.listing) ??
      bracketRefusal(command, book.listing) ??
      this.riskRefusal(command, context)
    );
  }

  /** Why there is no such account or contract; null when there is. */
  unknownRefusal(id: AccountId, code: OrderCode): Refusal | null {
    if (this.#ledger.account(id) === undefined) return refusal(-6001);
    if (this.#floor.book(code) !== undefined) return null;
    return refusal(this.#floor.hasExpired(code) ? -6033 : -6003);
  }

  /** What reduces the position, working orders considered, is never refused here. */
  riskRefusal(command: PlaceLimit, context: AccountContext): Refusal | null {
    const account = this.#ledger.account(command.accountId);
    if (account === undefined) return refusal(-6001);
    const all = context.working(account);
    const working = all.get(command.orderCode) ?? NOTHING_WORKING;
    const net = this.#ledger.netOf(command.accountId, command.orderCode);
    const before = worstPosition(net, working);
    const after = worstPosition(net, plus(working, command.side, command.qty));
    if (after <= before) return null;
    let elsewhere = 0;
    for (const code of new Set([...account.holdings.keys(), ...all.keys()])) {
      const held = account.holdings.get(code)?.entry.qty ?? 0;
      if (code !== command.orderCode) elsewhere += worstPosition(held, all.get(code) ?? NOTHING_WORKING);
    }
    if (elsewhere + after > context.rules.positionMax) return refusal(-6038);
    const figures = accountFigures(account, context);
    if (figures.usageBps >= context.rules.entryBps) return refusal(-6032);
    const { price } = context.mark(command.orderCode);
    const extra = marginOf(context.terms, after, price) - marginOf(context.terms, before, price);
    return extra > figures.buyingPower ? refusal(-6012) : null;
  }
}
