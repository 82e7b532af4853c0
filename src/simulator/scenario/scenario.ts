/** Misbehaviour as a plan, from YAML or the control API. The same seed and the same events give the same faults. */
import { type Issue, type Parsed, parsed, shown, isRecord, type JsonRecord } from '../../domain/parsed.ts';
import { type OperationName, OPERATIONS } from '../../wire/rest/operations.ts';
import { type Fault, FAULT_NAMES, type FaultName, parseFault } from '../faults/fault.ts';

export interface Scenario {
  readonly seed: number;
  readonly steps: readonly ScenarioStep[];
}

export interface ScenarioStep {
  readonly when: Moment;
  /** Of 100 times that its moment comes, so often it is done. */
  readonly chancePercent: number;
  readonly action: ScenarioAction;
}

/** Real seconds between these two, both included: drawn from the seed. */
export interface SecondsBetween {
  readonly from: number;
  readonly to: number;
}

export type Moment =
  /** Once, so long after the start. */
  | { readonly kind: 'after'; readonly span: SecondsBetween }
  /** Again and again. */
  | { readonly kind: 'every'; readonly span: SecondsBetween }
  /** Once, when market time reaches this time of day; seconds from midnight. */
  | { readonly kind: 'at'; readonly secondOfDay: number }
  /** When something happens: from the `nth` time on, every `each` times; `each` null is once. */
  | {
      readonly kind: 'on';
      readonly event: ScenarioEvent;
      readonly nth: number;
      readonly each: number | null;
    };

export type ScenarioAction =
  | { readonly kind: 'set'; readonly fault: Fault }
  /** Null clears all. */
  | { readonly kind: 'clear'; readonly name: FaultName | null };

/** Operations count before they are served, so that a fault can strike that very request. */
const HAPPENINGS = [
  'authenticated',
  'subscribed',
  'trade',
  'book',
  'order',
  'trigger',
  'fill',
  'opening_auction',
  'continuous',
  'break',
  'closing_auction',
  'closed',
] as const;

export type ScenarioEvent = OperationName | (typeof HAPPENINGS)[number];

const SCENARIO_EVENTS: readonly ScenarioEvent[] = [...OPERATIONS.map(({ name }) => name), ...HAPPENINGS];

/** Reads a scenario, from YAML or from the control API. Reports every mistake at once, with its path. */

const MOMENT_KEYS = ['afterSeconds', 'everySeconds', 'at', 'on'] as const;
const ACTION_KEYS = ['fault', 'clear'] as const;
const STEP_KEYS = new Set<string>([...MOMENT_KEYS, ...ACTION_KEYS, 'nth', 'each', 'chancePercent']);
const TIME = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/;
const DEFAULT_SEED = 1;

class Reader {
  readonly issues: Issue[] = [];

  /** Collects mistakes; undefined stands for the missing value. */
  wrong(path: string, expected: string, received: unknown): undefined {
    this.issues.push({ path, expected, received: shown(received) });
    return undefined;
  }
}

export function parseScenario(raw: unknown): Parsed<Scenario> {
  const reader = new Reader();
  const fields = isRecord(raw) ? raw : {};
  if (!isRecord(raw)) reader.wrong('', 'an object with steps', raw);
  for (const key of Object.keys(fields)) {
    if (key !== 'seed' && key !== 'steps') reader.wrong(key, 'seed and steps alone', fields[key]);
  }
  const seed = fields['seed'] ?? DEFAULT_SEED;
  if (!isCount(seed, 0)) reader.wrong('seed', 'a whole number, 0 or more', seed);
  const list: unknown = fields['steps'] ?? [];
  if (!Array.isArray(list)) reader.wrong('steps', 'a list', list);
  const items: readonly unknown[] = Array.isArray(list) ? list : [];
  const steps = items.flatMap((item, at): ScenarioStep[] => stepOf(reader, item, `steps.${at}`) ?? []);
  const [first, ...rest] = reader.issues;
  if (first !== undefined) return { ok: false, issues: [first, ...rest] };
  return parsed({ seed: Number(seed), steps });
}

