/**
 * The engine's gateway on the broker's REST interface. The service keeps orders at the exchange and orders that wait for a
 * trigger in two books, with calls of their own; each call goes through the one durable sender.
 */
import { assert } from '../../domain/assert.ts';
import type { CallOutcome } from '../../domain/broker-order.ts';
import type { Timers } from '../../domain/clock.ts';
import type { BrokerOrderKey } from '../../domain/ids.ts';
import type { ApprovedCancel, ApprovedModify, ApprovedOrder } from '../../engine/ports/approved.ts';
import type { Gateway } from '../../engine/ports/outbound.ts';
import type { ConditionCalls, OrderCalls, ReadCalls } from '../rest/rest-client.ts';
import type { SendOptions } from '../rest/rest-caller.ts';
import { DurableSender, type SenderOptions } from './durable-sender.ts';
import { killAll, type WholeKill } from './kill-all.ts';

type SentRequest = ApprovedOrder | ApprovedModify | ApprovedCancel;

export interface GatewayOptions extends SenderOptions<SentRequest> {
  readonly rest: OrderCalls & ReadCalls & { readonly conditions: ConditionCalls };
  readonly timers: Timers;
}

export interface RestGateway extends Gateway {
  /** Cancels what the broker's own books show that can enlarge a position, while `goesOn`. Needs neither engine nor journal. */
  killAll(goesOn: () => boolean): Promise<WholeKill>;
  /** The kill path takes this waiting order for one that shrinks the position of one strategy. */
  noteReduction(key: BrokerOrderKey): void;
  /** Calls without an outcome yet. */
  readonly inFlight: number;
  /** Resolves when each of them has one; every call has its time limit. */
  settled(): Promise<void>;
}

export const createRestGateway = (options: GatewayOptions): RestGateway => new DurableGateway(options);

class DurableGateway implements RestGateway {
  readonly #options: GatewayOptions;
  readonly #sender: DurableSender<SentRequest>;
  /** Waiting orders that can only shrink the position of one strategy, by our own books: the account's net position does not show it. */
  readonly #reductions = new Set<BrokerOrderKey>();

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#sender = new DurableSender(options);
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
    this.#sender.send(record, purpose, (options) => this.#place(order, options));
  }

  modify(modify: ApprovedModify): void {
    const { callId, clientOrderId, purpose, orderKey, triggerPrice } = modify;
    const { rest } = this.#options;
    const record = { call: 'modify', callId, clientOrderId, request: modify } as const;
    this.#sender.send(record, purpose, (options) => {
      if (orderKey === null) return rest.change(modify, options);
      assert(triggerPrice !== null, 'only the trigger of an order that waits can be changed');
      return rest.conditions.change({ ...modify, orderKey, triggerPrice }, options);
    });
  }

  cancel(cancel: ApprovedCancel): void {
    const { callId, clientOrderId, orderNo, orderKey } = cancel;
    const { rest } = this.#options;
    const record = { call: 'cancel', callId, clientOrderId, request: cancel } as const;
    this.#sender.send(record, 'cancel', (options) =>
      orderKey === null
        ? rest.cancel({ orderNo, callId }, options)
        : rest.conditions.cancel({ orderNo, orderKey }, options),
    );
  }

  killAll(goesOn: () => boolean): Promise<WholeKill> {
    return killAll(this.#options.rest, this.#options.timers, goesOn, (key) => this.#reductions.has(key));
  }

  noteReduction(key: BrokerOrderKey): void {
    this.#reductions.add(key);
  }

  /** Stops have an operation of their own; a bracket and an arbitrage order are normal places with terms (rulings, 13). */
  async #place({ trigger, ...order }: ApprovedOrder, options: SendOptions): Promise<CallOutcome> {
    const { rest } = this.#options;
    switch (trigger?.kind) {
      case undefined:
        return rest.place(order, options);
      case 'stop':
      case 'trailing_stop':
        return this.#noted(
          order.shrinks,
          await rest.conditions.place({ ...order, callId: order.clientOrderId, trigger }, options),
        );
      case 'bracket':
        return rest.place({ ...order, terms: trigger }, options);
      case 'arbitrage':
        return rest.place({ ...order, terms: { kind: 'arbitrage', leg: trigger.legCode } }, options);
    }
  }

  #noted(shrinks: boolean, outcome: CallOutcome): CallOutcome {
    if (shrinks && outcome.status === 'accepted' && outcome.orderKey !== null)
      this.noteReduction(outcome.orderKey);
    return outcome;
  }
}
