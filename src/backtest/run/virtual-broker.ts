/**
 * The broker of a run: the ports behind which live has REST. Calls take their time to the venue, answers take theirs back, none
 * overtakes another. A fill is told at once, as a row of the book like the one live reads; a scan of the whole book and
 * reads of positions and money are answered when the engine asks.
 */
import type { BrokerOrder } from '../../domain/broker-order.ts';
import { type Seq, type TsUs, tsUs, US_PER_SECOND } from '../../domain/units.ts';
import type { ApprovedCancel, ApprovedModify, ApprovedOrder } from '../../engine/ports/approved.ts';
import type {
  BookRows,
  CallAnswer,
  EngineEvent,
  OrderNews,
  ReferenceRow,
  ReportKind,
} from '../../engine/ports/engine-event.ts';
import type { AccountNow, Gateway, Reports } from '../../engine/ports/outbound.ts';
import type { RunParts } from './run-account.ts';
import type { DrawLatency } from './latency.ts';
import type { Decided, RunVenue } from './run-venue.ts';

interface VirtualBrokerParts extends RunParts {
  readonly venue: RunVenue;
  readonly orderLatency: DrawLatency;
  readonly reportLatency: DrawLatency;
  /** A limit follows the account: it is read from time to time. */
  readonly isAccountWatched: boolean;
  /** Something is due earlier than was known. */
  readonly wake: (atUs: number) => void;
}

/** A call on its way to the venue, with the book at its decision. */
type Arrival = { readonly sentUs: number } & (
  | { readonly call: 'place'; readonly order: ApprovedOrder; readonly decided: Decided }
  | { readonly call: 'modify'; readonly modify: ApprovedModify }
  | { readonly call: 'cancel'; readonly cancel: ApprovedCancel }
);

/** Makes the event when it has its place in the sequence. */
type Answer = (seq: Seq, at: TsUs) => EngineEvent;

const SCANS_A_SECOND = 2;
/** A start asks several times. */
const POSITION_READS_A_SECOND = 8;

export class VirtualBroker implements Gateway, Reports {
  readonly #parts: VirtualBrokerParts;
  readonly #arrivals = new Fifo<Arrival>();
  readonly #answers = new Fifo<Answer>();
  readonly #scans = new ReadPace(SCANS_A_SECOND);
  readonly #positions = new ReadPace(POSITION_READS_A_SECOND);
  #references: readonly ReferenceRow[] = [];
  readonly tellsOnce = true;
  orders = 0;
  /** To the call that arrives now, until it is told with what the call has changed. */
  #untold: CallAnswer | null = null;

  readonly accountNow: AccountNow | undefined = undefined;

  constructor(parts: VirtualBrokerParts) {
    this.#parts = parts;
    const arrivals = this.#arrivals;
    if (parts.isAccountWatched) return;
    this.accountNow = {
      read: () => parts.venue.accountFigures(),
      get arrivedUs() {
        return arrivals.first?.sentUs ?? Infinity;
      },
    };
  }

