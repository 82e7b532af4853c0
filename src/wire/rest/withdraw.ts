/** POST /khronos/v1/cash/withdraw/update: margin out of the derivative account (contract, 4.5). */
import { withdrawAnswer } from '../answers/money-answers.ts';
import { cashRequest, decodeCash, encodeCash } from './cash-request.ts';
import { type Envelope, refused, succeeded } from './envelope.ts';

/** Ours [?]: the document names the field and no word for it. */
const CMD = 'Web.Cash.Withdraw';

export const withdraw = {
  name: 'withdraw',
  asks: cashRequest,
  answers: withdrawAnswer,
  method: 'POST',
  path: '/khronos/v1/cash/withdraw/update',
  encodeRequest: encodeCash,
  decodeRequest: decodeCash,
  /** `data` is empty here: the id stands in the envelope (notes, section 5). */
  encodeResponse: (transactionId: string): Envelope => succeeded(CMD, [], transactionId),
  encodeRefusal: (code: number, text: string): Envelope => refused(CMD, code, text),
} as const;
