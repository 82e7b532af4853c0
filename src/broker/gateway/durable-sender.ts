/**
 * Write, then send (rulings, 30): the journal is committed before the first byte of a call leaves, the halt is checked
 * last, and each call comes back as exactly one outcome. Nothing here is ever sent twice.
 */
import { failureOf } from '../../domain/failure.ts';
import type { CallOutcome } from '../../domain/broker-order.ts';
import type { ClientOrderId } from '../../domain/ids.ts';
import type { Purpose } from '../../engine/ports/approved.ts';
import type { InputSink } from '../../engine/ports/engine-event.ts';
import type { SendOptions } from '../rest/rest-caller.ts';

/** Effect of a call on exposure: cancels and reductions must get out when entries must not. */
type SendPurpose = Purpose | 'cancel';

/** One call, as the emergency file keeps it when the journal cannot. */
interface CallRecord<Request> {
  readonly call: 'place' | 'modify' | 'cancel';
  readonly callId: ClientOrderId;
  readonly clientOrderId: ClientOrderId;
  readonly request: Request;
}

export type GatewaySignal = { readonly call: CallRecord<unknown>['call']; readonly order: ClientOrderId } & (
  | /** The journal failed; the call went out on the emergency record, or (a cancel) without any. Alert. */
    {
      readonly kind: 'sent_on_emergency';
      readonly recorded: boolean;
    } /** Journal and emergency record both failed: a reduction did not go out. Alert. */
  | { readonly kind: 'exit_not_sent'; readonly reason: string }
);

export interface CallMeter {
  /** The first byte is about to leave. */
  sent(callId: ClientOrderId): void;
  /** Each call has one outcome; one that was not sent too. */
  answered(call: CallRecord<unknown>['call'], callId: ClientOrderId): void;
}

export interface SenderOptions<Request> {
  readonly sink: InputSink;
  /** Makes everything appended so far durable; throws when it cannot. */
  readonly commit: () => void;
  /** Reason why the call may not leave now, or null. Asked early, and again right before the first byte. */
  readonly haltReason: (purpose: SendPurpose) => string | null;
  /** Preallocated, fsynced; throws when it cannot. */
  readonly emergency: (record: CallRecord<Request>) => void;
  readonly onSignal: (signal: GatewaySignal) => void;
  readonly meter?: CallMeter | undefined;
}

type SendCall = (options: SendOptions) => Promise<CallOutcome>;

export class DurableSender<Request> {
  readonly #options: SenderOptions<Request>;
  readonly #calls = new Set<Promise<void>>();

  constructor(options: SenderOptions<Request>) {
    this.#options = options;
  }

  /** Calls without an outcome yet. */
  get inFlight(): number {
    return this.#calls.size;
  }

  /** Resolves when each of them has one; every call has its time limit. */
  async settled(): Promise<void> {
    while (this.#calls.size > 0) await Promise.all(this.#calls);
  }

  protected send(record: CallRecord<Request>, purpose: SendPurpose, call: SendCall): void {
    const refusal = this.#makeDurable(record, purpose) ?? this.#options.haltReason(purpose);
    if (refusal !== null) return this.#post(record, { status: 'not_sent', reason: refusal });
    const running = this.#call(record, purpose, call).finally(() => this.#calls.delete(running));
    this.#calls.add(running);
  }

  async #call(record: CallRecord<Request>, purpose: SendPurpose, call: SendCall): Promise<void> {
    const priority = purpose === 'entry' ? 'entry' : 'exit';
    const outcome = await call({
      priority,
      refuse: () => this.#options.haltReason(purpose),
      onStart: () => this.#options.meter?.sent(record.callId),
    });
    this.#post(record, outcome);
  }

  /** Null when the call may leave, else the reason why not. */
  #makeDurable(record: CallRecord<Request>, purpose: SendPurpose): string | null {
    const failure = failureOf(() => this.#options.commit());
    if (failure === null) return null;
    const { call, clientOrderId: order } = record;
    this.#options.sink.post({ kind: 'journal_failed', reason: failure });
    if (purpose === 'entry') return `the journal failed: ${failure}`;
    const second = failureOf(() => this.#options.emergency(record));
    // A cancel without a record can do no harm: it is repeatable and adds no exposure.
    if (second !== null && purpose !== 'cancel') {
      const reason = `journal and emergency record failed: ${failure}; ${second}`;
      this.#options.onSignal({ kind: 'exit_not_sent', call, order, reason });
      return reason;
    }
    this.#options.onSignal({ kind: 'sent_on_emergency', call, order, recorded: second === null });
    return null;
  }

  #post(record: CallRecord<Request>, outcome: CallOutcome): void {
    const { call, callId, clientOrderId } = record;
    this.#options.meter?.answered(call, callId);
    this.#options.sink.post({
      kind: 'execution_report',
      answer: { call, callId, clientOrderId, outcome },
      news: null,
    });
  }
}
