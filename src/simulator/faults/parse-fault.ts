/** Reads a fault from the control API: unknown names, parameters and types are refused, so that a typing error is no test. */
import { type Issue, notParsed, parsed, type Parsed, shown } from '../../domain/parsed.ts';
import { type Fault, type FaultName, FRAME_CHANNELS, OPERATIONS } from './fault.ts';

interface Parameter {
  readonly expected: string;
  readonly required?: true;
  accepts(value: unknown): boolean;
}

const whole = (min: number, required?: true): Parameter => ({
  expected: `a whole number, ${min} or more`,
  ...(required && { required }),
  accepts: (value) => Number.isSafeInteger(value) && Number(value) >= min,
});
const text = (required?: true): Parameter => ({
  expected: 'a text',
  ...(required && { required }),
  accepts: (value) => typeof value === 'string' && value !== '',
});
const oneOf = (values: readonly string[], required?: true): Parameter => ({
  expected: `one of ${values.join(', ')}`,
  ...(required && { required }),
  accepts: (value) => typeof value === 'string' && values.includes(value),
});
const NUMBER: Parameter = {
  expected: 'a number',
  required: true,
  accepts: (value) => Number.isFinite(value),
};
const SIGNED: Parameter = {
  expected: 'a whole number other than 0',
  required: true,
  accepts: (value) => Number.isSafeInteger(value) && value !== 0,
};
const FLAG: Parameter = { expected: 'true or false', accepts: (value) => typeof value === 'boolean' };
const CLOSE_CODE: Parameter = {
  expected: 'a close code: 1000 to 1003, 1006 to 1014, or 3000 to 4999',
  required: true,
  accepts: (value) => typeof value === 'number' && isCloseCode(value),
};

const TIMES = { times: whole(1) };
const OF_OPERATION = { ...TIMES, operation: oneOf(OPERATIONS) };
const OF_FRAME = { ...TIMES, channel: oneOf(FRAME_CHANNELS), symbol: text() };

/** Parameters of every fault, by name. */
export const FAULT_PARAMETERS: Readonly<Record<FaultName, Readonly<Record<string, Parameter>>>> = {
  accept_then_drop: OF_OPERATION,
  late_answer: { ...OF_OPERATION, delayMs: whole(1, true) },
  http_500: { ...OF_OPERATION, done: FLAG },
  html_502: { ...OF_OPERATION, done: FLAG },
  http_429: OF_OPERATION,
  hide_new_order: { ...TIMES, seconds: whole(1, true) },
  contradict_status: { ...TIMES, status: text(true), orderNo: text() },
  lose_frame: OF_FRAME,
  duplicate_frame: OF_FRAME,
  stop_pongs: TIMES,
  refuse_connections: { ...TIMES, scope: oneOf(['stream', 'all']) },
  close_stream: { code: CLOSE_CODE },
  half_open: {},
  expire_token: {},
  inject_order: {
    symbol: text(true),
    side: oneOf(['buy', 'sell'], true),
    points: NUMBER,
    volume: whole(1, true),
  },
  inject_position: { symbol: text(true), net: SIGNED },
};

export function parseFault(raw: unknown): Parsed<Fault> {
  if (!isObject(raw)) return notParsed('', 'an object with a name', raw);
  const { name, ...given } = raw;
  if (typeof name !== 'string' || !isFaultName(name)) {
    return notParsed('name', `one of ${Object.keys(FAULT_PARAMETERS).join(', ')}`, name);
  }
  const [first, ...rest] = problemsOf(FAULT_PARAMETERS[name], name, given);
  if (first !== undefined) return { ok: false, issues: [first, ...rest] };
  // Every parameter was looked at above.
  const fault: Fault = Object.assign(Object.create(null), raw);
  return parsed(fault);
}

function problemsOf(
  parameters: Readonly<Record<string, Parameter>>,
  name: FaultName,
  given: Readonly<Record<string, unknown>>,
): Issue[] {
  const issues: Issue[] = [];
  for (const [path, value] of Object.entries(given)) {
    const parameter = Object.hasOwn(parameters, path) ? parameters[path] : undefined;
    const expected = parameter?.expected ?? `no such parameter of ${name}`;
    if (parameter?.accepts(value) !== true) issues.push({ path, expected, received: shown(value) });
  }
  for (const [path, { required, expected }] of Object.entries(parameters)) {
    if (required && !(path in given)) issues.push({ path, expected, received: shown(undefined) });
  }
  return issues;
}

const isObject = (raw: unknown): raw is Record<string, unknown> =>
  typeof raw === 'object' && raw !== null && !Array.isArray(raw);

const isFaultName = (name: string): name is FaultName => Object.hasOwn(FAULT_PARAMETERS, name);

/** The codes that a WebSocket server may send, and 1006, which means that none was sent. */
function isCloseCode(code: number): boolean {
  if (!Number.isInteger(code)) return false;
  return (code >= 1000 && code <= 1003) || (code >= 1006 && code <= 1014) || (code >= 3000 && code <= 4999);
}
