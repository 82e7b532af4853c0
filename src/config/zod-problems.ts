/** What zod found, in the words of somebody who writes the file: one problem for one mistake. */
import type { $ZodIssue, $ZodType } from 'zod/v4/core';
import { nearest, type Problem } from './problem.ts';
import { isWholeAt, keysAt, requiredKeys } from './schema-at.ts';
import { concealed, isSecretName, SECRET_HINT } from './secret-words.ts';
import { emptyHint, expectedType, typeHint } from './type-words.ts';
import type { Path, YamlSource } from './yaml-source.ts';

/** Where a schema begins in the file, and where its keys are explained. */
export interface Place {
  readonly base?: Path;
  readonly help?: string;
}

export function zodProblems(
  source: YamlSource,
  issues: readonly $ZodIssue[],
  schema: $ZodType,
  { base = [], help = 'see config/README.md' }: Place = {},
): readonly Problem[] {
  const reader = new IssueReader(source, schema, base, help);
  return issues
    .filter((issue) => !isFollowOn(issue, issues, schema, source, base))
    .flatMap((issue) => reader.read(issue));
}

/** The keys of a file that is not of this kind at all: that is one problem, not one a key. */
export function keysOfOtherKind(source: YamlSource, schema: $ZodType): readonly string[] | undefined {
  const value = source.value();
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const required = requiredKeys(schema);
  const keys = Object.keys(value);
  return keys.length > 0 && required.length > 0 && !keys.some((key) => nearest(key, required) !== undefined)
    ? keys
    : undefined;
}

class IssueReader {
  readonly #source: YamlSource;
  readonly #schema: $ZodType;
  readonly #base: Path;
  readonly #help: string;

  constructor(source: YamlSource, schema: $ZodType, base: Path, help: string) {
    this.#source = source;
    this.#schema = schema;
    this.#base = base;
    this.#help = help;
  }

