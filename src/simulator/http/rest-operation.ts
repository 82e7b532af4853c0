/** One REST operation as the HTTP shell sees it: where it lives, and what it answers. */
import type { Issue } from '../../domain/parsed.ts';
import type { ErrorBody } from '../../wire/rest/token-calls.ts';
import type { AccountSettings } from '../accounts/account-settings.ts';
import type { OperationName } from '../faults/fault.ts';

export type Issues = readonly [Issue, ...Issue[]];

export interface RestRequest {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** Parsed JSON; undefined when the request had no body. */
  readonly body: unknown;
  /** Whose token it is; undefined only for the two token calls. */
  readonly customer: AccountSettings | undefined;
}

export interface RestAnswer {
  readonly status: number;
  /** Encoded as JSON. */
  readonly body: unknown;
}

export interface RestOperation {
  readonly name: OperationName;
  readonly method: 'GET' | 'POST' | 'PUT';
  /** With `:name` for each part that varies. */
  readonly path: string;
  /** Only the two token calls go without a token. */
  readonly open: boolean;
  /** Synchronous: all it tells is committed when it returns. */
  handle(request: RestRequest): RestAnswer;
}

export const ok = (body: unknown): RestAnswer => ({ status: 200, body });

/** An error outside the envelope of the trading operations: `code` is a string (rulings, 15). */
export const failed = (status: number, error: ErrorBody): RestAnswer => ({ status, body: error });

export const failedWith = (status: number, message: string): RestAnswer =>
  failed(status, { code: String(status), message });

export const badRequest = ([{ path, expected }]: Issues): RestAnswer =>
  failedWith(400, `${path}: expected ${expected}`);
