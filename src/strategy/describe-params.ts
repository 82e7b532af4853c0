import { z } from 'zod';
import { assert } from '../domain/assert.ts';

/** One parameter for people: `fast`, `integer from 1 to 500`, `9`, what it means. */
export interface ParamRow {
  readonly name: string;
  readonly type: string;
  /** As written in YAML; null when it must be given. */
  readonly default: string | null;
  readonly meaning: string;
}

/** Throws for a schema that has no plain description, such as one with a transform. */
export function describeParams(schema: z.ZodObject): readonly ParamRow[] {
  const { properties, required } = z.toJSONSchema(schema, { io: 'input' });
  // Throws for a transform: what was read could not be read again by the thread that runs the strategy.
  z.toJSONSchema(schema, { io: 'output' });
  return Object.entries(properties ?? {}).map(([name, property]) => {
    assert(typeof property === 'object', 'a parameter has a schema of its own');
    return {
      name,
      type: typeOf(property),
      default: property.default === undefined ? null : JSON.stringify(property.default),
      meaning: property.description ?? (required?.includes(name) === true ? 'required' : 'optional'),
    };
  });
}

type JsonSchema = z.core.JSONSchema.BaseSchema;

function typeOf(property: JsonSchema): string {
  if (property.enum !== undefined) return property.enum.map(String).join(' | ');
  const low = property.minimum ?? above(property.exclusiveMinimum);
  const high = property.maximum ?? below(property.exclusiveMaximum);
  const bounds = [bound('from', low), bound('to', high)].filter(Boolean).join(' ');
  return [property.type ?? 'any', bounds].filter(Boolean).join(' ');
}

type Limit = number | boolean | undefined;
const above = (limit: Limit): string | undefined =>
  typeof limit === 'number' ? `above ${limit}` : undefined;
const below = (limit: Limit): string | undefined =>
  typeof limit === 'number' ? `below ${limit}` : undefined;

/** Bounds of a whole number that zod adds by itself say nothing. */
function bound(word: string, limit: number | string | undefined): string {
  if (limit === undefined || Math.abs(Number(limit)) === Number.MAX_SAFE_INTEGER) return '';
  return typeof limit === 'string' ? limit : `${word} ${limit}`;
}
