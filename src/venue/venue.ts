/** The exchange and the broker's back office behind it, as one pure machine: commands and time in, events out. */
import { assert } from '../domain/assert.ts';
import type { SessionPhase } from '../domain/calendar.ts';
import type { TradingDay } from '../domain/civil-date.ts';
import { type Contract, valueAtHundredths } from '../domain/contract.ts';
import type { AccountId, BrokerOrderNo, OrderCode } from '../domain/ids.ts';
import { type TsUs, tsUs } from '../domain/units.ts';
import {
  type AccountFigures,
  accountFigures,
  type ClosedPosition,
  closedPositions,
  type PositionFigures,
  positionFigures,
} from './account/account-figures.ts';
import type { ContractBoard } from './exchange/contract-book.ts';
import { TapeBook } from './exchange/tape-book.ts';
import { Machine } from './machine.ts';
import { placeRefusal } from './orders/order-checks.ts';
import { reportOf, type VenueOrder } from './orders/venue-order.ts';
import type { VenueState } from './venue-state.ts';
import type { TriggerAnswer } from './triggers/trigger-book.ts';
import {
  type CancelOrder,
  type CancelTrigger,
  type CashOutcome,
  type ChangeOrder,
  type ChangeTrigger,
  type CommandOutcome,
  isRefusal,
  type PlaceLimit,
  type PlaceTrigger,
  refusal,
  type Refusal,
  type TriggerOutcome,
} from './venue-command.ts';
import type { OrderOrigin, OrderReport, TriggerReport, VenueEvent } from './venue-event.ts';
import type { TapePrint, VenueOptions } from './venue-options.ts';

export class Venue {
  readonly #machine: Machine;

  /**
   * Starts at `options.startUs`. With `stored`, carries on from it: a day that ended in between is settled without further
   * trading, resting orders of today stand in the book again in their order.
   */
  constructor(options: VenueOptions, stored?: VenueState) {
    this.#machine = new Machine(options, stored);
  }

  get nowUs(): TsUs {
    return this.#machine.nowUs;
  }
  get day(): TradingDay {
    return this.#machine.floor.day;
  }
  get phase(): SessionPhase {
    return this.#machine.phase;
  }

  /** Messages of the start: the day, the phase, first books, settlements of a restart. Read once. */
  startEvents(): readonly VenueEvent[] {
    return this.#machine.outbox.take();
  }

