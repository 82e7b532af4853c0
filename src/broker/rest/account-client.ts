/** Closed positions, and the stock side: shares, cash, loan packages, the cancel of stock orders. */
import type {
  BrokerClosedPosition,
  CallReceipt,
  CashBalance,
  ClosedTotal,
  LoanPackages,
  StockHolding,
} from '../../domain/broker-order.ts';
import { parsed } from '../../domain/parsed.ts';
import { cancelStockOrders, cashBalance, loanPackages, stockAssets } from '../../wire/rest/securities.ts';
import { closedPositions } from '../../wire/rest/closed-positions.ts';
import { classifyStockCancelReply } from '../../wire/rest/call-reply.ts';
import type { AccountCalls, ClosedPositions, MoneyOptions, ReadOptions } from './broker-calls.ts';
import type { ReadFailureKind, ReadResult } from './read-result.ts';
import type { RestCaller } from './rest-caller.ts';
import type { TradedAccount } from './traded-account.ts';
import { walkPages } from './walk-pages.ts';

export class AccountClient implements AccountCalls {
  readonly #caller: RestCaller;
  readonly #account: TradedAccount;

  constructor(caller: RestCaller, account: TradedAccount) {
    this.#caller = caller;
    this.#account = account;
  }

  async closedPositions(symbol: string | null, options: ReadOptions): Promise<ReadResult<ClosedPositions>> {
    const caller = this.#caller;
    let total: ClosedTotal | null = null;
    let kind: ReadFailureKind = 'unanswered';
    const walk = await walkPages<BrokerClosedPosition>(
      async (pageNo, pageSize) => {
        const request = closedPositions.encodeRequest({ ...this.#account, symbol, pageNo, pageSize });
        const read = await caller.read(closedPositions, request, options, (json) => {
          const page = closedPositions.decodeResponse(json, caller.drift);
          if (!page.ok) return page;
          total ??= page.value.total;
          return parsed({ rows: page.value.positions, unreadable: 0 });
        });
        if (!read.ok) kind = read.kind;
        return read;
      },
      ({ orderCode, side }) => `${orderCode} ${side}`,
    );
    if (walk.complete) return { ok: true, value: { total, positions: walk.rows } };
    return { ok: false, kind, reason: walk.reason };
  }

  stockAssets(accountNo: string, options: ReadOptions): Promise<ReadResult<readonly StockHolding[]>> {
    return this.#caller.read(at(stockAssets, accountNo), stockAssets.encodeRequest(), options, (json) =>
      stockAssets.decodeResponse(json, this.#caller.drift),
    );
  }

  cashBalance(accountNo: string, options: ReadOptions): Promise<ReadResult<readonly CashBalance[]>> {
    return this.#caller.read(at(cashBalance, accountNo), cashBalance.encodeRequest(), options, (json) =>
      cashBalance.decodeResponse(json, this.#caller.drift),
    );
  }

  loanPackages(accountNo: string, options: ReadOptions): Promise<ReadResult<LoanPackages>> {
    return this.#caller.read(at(loanPackages, accountNo), loanPackages.encodeRequest(), options, (json) =>
      loanPackages.decodeResponse(json, this.#caller.drift),
    );
  }

  cancelStockOrders(
    accountNo: string,
    orderIds: readonly string[],
    { refuse }: MoneyOptions,
  ): Promise<CallReceipt> {
    return this.#caller.move(
      at(cancelStockOrders, accountNo),
      cancelStockOrders.encodeRequest(orderIds),
      { priority: 'rest', refuse },
      (reply, _name, drift) => classifyStockCancelReply(reply, drift),
    );
  }
}

interface OfAccount {
  readonly name: string;
  readonly method: 'GET' | 'PUT';
  readonly pathOf: (accountNo: string) => string;
}

const at = ({ name, method, pathOf }: OfAccount, accountNo: string) => ({
  name,
  method,
  path: pathOf(accountNo),
});
