/** Commands of the control API and the parser of their bodies. */
import {
  isRecord,
  type Issue,
  issuesText,
  notParsed,
  parsed,
  type ParseResult,
  parseJson,
  shown,
} from '../domain/parsed.ts';

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
export type CommandBody = Readonly<typeof EMPTY_BODY>;

export const EMPTY_BODY = {
  reason: '',
  strategy: null as string | null,
  clientOrderId: null as string | null,
  as: null as 'absent' | 'live' | null,
  /** A one-time password. */
  otp: null as string | null,
  channel: null as string | null,
  /** For a flatten: entries stay on, and a strategy may enter again. */
  keepTrading: false,
  /** For a flatten: in an auction one order is sent that cannot be taken back. */
  inAuction: false,
};

type BodyField = keyof CommandBody;
type Need = 'required' | 'optional';

const REASON = { reason: 'required' } as const;

const FIELDS: Readonly<Record<CommandName, Readonly<Partial<Record<BodyField, Need>>>>> = {
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

/** The body of a command, or its problems. An empty text is `{}`. */
export function readCommandBody(
  name: CommandName,
  text: string,
): { readonly ok: true; readonly value: CommandBody } | { readonly ok: false; readonly message: string } {
  const body = parseBody(name, text);
  return body.ok
    ? body
    : { ok: false, message: `${name} takes ${bodyShape(name)}; ${issuesText(body.issues)}` };
}

/** `{"strategy"?: text, "reason": text}`, for messages. */
function bodyShape(name: CommandName): string {
  const fields = Object.entries(FIELDS[name]).map(([field, need]) => {
    const type = isFlag(field) ? 'true | false' : field === 'as' ? '"absent" | "live"' : 'text';
    return `"${field}"${need === 'optional' ? '?' : ''}: ${type}`;
  });
  return `{${fields.join(', ')}}`;
}

function parseBody(name: CommandName, text: string): ParseResult<CommandBody> {
  const json = parseJson(text.trim() === '' ? '{}' : text, 'body');
  if (!json.ok) return json;
  const given = json.value;
  if (!isRecord(given)) return notParsed('body', `a JSON object ${bodyShape(name)}`, given);
  const known = Object.keys(FIELDS[name]);
  const issues: Issue[] = [];
  for (const [field, what] of Object.entries(given)) {
    if (known.includes(field)) continue;
    const expected = known.length === 0 ? 'no fields' : `only ${known.join(', ')}`;
    issues.push({ path: field, expected, received: shown(what) });
  }
  const meant = new Map<string, unknown>();
  for (const field of Object.keys(EMPTY_BODY).filter((each): each is BodyField => known.includes(each))) {
    const what = given[field];
    if (what === undefined && FIELDS[name][field] === 'optional') continue;
    if (isValidField(field, what)) meant.set(field, typeof what === 'string' ? what.trim() : what);
    else
      issues.push({
        path: field,
        expected: expectedOf(field),
        received: field === 'otp' && what !== undefined ? 'a text that is not shown' : shown(what),
      });
  }
  const [first, ...rest] = issues;
  if (first !== undefined) return { ok: false, issues: [first, ...rest] };
  return parsed(Object.assign({ ...EMPTY_BODY }, Object.fromEntries(meant)));
}

const isFlag = (field: string): boolean => field === 'keepTrading' || field === 'inAuction';

function expectedOf(field: BodyField): string {
  if (isFlag(field)) return 'true or false';
  return field === 'as' ? '"absent" or "live"' : TEXT;
}

function isValidField(field: BodyField, what: unknown): boolean {
  if (isFlag(field)) return typeof what === 'boolean';
  if (field === 'as') return what === 'absent' || what === 'live';
  return typeof what === 'string' && what.trim() !== '' && what.length <= TEXT_MAX && !CONTROL.test(what);
}
