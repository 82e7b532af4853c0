/** POST /physis/v1/stock/transfer: money between sub-accounts (contract, 2.10 and 4.5). No envelope: `code` and `message`. */
import { transferAnswer } from '../answers/money-answers.ts';
import { z } from 'zod';
import type { Parsed } from '../../domain/parsed.ts';
import type { Money } from '../../domain/units.ts';
import { codeText, looseText, neededNumber, parseWith } from './lenient.ts';
import { bodyRequest, type RawRequest, type WireRequest } from './request.ts';

export const TRANSFERRED = '200';

export interface TransferParameters {
  readonly from: string;
  readonly to: string;
  /** Whole VND, above zero. */
  readonly amount: Money;
  readonly description: string;
}

export interface TransferAsked {
  readonly from: string;
  readonly to: string;
  /** Unchecked: the broker refuses what it must. */
  readonly amount: number;
  readonly description: string;
}

const request = z
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

export interface TransferAnswer {
  readonly code: string;
  readonly message: string;
}

export const transfer = {
  name: 'transfer',
  asks: request,
  answers: transferAnswer,
  method: 'POST',
  path: '/physis/v1/stock/transfer',
  encodeRequest: ({ from, to, amount, description }: TransferParameters): WireRequest =>
    bodyRequest({ sourceAccountNumber: from, destinationAccountNumber: to, amount, description }),
  decodeRequest: (raw: RawRequest): Parsed<TransferAsked> => parseWith(request, raw.body, 'body'),
  encodeResponse: (): TransferAnswer => ({ code: TRANSFERRED, message: 'Success' }),
  encodeRefusal: (code: number, text: string): TransferAnswer => ({ code: String(code), message: text }),
} as const;
