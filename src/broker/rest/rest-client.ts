/** The broker's REST interface: one typed method an operation, in groups. What each does is said in `broker-calls.ts`. */
import type {
  BrokerAccount,
  BrokerOrder,
  BrokerPosition,
  CallOutcome,
  ContractQuote,
} from '../../domain/broker-order.ts';
import { accountStatus } from '../../wire/rest/account-status.ts';
import { classifyCallReply } from '../../wire/rest/call-reply.ts';
import { cancelOrder, changeOrder, placeOrder } from '../../wire/rest/order-calls.ts';
import { contractList, derivatives } from '../../wire/rest/market-reads.ts';
import { inDayBook } from '../../wire/rest/in-day-book.ts';
import { openPositions } from '../../wire/rest/open-positions.ts';
import { type NamedSubAccount, profile } from '../../wire/rest/profile.ts';
import { AccountClient } from './account-client.ts';
import type {
  AccountCalls,
  CancelRequest,
  ChangeRequest,
  ConditionCalls,
  InDayWalk,
  ListedContract,
  MoneyCalls,
  OrderCalls,
  PlaceRequest,
  ReadCalls,
  ReadOptions,
  SendOptions,
} from './broker-calls.ts';
import { ConditionClient } from './condition-client.ts';
import { MoneyClient } from './money-client.ts';
import { noSpec } from './no-spec.ts';
import { readPage } from './read-page.ts';
import type { ReadResult } from './read-result.ts';
import { RestCaller, type RestCallerOptions } from './rest-caller.ts';
import type { SpecOf, TradedAccount } from './traded-account.ts';
import { walkPages } from './walk-pages.ts';

export interface RestClientOptions extends RestCallerOptions {
  readonly account: TradedAccount;
  readonly specOf: SpecOf;
}

export interface RestClient extends OrderCalls, ReadCalls {
  /** The sub-accounts of the custody account (contract, 2.1 and 4.2). */
  subAccounts(options: ReadOptions): Promise<ReadResult<readonly NamedSubAccount[]>>;
  readonly conditions: ConditionCalls;
  readonly money: MoneyCalls;
  readonly accounts: AccountCalls;
}

export const createRestClient = (options: RestClientOptions): RestClient => new JsonRestClient(options);

class JsonRestClient implements RestClient {
  readonly conditions: ConditionCalls;
  readonly money: MoneyCalls;
  readonly accounts: AccountCalls;
  readonly #caller: RestCaller;
  readonly #account: TradedAccount;
  readonly #specOf: SpecOf;

  constructor(options: RestClientOptions) {
    const { account, specOf } = options;
    this.#caller = new RestCaller(options);
    this.#account = account;
    this.#specOf = specOf;
    this.conditions = new ConditionClient(this.#caller, account, specOf);
    this.money = new MoneyClient(this.#caller, account);
    this.accounts = new AccountClient(this.#caller, account);
  }

  place(order: PlaceRequest, options: SendOptions): Promise<CallOutcome> {
    const spec = this.#specOf(order.orderCode);
    if (spec === undefined) return noSpec(order.orderCode);
    const request = placeOrder.encodeRequest({ ...this.#account, ...order, spec });
    return this.#caller.move(placeOrder, request, options, classifyCallReply);
  }

  change(modify: ChangeRequest, options: SendOptions): Promise<CallOutcome> {
    const spec = this.#specOf(modify.orderCode);
    if (spec === undefined) return noSpec(modify.orderCode);
    const request = changeOrder.encodeRequest({ ...this.#account, ...modify, spec });
    return this.#caller.move(changeOrder, request, options, classifyCallReply);
  }

  cancel({ orderNo, callId }: CancelRequest, options: SendOptions): Promise<CallOutcome> {
    const { accountId } = this.#account;
    const request = cancelOrder.encodeRequest({ accountId, orderNo, callId });
    return this.#caller.move(cancelOrder, request, options, classifyCallReply);
  }

  async inDayBook({ priority, onStart }: ReadOptions): Promise<InDayWalk> {
    const { accountId } = this.#account;
    const caller = this.#caller;
    const walk = await walkPages<BrokerOrder>(
      (pageNo, pageSize) =>
        caller.read(
          inDayBook,
          inDayBook.encodeRequest({ accountId, pageNo, pageSize }),
          // The walk began with its first page: later orders may stand on a later one, or on none.
          pageNo === 1 && onStart !== undefined ? { priority, onStart } : { priority },
          (json) => readPage(inDayBook, caller, inDayBook.decodeResponse(json, this.#specOf, caller.drift)),
        ),
      ({ orderNo }) => `order ${orderNo}`,
    );
    return { complete: walk.complete, orders: walk.rows, reason: walk.reason };
  }

  positions(options: ReadOptions): Promise<ReadResult<readonly BrokerPosition[]>> {
    const request = openPositions.encodeRequest(this.#account);
    return this.#caller.read(openPositions, request, options, (json) =>
      openPositions.decodeResponse(json, this.#caller.drift),
    );
  }

  account(options: ReadOptions): Promise<ReadResult<BrokerAccount>> {
    const request = accountStatus.encodeRequest(this.#account);
    return this.#caller.read(accountStatus, request, options, (json) =>
      accountStatus.decodeResponse(json, this.#caller.drift),
    );
  }

  quotes(options: ReadOptions): Promise<ReadResult<readonly ContractQuote[]>> {
    return this.#caller.read(derivatives, derivatives.encodeRequest(), options, (json) =>
      derivatives.decodeResponse(json, this.#specOf, this.#caller.drift),
    );
  }

  contracts(options: ReadOptions): Promise<ReadResult<readonly ListedContract[]>> {
    return this.#caller.read(contractList, contractList.encodeRequest(), options, (json) =>
      contractList.decodeResponse(json, this.#caller.drift),
    );
  }

  subAccounts(options: ReadOptions): Promise<ReadResult<readonly NamedSubAccount[]>> {
    const { name, method, pathOf } = profile;
    const operation = { name, method, path: pathOf(this.#account.accountId) };
    return this.#caller.read(operation, profile.encodeRequest(), options, (json) =>
      profile.decodeResponse(json),
    );
  }
}
