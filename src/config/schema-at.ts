/** Walks a schema along a path, so that a mistake can be answered with what the place knows. */
import { z } from 'zod';
import type { $ZodType } from 'zod/v4/core';

/** The keys that the object at `path` of a schema knows, so that a misspelt one can be answered with the right one. */
export function keysAt(schema: $ZodType, path: readonly PropertyKey[]): readonly string[] {
  const at = schemaAt(schema, path);
  return at instanceof z.ZodObject ? Object.keys(at.shape) : [];
}

/** Those of them without a default. */
export function requiredKeys(schema: $ZodType, path: readonly PropertyKey[] = []): readonly string[] {
  const at = schemaAt(schema, path);
  if (!(at instanceof z.ZodObject)) return [];
  return Object.entries(at.shape)
    .filter(([, each]) => !hasDefault(each))
    .map(([key]) => key);
}

export const isWholeAt = (schema: $ZodType, path: readonly PropertyKey[]): boolean => {
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

const hasDefault = (schema: unknown): boolean =>
  schema instanceof z.ZodDefault || schema instanceof z.ZodOptional || schema instanceof z.ZodPrefault;

/** The schema inside defaults, optionals and transforms. */
function unwrapped(schema: unknown): unknown {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional || schema instanceof z.ZodPrefault) {
    return unwrapped(schema.unwrap());
  }
  if (schema instanceof z.ZodPipe) return unwrapped(schema.in);
  return schema;
}
