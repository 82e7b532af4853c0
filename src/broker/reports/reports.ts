/** Reads the broker's state and posts it whole. It compares nothing; the engine does (rulings, 29). */
import type { ContractQuote } from '../../domain/broker-order.ts';
import type { CancelTimer, Clock, Timers } from '../../domain/clock.ts';
import { type DurationUs, tsUs } from '../../domain/units.ts';
import type { BookRows, InputSink, ReferenceRow, ReadKind } from '../../engine/ports/engine-event.ts';
import type { Reports } from '../../engine/ports/outbound.ts';
import type { AccountCalls, BookScan, ConditionCalls, ReadCalls } from '../rest/rest-client.ts';
import type { ReadOptions, ReadResult } from '../rest/rest-caller.ts';
import { type BrokerContracts, resolveContracts, type ResolveOptions } from './broker-contracts.ts';

export type ReportSignal =
  /** Stream codes that no order code belongs to. */
  | { readonly kind: 'orphan_codes'; readonly codes: readonly string[] }
  /** The contract list could not be read; the price board replaced it. */
  | { readonly kind: 'contract_list_missing'; readonly reason: string }
  | { readonly kind: 'scan_incomplete'; readonly reason: string };

interface ReportsOptions extends ResolveOptions {
  readonly rest: ReadCalls & {
    readonly conditions: Pick<ConditionCalls, 'book'>;
    readonly accounts: Pick<AccountCalls, 'closedPositions'>;
  };
  readonly table: BrokerContracts;
  readonly sink: InputSink;
  /** Market time: when a read began, in the time of the events. */
  readonly clock: Clock;
  readonly timers: Timers;
  readonly pollPace: Readonly<Record<'fast' | 'slow', DurationUs>>;
  readonly onSignal: (signal: ReportSignal) => void;
}

export class BrokerReports implements Reports {
  readonly #options: ReportsOptions;
  readonly #reads: Readonly<Record<ReadKind, MergedRead>>;
  /** The book's own pace. A look-up never waits behind it. */
  readonly #periodic: MergedRead;
  #pace: 'fast' | 'slow' = 'slow';
  #timer: CancelTimer | undefined = undefined;
  #isRunning = false;

