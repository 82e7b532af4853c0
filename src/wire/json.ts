/** Parses JSON without a throw: text that is not JSON gives an issue. */
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

/** Numbers that arrive as texts: `"3"`, `"1198.7"`, `"2.30745319E8"` (notes, section 1). */
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?$/;

/** The number that a text spells, else undefined. Blanks around it are ignored. */
export function numberFromText(text: string): number | undefined {
  const trimmed = text.trim();
  if (!NUMBER.test(trimmed)) return undefined;
  const value = Number(trimmed);
  return Number.isFinite(value) ? value : undefined;
}
