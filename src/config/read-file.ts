/** Reads a YAML file by its schema: the value, or a problem with its place for each mistake, in words for the person who writes it. */
import { z } from 'zod';
import type { $ZodIssue, $ZodType } from 'zod/v4/core';
import { isRecord } from '../domain/parsed.ts';
import { formatCount } from '../text/numbers.ts';
import { meantHint, nearest, type Problem } from './problem.ts';
import { type Path, YamlSource, type FileTexts } from './yaml-source.ts';
import { statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';

type Read<T> = { readonly source: YamlSource; readonly value: T } | { readonly problems: readonly Problem[] };

/** `kind` names the file in messages: `a market file`. */
export function readFile<T extends z.ZodType>(
  file: string,
  schema: T,
  kind: string,
  texts?: FileTexts,
): Read<z.output<T>> {
  const read = YamlSource.read(file, texts);
  if ('problems' in read) return read;
  const { source } = read;
  const has = (key: string): boolean => source.at([key]) !== undefined;
  if (kind === 'a configuration' && has('data') && has('capital'))
    return { problems: [source.problem([], kind, `run it: tickwright backtest ${file}`, 'a backtest')] };
  if (kind === 'a backtest' && has('mode') && !has('data'))
    return { problems: [source.problem([], kind, 'config/backtest.yaml is a sample', 'a configuration')] };
  const required = requiredKeys(schema).join(', ');
  // An empty file is fine when every key has a default.
  const value = source.value() ?? (required === '' ? {} : null);
  const others = keysOfOtherKind(source, schema);
  if (value === null || others !== undefined) {
    const received = others === undefined ? 'nothing' : `a file with ${others.join(', ')}`;
    const hint = 'samples are in config/';
    return { problems: [source.problem([], `${kind} with ${required}`, hint, received)] };
  }
  const result = schema.safeParse(value);
  if (result.success) return { source, value: result.data };
  return { problems: zodProblems(source, result.error.issues, schema) };
}

/** Reads a file that another one names; a missing file is a problem of the place that names it. */
export function readNamed<T extends z.ZodType>(
  parent: YamlSource,
  path: Path,
  name: string,
  schema: T,
  kind: string,
): Read<z.output<T>> {
  const file = placed(name, parent.file);
  const { texts } = parent;
  const stat = statSync(file, { throwIfNoEntry: false });
  if (texts.has(file) || stat?.isFile() === true) return readFile(file, schema, kind, texts);
  const what = stat === undefined ? `there is no ${file}` : `${file} is no file`;
  return { problems: [parent.problem(path, 'the name of a file next to this one', what)] };
}

/** Relative to the file that names it, not to the working directory. */
export const placed = (name: string, file: string): string =>
  isAbsolute(name) ? name : join(dirname(file), name);

/** Place of a schema in the file, and the page that explains its keys. */
interface SchemaPosition {
  readonly base?: Path;
  readonly help?: string;
}

export function zodProblems(
  source: YamlSource,
  issues: readonly $ZodIssue[],
  schema: $ZodType,
  { base = [], help = 'see config/README.md' }: SchemaPosition = {},
): readonly Problem[] {
  return issues.flatMap((issue) => problemsOf(issue, { source, schema, base, help }));
}

/** The keys of a file of another kind, which is one problem and not one for each key. */
function keysOfOtherKind(source: YamlSource, schema: $ZodType): readonly string[] | undefined {
  const value = source.value();
  if (!isRecord(value)) return undefined;
  const required = requiredKeys(schema);
  const keys = Object.keys(value);
  return keys.length > 0 && required.length > 0 && !keys.some((key) => nearest(key, required) !== undefined)
    ? keys
    : undefined;
}

interface SchemaPart extends Required<SchemaPosition> {
  readonly source: YamlSource;
  readonly schema: $ZodType;
}

function problemsOf(issue: $ZodIssue, part: SchemaPart): readonly Problem[] {
  const { source } = part;
  const path = [...part.base, ...issue.path];
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => unknownKey(part, issue.path, key));
    case 'invalid_type':
      return [problemAt(source, path, typeWords(issue, part.schema))];
    case 'invalid_value':
      return [notOneOf(source, path, issue.values.map(String))];
    case 'too_small':
      return [problemAt(source, path, leastWords(issue))];
    case 'too_big':
      return [
        problemAt(source, path, `${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}`),
      ];
    case 'invalid_format':
    case 'custom':
      return [problemAt(source, path, issue.message, hintOf(issue))];
    case 'invalid_union':
      return unionProblems(issue, path, part);
    case 'invalid_element':
    case 'invalid_key':
    case 'not_multiple_of':
      return [problemAt(source, path, issue.message)];
  }
}

function unionProblems(
  issue: Extract<$ZodIssue, { code: 'invalid_union' }>,
  path: Path,
  part: SchemaPart,
): readonly Problem[] {
  // zod lists the known tags of a union; its types leave them out.
  if ('options' in issue && Array.isArray(issue.options))
    return [notOneOf(part.source, path, issue.options.map(String))];
  const tried = issue.errors.flatMap((errors) => errors.slice(0, 1));
  // The nearest problem inside shows which choice was meant.
  const nearest = tried.find((each) => each.path.length > 0) ?? tried[0];
  return nearest === undefined
    ? [problemAt(part.source, path, issue.message)]
    : problemsOf({ ...nearest, path: [...issue.path, ...nearest.path] }, part);
}

