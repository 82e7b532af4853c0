import { z } from 'zod';
import type { Parsed } from '../../domain/parsed.ts';
import { codeText, parseWith } from './lenient.ts';
/** What one call looks like before it is HTTP, and what arrives of it on the other side. */
export interface WireRequest {
  readonly query: Readonly<Record<string, string>>;
  /** Sent as JSON; undefined sends none. */
  readonly body: unknown;
}

/** As received: nothing is trusted. */
export interface RawRequest {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

export const queryRequest = (query: Readonly<Record<string, string>>): WireRequest => ({
  query,
  body: undefined,
});
export const bodyRequest = (body: unknown): WireRequest => ({ query: {}, body });

/** Operations whose path names the account: `/.../{accountNo}/...` (contract, 4.6). */

const params = z.looseObject({ accountNo: codeText }).transform(({ accountNo }) => accountNo);

/** The route as the simulator registers it. */
export const ACCOUNT_NO = ':accountNo';

export const pathWith = (path: string, accountNo: string): string =>
  path.replace(ACCOUNT_NO, () => encodeURIComponent(accountNo));

export const decodeAccountPath = (raw: RawRequest): Parsed<string> => parseWith(params, raw.params, 'path');
