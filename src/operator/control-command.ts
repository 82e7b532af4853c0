/** Commands of the control API and the parser of their bodies. */
import { z } from 'zod';
import {
  isRecord,
  type Issue,
  notParsed,
  parsed,
  type ParseResult,
  parseJson,
  shown,
} from '../domain/parsed.ts';
import { oneLine } from './terminal.ts';

/** Body of a command; fields that the command lacks are null or false, a missing `reason` is empty. */
export type CommandBody = Readonly<typeof EMPTY_BODY>;

export const EMPTY_BODY = {
  reason: '',
  strategy: null as string | null,
  clientOrderId: null as string | null,
  as: null as 'absent' | 'live' | null,
  otp: null as string | null,
  channel: null as string | null,
  /** For a flatten: entries stay on, and a strategy may enter again. */
  keepTrading: false,
  /** For a flatten: in an auction one order is sent that cannot be taken back. */
  inAuction: false,
};

const TEXT_MAX = 200;
const NO_CONTROL = /^[^\p{Cc}\p{Zl}\p{Zp}]*$/u;
const TEXT = z
  .string()
  .max(TEXT_MAX)
  .regex(NO_CONTROL)
  .trim()
  .min(1)
  .describe(`text of 1 to ${TEXT_MAX} characters on one line`);
const FLAG = z.boolean().optional().describe('true or false');
const FATE = z.enum(['absent', 'live']).describe('"absent" or "live"');
const OPTIONAL_TEXT = TEXT.optional().describe(TEXT.description ?? '');

type Fields = Readonly<Partial<Record<keyof CommandBody, z.ZodType>>>;

const REASON = { reason: TEXT };
/** A halt is not refused for its words: a script may have read them anywhere. */
const ANY_REASON = z
  .string()
  .transform((text) => oneLine(text).slice(0, TEXT_MAX) || 'no reason is given')
  .describe('text');

const FIELDS = {
  halt: { reason: ANY_REASON },
  resume: { strategy: OPTIONAL_TEXT, ...REASON },
  'cancel-all': REASON,
  'cancel-order': { clientOrderId: TEXT, ...REASON },
  flatten: { strategy: OPTIONAL_TEXT, keepTrading: FLAG, inAuction: FLAG, ...REASON },
  stop: REASON,
  'stop-strategy': { strategy: TEXT, ...REASON },
  'start-strategy': { strategy: TEXT, ...REASON },
  reload: REASON,
  'check-reload': {},
  'resolve-order': { clientOrderId: TEXT, as: FATE, ...REASON },
  rollover: REASON,
  reconnect: {},
  token: {},
  otp: { otp: TEXT },
  seen: {},
  'test-message': { channel: OPTIONAL_TEXT },
} satisfies Readonly<Record<string, Fields>>;

export type CommandName = keyof typeof FIELDS;

export const COMMAND_NAMES = Object.keys(FIELDS) as readonly CommandName[]; // oxlint-disable-line typescript/no-unsafe-type-assertion -- its own keys

export const commandNamed = (name: string): CommandName | undefined =>
  COMMAND_NAMES.find((each) => each === name);

/** Each field is checked by itself, so that all mistakes are reported. */
export function readCommandBody(name: CommandName, text: string): ParseResult<CommandBody> {
  const json = parseJson(text.trim() === '' ? '{}' : text, 'body');
  if (!json.ok) return json;
  const given = json.value;
  if (!isRecord(given)) return notParsed('body', 'a JSON object', given);
  const fields: ReadonlyMap<string, z.ZodType> = new Map(Object.entries(FIELDS[name]));
  const known = fields.size === 0 ? 'no fields' : `only ${[...fields.keys()].join(', ')}`;
  const values: [string, unknown][] = [];
  const issues: Issue[] = [];
  for (const field of new Set([...Object.keys(given), ...fields.keys()])) {
    const what = given[field];
    const schema = fields.get(field);
    const read = schema?.safeParse(what);
    if (read?.success !== true) {
      const received = field === 'otp' && what !== undefined ? 'a text that is not shown' : shown(what);
      issues.push({ path: field, expected: schema?.description ?? known, received });
    } else if (read.data !== undefined) values.push([field, read.data]);
  }
  const [first, ...rest] = issues;
  if (first !== undefined) return { ok: false, issues: [first, ...rest] };
  return parsed(Object.assign({ ...EMPTY_BODY }, Object.fromEntries(values)));
}