/** Prefers a message of the schema to the name of the type. */
function typeWords(issue: Extract<$ZodIssue, { code: 'invalid_type' }>, schema: $ZodType): string {
  if (!issue.message.startsWith('Invalid input')) return issue.message;
  const type = issue.expected === 'number' && isWholeAt(schema, issue.path) ? 'int' : issue.expected;
  return WORDS[type] ?? type;
}

function notOneOf(source: YamlSource, path: Path, values: readonly string[]): Problem {
  const received = source.at(path);
  const hint = typeof received === 'string' ? meantHint(received.trim(), values) : '';
  return problemAt(source, path, `one of ${values.join(', ')}`, hint);
}

function unknownKey({ source, schema, base, help }: SchemaPart, at: Path, key: string): Problem {
  const path = [...base, ...at];
  if (SECRET_NAME.test(key)) return source.keyProblem(path, key, 'no secret in this file', SECRET_HINT);
  const hint = meantHint(key, keysAt(schema, at), `remove it or ${help}`);
  return source.keyProblem(path, key, 'a known key', hint);
}

function problemAt(source: YamlSource, path: Path, expected: string, hint = ''): Problem {
  const better = hint === '' && source.at(path) === undefined ? 'add it' : hint;
  return source.problem(path, expected, better, valueWithoutSecret(path, source));
}

function leastWords(issue: Extract<$ZodIssue, { code: 'too_small' }>): string {
  if (issue.origin === 'array') return `at least ${formatCount(Number(issue.minimum), 'item')}`;
  if (issue.origin === 'string')
    return issue.minimum === 1
      ? 'a text that is not empty'
      : `a text of at least ${issue.minimum} characters`;
  return `${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}`;
}

/** The hint of a schema, `params: { hint }`. */
function hintOf(issue: $ZodIssue): string | undefined {
  if (issue.code !== 'custom') return undefined;
  const hint: unknown = issue.params?.['hint'];
  return typeof hint === 'string' && hint !== '' ? hint : undefined;
}

function keysAt(schema: $ZodType, path: readonly PropertyKey[]): readonly string[] {
  const at = schemaAt(schema, path);
  return at instanceof z.ZodObject ? Object.keys(at.shape) : [];
}

function requiredKeys(schema: $ZodType): readonly string[] {
  const at = unwrapped(schema);
  if (!(at instanceof z.ZodObject)) return [];
  return Object.entries(at.shape)
    .filter(([, each]) => !hasDefault(each))
    .map(([key]) => key);
}

const isWholeAt = (schema: $ZodType, path: readonly PropertyKey[]): boolean => {
  const at = schemaAt(schema, path);
  return at instanceof z.ZodNumber && at.format === 'safeint';
};

function schemaAt(schema: $ZodType, path: readonly PropertyKey[]): unknown {
  let at: unknown = unwrapped(schema);
  for (const key of path) {
    if (at instanceof z.ZodObject) at = unwrapped(new Map(Object.entries(at.shape)).get(String(key)));
    else if (at instanceof z.ZodArray) at = unwrapped(at.element);
    else if (at instanceof z.ZodRecord) at = unwrapped(at.valueType);
    else return undefined;
  }
  return at;
}

const hasDefault = (schema: unknown): schema is z.ZodDefault | z.ZodOptional | z.ZodPrefault =>
  schema instanceof z.ZodDefault || schema instanceof z.ZodOptional || schema instanceof z.ZodPrefault;

/** The schema inside defaults, optionals and transforms. */
function unwrapped(schema: unknown): unknown {
  if (hasDefault(schema)) return unwrapped(schema.unwrap());
  if (schema instanceof z.ZodPipe) return unwrapped(schema.in);
  return schema;
}

/** Names of YAML types in messages. */
const WORDS: Readonly<Record<string, string>> = {
  int: 'a whole number',
  number: 'a number',
  string: 'a text',
  boolean: 'true or false',
  array: 'a list (- item)',
  object: 'a section of keys',
  record: 'a section of keys',
};

const SECRET_NAME =
  /^(?:.*(?:token|secret|password|passwd|passphrase|api_?-?key)|otp|pin|jwt|credentials?)$/i;

const SECRET_HINT =
  'put it in the environment or in a file that auth.apiKeyFile names, and have the broker replace the one that was here';

/** Keys that name the place of a secret; people write the secret itself there. */
const SECRET_KEYS: ReadonlySet<PropertyKey> = new Set([
  'auth',
  'otp',
  'apiKeyEnvironment',
  'restUrl',
  'streamUrl',
  'token',
  'password',
  'url',
  'environment',
]);
/** Plain words are mistakes, not secrets. */
const WORD = /^[a-z]{1,12}$/i;
const PARTS_OF_ADDRESS = /^(?<scheme>[a-z]+:\/\/)?(?:[^/@]*@)?(?<rest>[^?#]*)/i;

/** Replaces the value at `path` in messages; undefined when the value may be shown. */
function valueWithoutSecret(path: Path, source: YamlSource): string | undefined {
  const value = source.at(path);
  const name = path.at(-1);
  if (name === undefined || value === undefined || value === null || !SECRET_KEYS.has(name)) return undefined;
  if (typeof value === 'object') return Array.isArray(value) ? 'a list' : 'a section of keys';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (name === 'restUrl' || name === 'streamUrl') {
    const { scheme = '', rest = '' } = PARTS_OF_ADDRESS.exec(text)?.groups ?? {};
    return JSON.stringify(`${scheme}${rest}`);
  }
  return WORD.test(text) ? undefined : 'a text that is not shown here';
}
