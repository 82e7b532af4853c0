/** Text to JSON without a throw: what the world sends is a value, right or wrong. */
import { notParsed, parsed, type Parsed } from '../domain/parsed.ts';

export type JsonRecord = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function parseJson(text: string, path: string): Parsed<unknown> {
  try {
    return parsed<unknown>(JSON.parse(text));
  } catch {
    // JSON.parse throws for one reason alone: the text is not JSON.
    return notParsed(path, 'JSON', text);
  }
}