  /** The next moment at which something happens by itself: for the caller's timer. */
  nextDueUs(): TsUs {
    return tsUs(Math.max(this.nowUs, this.#machine.nextDueUs()));
  }

  /** Lets the market live until `toUs`, inclusive. Events are the same however the span is split. */
  advance(toUs: TsUs): readonly VenueEvent[] {
    this.#machine.advance(toUs);
    return this.#machine.outbox.take();
  }

  /** One recorded trade (tape market only). Feed prints before time is advanced past them. */
  print(print: TapePrint): readonly VenueEvent[] {
    this.#machine.advance(tsUs(Math.max(this.nowUs, print.tsUs)));
    const book = this.#machine.floor.book(print.orderCode);
    assert(book instanceof TapeBook, 'a print belongs to the contract of the tape');
    book.print(print, this.nowUs);
    book.publish(this.nowUs);
    this.#machine.settle();
    return this.#machine.outbox.take();
  }

  /** Commands act at `nowUs`: advance first. The answer shows the order as it was sent, the events its consequences. */
  place(command: PlaceLimit): CommandOutcome {
    const entered = command.bracket === undefined ? 'plain' : 'bracket';
    return this.#place(command, command.leg === undefined ? entered : 'arbitrage');
  }

  change(command: ChangeOrder): CommandOutcome {
    return this.#outcome(this.#machine.entry.change(command));
  }

  cancel(command: CancelOrder): CommandOutcome {
    return this.#outcome(this.#machine.entry.cancel(command));
  }

  placeTrigger(command: PlaceTrigger): TriggerOutcome {
    return this.#waits(this.#machine.triggers.place(command));
  }

  changeTrigger(command: ChangeTrigger): TriggerOutcome {
    return this.#waits(this.#machine.triggers.change(command));
  }

  cancelTrigger(command: CancelTrigger): TriggerOutcome {
    return this.#waits(this.#machine.triggers.cancel(command));
  }

  /** An order through another channel of the broker: it is the account's, and no client knows it. */
  injectOrder(command: PlaceLimit): CommandOutcome {
    return this.#place(command, 'foreign');
  }

  /** Contracts in the account without any order: a correction of the broker, or another channel. At the last price. */
  injectPosition(id: AccountId, code: OrderCode, net: number): CashOutcome {
    const { floor, ledger, options, rules } = this.#machine;
    const unknown = this.#machine.unknownRefusal(id, code);
    const isQty = Number.isSafeInteger(net) && net !== 0 && Math.abs(net) <= rules.positionMax;
    if (unknown !== null || !isQty) return this.#moved(unknown ?? refusal(-6019));
    const value = valueAtHundredths(options.spec, floor.mark(code).price, Math.abs(net));
    const side = net > 0 ? 'buy' : 'sell';
    ledger.inject({ accountId: id, orderCode: code, side, qty: Math.abs(net), value }, this.nowUs);
    return this.#moved(null);
  }

  /** The front contract expires at this moment: settled in cash at its mark, its orders ended, the list moved on. */
  rollNow(): CashOutcome {
    const { cycle, options } = this.#machine;
    // A recording has one contract: without it there is no market left.
    if (options.market.kind === 'tape') return this.#moved(refusal(-6024));
    cycle.rollFront(this.nowUs);
    this.#machine.settle();
    return this.#moved(null);
  }

  deposit(id: AccountId, amount: number): CashOutcome {
    return this.#transferred(id, amount, transferRefusal(this.account(id), amount, 'deposit'));
  }

  /** Refused as far as margin holds the money. */
  withdraw(id: AccountId, amount: number): CashOutcome {
    return this.#transferred(id, -amount, transferRefusal(this.account(id), amount, 'withdrawal'));
  }

  contracts(): readonly Contract[] {
    return this.#machine.floor.books().map((book) => book.listing.contract);
  }

  /** Everything the price list shows of one contract; undefined when it is not listed. */
  board(code: OrderCode): ContractBoard | undefined {
    return this.#machine.floor.board(code);
  }

  /** Today's orders of an account, in order of entry. */
  orders(id: AccountId): readonly OrderReport[] {
    const { entry, phase } = this.#machine;
    return entry.orders(id).map((order) => reportOf(order, phase));
  }

  order(id: AccountId, orderNo: BrokerOrderNo): OrderReport | undefined {
    const order = this.#machine.entry.order(id, orderNo);
    return order === undefined ? undefined : reportOf(order, this.#machine.phase);
  }

  /** The trigger book of an account, in order of entry: waiting orders, and those that ended today. */
  triggers(id: AccountId): readonly TriggerReport[] {
    return this.#machine.triggers.reports(id);
  }

  /** Positions held or traded today. */
  positions(id: AccountId): readonly PositionFigures[] {
    const account = this.#machine.ledger.account(id);
    return account === undefined ? [] : positionFigures(account, this.#machine.context());
  }

  /** Positions closed today, a row a contract and direction. */
  closedPositions(id: AccountId): readonly ClosedPosition[] {
    const account = this.#machine.ledger.account(id);
    return account === undefined ? [] : closedPositions(account, this.#machine.context());
  }

  account(id: AccountId): AccountFigures | undefined {
    const account = this.#machine.ledger.account(id);
    return account === undefined ? undefined : accountFigures(account, this.#machine.context());
  }

  /** State for a restart. A day has many orders: with `orderNos` only those rows, because the others are written already. */
  exportState(orderNos?: Iterable<string>): VenueState {
    const { floor, ledger, entry, triggers } = this.#machine;
    return {
      atUs: this.nowUs,
      accounts: ledger.exportState(),
      ...floor.exportState(),
      ...entry.exportState(orderNos),
      ...triggers.exportState(),
    };
  }

  #place(command: PlaceLimit, origin: OrderOrigin): CommandOutcome {
    const refused = placeRefusal(command, this.#machine) ?? this.#repeated(command);
    return this.#outcome(refused ?? this.#machine.entry.place(command, origin));
  }

  #repeated({ accountId: id, refId }: PlaceLimit): Refusal | null {
    const { rules, entry } = this.#machine;
    if (rules.repeatedRefId === 'accept' || refId === null) return null;
    return entry.hasRefId(id, refId) ? refusal(-6004) : null;
  }

  #outcome(answer: VenueOrder | Refusal): CommandOutcome {
    const order = isRefusal(answer) ? null : reportOf(answer, this.#machine.phase);
    this.#machine.settle();
    const events = this.#machine.outbox.take();
    if (isRefusal(answer)) return { status: 'refused', refusal: answer, events };
    assert(order !== null, 'an answer is a refusal or an order');
    return { status: 'accepted', order, events };
  }

  #waits(answer: TriggerAnswer): TriggerOutcome {
    const events = this.#machine.outbox.take();
    if (isRefusal(answer)) return { status: 'refused', refusal: answer, events };
    return { status: 'accepted', trigger: answer, events };
  }

  #moved(refused: Refusal | null): CashOutcome {
    if (refused === null) this.#machine.noticeMargin();
    const events = this.#machine.outbox.take();
    return refused === null
      ? { status: 'accepted', events }
      : { status: 'refused', refusal: refused, events };
  }

  /** Money is moved unless something refuses it. */
  #transferred(id: AccountId, amount: number, refused: Refusal | null): CashOutcome {
    if (refused === null) this.#machine.ledger.transfer(id, amount, this.nowUs);
    return this.#moved(refused);
  }
}

/** Largest balance of one account, VND: profits included, sums stay exact. */
const CASH_MAX = 1_000_000_000_000_000;

function transferRefusal(
  figures: AccountFigures | undefined,
  amount: number,
  kind: 'deposit' | 'withdrawal',
): Refusal | null {
  if (figures === undefined) return refusal(-6001);
  if (!Number.isSafeInteger(amount) || amount <= 0) return refusal(-6019, 'Invalid amount');
  if (kind === 'deposit') return figures.cash + amount > CASH_MAX ? refusal(-6019, 'Invalid amount') : null;
  return amount > figures.withdrawable ? refusal(-6012, 'Not enough money to withdraw') : null;
}
