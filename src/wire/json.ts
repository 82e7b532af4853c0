/** Values of JSON that the contract spells in more than one way. */

/** Numbers that arrive as texts: `"3"`, `"1198.7"`, `"2.30745319E8"` (notes, 1). */
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?$/;

/** The number that a text spells, else undefined. Blanks around it are ignored. */
export function numberFromText(text: string): number | undefined {
  const trimmed = text.trim();
  if (!NUMBER.test(trimmed)) return undefined;
  const value = Number(trimmed);
  return Number.isFinite(value) ? value : undefined;
}
