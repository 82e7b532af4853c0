/** Commands of the control API and the parser of their bodies. */
import { type Issue, notParsed, parsed, type Parsed, parseJson, shown } from '../domain/parsed.ts';

export const COMMAND_NAMES = [
  'halt',
  'resume',
  'cancel-all',
  'cancel-order',
  'flatten',
  'stop',
  'stop-strategy',
  'start-strategy',
  'reload',
  'check-reload',
  'resolve-order',
  'rollover',
  'reconnect',
  'token',
  'otp',
  'seen',
  'test-message',
] as const;

export type CommandName = (typeof COMMAND_NAMES)[number];

/** Body of a command; fields that the command lacks are null or false, a missing `reason` is empty. */
export interface CommandBody {
  readonly reason: string;
  readonly strategy: string | null;
  readonly clientOrderId: string | null;
  readonly as: 'absent' | 'live' | null;
  /** A one-time password. */
  readonly otp: string | null;
  readonly channel: string | null;
  /** Of a flatten: entries stay on, and a strategy may enter again. */
  readonly keepTrading: boolean;
  /** Of a flatten: in an auction one order is sent that nobody can take back. */
  readonly inAuction: boolean;
}

export const EMPTY_BODY: CommandBody = {
  reason: '',
  strategy: null,
  clientOrderId: null,
  as: null,
  otp: null,
  channel: null,
  keepTrading: false,
  inAuction: false,
};

const FLAGS = ['keepTrading', 'inAuction'] as const;

type Flag = (typeof FLAGS)[number];
type Field = 'reason' | 'strategy' | 'clientOrderId' | 'as' | 'otp' | 'channel' | Flag;
type Need = 'required' | 'optional';

const REASON = { reason: 'required' } as const;

const FIELDS: Readonly<Record<CommandName, Readonly<Partial<Record<Field, Need>>>>> = {
  halt: REASON,
  resume: { strategy: 'optional', ...REASON },
  'cancel-all': REASON,
  'cancel-order': { clientOrderId: 'required', ...REASON },
  flatten: { strategy: 'optional', keepTrading: 'optional', inAuction: 'optional', ...REASON },
  stop: REASON,
  'stop-strategy': { strategy: 'required', ...REASON },
  'start-strategy': { strategy: 'required', ...REASON },
  'resolve-order': { clientOrderId: 'required', as: 'required', ...REASON },
  reload: REASON,
  'check-reload': {},
  rollover: REASON,
  reconnect: {},
  token: {},
  otp: { otp: 'required' },
  seen: {},
  'test-message': { channel: 'optional' },
};

const TEXT_MAX = 200;
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u;
const TEXT = `text of 1 to ${TEXT_MAX} characters on one line`;

export const commandNamed = (name: string): CommandName | undefined =>
  COMMAND_NAMES.find((each) => each === name);

/** `{"strategy"?: text, "reason": text}`, for messages. */
export function bodyShape(name: CommandName): string {
  const fields = Object.entries(FIELDS[name]).map(([field, need]) => {
    const type = isFlag(field) ? 'true | false' : field === 'as' ? '"absent" | "live"' : 'text';
    return `"${field}"${need === 'optional' ? '?' : ''}: ${type}`;
  });
  return `{${fields.join(', ')}}`;
}

/** An empty text is `{}`. */
export function parseCommandBody(name: CommandName, text: string): Parsed<CommandBody> {
  const json = parseJson(text.trim() === '' ? '{}' : text, 'body');
  if (!json.ok) return json;
  const { value } = json;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return notParsed('body', `a JSON object ${bodyShape(name)}`, value);
  }
  const given = new Map<string, unknown>(Object.entries(value));
  const known = Object.keys(FIELDS[name]);
  const issues: Issue[] = [];
  for (const [field, what] of given) {
    if (known.includes(field)) continue;
    const expected = known.length === 0 ? 'no fields' : `only ${known.join(', ')}`;
    issues.push({ path: field, expected, received: shown(what) });
  }
  const texts = new Map<Field, string>();
  const flags = new Set<Field>();
  for (const field of fieldsOf(name)) {
    const what = given.get(field);
    if (what === undefined && FIELDS[name][field] === 'optional') continue;
    if (isFlag(field) && typeof what === 'boolean') {
      if (what) flags.add(field);
    } else if (isText(field, what)) texts.set(field, what.trim());
    else
      issues.push({
        path: field,
        expected: expectedOf(field),
        received: field === 'otp' && what !== undefined ? 'a text that is not shown' : shown(what),
      });
  }
  const [first, ...rest] = issues;
  if (first !== undefined) return { ok: false, issues: [first, ...rest] };
  return parsed(bodyOf(texts, flags));
}

const ALL_FIELDS: readonly Field[] = [
  'reason',
  'strategy',
  'clientOrderId',
  'as',
  'otp',
  'channel',
  ...FLAGS,
];

const isFlag = (field: string): field is Flag => FLAGS.some((each) => each === field);

const fieldsOf = (name: CommandName): readonly Field[] =>
  ALL_FIELDS.filter((field) => FIELDS[name][field] !== undefined);

function expectedOf(field: Field): string {
  if (isFlag(field)) return 'true or false';
  return field === 'as' ? '"absent" or "live"' : TEXT;
}

function isText(field: Field, what: unknown): what is string {
  if (typeof what !== 'string' || isFlag(field)) return false;
  if (field === 'as') return what === 'absent' || what === 'live';
  return what.trim() !== '' && what.length <= TEXT_MAX && !CONTROL.test(what);
}

function bodyOf(texts: ReadonlyMap<Field, string>, flags: ReadonlySet<Field>): CommandBody {
  const as = texts.get('as');
  return {
    reason: texts.get('reason') ?? '',
    strategy: texts.get('strategy') ?? null,
    clientOrderId: texts.get('clientOrderId') ?? null,
    as: as === 'absent' || as === 'live' ? as : null,
    otp: texts.get('otp') ?? null,
    channel: texts.get('channel') ?? null,
    keepTrading: flags.has('keepTrading'),
    inAuction: flags.has('inAuction'),
  };
}