  /** When something happens next. */
  get nextUs(): number {
    const { venue } = this.#parts;
    const reads = Math.min(this.#scans.nextUs, this.#positions.nextUs);
    return Math.min(this.#arrivals.nextUs, this.#answers.nextUs, reads, venue.nextUs);
  }

  openDay(references: readonly ReferenceRow[]): void {
    this.#references = references;
  }

  submit(order: ApprovedOrder): void {
    this.orders += 1;
    const decided = this.#decided(order);
    this.#send({ call: 'place', sentUs: decided.decidedUs, order, decided });
  }

  modify(modify: ApprovedModify): void {
    this.#send({ call: 'modify', sentUs: this.#parts.clock.nowUs, modify });
  }

  cancel(cancel: ApprovedCancel): void {
    this.#send({ call: 'cancel', sentUs: this.#parts.clock.nowUs, cancel });
  }

  read(what: ReportKind): void {
    if (what === 'book') return this.#want(this.#scans);
    if (what === 'account') return this.#parts.isAccountWatched ? this.#answerAccount() : undefined;
    if (what === 'triggers') return this.triggersChanged();
    if (what === 'positions') return this.#readPositions();
    if (what === 'reference') {
      const rows = this.#references;
      this.#answer((seq, at) => ({ kind: 'reference', seq, tsUs: at, rows }));
    }
    // The table of contracts was sent with the beginning of the day, and the account is told when it is asked for.
  }

  bookTempo(): void {
    // Fills are told at once: there is no pace to set.
  }

  /** Rows of orders that changed: fills, and what became of calls. */
  changed(rows: readonly BrokerOrder[]): void {
    const { clock, venue, isAccountWatched, wake } = this.#parts;
    const account = isAccountWatched ? venue.accountFigures() : null;
    this.#report({ startedUs: tsUs(clock.nowUs), rows, account });
    venue.noticeMargin();
    wake(venue.nextUs);
  }

  /** Tells the whole trigger book: only the whole of it proves whose a new row is. */
  triggersChanged(): void {
    // They may show what the call has placed.
    if (this.#untold !== null) this.#report(null);
    this.#answerScan({ list: 'triggers', orders: this.#parts.venue.scanTriggers() });
  }

  /** Does what is due at the venue, and takes the next answer that is due to us; null when there is none. */
  step(nowUs: number): Answer | null {
    while (this.#arrivals.nextUs <= nowUs) {
      const arrival = this.#arrivals.take();
      if (arrival !== undefined) this.#arrive(arrival);
    }
    if (this.#isReadDue(this.#scans, nowUs))
      this.#answerScan({ list: 'orders', orders: this.#parts.venue.scan() });
    if (this.#isReadDue(this.#positions, nowUs)) this.#answerPositions();
    if (this.#parts.venue.nextUs <= nowUs) this.#parts.venue.lookAtMargin();
    return this.#answers.nextUs <= nowUs ? (this.#answers.take() ?? null) : null;
  }

  #isReadDue(pace: ReadPace, nowUs: number): boolean {
    if (pace.nextUs > nowUs) return false;
    const { silentUntilUs } = this.#parts.venue;
    if (silentUntilUs <= nowUs) return pace.takeDue(nowUs);
    pace.wantAt(silentUntilUs);
    return false;
  }

  #decided({ instrument }: Pick<ApprovedOrder, 'instrument'>): Decided {
    const { clock, instruments } = this.#parts;
    return { decidedUs: clock.nowUs, decidedMidTwice: instruments[instrument]?.midTwice ?? 0 };
  }

  #send(arrival: Arrival): void {
    if (this.#arrivals.nextUs === Infinity && this.#answers.nextUs === Infinity)
      this.#parts.venue.forgetOver();
    const due = this.#parts.clock.nowUs + this.#parts.orderLatency();
    this.#arrivals.push(due, arrival);
    this.#parts.wake(this.#arrivals.nextUs);
  }

  #arrive(arrival: Arrival): void {
    const { venue } = this.#parts;
    this.#untold = this.#answerTo(arrival);
    venue.tell();
    if (this.#untold !== null) this.#report(null);
  }

  #answerTo(arrival: Arrival): CallAnswer {
    const { venue } = this.#parts;
    switch (arrival.call) {
      case 'place': {
        const { order, decided } = arrival;
        const { clientOrderId } = order;
        return { call: 'place', callId: clientOrderId, clientOrderId, outcome: venue.place(order, decided) };
      }
      case 'modify': {
        const { callId, clientOrderId } = arrival.modify;
        return { call: 'modify', callId, clientOrderId, outcome: venue.modify(arrival.modify) };
      }
      case 'cancel': {
        const { callId, clientOrderId } = arrival.cancel;
        return { call: 'cancel', callId, clientOrderId, outcome: venue.cancel(arrival.cancel) };
      }
    }
  }

  #report(news: OrderNews | null): void {
    const answer = this.#untold;
    this.#untold = null;
    this.#answer((seq, at) => ({ kind: 'execution_report', seq, tsUs: at, answer, news }));
  }

  #answerScan(rows: BookRows): void {
    const startedUs = tsUs(this.#parts.clock.nowUs);
    this.#answer((seq, at) => ({ kind: 'book_snapshot', ...rows, seq, tsUs: at, startedUs, complete: true }));
  }

  #answerAccount(): void {
    const { clock, venue } = this.#parts;
    const startedUs = tsUs(clock.nowUs);
    const account = venue.accountFigures();
    this.#answer((seq, at) => ({ kind: 'account_snapshot', seq, tsUs: at, startedUs, account }));
  }

  #answer(answer: Answer): void {
    const due = this.#parts.clock.nowUs + this.#parts.reportLatency();
    this.#answers.push(due, answer);
    this.#parts.wake(this.#answers.nextUs);
  }

