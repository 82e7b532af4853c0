/** POST /khronos/v1/cash/deposit/update: margin into the derivative account (contract, 4.5). */
import { depositAnswer } from '../answers/money-answers.ts';
import { cashRequest, decodeCash, encodeCash } from './cash-request.ts';
import { type Envelope, refused, succeeded } from './envelope.ts';

/** Ours [?]: the document names the field and no word for it. */
const CMD = 'Web.Cash.Deposit';

export const deposit = {
  name: 'deposit',
  asks: cashRequest,
  answers: depositAnswer,
  method: 'POST',
  path: '/khronos/v1/cash/deposit/update',
  encodeRequest: encodeCash,
  decodeRequest: decodeCash,
  /** 32 hexadecimal digits. */
  encodeResponse: (transactionId: string): Envelope => succeeded(CMD, [{ transactionId }], transactionId),
  encodeRefusal: (code: number, text: string): Envelope => refused(CMD, code, text),
} as const;