function stepOf(reader: Reader, raw: unknown, path: string): ScenarioStep[] | undefined {
  if (!isRecord(raw)) return reader.wrong(path, 'an object with a moment and a fault', raw);
  for (const key of Object.keys(raw)) {
    if (!STEP_KEYS.has(key)) reader.wrong(`${path}.${key}`, `one of ${[...STEP_KEYS].join(', ')}`, raw[key]);
  }
  const when = momentOf(reader, raw, path);
  const action = actionOf(reader, raw, path);
  const chance = raw['chancePercent'] ?? 100;
  const hasChance = typeof chance === 'number' && chance > 0 && chance <= 100;
  if (!hasChance) reader.wrong(`${path}.chancePercent`, 'a number above 0, up to 100', chance);
  return when === undefined || action === undefined
    ? undefined
    : [{ when, action, chancePercent: Number(chance) }];
}

function momentOf(reader: Reader, raw: JsonRecord, path: string): Moment | undefined {
  const [key, ...more] = MOMENT_KEYS.filter((name) => raw[name] !== undefined);
  if (key === undefined || more.length > 0)
    return reader.wrong(path, `one of ${MOMENT_KEYS.join(', ')}`, raw);
  for (const name of ['nth', 'each']) {
    if (key !== 'on' && raw[name] !== undefined) reader.wrong(`${path}.${name}`, 'only beside on', raw[name]);
  }
  const value = raw[key];
  switch (key) {
    case 'on':
      return happeningOf(reader, raw, path);
    case 'at':
      return timeOf(reader, value, `${path}.at`);
    case 'afterSeconds':
    case 'everySeconds': {
      const kind = key === 'afterSeconds' ? 'after' : 'every';
      const span = spanOf(value);
      if (span !== undefined && (kind === 'after' || span.from > 0)) return { kind, span };
      return reader.wrong(`${path}.${key}`, 'seconds, or two of them like [20, 40]', value);
    }
  }
}

function happeningOf(reader: Reader, raw: JsonRecord, path: string): Moment | undefined {
  const event = SCENARIO_EVENTS.find((name) => name === raw['on']);
  const nth = raw['nth'] ?? 1;
  const each = raw['each'] ?? null;
  if (!isCount(nth, 1)) reader.wrong(`${path}.nth`, 'a whole number, 1 or more', nth);
  if (each !== null && !isCount(each, 1)) reader.wrong(`${path}.each`, 'a whole number, 1 or more', each);
  if (event === undefined)
    return reader.wrong(`${path}.on`, `one of ${SCENARIO_EVENTS.join(', ')}`, raw['on']);
  return momentOn(event, Number(nth), each === null ? null : Number(each));
}

const momentOn = (event: ScenarioEvent, nth: number, each: number | null): Moment => ({
  kind: 'on',
  event,
  nth,
  each,
});

function timeOf(reader: Reader, value: unknown, path: string): Moment | undefined {
  const match = typeof value === 'string' ? TIME.exec(value) : null;
  if (match === null) return reader.wrong(path, "a time of day like '10:15' or '10:15:30'", value);
  const [, hours, minutes, seconds = 0] = match;
  return { kind: 'at', secondOfDay: (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds) };
}

/** `30`, or `[20, 40]`. */
function spanOf(value: unknown): SecondsBetween | undefined {
  const ends: readonly unknown[] = Array.isArray(value) ? value : [value, value];
  const [from, to] = ends;
  const isSpan = ends.length === 2 && isSeconds(from) && isSeconds(to) && Number(from) <= Number(to);
  return isSpan ? { from: Number(from), to: Number(to) } : undefined;
}

function actionOf(reader: Reader, raw: JsonRecord, path: string): ScenarioAction | undefined {
  const { fault, clear } = raw;
  if ((fault === undefined) === (clear === undefined))
    return reader.wrong(path, 'a fault to set or the name of one to clear', raw);
  if (fault !== undefined) return setOf(reader, fault, `${path}.fault`);
  const name = FAULT_NAMES.find((known) => known === clear);
  if (name === undefined && clear !== 'all') {
    return reader.wrong(`${path}.clear`, `all or one of ${FAULT_NAMES.join(', ')}`, clear);
  }
  return { kind: 'clear', name: name ?? null };
}

/** A name alone will do for a fault without parameters. */
function setOf(reader: Reader, raw: unknown, path: string): ScenarioAction | undefined {
  const fault = parseFault(typeof raw === 'string' ? { name: raw } : raw);
  if (fault.ok) return setting(fault.value);
  for (const issue of fault.issues) {
    reader.issues.push({ ...issue, path: issue.path === '' ? path : `${path}.${issue.path}` });
  }
  return undefined;
}

const setting = (fault: Fault): ScenarioAction => ({ kind: 'set', fault });

const isCount = (value: unknown, min: number): boolean =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= min;
const isSeconds = (value: unknown): boolean =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0;
