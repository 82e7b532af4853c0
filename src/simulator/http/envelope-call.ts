/** What the operations in the broker's envelope share: whose account it is, and how a request is refused. */
import { type AccountId, accountId } from '../../domain/ids.ts';
import type { Parsed } from '../../domain/parsed.ts';
import type { CommandOutcome } from '../../venue/venue-command.ts';
import type { OrderReport } from '../../venue/venue-event.ts';
import type { Envelope } from '../../wire/rest/envelope.ts';
import { derivativeOf } from '../accounts/account-settings.ts';
import { type Issues, ok, type RestAnswer, type RestRequest } from './rest-operation.ts';

/** Ours [?]: the broker's code for a request that cannot be read is not known. */
const UNREADABLE = -6000;
export const NO_ACCOUNT = { code: -6001, text: 'Account not found' };
const BAD_VOLUME = -6019;
const BAD_PRICE = -6021;

/** Prices and volumes have a code of their own, under whatever name the wire has for them. */
function codeOfField(path: string): number {
  if (/price$/i.test(path)) return BAD_PRICE;
  return /vol(?:ume)?$/.test(path) ? BAD_VOLUME : UNREADABLE;
}

interface Refusing {
  encodeRefusal(code: number, text: string): object;
}

interface OfAccount {
  readonly accountId: string;
  /** Empty or absent where the operation does without it. */
  readonly subAccountId?: string;
}

/** The customer's own account, as the venue knows it, and its derivative sub-account. */
export interface OwnAccount {
  readonly accountId: AccountId;
  readonly subAccountId: string;
}

/** Runs `run` for the customer's own account, or answers with HTTP 200 and `rc` below 0. */
export function callOfAccount<T extends OfAccount>(
  operation: Refusing,
  request: RestRequest,
  asked: Parsed<T>,
  run: (asked: T, own: OwnAccount) => RestAnswer,
): RestAnswer {
  if (!asked.ok) return unreadable(operation, asked.issues);
  const { customer } = request;
  const derivative = customer === undefined ? undefined : derivativeOf(customer);
  const { accountId: given, subAccountId = '' } = asked.value;
  const isOwn =
    given === customer?.custodyCode && (subAccountId === '' || subAccountId === derivative?.accountNo);
  if (!isOwn || derivative?.isActive !== true) return refuse(operation, NO_ACCOUNT);
  return run(asked.value, { accountId: accountId(given), subAccountId: derivative.accountNo });
}

export const refuse = (
  operation: Refusing,
  { code, text }: { readonly code: number; readonly text: string },
): RestAnswer => ok(operation.encodeRefusal(code, text));

export function unreadable(operation: Refusing, [{ path, expected, received }]: Issues): RestAnswer {
  const code = codeOfField(path);
  return refuse(operation, { code, text: `${path}: expected ${expected}, was ${received}` });
}

export function answerCommand(
  operation: Refusing,
  outcome: CommandOutcome,
  encode: (order: OrderReport) => Envelope,
): RestAnswer {
  return outcome.status === 'accepted' ? ok(encode(outcome.order)) : refuse(operation, outcome.refusal);
}
