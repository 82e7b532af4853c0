/**
 * Write, then send (rulings, 30): the journal is committed before the first byte of a call leaves, the latch is looked at
 * last, and each call comes back as exactly one outcome. Nothing here is ever sent twice.
 */
import type { CallOutcome } from '../../domain/broker-order.ts';
import type { Timers } from '../../domain/clock.ts';
import type { ClientOrderId } from '../../domain/ids.ts';
import type { ApprovedCancel, ApprovedModify, ApprovedOrder, Purpose } from '../../engine/ports/approved.ts';
import type { InputSink } from '../../engine/ports/input-sink.ts';
import type { Gateway } from '../../engine/ports/outbound.ts';
import type { OrderCalls, ReadCalls, SendOptions } from '../rest/broker-calls.ts';
import { killAll, type KillReport } from './kill-all.ts';

/** What a call does to exposure: cancels and reductions must get out when entries must not. */
type SendPurpose = Purpose | 'cancel';

/** One call, as the emergency file keeps it when the journal cannot. */
interface EmergencyRecord {
  readonly call: 'place' | 'modify' | 'cancel';
  readonly callId: ClientOrderId;
  readonly clientOrderId: ClientOrderId;
  readonly request: ApprovedOrder | ApprovedModify | ApprovedCancel;
}

export type GatewaySignal =
  /** The journal failed; the call went out on the emergency record, or (a cancel) without any. Alert. */
  { readonly kind: 'sent_on_emergency'; readonly call: EmergencyRecord['call']; readonly recorded: boolean };

export interface GatewayOptions {
  readonly rest: OrderCalls & ReadCalls;
  readonly sink: InputSink;
  readonly timers: Timers;
  /** Makes everything appended so far durable; throws when it cannot. */
  readonly commit: () => void;
  /** Why this may not leave now, or null. Asked early, and again right before the first byte. */
  readonly latch: (purpose: SendPurpose) => string | null;
  /** Preallocated, fsynced; throws when it cannot. */
  readonly emergency: (record: EmergencyRecord) => void;
  readonly onSignal: (signal: GatewaySignal) => void;
}

export interface RestGateway extends Gateway {
  /** Cancels whatever the broker's own book shows as cancellable. Needs neither engine nor journal. */
  killAll(): Promise<KillReport>;
  /** Calls without an outcome yet. */
  readonly inFlight: number;
  /** Resolves when each of them has one; every call has its time limit. */
  settled(): Promise<void>;
}

export const createRestGateway = (options: GatewayOptions): RestGateway => new DurableGateway(options);

class DurableGateway implements RestGateway {
  readonly #options: GatewayOptions;
  readonly #calls = new Set<Promise<void>>();

  constructor(options: GatewayOptions) {
    this.#options = options;
  }

  get inFlight(): number {
    return this.#calls.size;
  }

  async settled(): Promise<void> {
    while (this.#calls.size > 0) await Promise.all(this.#calls);
  }

  submit(order: ApprovedOrder): void {
    const { clientOrderId, purpose } = order;
    const record: EmergencyRecord = { call: 'place', callId: clientOrderId, clientOrderId, request: order };
    this.#send(record, purpose, (options) => this.#options.rest.place(order, options));
  }

  modify(modify: ApprovedModify): void {
    const { callId, clientOrderId, purpose } = modify;
    const record: EmergencyRecord = { call: 'modify', callId, clientOrderId, request: modify };
    this.#send(record, purpose, (options) => this.#options.rest.change(modify, options));
  }

  cancel(cancel: ApprovedCancel): void {
    const { callId, clientOrderId, orderNo } = cancel;
    const record: EmergencyRecord = { call: 'cancel', callId, clientOrderId, request: cancel };
    this.#send(record, 'cancel', (options) => this.#options.rest.cancel({ orderNo, callId }, options));
  }

  killAll(): Promise<KillReport> {
    return killAll(this.#options.rest, this.#options.timers);
  }

  #send(
    record: EmergencyRecord,
    purpose: SendPurpose,
    call: (options: SendOptions) => Promise<CallOutcome>,
  ): void {
    const refusal = this.#makeDurable(record, purpose) ?? this.#options.latch(purpose);
    if (refusal !== null) return this.#post(record, { status: 'not_sent', reason: refusal });
    const running = this.#call(record, purpose, call).finally(() => this.#calls.delete(running));
    this.#calls.add(running);
  }

  async #call(
    record: EmergencyRecord,
    purpose: SendPurpose,
    call: (options: SendOptions) => Promise<CallOutcome>,
  ): Promise<void> {
    const priority = purpose === 'entry' ? 'entry' : 'exit';
    const outcome = await call({ priority, refuse: () => this.#options.latch(purpose) });
    this.#post(record, outcome);
  }

  /** Null when the call may leave, else why not. */
  #makeDurable(record: EmergencyRecord, purpose: SendPurpose): string | null {
    const failure = problemOf(() => this.#options.commit());
    if (failure === null) return null;
    this.#options.sink.post({ kind: 'journal_failed', reason: failure });
    if (purpose === 'entry') return `the journal failed: ${failure}`;
    const second = problemOf(() => this.#options.emergency(record));
    // A cancel without a record can do no harm: it is repeatable and adds no exposure.
    if (second !== null && purpose !== 'cancel')
      return `journal and emergency record failed: ${failure}; ${second}`;
    this.#options.onSignal({ kind: 'sent_on_emergency', call: record.call, recorded: second === null });
    return null;
  }

  #post(record: EmergencyRecord, outcome: CallOutcome): void {
    const { call, callId, clientOrderId } = record;
    this.#options.sink.post({ kind: 'call_outcome', call, callId, clientOrderId, outcome });
  }
}

/** A failed write is a fact of the world here, with a way to go on; nothing is swallowed. */
function problemOf(write: () => void): string | null {
  try {
    write();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
