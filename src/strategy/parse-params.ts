import type { z } from 'zod';
import { type Issue, notParsed, type Parsed, parsed, shown } from '../domain/parsed.ts';

export type Params = Readonly<Record<string, unknown>>;

/** Reads parameters by a strict schema; each issue has the path of its key, so that the configuration can name the line. */
export function parseParams(schema: z.ZodObject, raw: unknown): Parsed<Params> {
  const result = schema.safeParse(raw ?? {});
  if (result.success) return parsed(result.data);
  const issues = result.error.issues.flatMap((issue) => issuesOf(issue, Object.keys(schema.shape), raw));
  const [first, ...rest] = issues;
  if (first === undefined) return notParsed('', 'valid parameters', raw);
  return { ok: false, issues: [first, ...rest] };
}

function issuesOf(issue: z.core.$ZodIssue, known: readonly string[], raw: unknown): Issue[] {
  const path = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    const expected = known.length === 0 ? 'no parameters' : `one of ${known.join(', ')}`;
    return issue.keys.map((key) => ({
      path: [path, key].filter(Boolean).join('.'),
      expected,
      received: 'an unknown key',
    }));
  }
  return [{ path, expected: expectedBy(issue), received: shown(valueAt(raw, issue.path)) }];
}

/** A rule over several parameters reports them all; what is wrong is the one at its path. */
function valueAt(raw: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    raw,
  );
}

const KINDS: Readonly<Record<string, string>> = {
  number: 'a number',
  int: 'a whole number',
  string: 'a text',
  boolean: 'true or false',
  array: 'a list',
  object: 'a table of parameters',
};

function expectedBy(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return KINDS[issue.expected] ?? issue.expected;
    case 'too_small':
      return `${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}`;
    case 'too_big':
      return `${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}`;
    case 'invalid_value':
      return issue.values.length === 1
        ? String(issue.values[0])
        : `one of ${issue.values.map(String).join(', ')}`;
    case 'not_multiple_of':
      return `a multiple of ${issue.divisor}`;
    case 'invalid_format':
    case 'invalid_key':
    case 'invalid_element':
    case 'invalid_union':
    case 'unrecognized_keys':
    case 'custom':
      break;
  }
  return issue.message;
}
