import { z } from 'zod';
import type { Parsed } from '../../domain/parsed.ts';
import type { Money } from '../../domain/units.ts';
import { depositAnswer, transferAnswer, withdrawAnswer } from '../answers/money-answers.ts';
import { type Envelope, refused, succeeded } from './envelope.ts';
import { codeText, idText, looseText, neededNumber, parseWith } from './lenient.ts';
import { bodyRequest, type RawRequest, type WireRequest } from './operation.ts';
/** What deposit and withdrawal share: the same body, and the envelope as answer (contract, 4.5). */

interface CashParameters {
  readonly accountId: string;
  readonly subAccountId: string;
  /** Whole VND, above zero. */
  readonly amount: Money;
  /** For the statement; may be empty. */
  readonly note: string;
}

interface CashAsked {
  readonly accountId: string;
  readonly subAccountId: string;
  /** Unchecked: the broker refuses what it must. */
  readonly amount: number;
  readonly note: string;
}

const cashRequest = z
  .looseObject({ accountId: idText, subAccountId: codeText, amount: neededNumber, paymentContent: looseText })
  .transform(({ accountId, subAccountId, amount, paymentContent }): CashAsked => ({
    accountId,
    subAccountId,
    amount,
    note: paymentContent,
  }));

const encodeCash = ({ accountId, subAccountId, amount, note }: CashParameters): WireRequest =>
  bodyRequest({ accountId, subAccountId, amount, paymentContent: note });

const decodeCash = (raw: RawRequest): Parsed<CashAsked> => parseWith(cashRequest, raw.body, 'body');

/** POST /khronos/v1/cash/deposit/update: margin into the derivative account (contract, 4.5). */

/** Ours [?]: the document names the field and no word for it. */
const DEPOSIT_CMD = 'Web.Cash.Deposit';

export const deposit = {
  name: 'deposit',
  asks: cashRequest,
  answers: depositAnswer,
  method: 'POST',
  path: '/khronos/v1/cash/deposit/update',
  encodeRequest: encodeCash,
  decodeRequest: decodeCash,
  /** 32 hexadecimal digits. */
  encodeResponse: (transactionId: string): Envelope =>
    succeeded(DEPOSIT_CMD, [{ transactionId }], transactionId),
  encodeRefusal: (code: number, text: string): Envelope => refused(DEPOSIT_CMD, code, text),
} as const;

/** POST /khronos/v1/cash/withdraw/update: margin out of the derivative account (contract, 4.5). */

/** Ours [?]: the document names the field and no word for it. */
const WITHDRAW_CMD = 'Web.Cash.Withdraw';

export const withdraw = {
  name: 'withdraw',
  asks: cashRequest,
  answers: withdrawAnswer,
  method: 'POST',
  path: '/khronos/v1/cash/withdraw/update',
  encodeRequest: encodeCash,
  decodeRequest: decodeCash,
  /** `data` is empty here: the id stands in the envelope (notes, section 5). */
  encodeResponse: (transactionId: string): Envelope => succeeded(WITHDRAW_CMD, [], transactionId),
  encodeRefusal: (code: number, text: string): Envelope => refused(WITHDRAW_CMD, code, text),
} as const;

/** POST /physis/v1/stock/transfer: money between sub-accounts (contract, 2.10 and 4.5). No envelope: `code` and `message`. */

export const TRANSFERRED = '200';

interface TransferParameters {
  readonly from: string;
  readonly to: string;
  /** Whole VND, above zero. */
  readonly amount: Money;
  readonly description: string;
}

interface TransferAsked {
  readonly from: string;
  readonly to: string;
  /** Unchecked: the broker refuses what it must. */
  readonly amount: number;
  readonly description: string;
}

const transferRequest = z
  .looseObject({
    sourceAccountNumber: codeText,
    destinationAccountNumber: codeText,
    amount: neededNumber,
    description: looseText,
  })
  .transform(({ sourceAccountNumber, destinationAccountNumber, amount, description }): TransferAsked => ({
    from: sourceAccountNumber,
    to: destinationAccountNumber,
    amount,
    description,
  }));

interface TransferAnswer {
  readonly code: string;
  readonly message: string;
}

export const transfer = {
  name: 'transfer',
  asks: transferRequest,
  answers: transferAnswer,
  method: 'POST',
  path: '/physis/v1/stock/transfer',
  encodeRequest: ({ from, to, amount, description }: TransferParameters): WireRequest =>
    bodyRequest({ sourceAccountNumber: from, destinationAccountNumber: to, amount, description }),
  decodeRequest: (raw: RawRequest): Parsed<TransferAsked> => parseWith(transferRequest, raw.body, 'body'),
  encodeResponse: (): TransferAnswer => ({ code: TRANSFERRED, message: 'Success' }),
  encodeRefusal: (code: number, text: string): TransferAnswer => ({ code: String(code), message: text }),
} as const;
