/**
 * Reads the broker's state and posts it whole: books, positions, money, prices, contracts. It compares nothing; the
 * engine does (rulings, 29).
 */
import type { ContractQuote } from '../../domain/broker-order.ts';
import type { CancelTimer, Clock, Timers } from '../../domain/clock.ts';
import type { DurationUs, TsUs } from '../../domain/units.ts';
import type { InputSink, ReferenceRow, ReportKind } from '../../engine/ports/engine-event.ts';
import type { Reports } from '../../engine/ports/outbound.ts';
import type { AccountCalls, ConditionCalls, ReadCalls } from '../rest/rest-client.ts';
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
  readonly bookTempo: Readonly<Record<'fast' | 'slow', DurationUs>>;
  readonly onSignal: (signal: ReportSignal) => void;
}

export class BrokerReports implements Reports {
  readonly #options: ReportsOptions;
  readonly #reads: Readonly<Record<ReportKind, MergedRead>> = {
    book: new MergedRead((onStart) => this.#readBook('lookup', onStart)),
    triggers: new MergedRead((onStart) => this.#readTriggers(onStart)),
    positions: new MergedRead((onStart) => this.#readPositions(onStart)),
    account: new MergedRead((onStart) => this.#readAccount(onStart)),
    reference: new MergedRead((onStart) => this.#readReference(onStart)),
    contracts: new MergedRead((onStart) => this.#readContracts(onStart)),
    closed: new MergedRead((onStart) => this.#readClosed(onStart)),
  };
  /** The book's own pace. A look-up never waits behind it. */
  readonly #periodic = new MergedRead((onStart) => this.#readBook('book', onStart));
  #tempo: 'fast' | 'slow' = 'slow';
  #timer: CancelTimer | undefined = undefined;
  #isRunning = false;

  constructor(options: ReportsOptions) {
    this.#options = options;
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

  read(what: ReportKind): void {
    this.#reads[what].ask();
  }

  bookTempo(tempo: 'fast' | 'slow'): void {
    if (this.#tempo === tempo) return;
    this.#tempo = tempo;
    if (this.#isRunning) this.#arm();
  }

  #arm(): void {
    this.#timer?.();
    this.#timer = this.#options.timers.after(this.#options.bookTempo[this.#tempo], () => {
      // A look-up under way serves as well, and its end arms the timer again.
      if (this.#reads.book.isIdle) this.#periodic.ask();
    });
  }

  async #readBook(priority: 'lookup' | 'book', onStart: () => void): Promise<void> {
    const started = this.#startMark(onStart);
    const scan = await this.#options.rest.inDayBook({ priority, onStart: started.onStart });
    if (this.#isRunning) this.#arm();
    if (!scan.complete && started.has())
      this.#options.onSignal({ kind: 'scan_incomplete', reason: scan.reason });
    const { complete, orders } = scan;
    if (complete || orders.length > 0) {
      this.#options.sink.post({
        kind: 'book_snapshot',
        list: 'orders',
        startedUs: started.at(),
        complete,
        orders,
      });
    } else if (priority === 'lookup' || started.has()) {
      this.#failed('book', scan.reason);
    }
  }

  async #readTriggers(onStart: () => void): Promise<void> {
    const started = this.#startMark(onStart);
    const { complete, orders, reason } = await this.#options.rest.conditions.book({
      priority: 'lookup',
      onStart: started.onStart,
    });
    if (!complete && started.has()) this.#options.onSignal({ kind: 'scan_incomplete', reason });
    if (!complete && orders.length === 0) return this.#failed('triggers', reason);
    this.#options.sink.post({
      kind: 'book_snapshot',
      list: 'triggers',
      startedUs: started.at(),
      complete,
      orders,
    });
  }

  async #readPositions(onStart: () => void): Promise<void> {
    const started = this.#startMark(onStart);
    const read = await this.#options.rest.positions({ priority: 'positions', onStart: started.onStart });
    if (!read.ok) return this.#failed('positions', read.reason);
    this.#options.sink.post({ kind: 'position_snapshot', startedUs: started.at(), positions: read.value });
  }

  async #readAccount(onStart: () => void): Promise<void> {
    const started = this.#startMark(onStart);
    const read = await this.#options.rest.account({ priority: 'rest', onStart: started.onStart });
    if (!read.ok) return this.#failed('account', read.reason);
    this.#options.sink.post({ kind: 'account_snapshot', startedUs: started.at(), account: read.value });
  }

  async #readClosed(onStart: () => void): Promise<void> {
    const started = this.#startMark(onStart);
    const read = await this.#options.rest.accounts.closedPositions(null, {
      priority: 'rest',
      onStart: started.onStart,
    });
    if (!read.ok) return this.#failed('closed', read.reason);
    const { positions } = read.value;
    this.#options.sink.post({ kind: 'closed_snapshot', startedUs: started.at(), positions });
  }

  async #readReference(onStart: () => void): Promise<void> {
    const read = await this.#options.rest.quotes({ priority: 'rest', onStart });
    if (!read.ok) return this.#failed('reference', read.reason);
    this.#postReference(read.value);
  }

  async #readContracts(onStart: () => void): Promise<void> {
    const { rest, table, sink, onSignal } = this.#options;
    const ask: ReadOptions = { priority: 'rest', onStart };
    const quotes = await rest.quotes(ask);
    if (!quotes.ok) return this.#failed('contracts', quotes.reason);
    const listed = await rest.contracts({ priority: 'rest' });
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

  #failed(what: ReportKind, reason: string): void {
    this.#options.sink.post({ kind: 'read_failed', what, reason });
  }

  /** Market time at which the first byte left: the answer may show calls sent before it, and none sent after it. */
  #startMark(onStart: () => void): { onStart: () => void; at: () => TsUs; has: () => boolean } {
    const { clock } = this.#options;
    const askedAt = clock.nowUs();
    let startedAt: TsUs | undefined;
    return {
      onStart: () => {
        startedAt = clock.nowUs();
        onStart();
      },
      at: () => startedAt ?? askedAt,
      has: () => startedAt !== undefined,
    };
  }
}

/** An empty list counts as unread: the service's shape is not documented, and nothing can be traded on an empty answer. */
const listedOrNone = <T>(listed: ReadResult<readonly T[]>): readonly T[] | undefined =>
  listed.ok && listed.value.length > 0 ? listed.value : undefined;

/** Merges reads of one kind: a request while one waits shares it; a request while one is running starts another afterwards. */
class MergedRead {
  readonly #run: (onStart: () => void) => Promise<void>;
  #stage: 'idle' | 'waiting' | 'running' = 'idle';
  #again = false;

  constructor(run: (onStart: () => void) => Promise<void>) {
    this.#run = run;
  }

  get isIdle(): boolean {
    return this.#stage === 'idle';
  }

  ask(): void {
    if (this.#stage === 'running') this.#again = true;
    if (this.#stage !== 'idle') return;
    this.#stage = 'waiting';
    void this.#run(() => {
      this.#stage = 'running';
    }).finally(() => {
      this.#stage = 'idle';
      const again = this.#again;
      this.#again = false;
      if (again) this.ask();
    });
  }
}
