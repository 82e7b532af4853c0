/** Moves of money: margin in and out of the derivative account, and transfers between sub-accounts. */
import type { Money } from '../../domain/units.ts';
import { type Envelope, refusalOf, rowAnswer, succeeded } from './envelope.ts';
import { codeText, looseText, neededNumber } from './lenient.ts';
import { bodyOf, field, message, post, text, vnd } from './wire-message.ts';
import type { ErrorBody } from './token-calls.ts';
import { type Accounts, FIELDS } from './trade-fields.ts';

export interface CashMove {
  /** Whole VND, above zero. */
  readonly amount: Money;
  /** For the statement; may be empty. */
  readonly note: string;
}

/** The simulator takes any number for the amount: the broker refuses it where it must. */
const AMOUNT = field(vnd, ({ amount }: CashMove) => amount, neededNumber);

const cashForm = message<Accounts & CashMove>()({
  accountId: FIELDS.accountId,
  subAccountId: FIELDS.subAccountId,
  amount: AMOUNT,
  paymentContent: field(text, ({ note }) => note, looseText),
});
const cashRequest = bodyOf(
  cashForm,
  cashForm.reader.transform(({ paymentContent, ...rest }) => ({ ...rest, note: paymentContent })),
);

const transaction = message<string>()({
  transactionId: field(text, (transactionId) => transactionId),
});

/** Ours [?]: the document names the field and no word for it. */
const DEPOSIT = 'Web.Cash.Deposit';
const WITHDRAW = 'Web.Cash.Withdraw';

export const deposit = {
  ...post('deposit', '/khronos/v1/cash/deposit/update'),
  ...cashRequest,
  ...rowAnswer(DEPOSIT, transaction, (id) => id),
} as const;

export const withdraw = {
  ...post('withdraw', '/khronos/v1/cash/withdraw/update'),
  ...cashRequest,
  /** `data` is empty here: the id is in the envelope (notes, 5). */
  encodeResponse: (transactionId: string): Envelope => succeeded(WITHDRAW, [], transactionId),
  encodeRefusal: refusalOf(WITHDRAW),
} as const;

export const TRANSFERRED = '200';

export interface MoneyTransfer extends CashMove {
  readonly from: string;
  readonly to: string;
}

const transferForm = message<MoneyTransfer>()({
  sourceAccountNumber: field(text, ({ from }) => from, codeText),
  destinationAccountNumber: field(text, ({ to }) => to, codeText),
  amount: AMOUNT,
  description: field(text, ({ note }) => note, looseText),
});
const transferAsked = transferForm.reader.transform(
  ({ sourceAccountNumber, destinationAccountNumber, amount, description }) => ({
    from: sourceAccountNumber,
    to: destinationAccountNumber,
    amount,
    note: description,
  }),
);

const transferAnswer = message<ErrorBody>()({
  code: field(text, ({ code }) => code),
  message: field(text, (answer) => answer.message),
});

/** No envelope: `code` and `message`. */
export const transfer = {
  ...post('transfer', '/physis/v1/stock/transfer'),
  ...bodyOf(transferForm, transferAsked),
  encodeResponse: () => transferAnswer.encode({ code: TRANSFERRED, message: 'Success' }),
  encodeRefusal: (code: number, reason: string) =>
    transferAnswer.encode({ code: String(code), message: reason }),
} as const;
