/**
 * The way from the broker's gateway to the exchange. Commands arrive in order of time; what the exchange decides is decided when
 * a command arrives there, so a cancel or a change can lose against a fill.
 */
import { assert } from '../../domain/assert.ts';
import type { SessionPhase } from '../../domain/calendar.ts';
import type { OrderCode } from '../../domain/ids.ts';
import type { TsUs } from '../../domain/units.ts';
import type { BookEntry, ContractBook } from '../exchange/contract-book.ts';
import { isInBook, leavesOf, type LiveOrder, type Pending } from './live-order.ts';
import { editRefusal, entryRefusal } from './order-checks.ts';
import type { OrderJournal } from './order-journal.ts';
import { refusal } from './refusals.ts';

/** What the way asks of the venue around it. */
export interface RouteSurroundings {
  readonly nowUs: TsUs;
  readonly phase: SessionPhase;
  book(code: OrderCode): ContractBook | undefined;
}

interface InFlight {
  readonly order: LiveOrder;
  readonly pending: Pending;
}

export class OrderRoute {
  readonly #around: RouteSurroundings;
  readonly #scribe: OrderJournal;
  readonly #delayUs: number;
  /** In order of time: the delay is the same for all. */
  #inFlight: InFlight[] = [];
  #priority = 0;
  #sentNo = 0;

  constructor(around: RouteSurroundings, scribe: OrderJournal, delayUs: number) {
    this.#around = around;
    this.#scribe = scribe;
    this.#delayUs = delayUs;
  }

  get sentNo(): number {
    return this.#sentNo;
  }

  get nextDueUs(): number {
    return this.#inFlight[0]?.pending.dueUs ?? Number.POSITIVE_INFINITY;
  }

  /** When a command sent now arrives, and after which others. */
  next(): { dueUs: number; sentNo: number } {
    this.#sentNo += 1;
    return { dueUs: this.#around.nowUs + this.#delayUs, sentNo: this.#sentNo };
  }

  send(order: LiveOrder, pending: Pending): void {
    order.pending = pending;
    order.reason = '';
    this.#inFlight.push({ order, pending });
    this.#scribe.tell(order, this.#around.nowUs);
  }

  /** Lets everything that is due arrive at the exchange. */
  runDue(at: TsUs): void {
    while (this.nextDueUs <= at) {
      const arrived = this.#inFlight.shift();
      assert(arrived !== undefined, 'something is due');
      // A later command took its place, or the order ended on the way.
      if (arrived.order.pending !== arrived.pending) continue;
      this.#arrive(arrived, at);
    }
  }

  beginDay(): void {
    this.#inFlight = [];
  }

  /** `open` in order of their places in the queues. */
  restore(open: readonly LiveOrder[], sentNo: number, priority: number): void {
    this.#sentNo = sentNo;
    this.#priority = priority;
    for (const order of open) {
      const { pending } = order;
      if (pending !== null) this.#inFlight.push({ order, pending });
      if (isInBook(order)) this.#around.book(order.orderCode)?.stand(entryOf(order));
    }
    this.#inFlight.sort((a, b) => a.pending.dueUs - b.pending.dueUs || a.pending.sentNo - b.pending.sentNo);
  }

  #arrive({ order, pending }: InFlight, at: TsUs): void {
    const book = this.#around.book(order.orderCode);
    order.pending = null;
    if (book === undefined) return this.#scribe.end(order, false, refusal(-6033).text, at);
    switch (pending.kind) {
      case 'place': {
        const late = entryRefusal(this.#around.phase);
        if (late !== null) return this.#scribe.end(order, false, late.text, at);
        return this.#enter(order, book, at);
      }
      case 'change':
        return this.#applyChange(order, pending, book, at);
      case 'cancel': {
        const late = editRefusal(this.#around.phase);
        if (late !== null) return this.#scribe.keep(order, late.text, at);
        book.remove(order.tag, at);
        return this.#scribe.end(order, false, '', at);
      }
    }
  }

  #applyChange(order: LiveOrder, change: Pending & { kind: 'change' }, book: ContractBook, at: TsUs): void {
    const late = editRefusal(this.#around.phase);
    if (late !== null) return this.#scribe.keep(order, late.text, at);
    if (change.qty <= order.filledQty) return this.#scribe.keep(order, refusal(-6019).text, at);
    order.modified = true;
    const keepsPlace = change.limitPrice === order.limitPrice && change.qty <= order.qty;
    if (!keepsPlace) book.remove(order.tag, at);
    order.limitPrice = change.limitPrice;
    order.qty = change.qty;
    if (!keepsPlace) return this.#enter(order, book, at);
    book.decrease(order.tag, leavesOf(order), at);
    this.#scribe.tell(order, at);
  }

  #enter(order: LiveOrder, book: ContractBook, at: TsUs): void {
    this.#priority += 1;
    order.priority = this.#priority;
    this.#scribe.tell(order, at);
    book.enter(entryOf(order), at);
  }
}

const entryOf = (order: LiveOrder): BookEntry => ({
  tag: order.tag,
  side: order.side,
  price: order.limitPrice,
  qty: leavesOf(order),
});
