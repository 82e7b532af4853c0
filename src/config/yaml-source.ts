/** A YAML file that remembers where each value stands. */
import { readFileSync } from 'node:fs';
import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument, visit } from 'yaml';
import type { $ZodIssue, $ZodType } from 'zod/v4/core';
import { shown } from '../domain/parsed.ts';
import { keysAt } from './known-keys.ts';
import { nearest, type Problem } from './problem.ts';
import { expectedType, typeHint } from './type-words.ts';
import { yamlWords } from './yaml-words.ts';

type Path = readonly PropertyKey[];

export class YamlSource {
  readonly file: string;
  readonly #document: Document;
  readonly #lines = new LineCounter();

  private constructor(file: string, text: string) {
    this.file = file;
    this.#document = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false, uniqueKeys: true });
  }

  /** Reads a file; a missing one or one that is no YAML is a problem, not an exception. */
  static read(file: string): { readonly source: YamlSource } | { readonly problems: readonly Problem[] } {
    let text: string;
    try {
      text = readFileSync(file, 'utf8');
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
      const received = code === 'ENOENT' ? 'no such file' : code;
      return {
        problems: [
          {
            file,
            line: 1,
            column: 1,
            path: '',
            expected: 'a readable YAML file',
            received,
            hint: 'check the path; samples are in config/',
          },
        ],
      };
    }
    const source = new YamlSource(file, text);
    const problems = source.#document.errors.map((error) => {
      const { expected, received, hint } = yamlWords(error, text);
      return source.#problemAt(error.pos[0], '', expected, received, hint);
    });
    problems.push(...source.#aliasProblems());
    return problems.length > 0 ? { problems } : { source };
  }

  value(): unknown {
    return this.#document.toJS();
  }

  /** A problem at the value of `path`, or at the nearest parent that is there. */
  problem(path: Path, expected: string, hint = '', received?: string): Problem {
    return this.#problemAt(
      this.#offsetOf(path),
      shownPath(path),
      expected,
      received ?? shown(this.#at(path)),
      hint,
    );
  }

  /** What zod found, in our words. An unknown key is reported at the key itself. */
  problemsOf(issue: $ZodIssue, schema: $ZodType, base: Path = []): readonly Problem[] {
    const path = [...base, ...issue.path];
    switch (issue.code) {
      case 'unrecognized_keys':
        return issue.keys.map((key) => this.#unknownKey(path, key, schema, issue.path));
      case 'invalid_type':
        return [this.#wrongType(path, issue.expected, issue.message)];
      case 'invalid_value':
        return [this.#notOneOf(path, issue.values.map(String))];
      case 'too_small':
        return [
          this.problem(
            path,
            `${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}${itemsOf(issue.origin)}`,
          ),
        ];
      case 'too_big':
        return [
          this.problem(path, `${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}`),
        ];
      case 'invalid_format':
        return [this.problem(path, issue.format === 'url' ? 'an address like https://host/' : issue.message)];
      case 'invalid_union':
        return this.#unionProblems(issue, schema, path);
      case 'custom':
      case 'invalid_element':
      case 'invalid_key':
      case 'not_multiple_of':
        return [this.problem(path, issue.message)];
    }
  }

  #unionProblems(
    issue: Extract<$ZodIssue, { code: 'invalid_union' }>,
    schema: $ZodType,
    path: Path,
  ): readonly Problem[] {
    // A tag that no case has: zod names the tags it knows, its types do not.
    if ('options' in issue && Array.isArray(issue.options)) {
      return [this.#notOneOf(path, issue.options.map(String))];
    }
    const first = issue.errors.find((errors) => errors.length > 0)?.[0];
    return first === undefined ? [this.problem(path, issue.message)] : this.problemsOf(first, schema, path);
  }

  /** A message of the schema's own says more than the type. */
  #wrongType(path: Path, type: string, message: string): Problem {
    const isOwn = !message.startsWith('Invalid input');
    return isOwn
      ? this.problem(path, message)
      : this.problem(path, expectedType(type), typeHint(type, this.#at(path)));
  }

  /** An alias without an anchor is well-formed, and throws when the file is read. */
  #aliasProblems(): readonly Problem[] {
    const problems: Problem[] = [];
    visit(this.#document, {
      Alias: (_key, node) => {
        if (node.resolve(this.#document) !== undefined) return;
        const hint = 'put a text that begins with * in quotes';
        const offset = node.range?.[0] ?? 0;
        problems.push(this.#problemAt(offset, '', 'an anchor of this name before', `*${node.source}`, hint));
      },
    });
    return problems;
  }

  #notOneOf(path: Path, values: readonly string[]): Problem {
    const meant = nearest(String(this.#at(path)), values);
    return this.problem(
      path,
      `one of ${values.join(', ')}`,
      meant === undefined ? '' : `did you mean ${meant}?`,
    );
  }

  #unknownKey(path: Path, key: string, schema: $ZodType, at: Path): Problem {
    const known = keysAt(schema, at);
    const section = known.find((name) => keysAt(schema, [...at, name]).includes(key));
    const meant = nearest(key, known);
    const hint =
      section !== undefined
        ? `it belongs in ${section}: indent it below that`
        : meant === undefined
          ? 'remove it or see config/README.md'
          : `did you mean ${meant}?`;
    return this.#problemAt(
      this.#keyOffset(path, key),
      shownPath([...path, key]),
      'a known key',
      `"${key}"`,
      hint,
    );
  }

  #at(path: Path): unknown {
    let value: unknown = this.value();
    for (const key of path) {
      if (typeof value !== 'object' || value === null) return undefined;
      value = new Map<PropertyKey, unknown>(Object.entries(value)).get(String(key));
    }
    return value;
  }

  #offsetOf(path: Path): number {
    for (let length = path.length; length >= 0; length -= 1) {
      const node = length === 0 ? this.#document.contents : this.#document.getIn(path.slice(0, length), true);
      if (isNode(node) && node.range) return node.range[0];
    }
    return 0;
  }

  #keyOffset(path: Path, key: string): number {
    const parent = path.length === 0 ? this.#document.contents : this.#document.getIn(path, true);
    if (isMap(parent)) {
      for (const { key: node } of parent.items) {
        if (isScalar(node) && node.value === key && node.range) return node.range[0];
      }
    }
    return this.#offsetOf(path);
  }

  #problemAt(offset: number, path: string, expected: string, received: string, hint: string): Problem {
    const { line, col } = this.#lines.linePos(offset);
    return {
      file: this.file,
      line: Math.max(1, line),
      column: Math.max(1, col),
      path,
      expected,
      received,
      hint,
    };
  }
}

const shownPath = (path: Path): string =>
  path
    .map((key, i) => (typeof key === 'number' ? `[${key}]` : `${i === 0 ? '' : '.'}${String(key)}`))
    .join('');

/** A list is counted, a number is not. */
const itemsOf = (origin: string): string => (origin === 'array' ? ' item' : '');
