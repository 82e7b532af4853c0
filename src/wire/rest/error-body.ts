/** Errors outside the envelope: `{code, message}` with an HTTP status other than 200 (notes, section 2). */
import { z } from 'zod';
import { looseText } from './lenient.ts';

export interface ErrorBody {
  readonly code: string;
  readonly message: string;
}

export const API_KEY_INVALID: ErrorBody = { code: '203074', message: 'The API Key is invalid' };
export const OTP_INVALID: ErrorBody = { code: '203033', message: 'The OTP is invalid' };
export const OTP_REQUEST_FAILED: ErrorBody = { code: '203147', message: 'The OTP could not be requested' };

const schema = z.looseObject({ code: looseText, message: looseText });

/** Empty texts for what is not such a body, HTML from a proxy for example. */
export function decodeErrorBody(json: unknown): ErrorBody {
  const read = schema.safeParse(json);
  return read.success ? { code: read.data.code, message: read.data.message } : { code: '', message: '' };
}
