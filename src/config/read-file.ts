/** Reads one file by its schema: a value, or what is wrong and where. */
import { statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import type { z } from 'zod';
import type { Problem } from './problem.ts';
import { requiredKeys } from './schema-at.ts';
import { YamlSource } from './yaml-source.ts';
import { keysOfOtherKind, zodProblems } from './zod-problems.ts';

export type Read<T> =
  | { readonly source: YamlSource; readonly value: T }
  | { readonly problems: readonly Problem[] };

/** `kind` says what the file is about: `a market file`. */
export function readFile<T extends z.ZodType>(file: string, schema: T, kind: string): Read<z.output<T>> {
  const read = YamlSource.read(file);
  if ('problems' in read) return read;
  const { source } = read;
  const required = requiredKeys(schema).join(', ');
  // Where every key has a default, an empty file is one.
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

/** A file that another one names, beside it; when it is not there, the place that names it is the problem. */
export function readNamed<T extends z.ZodType>(
  parent: YamlSource,
  path: readonly string[],
  name: string,
  schema: T,
  kind: string,
): Read<z.output<T>> {
  const file = beside(parent.file, name);
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat?.isFile() === true) return readFile(file, schema, kind);
  const what = stat === undefined ? `there is no ${file}` : `${file} is no file`;
  return { problems: [parent.problem(path, 'the name of a file beside this one', what)] };
}

/** Relative to the file that names it, not to where the program was started. */
const beside = (file: string, name: string): string => (isAbsolute(name) ? name : join(dirname(file), name));
