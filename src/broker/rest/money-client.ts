/** Deposits, withdrawals, transfers: sent once, after everything else that waits. */
import type { CallReceipt } from '../../domain/broker-order.ts';
import { deposit, transfer, withdraw } from '../../wire/rest/money-calls.ts';
import { classifyCashReply, classifyTransferReply } from '../../wire/rest/call-reply.ts';
import type { CashMove, MoneyCalls, MoneyOptions, MoneyTransfer } from './broker-calls.ts';
import type { RestCaller } from './rest-caller.ts';
import type { TradedAccount } from './traded-account.ts';

export class MoneyClient implements MoneyCalls {
  readonly #caller: RestCaller;
  readonly #account: TradedAccount;

  constructor(caller: RestCaller, account: TradedAccount) {
    this.#caller = caller;
    this.#account = account;
  }

  deposit(move: CashMove, { refuse }: MoneyOptions): Promise<CallReceipt> {
    const request = deposit.encodeRequest({ ...this.#account, ...move });
    return this.#caller.move(deposit, request, { priority: 'rest', refuse }, classifyCashReply);
  }

  withdraw(move: CashMove, { refuse }: MoneyOptions): Promise<CallReceipt> {
    const request = withdraw.encodeRequest({ ...this.#account, ...move });
    return this.#caller.move(withdraw, request, { priority: 'rest', refuse }, classifyCashReply);
  }

  transfer({ from, to, amount, note }: MoneyTransfer, { refuse }: MoneyOptions): Promise<CallReceipt> {
    const request = transfer.encodeRequest({ from, to, amount, description: note });
    return this.#caller.move(transfer, request, { priority: 'rest', refuse }, (reply, _name, drift) =>
      classifyTransferReply(reply, drift),
    );
  }
}