  #readPositions(): void {
    this.#want(this.#positions);
    if (this.#isReadDue(this.#positions, this.#parts.clock.nowUs)) this.#answerPositions();
  }

  #answerPositions(): void {
    const { clock, account } = this.#parts;
    const startedUs = tsUs(clock.nowUs);
    const positions = account.positions();
    this.#answer((seq, at) => ({ kind: 'position_snapshot', seq, tsUs: at, startedUs, positions }));
  }

  #want(pace: ReadPace): void {
    const { clock, wake } = this.#parts;
    pace.want(clock.nowUs);
    wake(pace.nextUs);
  }

  /** To be called when the book of the day that ended is to be shown once more. */
  scanAt(atUs: number): void {
    this.#scans.wantAt(atUs);
    this.#parts.wake(atUs);
  }
}

/** Messages on their way, each due at a moment; none overtakes the one before it. */
class Fifo<T> {
  /** When the first is due; infinite while there is none. */
  nextUs = Infinity;
  /** Places from `#head` to `#end`; an empty queue begins at the first one again. */
  readonly #items: (T | undefined)[] = [];
  readonly #dueUs: number[] = [];
  #head = 0;
  #end = 0;
  #lastUs = -Infinity;

  push(dueUs: number, item: T): void {
    if (dueUs > this.#lastUs) this.#lastUs = dueUs;
    this.#items[this.#end] = item;
    this.#dueUs[this.#end] = this.#lastUs;
    this.#end += 1;
    if (this.nextUs === Infinity) this.nextUs = this.#lastUs;
  }

  get first(): T | undefined {
    return this.#items[this.#head];
  }

  /** The first; undefined when there is none. */
  take(): T | undefined {
    if (this.#head === this.#end) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head] = undefined;
    this.#head += 1;
    if (this.#head === this.#end) {
      this.#head = 0;
      this.#end = 0;
      this.nextUs = Infinity;
    } else this.nextUs = this.#dueUs[this.#head] ?? Infinity;
    return item;
  }
}

/**
 * Limits reads of one kind to so many a second: a read beyond waits for the next second, one for all who ask meanwhile. Without
 * it a strategy that asks again with each answer would ask for ever where answers take no time.
 */
class ReadPace {
  /** When the read that waits is made; infinite while none does. */
  nextUs = Infinity;
  readonly #aSecond: number;
  #second = -1;
  #reads = 0;

  constructor(aSecond: number) {
    this.#aSecond = aSecond;
  }

  want(nowUs: number): void {
    if (this.nextUs !== Infinity) return;
    const second = Math.floor(nowUs / US_PER_SECOND);
    if (second !== this.#second) {
      this.#second = second;
      this.#reads = 0;
    }
    this.#reads += 1;
    this.nextUs = this.#reads <= this.#aSecond ? nowUs : (second + 1) * US_PER_SECOND;
  }

  wantAt(atUs: number): void {
    this.nextUs = atUs;
  }

  /** True once when a read is due. */
  takeDue(nowUs: number): boolean {
    if (this.nextUs > nowUs) return false;
    this.nextUs = Infinity;
    return true;
  }
}