  read(issue: $ZodIssue): readonly Problem[] {
    const path = [...this.#base, ...issue.path];
    switch (issue.code) {
      case 'unrecognized_keys':
        return issue.keys.map((key) => this.#unknownKey(issue.path, key));
      case 'invalid_type':
        return [this.#wrongType(issue)];
      case 'invalid_value':
        return [this.#notOneOf(path, issue.values.map(String))];
      case 'too_small':
        return [this.#problem(path, leastWords(issue))];
      case 'too_big':
        return [
          this.#problem(path, `${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}`),
        ];
      case 'invalid_format':
      case 'custom':
        return [this.#problem(path, issue.message, hintOf(issue))];
      case 'invalid_union':
        return this.#union(issue, path);
      case 'invalid_element':
      case 'invalid_key':
      case 'not_multiple_of':
        return [this.#problem(path, issue.message)];
    }
  }

  #union(issue: Extract<$ZodIssue, { code: 'invalid_union' }>, path: Path): readonly Problem[] {
    // A tag that no case has: zod names the tags it knows, its types do not.
    if ('options' in issue && Array.isArray(issue.options)) {
      return [this.#notOneOf(path, issue.options.map(String))];
    }
    const first = issue.errors.find((errors) => errors.length > 0)?.[0];
    return first === undefined ? [this.#problem(path, issue.message)] : this.read(first);
  }

  /** A message of the schema's own says more than the type. */
  #wrongType(issue: Extract<$ZodIssue, { code: 'invalid_type' }>): Problem {
    const path = [...this.#base, ...issue.path];
    const type = issue.expected === 'number' && isWholeAt(this.#schema, issue.path) ? 'int' : issue.expected;
    const expected = issue.message.startsWith('Invalid input') ? expectedType(type) : issue.message;
    const received = this.#source.at(path);
    const isOtpWord = path.at(-1) === 'otp' && typeof received === 'string' && /^[a-z]+$/.test(received);
    return this.#problem(
      path,
      expected,
      isOtpWord ? `write { from: ${received} }` : typeHint(issue.expected, received),
      type,
    );
  }

  #notOneOf(path: Path, values: readonly string[]): Problem {
    const received = this.#source.at(path);
    const meant = typeof received === 'string' ? nearest(received.trim(), values) : undefined;
    return this.#problem(
      path,
      `one of ${values.join(', ')}`,
      meant === undefined ? '' : `did you mean ${meant}?`,
    );
  }

  #unknownKey(at: Path, key: string): Problem {
    const path = [...this.#base, ...at];
    if (isSecretName(key)) return this.#source.keyProblem(path, key, 'no secret in this file', SECRET_HINT);
    const known = keysAt(this.#schema, at);
    const section = known.find((name) => keysAt(this.#schema, [...at, name]).includes(key));
    const meant = nearest(key, known);
    const hint = /^\d+$/.test(key)
      ? 'a decimal number has a point, not a comma'
      : section !== undefined
        ? `it belongs in ${section}: indent it below that`
        : meant === undefined
          ? `remove it or ${this.#help}`
          : `did you mean ${meant}?`;
    return this.#source.keyProblem(path, key, 'a known key', hint);
  }

  /** With the advice that the value itself suggests, when there is no better one. */
  #problem(path: Path, expected: string, hint = '', type = ''): Problem {
    const better = hint === '' ? this.#hintAt(path, type) : hint;
    return this.#source.problem(path, expected, better, concealed(path, this.#source));
  }

  #hintAt(path: Path, type: string): string {
    const value = this.#source.at(path);
    if (value === undefined) return 'add it';
    if (this.#source.isCommentAt(path)) return 'a # begins a remark: put a text with one in quotes';
    if (value === null) {
      const within = path.slice(this.#base.length, -1);
      return emptyHint(type, requiredKeys(this.#schema, within).includes(String(path.at(-1))));
    }
    // Quotes of a text processor are letters to YAML.
    const isCurly = typeof value === 'string' && /^[\u2018\u2019\u201C\u201D]/.test(value);
    return isCurly ? 'use plain quotes: " or \'' : '';
  }
}

/**
 * Not told besides its cause: an empty section whose keys stand outside it, a missing key that is there misspelt, half of a
 * number that a comma cuts in two.
 */
function isFollowOn(
  issue: $ZodIssue,
  issues: readonly $ZodIssue[],
  schema: $ZodType,
  source: YamlSource,
  base: Path,
): boolean {
  const key = issue.path.at(-1);
  if (typeof key !== 'string' || issue.code === 'unrecognized_keys') return false;
  if (strangersBeside(issue, issues).some((stranger) => /^\d+$/.test(stranger))) return true;
  const received = source.at([...base, ...issue.path]);
  if (received !== undefined && received !== null) return false;
  const strangers = strangersBeside(issue, issues);
  const known = keysAt(schema, issue.path.slice(0, -1));
  return received === undefined
    ? strangers.some((stranger) => nearest(stranger, known) === key)
    : strangers.some((stranger) => keysAt(schema, issue.path).includes(stranger));
}

/** Unknown keys of the same section. */
function strangersBeside({ path }: $ZodIssue, issues: readonly $ZodIssue[]): readonly string[] {
  const parent = path.slice(0, -1);
  return issues.flatMap((other) =>
    other.code === 'unrecognized_keys' && isSamePath(other.path, parent) ? other.keys : [],
  );
}

const isSamePath = (a: Path, b: Path): boolean => a.length === b.length && a.every((key, i) => key === b[i]);

function leastWords(issue: Extract<$ZodIssue, { code: 'too_small' }>): string {
  // A list is counted, a text is there or not, a number is compared.
  if (issue.origin === 'array') return `at least ${issue.minimum} item${issue.minimum === 1 ? '' : 's'}`;
  if (issue.origin === 'string')
    return issue.minimum === 1
      ? 'a text that is not empty'
      : `a text of at least ${issue.minimum} characters`;
  return `${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}`;
}

/** A schema's own advice, `params: { hint }`. */
function hintOf(issue: $ZodIssue): string | undefined {
  if (issue.code !== 'custom') return undefined;
  const hint: unknown = issue.params?.['hint'];
  return typeof hint === 'string' && hint !== '' ? hint : undefined;
}
