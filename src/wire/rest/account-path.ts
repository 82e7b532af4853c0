/** Operations whose path names the account: `/.../{accountNo}/...` (contract, 4.6). */
import { z } from 'zod';
import type { Parsed } from '../../domain/parsed.ts';
import { codeText, parseWith } from './lenient.ts';
import type { RawRequest } from './request.ts';

const params = z.looseObject({ accountNo: codeText }).transform(({ accountNo }) => accountNo);

/** The route as the simulator registers it. */
export const ACCOUNT_NO = ':accountNo';

export const pathWith = (path: string, accountNo: string): string =>
  path.replace(ACCOUNT_NO, () => encodeURIComponent(accountNo));

export const decodeAccountPath = (raw: RawRequest): Parsed<string> => parseWith(params, raw.params, 'path');
