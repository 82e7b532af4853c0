/** Orders that wait at the broker: place, change, cancel, and their book. */
import type { CallOutcome, BrokerTriggerOrder } from '../../domain/broker-order.ts';
import { classifyCallReply, classifyConditionReply } from '../../wire/rest/call-reply.ts';
import { conditionBook } from '../../wire/rest/condition-book.ts';
import { cancelCondition, changeCondition, placeCondition } from '../../wire/rest/condition-calls.ts';
import type {
  ConditionCalls,
  ConditionRef,
  ConditionToChange,
  ConditionToPlace,
  ConditionWalk,
  ReadOptions,
  SendOptions,
} from './broker-calls.ts';
import { noSpec } from './no-spec.ts';
import { readPage } from './read-page.ts';
import type { RestCaller } from './rest-caller.ts';
import type { SpecOf, TradedAccount } from './traded-account.ts';
import { walkPages } from './walk-pages.ts';

export class ConditionClient implements ConditionCalls {
  readonly #caller: RestCaller;
  readonly #account: TradedAccount;
  readonly #specOf: SpecOf;

  constructor(caller: RestCaller, account: TradedAccount, specOf: SpecOf) {
    this.#caller = caller;
    this.#account = account;
    this.#specOf = specOf;
  }

  place(order: ConditionToPlace, options: SendOptions): Promise<CallOutcome> {
    const spec = this.#specOf(order.orderCode);
    if (spec === undefined) return noSpec(order.orderCode);
    const request = placeCondition.encodeRequest({ ...this.#account, ...order, spec });
    return this.#caller.move(placeCondition, request, options, classifyCallReply);
  }

  change(change: ConditionToChange, options: SendOptions): Promise<CallOutcome> {
    const spec = this.#specOf(change.orderCode);
    if (spec === undefined) return noSpec(change.orderCode);
    const { accountId } = this.#account;
    const request = changeCondition.encodeRequest({ accountId, ...change, spec });
    return this.#caller.move(changeCondition, request, options, (reply, name, drift) =>
      classifyConditionReply(reply, name, change, drift),
    );
  }

  cancel(condition: ConditionRef, options: SendOptions): Promise<CallOutcome> {
    const request = cancelCondition.encodeRequest({ ...this.#account, ...condition });
    return this.#caller.move(cancelCondition, request, options, (reply, name, drift) =>
      classifyConditionReply(reply, name, condition, drift),
    );
  }

  async book({ priority, onStart }: ReadOptions): Promise<ConditionWalk> {
    const caller = this.#caller;
    const walk = await walkPages<BrokerTriggerOrder>(
      (pageNo, pageSize) =>
        caller.read(
          conditionBook,
          conditionBook.encodeRequest({ ...this.#account, pageNo, pageSize }),
          // The walk began with its first page.
          pageNo === 1 && onStart !== undefined ? { priority, onStart } : { priority },
          (json) =>
            readPage(conditionBook, caller, conditionBook.decodeResponse(json, this.#specOf, caller.drift)),
        ),
      ({ orderKey }) => `condition ${orderKey}`,
    );
    return { complete: walk.complete, orders: walk.rows, reason: walk.reason };
  }
}
