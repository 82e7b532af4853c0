/** The engine's gateway on the broker's REST interface: each call goes through the one durable sender. */
import type { Timers } from '../../domain/clock.ts';
import type { ApprovedCancel, ApprovedModify, ApprovedOrder } from '../../engine/ports/approved.ts';
import type { ConditionGateway, Gateway } from '../../engine/ports/outbound.ts';
import type { ConditionCalls, OrderCalls, ReadCalls } from '../rest/broker-calls.ts';
import { type ConditionEdge, type ConditionRequest, createConditionGateway } from './condition-gateway.ts';
import { DurableSender, type SenderOptions } from './durable-sender.ts';
import { killAll, type KillReport } from './kill-all.ts';
import { type ConditionKillReport, killConditions } from './kill-conditions.ts';

type SentRequest = ApprovedOrder | ApprovedModify | ApprovedCancel | ConditionRequest;

export interface GatewayOptions extends SenderOptions<SentRequest> {
  readonly rest: OrderCalls &
    ReadCalls &
    ConditionEdge & { readonly conditions: Pick<ConditionCalls, 'book'> };
  readonly timers: Timers;
}

export interface RestGateway extends Gateway {
  /** Orders that wait at the broker. */
  readonly conditions: ConditionGateway;
  /** Cancels whatever the broker's own books show as cancellable. Needs neither engine nor journal. */
  killAll(): Promise<WholeKill>;
  /** Calls without an outcome yet. */
  readonly inFlight: number;
  /** Resolves when each of them has one; every call has its time limit. */
  settled(): Promise<void>;
}

/** Of both books: `orders` of the in-day book, `conditions` of what waits. */
interface WholeKill {
  readonly orders: KillReport;
  readonly conditions: ConditionKillReport;
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

  async killAll(): Promise<WholeKill> {
    const { rest, timers } = this.#options;
    const [orders, conditions] = await Promise.all([
      killAll(rest, timers),
      killConditions(rest.conditions, timers),
    ]);
    if (!conditions.hasTriggered) return { orders, conditions };
    // What was sent between the looks stands in a book that was looked at before.
    const again = await killAll(rest, timers);
    return { orders: { ...again, canceled: [...orders.canceled, ...again.canceled] }, conditions };
  }
}
