/** One operation of the service: client and simulator are made from it. */
import { z } from 'zod';
import type { ParseResult } from '../../domain/parsed.ts';
import { codeText, parseSecret, parseWith } from './lenient.ts';
import type { WireMessage } from './wire-message.ts';

export interface WireOperation {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  /** With `:custodyCode` and `:accountNo` in place of an account. */
  readonly path: string;
  readonly needsToken: boolean;
}

/** A call before it is HTTP. */
export interface WireRequest {
  readonly query: Readonly<Record<string, string>>;
  /** Sent as JSON; undefined sends none. */
  readonly body: unknown;
}

/** A call as received, not yet validated. */
export interface RawRequest {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** A request, written by the client and read by the simulator. */
interface RequestCodec<Parameters, Asked> {
  encodeRequest(parameters: Parameters): WireRequest;
  decodeRequest(raw: RawRequest): ParseResult<Asked>;
}

/** `asked` reads the form into our words. */
export const queryOf = <Parameters, F, Asked>(
  form: WireMessage<Parameters, F>,
  asked: z.ZodType<Asked>,
): RequestCodec<Parameters, Asked> => ({
  encodeRequest: (parameters) => ({ query: textsOf(form.encode(parameters)), body: undefined }),
  decodeRequest: (raw) => parseWith(asked, raw.query, 'query'),
});

export const bodyOf = <Parameters, F, Asked>(
  form: WireMessage<Parameters, F>,
  asked: z.ZodType<Asked>,
): RequestCodec<Parameters, Asked> => ({
  encodeRequest: (parameters) => ({ query: {}, body: form.encode(parameters) }),
  decodeRequest: (raw) => parseWith(asked, raw.body, 'body'),
});

/** A body whose issues never quote it. */
export const secretBodyOf = <Parameters, F, Asked>(
  form: WireMessage<Parameters, F>,
  asked: z.ZodType<Asked>,
): RequestCodec<Parameters, Asked> => ({
  ...bodyOf(form, asked),
  decodeRequest: (raw) => parseSecret(asked, raw.body, 'body'),
});

const textsOf = (query: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(Object.entries(query).map(([key, value]) => [key, String(value)]));

/** Asked without parameters. */
export const NO_QUERY = {
  encodeRequest: (): WireRequest => ({ query: {}, body: undefined }),
} as const;

const params = z.object({ accountNo: codeText }).transform(({ accountNo }) => accountNo);

/** Operations whose path names the account: `/.../:accountNo/...` (contract, 4.6). */
export const accountPath = (path: string) => ({
  path,
  pathOf: (accountNo: string): string => path.replace(':accountNo', () => encodeURIComponent(accountNo)),
});

export const decodeAccountPath = (raw: RawRequest): ParseResult<string> =>
  parseWith(params, raw.params, 'path');
