/** Reads a YAML file by its schema: the value, or its problems with their places. */
import { statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import type { z } from 'zod';
import type { Problem } from './problem.ts';
import { type FileTexts, type Path, YamlSource } from './yaml-source.ts';
import { keysOfOtherKind, requiredKeys, zodProblems } from './zod-problems.ts';

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
  if (kind === 'a configuration' && source.at(['data']) !== undefined && source.at(['capital']) !== undefined)
    return { problems: [source.problem([], kind, `run it: tickwright backtest ${file}`, 'a backtest')] };
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
