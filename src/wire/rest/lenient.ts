/** The service's loose types (notes, 1): ids as text or number, numbers as text, empty or null. `Message.noteTexts` counts texts. */
import { z } from 'zod';
import {
  type Issue,
  issuesText,
  notParsed,
  type ParseResult,
  parsed,
  shown,
  valueAt,
} from '../../domain/parsed.ts';
import { priceHundredths, type PriceHundredths, type Money, money } from '../../domain/units.ts';
import { numberFromText } from '../drift.ts';

/** Text; a number is taken as its text. */
export const idText = z.union([z.string(), z.number()]).transform((value) => String(value).trim());

/** Text that may be missing, null or a number: empty then. */
export const looseText = z
  .union([z.string(), z.number(), z.boolean()])
  .nullish()
  .transform((value) => (value === null || value === undefined ? '' : String(value)));

/** A code: text with something in it, without blanks around it. */
export const codeText = idText.refine((text) => text !== '', 'a code');

/** A number; undefined when missing, null or empty. Text that is no number is an error. */
export const looseNumber = z
  .union([z.number(), z.string()])
  .nullish()
  .transform((value, context): number | undefined => {
    if (value === null || value === undefined) return undefined;
    if (typeof value === 'string' && value.trim() === '') return undefined;
    const read = typeof value === 'number' ? value : numberFromText(value);
    if (read !== undefined) return read;
    context.addIssue({ code: 'custom', message: 'a number' });
    return z.NEVER;
  });

export const neededNumber = looseNumber.transform((value, context): number => {
  if (value !== undefined) return value;
  context.addIssue({ code: 'custom', message: 'a number' });
  return z.NEVER;
});

/** More than any account holds; a sum of several stays a safe integer. */
const MONEY_MAX = 1e15;

/** Money in whole units, to the nearest; undefined as above. */
export const looseMoney = looseNumber.transform((value, context): Money | undefined => {
  if (value === undefined) return undefined;
  const whole = Math.round(value);
  if (Math.abs(whole) <= MONEY_MAX) return money(whole);
  context.addIssue({ code: 'custom', message: 'an amount of money' });
  return z.NEVER;
});

export const neededMoney = looseMoney.transform((value, context): Money => {
  if (value !== undefined) return value;
  context.addIssue({ code: 'custom', message: 'an amount of money' });
  return z.NEVER;
});

/** More points than any contract has. */
const POINTS_MAX = 1e6;

/** Points of a reference or average price, to the nearest hundredth; null when missing, zero or no price. */
export function hundredthsOrNull(points = 0): PriceHundredths | null {
  const rounded = Math.round(points * 100);
  return rounded > 0 && points <= POINTS_MAX ? priceHundredths(rounded) : null;
}

/** Parses with a schema; every issue has the path, the expected and the received value. */
export function parseWith<T extends z.ZodType>(
  schema: T,
  raw: unknown,
  where: string,
): ParseResult<z.output<T>> {
  const result = schema.safeParse(raw);
  if (result.success) return parsed(result.data);
  const issues = result.error.issues.map((issue): Issue => ({
    path: [where, ...issue.path.map(String)].join('.'),
    expected: expectedBy(issue),
    received: shown(valueAt(raw, issue.path)),
  }));
  const [first, ...rest] = issues;
  return first === undefined ? notParsed(where, 'an answer', raw) : { ok: false, issues: [first, ...rest] };
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
};

function expectedBy(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return TYPE_WORDS[issue.expected] ?? issue.expected;
  if (issue.code === 'invalid_value') return issue.values.map((value) => JSON.stringify(value)).join(' or ');
  // The first form is the documented one.
  const first = issue.code === 'invalid_union' ? issue.errors[0]?.[0] : undefined;
  return first === undefined ? issue.message : expectedBy(first);
}

/** Like `parseWith`, for a message with secrets: the issues never show a received value. */
export function parseSecret<T extends z.ZodType>(
  schema: T,
  raw: unknown,
  where: string,
): ParseResult<z.output<T>> {
  const result = parseWith(schema, raw, where);
  if (result.ok) return result;
  const [first, ...rest] = result.issues.map((issue): Issue => ({ ...issue, received: 'something else' }));
  return first === undefined ? result : { ok: false, issues: [first, ...rest] };
}

export const issueText = ([first]: readonly [Issue, ...Issue[]]): string => issuesText([first]);
