/** The broker of a run, behind the ports where live has REST: calls and answers take their time, and none overtakes another. */
import type { BrokerAccount, BrokerOrder } from '../../domain/broker-order.ts';
import type { Seq, TsUs } from '../../domain/units.ts';
import type { ApprovedCancel, ApprovedModify, ApprovedOrder } from '../../engine/ports/approved.ts';
import type {
  BookRows,
  CallAnswer,
  EngineEvent,
  OrderNews,
  ReferenceRow,
  ReadKind,
} from '../../engine/ports/engine-event.ts';
import type { AccountNow, Gateway, Reports } from '../../engine/ports/outbound.ts';
import { sentNow } from '../../venue/orders/venue-order.ts';
import type { JournalDigest } from './journal-digest.ts';
import type { RunAccount } from './run-account.ts';
import { type DelayedCall, RunVenue, type VenueNews, type VenuePlan } from './run-venue.ts';
import { DelayLine, ReadPace, type VirtualClock, seqOf, timeOf } from './virtual-time.ts';

/** An event before it has its place in the sequence. */
type UnnumberedEvent = EngineEvent & { seq: Seq; tsUs: TsUs };

const SCANS_A_SECOND = 2;
/** A start asks several times. */
const POSITION_READS_A_SECOND = 8;
const [NO_SEQ, NO_TIME] = [seqOf(0), timeOf(0)];

export class RunBroker implements Gateway, Reports, AccountNow, VenueNews {
  readonly reportsOnce = true;
  readonly accountNow: AccountNow | undefined;
  readonly venue: RunVenue;
  orders = 0;
  /** The day's references, as they become known. */
  references: readonly ReferenceRow[] = [];
  readonly #plan: VenuePlan;
  readonly #clock: VirtualClock;
  readonly #account: RunAccount;
  readonly #calls: DelayLine<DelayedCall>;
  readonly #answers: DelayLine<UnnumberedEvent>;
  readonly #scans = new ReadPace(SCANS_A_SECOND);
  readonly #positions = new ReadPace(POSITION_READS_A_SECOND);
  /** To the call that arrives now, until it is reported with its changes. */
  #answer: CallAnswer | null = null;

  constructor(plan: VenuePlan, clock: VirtualClock, account: RunAccount, digest: JournalDigest) {
    const { latency, seed, settings } = plan;
    this.#plan = plan;
    this.#clock = clock;
    this.#account = account;
    this.#calls = new DelayLine(latency.order, seed);
    this.#answers = new DelayLine(latency.report, seed + 1);
    // A limit follows the account: it is read from time to time.
    this.accountNow = settings.risk.drawdownMax === undefined ? this : undefined;
    this.venue = new RunVenue(plan, clock, account, digest, this);
  }

