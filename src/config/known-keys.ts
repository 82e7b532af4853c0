import { z } from 'zod';
import type { $ZodType } from 'zod/v4/core';

/** The keys that the object at `path` of a schema knows, so that a misspelt one can be answered with the right one. */
export function keysAt(schema: $ZodType, path: readonly PropertyKey[]): readonly string[] {
  let at: unknown = unwrapped(schema);
  for (const key of path) {
    if (at instanceof z.ZodObject) at = unwrapped(new Map(Object.entries(at.shape)).get(String(key)));
    else if (at instanceof z.ZodArray) at = unwrapped(at.element);
    else return [];
  }
  return at instanceof z.ZodObject ? Object.keys(at.shape) : [];
}

/** The schema inside defaults, optionals and transforms. */
function unwrapped(schema: unknown): unknown {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional || schema instanceof z.ZodPrefault) {
    return unwrapped(schema.unwrap());
  }
  if (schema instanceof z.ZodPipe) return unwrapped(schema.in);
  return schema;
}
