/**
 * The engine's gateway on the broker's REST interface. Write, then send (rulings, 30): the journal is committed before the first byte of a
 * call leaves, the halt is checked last, and each call comes back as exactly one outcome. Nothing here is ever sent twice. The service
 * keeps orders at the exchange and orders that wait for a trigger in two books, with calls of their own.
 */
import { assert } from '../../domain/assert.ts';
import type { CallOutcome } from '../../domain/broker-order.ts';
import type { Timers } from '../../domain/clock.ts';
import { errorText, thrownText, thrownBy } from '../../domain/failure.ts';
import type { ClientOrderId } from '../../domain/ids.ts';
import type { ApprovedCancel, ApprovedModify, ApprovedOrder, Purpose } from '../../engine/ports/approved.ts';
import { type CallAnswer, type InputSink, journalFailed } from '../../engine/ports/engine-event.ts';
import type { Gateway } from '../../engine/ports/outbound.ts';
import type { ConditionCalls, OrderCalls, ReadCalls } from '../rest/rest-client.ts';
import type { SendOptions } from '../rest/rest-caller.ts';
import { killAll, type WholeKill } from './kill-all.ts';
import type { OurBooks } from './kill-verdict.ts';

/** Effect of a call on exposure: cancels and reductions must get out when entries must not. */
type SendPurpose = Purpose | 'cancel';

/** One call, as the emergency file keeps it when the journal cannot. */
interface CallRecord extends Omit<CallAnswer, 'outcome'> {
  readonly request: ApprovedOrder | ApprovedModify | ApprovedCancel;
}

export type GatewaySignal = { readonly call: CallRecord['call']; readonly order: ClientOrderId } & (
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
  answered(call: CallRecord['call'], callId: ClientOrderId): void;
}

export interface GatewayOptions {
  readonly rest: OrderCalls & ReadCalls & { readonly conditions: ConditionCalls };
  readonly timers: Timers;
  readonly sink: InputSink;
  /** Makes everything appended so far durable; throws when it cannot. */
  readonly commit: () => void;
  /** Reason why the call may not leave now, or null. Asked early, and again right before the first byte. */
  readonly haltReason: (purpose: SendPurpose) => string | null;
  /** Preallocated, fsynced; throws when it cannot. */
  readonly emergency: (record: CallRecord) => void;
  readonly onSignal: (signal: GatewaySignal) => void;
  readonly meter?: CallMeter | undefined;
}

type SendCall = (options: SendOptions) => Promise<CallOutcome>;

export class RestGateway implements Gateway {
  readonly #options: GatewayOptions;
  readonly #calls = new Set<Promise<void>>();

  constructor(options: GatewayOptions) {
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

  submit(order: ApprovedOrder): void {
    const { clientOrderId, purpose } = order;
    const record = { call: 'place', callId: clientOrderId, clientOrderId, request: order } as const;
    this.#send(record, purpose, (options) => this.#place(order, options));
  }

  modify(modify: ApprovedModify): void {
    const { callId, clientOrderId, purpose, orderKey, triggerPrice } = modify;
    const { rest } = this.#options;
    const record = { call: 'modify', callId, clientOrderId, request: modify } as const;
    this.#send(record, purpose, (options) => {
      if (orderKey === null) return rest.change(modify, options);
      assert(triggerPrice !== null, 'only the trigger of an order that waits can be changed');
      return rest.conditions.change({ ...modify, orderKey, triggerPrice }, options);
    });
  }

  cancel(cancel: ApprovedCancel): void {
    const { callId, clientOrderId, orderNo, orderKey } = cancel;
    const { rest } = this.#options;
    const record = { call: 'cancel', callId, clientOrderId, request: cancel } as const;
    this.#send(record, 'cancel', (options) =>
      orderKey === null
        ? rest.cancel({ orderNo, callId }, options)
        : rest.conditions.cancel({ orderNo, orderKey }, options),
    );
  }

  /** Cancels orders that can enlarge a position, while `goesOn`, by the broker's own books and by ours. Needs no engine. */
  killAll(goesOn: () => boolean, ourBooks: () => OurBooks | null): Promise<WholeKill> {
    return killAll(this.#options.rest, this.#options.timers, goesOn, ourBooks);
  }

  /** Stops have an operation of their own; a bracket and an arbitrage order are normal places with terms (rulings, 13). */
  async #place({ trigger, ...order }: ApprovedOrder, options: SendOptions): Promise<CallOutcome> {
    const { rest } = this.#options;
    switch (trigger?.kind) {
      case undefined:
        return rest.place(order, options);
      case 'stop':
      case 'trailing_stop':
        return rest.conditions.place({ ...order, callId: order.clientOrderId, trigger }, options);
      case 'bracket':
        return rest.place({ ...order, terms: trigger }, options);
      case 'arbitrage':
        return rest.place({ ...order, terms: { kind: 'arbitrage', leg: trigger.legCode } }, options);
    }
  }

  #send(record: CallRecord, purpose: SendPurpose, call: SendCall): void {
    const refusal = this.#makeDurable(record, purpose) ?? this.#options.haltReason(purpose);
    if (refusal !== null) return this.#post(record, { status: 'not_sent', reason: refusal });
    const running = this.#call(record, purpose, call).finally(() => this.#calls.delete(running));
    this.#calls.add(running);
  }

  async #call(record: CallRecord, purpose: SendPurpose, call: SendCall): Promise<void> {
    const priority = purpose === 'entry' ? 'entry' : 'exit';
    const outcome = await call({
      priority,
      refuse: () => this.#options.haltReason(purpose),
      onStart: () => this.#options.meter?.sent(record.callId),
    });
    this.#post(record, outcome);
  }

  /** Null when the call may leave, else the reason why not. */
  #makeDurable(record: CallRecord, purpose: SendPurpose): string | null {
    const thrown = thrownBy(() => this.#options.commit());
    if (thrown === null) return null;
    const failure = errorText(thrown);
    const { call, clientOrderId: order } = record;
    this.#options.sink.post(journalFailed(thrown));
    if (purpose === 'entry') return `the journal failed: ${failure}`;
    const second = thrownText(() => this.#options.emergency(record));
    // A cancel without a record can do no harm: it is repeatable and adds no exposure.
    if (second !== null && purpose !== 'cancel') {
      const reason = `journal and emergency record failed: ${failure}; ${second}`;
      this.#options.onSignal({ kind: 'exit_not_sent', call, order, reason });
      return reason;
    }
    this.#options.onSignal({ kind: 'sent_on_emergency', call, order, recorded: second === null });
    return null;
  }

  #post(record: CallRecord, outcome: CallOutcome): void {
    const { call, callId, clientOrderId } = record;
    this.#options.meter?.answered(call, callId);
    this.#options.sink.post({
      kind: 'execution_report',
      answer: { call, callId, clientOrderId, outcome },
      news: null,
    });
  }
}
