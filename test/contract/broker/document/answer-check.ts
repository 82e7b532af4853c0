/** Compares an answer with the document's table, field by field. */
import type { AnswerField, JsonType } from './operation.ts';

export type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every value that is under a path: `data[].orderNo` is one of each row. */
export function valuesAt(answer: unknown, path: string): unknown[] {
  let values: unknown[] = [answer];
  for (const part of path.split('.')) {
    const isList = part.endsWith('[]');
    const name = isList ? part.slice(0, -2) : part;
    values = values.filter(isObject).flatMap((value) => (name in value ? [value[name]] : []));
    if (isList) values = values.flatMap((value) => (Array.isArray(value) ? (value as unknown[]) : []));
  }
  return values;
}

/** How many objects ought to have the field. */
function ownersOf(answer: unknown, path: string): number {
  const dot = path.lastIndexOf('.');
  return dot === -1 ? 1 : valuesAt(answer, path.slice(0, dot)).length;
}

const isOfType = (value: unknown, type: JsonType): boolean => {
  switch (type) {
    case 'null':
      return value === null;
    case '0':
      return value === 0;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    case 'int64':
      return Number.isSafeInteger(value);
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === type;
  }
};

/** What is wrong with one field, empty when nothing is. */
export function fieldDeviations(answer: unknown, { path, types, form }: AnswerField): string[] {
  const values = valuesAt(answer, path);
  const missing = ownersOf(answer, path) - values.length;
  return [
    ...(missing > 0 ? [`${path} is missing ${missing} times`] : []),
    ...values
      .filter((value) => !types.some((type) => isOfType(value, type)))
      .map((value) => `${path} is ${types.join(' or ')}, was ${JSON.stringify(value)}`),
    ...values
      .filter((value) => typeof value === 'string' || typeof value === 'number')
      .filter((value) => form?.test(String(value)) === false)
      .map((value) => `${path} looks like ${String(form)}, was ${JSON.stringify(value)}`),
  ];
}

/** Names in an answer that neither the document nor the notes know. */
export function unknownNames(answer: unknown, fields: readonly AnswerField[]): string[] {
  const known = new Set(fields.flatMap(({ path }) => [path, `${path}[]`]));
  for (const { path } of fields) {
    const parts = path.split('.');
    parts.forEach((_, at) =>
      known.add(
        parts
          .slice(0, at + 1)
          .join('.')
          .replace(/\[\]$/, ''),
      ),
    );
  }
  return [...new Set(namesIn(answer, ''))].filter((name) => !known.has(name));
}

function namesIn(value: unknown, path: string): string[] {
  if (Array.isArray(value)) return (value as unknown[]).flatMap((item) => namesIn(item, `${path}[]`));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const here = path === '' ? name : `${path}.${name}`;
    return [here, ...namesIn(inner, here)];
  });
}