  get nextUs(): number {
    const reads = Math.min(this.#scans.nextUs, this.#positions.nextUs);
    return Math.min(this.#calls.nextUs, this.#answers.nextUs, reads, this.venue.marginUs);
  }

  submit(order: ApprovedOrder): void {
    this.orders += 1;
    const decidedMidTwice = this.#account.instruments[order.instrument]?.midTwice ?? 0;
    const { strategy: owner } = order;
    const decidedUs = this.#clock.nowUs;
    this.#call({ call: 'place', sent: order, owner, triggerPrice: null, decidedUs, decidedMidTwice });
  }

  modify(modify: ApprovedModify): void {
    this.#call({ call: 'modify', sent: modify, ...sentNow(this.#clock.nowUs) });
  }

  cancel(cancel: ApprovedCancel): void {
    this.#call({ call: 'cancel', sent: cancel, ...sentNow(this.#clock.nowUs) });
  }

  read(what: ReadKind): void {
    if (what === 'book') return this.#request(this.#scans);
    if (what === 'triggers') return this.triggers();
    if (what === 'positions') {
      this.#request(this.#positions);
      return this.#sendDuePositions();
    }
    const head = { seq: NO_SEQ, tsUs: NO_TIME };
    if (what === 'reference') this.#send({ kind: 'reference', ...head, rows: this.references });
    else if (what === 'account' && this.accountNow === undefined)
      this.#send({ kind: 'account_snapshot', ...head, startedUs: this.#nowUs, account: this.figures() });
    // The table of contracts was sent with the beginning of the day.
  }

  pollPace(): void {
    // Fills are reported at once: there is no pace to set.
  }

  /** As the broker shows the account; with buying power without end where it alone asks for margin. */
  figures(): BrokerAccount {
    return this.venue.margin.accountFigures(this.#plan.isMarginRuleOn ? null : Number.MAX_SAFE_INTEGER);
  }

  get arrivedUs(): number {
    return this.#calls.first?.decidedUs ?? Infinity;
  }

  /** Does due work, and takes the next due answer to the engine; null when there is none. */
  step(nowUs: number): UnnumberedEvent | null {
    while (this.#calls.nextUs <= nowUs) {
      const call = this.#calls.take();
      if (call === undefined) break;
      this.#answer = this.venue.answerTo(call);
      this.venue.report();
      if (this.#answer !== null) this.#sendReport(null);
    }
    if (this.#scans.nextUs <= nowUs && this.#isReadDue(this.#scans, nowUs))
      this.#sendScan({ list: 'orders', orders: this.venue.books.scan() });
    if (this.#positions.nextUs <= nowUs) this.#sendDuePositions();
    if (this.venue.marginUs <= nowUs) this.venue.runMargin();
    return this.#answers.nextUs <= nowUs ? (this.#answers.take() ?? null) : null;
  }

  /** To be called when the book of the day that ended is to be shown once more. */
  scanAt(atUs: number): void {
    this.#scans.requestAt(atUs);
    this.#clock.wakeAt(atUs);
  }

  #call(call: DelayedCall): void {
    if (this.#calls.nextUs === Infinity && this.#answers.nextUs === Infinity)
      this.venue.books.forgetReported();
    this.#calls.send(this.#clock.nowUs, call);
    this.#clock.wakeAt(this.#calls.nextUs);
  }

  changed(rows: readonly BrokerOrder[]): void {
    const account = this.accountNow === undefined ? this.figures() : null;
    this.#sendReport({ startedUs: this.#nowUs, rows, account });
  }

  #sendReport(news: OrderNews | null): void {
    const answer = this.#answer;
    this.#answer = null;
    this.#send({ kind: 'execution_report', seq: NO_SEQ, tsUs: NO_TIME, answer, news });
  }

  #sendScan(rows: BookRows): void {
    const head = { seq: NO_SEQ, tsUs: NO_TIME, startedUs: this.#nowUs, complete: true };
    this.#send({ kind: 'book_snapshot', ...rows, ...head });
  }

  /** The whole trigger book: only the whole of it proves whose a new row is. */
  triggers(): void {
    // They may show the order that the call has placed.
    if (this.#answer !== null) this.#sendReport(null);
    this.#sendScan({ list: 'triggers', orders: this.venue.books.scanTriggers() });
  }

  #sendDuePositions(): void {
    if (!this.#isReadDue(this.#positions, this.#clock.nowUs)) return;
    const startedUs = this.#nowUs;
    const positions = this.#account.positions();
    this.#send({ kind: 'position_snapshot', seq: NO_SEQ, tsUs: NO_TIME, startedUs, positions });
  }

  #send(answer: UnnumberedEvent): void {
    this.#answers.send(this.#clock.nowUs, answer);
    this.#clock.wakeAt(this.#answers.nextUs);
  }

  #request(pace: ReadPace): void {
    pace.request(this.#clock.nowUs);
    this.#clock.wakeAt(pace.nextUs);
  }

  /** Reads of the whole account wait while some market keeps its fills to itself. */
  #isReadDue(pace: ReadPace, nowUs: number): boolean {
    if (pace.nextUs > nowUs) return false;
    let silentUntilUs = -Infinity;
    for (const { exchange } of this.#account.instruments)
      if (exchange !== null && exchange.silentUntilUs > silentUntilUs) ({ silentUntilUs } = exchange);
    if (silentUntilUs <= nowUs) return pace.consumeDue(nowUs);
    pace.requestAt(silentUntilUs);
    return false;
  }

  get #nowUs(): TsUs {
    return timeOf(this.#clock.nowUs);
  }
}
