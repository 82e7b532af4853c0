/** Answers one REST operation: its account, refusals, pages of a book. */
import { type AccountId, accountId } from '../../domain/ids.ts';
import { type Issue, issuesText, type ParseResult } from '../../domain/parsed.ts';
import { refusal } from '../../venue/venue-command.ts';
import type { Envelope } from '../../wire/rest/envelope.ts';
import type { OperationName } from '../../wire/rest/operations.ts';
import type { ErrorBody } from '../../wire/rest/token-calls.ts';
import type { PageQuery } from '../../wire/rest/trade-fields.ts';
import { type AccountSettings, derivativeOf } from '../simulator-options.ts';

type Issues = readonly [Issue, ...Issue[]];

export interface RestRequest {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** Parsed JSON; undefined when the request had no body. */
  readonly body: unknown;
  /** Owner of the token; undefined only for the two token calls. */
  readonly customer: AccountSettings | undefined;
}

export interface RestAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Synchronous: everything in the answer is committed when it returns. */
export type RestHandler = (request: RestRequest) => RestAnswer;
export type Handlers = Readonly<Record<OperationName, RestHandler>>;

export const ok = (body: unknown): RestAnswer => ({ status: 200, body });

/** An error outside the envelope of the trading operations: `code` is a string (rulings, 15). */
export const restError = (status: number, error: ErrorBody): RestAnswer => ({ status, body: error });

export const failedWith = (status: number, message: string): RestAnswer =>
  restError(status, { code: String(status), message });

export const badRequest = ([{ path, expected }]: Issues): RestAnswer =>
  failedWith(400, `${path}: expected ${expected}`);

/** Ours [?]: the broker's code for a request that cannot be read is not known. */
const UNREADABLE = -6000;
export const NO_ACCOUNT = refusal(-6001);
const BAD_VOLUME = -6019;
const BAD_PRICE_CODE = -6021;

/** Prices and volumes have a code of their own, under whatever name the wire has for them. */
function codeOfField(path: string): number {
  if (/price$/i.test(path)) return BAD_PRICE_CODE;
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
export interface CustomerAccount {
  readonly accountId: AccountId;
  readonly subAccountId: string;
}

export interface RestRefusal {
  readonly code: number;
  readonly text: string;
}

/** Answers the customer's own account: `run` encodes the answer, or refuses with HTTP 200 and `rc` below 0. */
export const accountHandler =
  <T extends OfAccount>(
    operation: Refusing & { decodeRequest(raw: RestRequest): ParseResult<T> },
    run: (request: T, account: CustomerAccount) => Envelope | RestRefusal,
  ): RestHandler =>
  (request) => {
    const decoded = operation.decodeRequest(request);
    if (!decoded.ok) return unreadable(operation, decoded.issues);
    const { customer } = request;
    const derivative = customer === undefined ? undefined : derivativeOf(customer);
    const { accountId: given, subAccountId = '' } = decoded.value;
    const isOwn =
      given === customer?.custodyCode && (subAccountId === '' || subAccountId === derivative?.accountNo);
    if (!isOwn || derivative?.isActive !== true) return refuse(operation, NO_ACCOUNT);
    const answer = run(decoded.value, { accountId: accountId(given), subAccountId: derivative.accountNo });
    return 'code' in answer ? refuse(operation, answer) : ok(answer);
  };

export const refuse = (operation: Refusing, { code, text }: RestRefusal): RestAnswer =>
  ok(operation.encodeRefusal(code, text));

export const unreadable = (operation: Refusing, [first]: Issues): RestAnswer =>
  refuse(operation, { code: codeOfField(first.path), text: issuesText([first]) });

const BAD_PAGE: RestRefusal = { code: -6000, text: 'Pages count from 1 and have at least one row' };

export function answerPage<T>(
  rows: readonly T[],
  { pageNo, pageSize }: PageQuery,
  encode: (page: readonly T[]) => Envelope,
): Envelope | RestRefusal {
  if (!isCount(pageNo) || !isCount(pageSize)) return BAD_PAGE;
  return encode(rows.slice((pageNo - 1) * pageSize, pageNo * pageSize));
}

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 1;
