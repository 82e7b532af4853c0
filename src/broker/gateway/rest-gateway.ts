/** The engine's gateway on the broker's REST interface: each call goes through the one durable sender. */
import type { Timers } from '../../domain/clock.ts';
import type { ApprovedCancel, ApprovedModify, ApprovedOrder } from '../../engine/ports/approved.ts';
import type { ConditionGateway, Gateway } from '../../engine/ports/outbound.ts';
import type { OrderCalls, ReadCalls } from '../rest/broker-calls.ts';
import { type ConditionEdge, type ConditionRequest, createConditionGateway } from './condition-gateway.ts';
import { DurableSender, type SenderOptions } from './durable-sender.ts';
import { killAll, type KillReport } from './kill-all.ts';

type SentRequest = ApprovedOrder | ApprovedModify | ApprovedCancel | ConditionRequest;

export interface GatewayOptions extends SenderOptions<SentRequest> {
  readonly rest: OrderCalls & ReadCalls & ConditionEdge;
  readonly timers: Timers;
}

export interface RestGateway extends Gateway {
  /** Orders that wait at the broker. */
  readonly conditions: ConditionGateway;
  /** Cancels whatever the broker's own book shows as cancellable. Needs neither engine nor journal. */
  killAll(): Promise<KillReport>;
  /** Calls without an outcome yet. */
  readonly inFlight: number;
  /** Resolves when each of them has one; every call has its time limit. */
  settled(): Promise<void>;
}

export const createRestGateway = (options: GatewayOptions): RestGateway => new DurableGateway(options);

class DurableGateway implements RestGateway {
  readonly conditions: ConditionGateway;
  readonly #options: GatewayOptions;
  readonly #sender: DurableSender<SentRequest>;

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#sender = new DurableSender(options);
    this.conditions = createConditionGateway(options.rest, this.#sender);
  }

  get inFlight(): number {
    return this.#sender.inFlight;
  }

  settled(): Promise<void> {
    return this.#sender.settled();
  }

  submit(order: ApprovedOrder): void {
    const { clientOrderId, purpose } = order;
    const record = { call: 'place', callId: clientOrderId, clientOrderId, request: order } as const;
    this.#sender.send(record, purpose, (options) => this.#options.rest.place(order, options));
  }

  modify(modify: ApprovedModify): void {
    const { callId, clientOrderId, purpose } = modify;
    const record = { call: 'modify', callId, clientOrderId, request: modify } as const;
    this.#sender.send(record, purpose, (options) => this.#options.rest.change(modify, options));
  }

  cancel(cancel: ApprovedCancel): void {
    const { callId, clientOrderId, orderNo } = cancel;
    const record = { call: 'cancel', callId, clientOrderId, request: cancel } as const;
    this.#sender.send(record, 'cancel', (options) => this.#options.rest.cancel({ orderNo, callId }, options));
  }

  killAll(): Promise<KillReport> {
    return killAll(this.#options.rest, this.#options.timers);
  }
}
