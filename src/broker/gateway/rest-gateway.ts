/**
 * The engine's gateway on the broker's REST interface. The service keeps orders at the exchange and orders that wait for a
 * trigger in two books, with calls of their own; each call goes through the one durable sender.
 */
import { assert } from '../../domain/assert.ts';
import type { CallOutcome } from '../../domain/broker-order.ts';
import type { Timers } from '../../domain/clock.ts';
import type { ApprovedCancel, ApprovedModify, ApprovedOrder } from '../../engine/ports/approved.ts';
import type { Gateway } from '../../engine/ports/outbound.ts';
import type { ConditionCalls, OrderCalls, ReadCalls } from '../rest/rest-client.ts';
import type { SendOptions } from '../rest/rest-caller.ts';
import { DurableSender, type SenderOptions } from './durable-sender.ts';
import { killAll, type WholeKill } from './kill-all.ts';
import type { OwnBooks } from './kill-verdict.ts';

type SentRequest = ApprovedOrder | ApprovedModify | ApprovedCancel;

export interface GatewayOptions extends SenderOptions<SentRequest> {
  readonly rest: OrderCalls & ReadCalls & { readonly conditions: ConditionCalls };
  readonly timers: Timers;
}

export class RestGateway extends DurableSender<SentRequest> implements Gateway {
  readonly #options: GatewayOptions;

  constructor(options: GatewayOptions) {
    super(options);
    this.#options = options;
  }

  submit(order: ApprovedOrder): void {
    const { clientOrderId, purpose } = order;
    const record = { call: 'place', callId: clientOrderId, clientOrderId, request: order } as const;
    this.send(record, purpose, (options) => this.#place(order, options));
  }

  modify(modify: ApprovedModify): void {
    const { callId, clientOrderId, purpose, orderKey, triggerPrice } = modify;
    const { rest } = this.#options;
    const record = { call: 'modify', callId, clientOrderId, request: modify } as const;
    this.send(record, purpose, (options) => {
      if (orderKey === null) return rest.change(modify, options);
      assert(triggerPrice !== null, 'only the trigger of an order that waits can be changed');
      return rest.conditions.change({ ...modify, orderKey, triggerPrice }, options);
    });
  }

  cancel(cancel: ApprovedCancel): void {
    const { callId, clientOrderId, orderNo, orderKey } = cancel;
    const { rest } = this.#options;
    const record = { call: 'cancel', callId, clientOrderId, request: cancel } as const;
    this.send(record, 'cancel', (options) =>
      orderKey === null
        ? rest.cancel({ orderNo, callId }, options)
        : rest.conditions.cancel({ orderNo, orderKey }, options),
    );
  }

  /** Cancels orders that can enlarge a position, while `goesOn`, by the broker's own books and by ours. Needs no engine. */
  killAll(goesOn: () => boolean, ownBooks: () => OwnBooks | null): Promise<WholeKill> {
    return killAll(this.#options.rest, this.#options.timers, goesOn, ownBooks);
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
}
