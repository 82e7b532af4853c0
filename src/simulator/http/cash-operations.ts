/** Money between sub-accounts: margin in and out, and transfers. None of them carries an id of the client's. */
import { randomBytes } from 'node:crypto';
import { deposit, transfer, withdraw } from '../../wire/rest/money-calls.ts';
import type { MoneyDesk } from '../accounts/money-desk.ts';
import { callOfAccount, NO_ACCOUNT, refuse, unreadable } from './envelope-call.ts';
import { ok, type RestOperation } from './rest-operation.ts';

const ID_BYTES = 16;
const newTransactionId = (): string => randomBytes(ID_BYTES).toString('hex');

export function cashOperations(desk: MoneyDesk): readonly RestOperation[] {
  return [
    {
      name: 'deposit',
      method: deposit.method,
      path: deposit.path,
      open: false,
      handle: (request) =>
        callOfAccount(deposit, request, deposit.decodeRequest(request), ({ amount }, own) => {
          const refusal = desk.deposit(own.accountId, own.subAccountId, amount);
          return refusal === null ? ok(deposit.encodeResponse(newTransactionId())) : refuse(deposit, refusal);
        }),
    },
    {
      name: 'withdraw',
      method: withdraw.method,
      path: withdraw.path,
      open: false,
      handle: (request) =>
        callOfAccount(withdraw, request, withdraw.decodeRequest(request), ({ amount }, own) => {
          const refusal = desk.withdraw(own.accountId, own.subAccountId, amount);
          return refusal === null
            ? ok(withdraw.encodeResponse(newTransactionId()))
            : refuse(withdraw, refusal);
        }),
    },
    {
      name: 'transfer',
      method: transfer.method,
      path: transfer.path,
      open: false,
      handle(request) {
        const asked = transfer.decodeRequest(request);
        if (!asked.ok) return unreadable(transfer, asked.issues);
        const { customer } = request;
        if (customer === undefined) return refuse(transfer, NO_ACCOUNT);
        const { from, to, amount } = asked.value;
        const refusal = desk.transfer(customer.custodyCode, from, to, amount);
        return refusal === null ? ok(transfer.encodeResponse()) : refuse(transfer, refusal);
      },
    },
  ];
}
