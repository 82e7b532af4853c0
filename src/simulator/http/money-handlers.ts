/** Money between sub-accounts: margin in and out, and transfers. None of them carries an id of the client's. */
import { randomBytes } from 'node:crypto';
import { deposit, transfer, withdraw } from '../../wire/rest/money-calls.ts';
import type { MoneyTransfers } from '../accounts/money-transfers.ts';
import { callOfAccount, type Handlers, NO_ACCOUNT, ok, refuse, unreadable } from './handler.ts';

const ID_BYTES = 16;
const newTransactionId = (): string => randomBytes(ID_BYTES).toString('hex');

export function cashHandlers(transfers: MoneyTransfers): Pick<Handlers, 'deposit' | 'withdraw' | 'transfer'> {
  return {
    deposit: (request) =>
      callOfAccount(deposit, request, deposit.decodeRequest(request), ({ amount }, own) => {
        const refusal = transfers.deposit(own.accountId, own.subAccountId, amount);
        return refusal === null ? ok(deposit.encodeResponse(newTransactionId())) : refuse(deposit, refusal);
      }),
    withdraw: (request) =>
      callOfAccount(withdraw, request, withdraw.decodeRequest(request), ({ amount }, own) => {
        const refusal = transfers.withdraw(own.accountId, own.subAccountId, amount);
        return refusal === null ? ok(withdraw.encodeResponse(newTransactionId())) : refuse(withdraw, refusal);
      }),
    transfer: (request) => {
      const asked = transfer.decodeRequest(request);
      if (!asked.ok) return unreadable(transfer, asked.issues);
      const { customer } = request;
      if (customer === undefined) return refuse(transfer, NO_ACCOUNT);
      const { from, to, amount } = asked.value;
      const refusal = transfers.transfer(customer.custodyCode, from, to, amount);
      return refusal === null ? ok(transfer.encodeResponse()) : refuse(transfer, refusal);
    },
  };
}