  constructor(options: ReportsOptions) {
    this.#options = options;
    const { clock, rest, sink } = options;
    this.#reads = {
      book: new MergedRead('lookup', clock, (read) => this.#readOrderList(read)),
      triggers: new MergedRead('lookup', clock, (read) => this.#readTriggers(read)),
      positions: new MergedRead('positions', clock, (read) =>
        this.#postRead('positions', rest.positions(read), (positions) =>
          sink.post({ kind: 'position_snapshot', startedUs: read.startedUs, positions }),
        ),
      ),
      account: new MergedRead('background', clock, (read) =>
        this.#postRead('account', rest.account(read), (account) =>
          sink.post({ kind: 'account_snapshot', startedUs: read.startedUs, account }),
        ),
      ),
      reference: new MergedRead('background', clock, (read) =>
        this.#postRead('reference', rest.quotes(read), (quotes) => this.#postReference(quotes)),
      ),
      contracts: new MergedRead('background', clock, (read) => this.#readContracts(read)),
      closed: new MergedRead('background', clock, (read) =>
        this.#postRead('closed', rest.accounts.closedPositions(null, read), ({ positions }) =>
          sink.post({ kind: 'closed_snapshot', startedUs: read.startedUs, positions }),
        ),
      ),
    };
    this.#periodic = new MergedRead('book', clock, (read) => this.#readOrderList(read));
  }

  /** Begins to read the book by itself. */
  start(): void {
    this.#isRunning = true;
    this.#arm();
  }

  stop(): void {
    this.#isRunning = false;
    this.#timer?.();
  }

  read(what: ReadKind): void {
    this.#reads[what].request();
  }

  pollPace(pace: 'fast' | 'slow'): void {
    if (this.#pace === pace) return;
    this.#pace = pace;
    if (this.#isRunning) this.#arm();
  }

  #arm(): void {
    this.#timer?.();
    this.#timer = this.#options.timers.after(this.#options.pollPace[this.#pace], () => {
      // A look-up under way serves as well, and its end arms the timer again.
      if (this.#reads.book.isIdle) this.#periodic.request();
    });
  }

  async #readOrderList(read: MergedRead): Promise<void> {
    const scan = await this.#options.rest.inDayBook(read);
    if (this.#isRunning) this.#arm();
    this.#postScan('book', read, scan, { list: 'orders', orders: scan.orders });
  }

  async #readTriggers(read: MergedRead): Promise<void> {
    const scan = await this.#options.rest.conditions.book(read);
    this.#postScan('triggers', read, scan, { list: 'triggers', orders: scan.orders });
  }

  #postScan(
    what: 'book' | 'triggers',
    { priority, startedUs, hasStarted }: MergedRead,
    { complete, orders, reason }: BookScan<unknown>,
    rows: BookRows,
  ): void {
    const { sink, onSignal } = this.#options;
    if (!complete && hasStarted) onSignal({ kind: 'scan_incomplete', reason });
    if (complete || orders.length > 0) sink.post({ kind: 'book_snapshot', startedUs, complete, ...rows });
    else if (priority === 'lookup' || hasStarted) this.#failed(what, reason);
  }

  async #postRead<T>(
    what: ReadKind,
    reading: Promise<ReadResult<T>>,
    post: (value: T) => void,
  ): Promise<void> {
    const answer = await reading;
    if (answer.ok) post(answer.value);
    else this.#failed(what, answer.reason);
  }

  async #readContracts(read: MergedRead): Promise<void> {
    const { rest, table, sink, onSignal } = this.#options;
    const quotes = await rest.quotes(read);
    if (!quotes.ok) return this.#failed('contracts', quotes.reason);
    const listed = await rest.contracts({ priority: 'background' });
    if (!listed.ok) onSignal({ kind: 'contract_list_missing', reason: listed.reason });
    const { contracts, orphans } = resolveContracts(listedOrNone(listed), quotes.value, this.#options);
    if (orphans.length > 0) onSignal({ kind: 'orphan_codes', codes: orphans });
    if (contracts.length === 0)
      return this.#failed('contracts', 'no listed contract is one that is traded here');
    table.update(contracts);
    const codes = table.listed.map(({ orderCode }) => orderCode);
    sink.post({ kind: 'contracts', contracts: table.contracts, listed: codes });
    this.#postReference(quotes.value);
  }

  #postReference(quotes: readonly ContractQuote[]): void {
    const rows = quotes.flatMap(({ orderCode, ceiling, floor, reference, lastPrice }): ReferenceRow[] => {
      const instrument = this.#options.table.byOrderCode(orderCode)?.index;
      // Without a whole band nothing may be entered: a partial row would claim more than is known.
      if (instrument === undefined || ceiling === null || floor === null || reference === null) return [];
      return [{ instrument, ceiling, floor, reference, lastPrice }];
    });
    if (rows.length > 0) this.#options.sink.post({ kind: 'reference', rows });
    else this.#failed('reference', 'no traded contract has ceiling, floor and reference');
  }

  #failed(what: ReadKind, reason: string): void {
    this.#options.sink.post({ kind: 'read_failed', what, reason });
  }
}

/** An empty list counts as unread: the service's shape is not documented, and nothing can be traded on an empty answer. */
const listedOrNone = <T>(listed: ReadResult<readonly T[]>): readonly T[] | undefined =>
  listed.ok && listed.value.length > 0 ? listed.value : undefined;

/** Merges reads of one kind: a request while one waits shares it; a request while one is running starts another afterwards. */
class MergedRead implements ReadOptions {
  readonly priority: ReadOptions['priority'];
  readonly #clock: Clock;
  readonly #run: (read: MergedRead) => Promise<void>;
  #stage: 'idle' | 'waiting' | 'running' = 'idle';
  #again = false;
  /** Market time at which the first byte left: the answer may show calls sent before it, and none sent after it. */
  startedUs = tsUs(0);
  readonly onStart = (): void => {
    this.#stage = 'running';
    this.startedUs = this.#clock.nowUs();
  };

  constructor(priority: ReadOptions['priority'], clock: Clock, run: (read: MergedRead) => Promise<void>) {
    this.priority = priority;
    this.#clock = clock;
    this.#run = run;
  }

  get hasStarted(): boolean {
    return this.#stage === 'running';
  }

  get isIdle(): boolean {
    return this.#stage === 'idle';
  }

  request(): void {
    if (this.#stage === 'running') this.#again = true;
    if (this.#stage !== 'idle') return;
    this.#stage = 'waiting';
    this.startedUs = this.#clock.nowUs();
    void this.#run(this).finally(() => {
      this.#stage = 'idle';
      const again = this.#again;
      this.#again = false;
      if (again) this.request();
    });
  }
}
