import type {
  CancelRequest,
  ChangeRequest,
  ConditionRef,
  ConditionToChange,
  ConditionToPlace,
  BookScan,
  OrderCalls,
  PlaceRequest,
  ReadCalls,
} from '../../../src/broker/rest/rest-client.ts';
import type { ClosedPositions } from '../../../src/wire/rest/positions.ts';
import type { ReadOptions, ReadResult, SendOptions } from '../../../src/broker/rest/rest-caller.ts';
import type {
  BrokerAccount,
  BrokerOrder,
  BrokerPosition,
  BrokerTriggerOrder,
  CallOutcome,
  ContractQuote,
} from '../../../src/domain/broker-order.ts';
import type { ListedContract } from '../../../src/wire/rest/market-reads.ts';
import { brokerOrderNo } from '../../../src/domain/ids.ts';

export interface Sent {
  readonly call: 'place' | 'change' | 'cancel' | `condition ${'place' | 'change' | 'cancel'}`;
  readonly request:
    | PlaceRequest
    | ChangeRequest
    | CancelRequest
    | ConditionToPlace
    | ConditionToChange
    | ConditionRef;
  readonly options: SendOptions;
  /** The answer arrives. */
  readonly answer: (outcome: CallOutcome) => void;
}

export interface Asked {
  readonly what: 'book' | 'conditions' | 'positions' | 'account' | 'quotes' | 'closed' | 'contracts';
  readonly options: ReadOptions;
  /** Its first byte leaves. */
  readonly start: () => void;
  readonly answer: (result: unknown) => void;
}

export const ACCEPTED: CallOutcome = { status: 'accepted', orderNo: brokerOrderNo('17'), orderKey: null };

/** Keeps what was asked until the test answers it. */
export class FakeRest implements OrderCalls, ReadCalls {
  readonly sent: Sent[] = [];
  readonly asked: Asked[] = [];

  place(request: PlaceRequest, options: SendOptions): Promise<CallOutcome> {
    return this.#send('place', request, options);
  }

  change(request: ChangeRequest, options: SendOptions): Promise<CallOutcome> {
    return this.#send('change', request, options);
  }

  cancel(request: CancelRequest, options: SendOptions): Promise<CallOutcome> {
    return this.#send('cancel', request, options);
  }

  readonly conditions = {
    place: (request: ConditionToPlace, options: SendOptions) =>
      this.#send('condition place', request, options),
    change: (request: ConditionToChange, options: SendOptions) =>
      this.#send('condition change', request, options),
    cancel: (request: ConditionRef, options: SendOptions) => this.#send('condition cancel', request, options),
    book: (options: ReadOptions): Promise<BookScan<BrokerTriggerOrder>> => this.#ask('conditions', options),
  };

  readonly accounts = {
    closedPositions: (_symbol: string | null, options: ReadOptions): Promise<ReadResult<ClosedPositions>> =>
      this.#ask('closed', options),
  };

  inDayBook(options: ReadOptions): Promise<BookScan<BrokerOrder>> {
    return this.#ask('book', options);
  }

  positions(options: ReadOptions): Promise<ReadResult<readonly BrokerPosition[]>> {
    return this.#ask('positions', options);
  }

  account(options: ReadOptions): Promise<ReadResult<BrokerAccount>> {
    return this.#ask('account', options);
  }

  quotes(options: ReadOptions): Promise<ReadResult<readonly ContractQuote[]>> {
    return this.#ask('quotes', options);
  }

  contracts(options: ReadOptions): Promise<ReadResult<readonly ListedContract[]>> {
    return this.#ask('contracts', options);
  }

  #send(call: Sent['call'], request: Sent['request'], options: SendOptions): Promise<CallOutcome> {
    return new Promise((resolve) => this.sent.push({ call, request, options, answer: resolve }));
  }

  #ask<T>(what: Asked['what'], options: ReadOptions): Promise<T> {
    return new Promise((resolve) =>
      this.asked.push({
        what,
        options,
        start: () => options.onStart?.(),
        answer: (result) => resolve(result as T),
      }),
    );
  }
}

/** Lets everything that waits for an answer already given go on. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
