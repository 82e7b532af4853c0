/**
 * Imports that a strategy may have: the API for strategies and packages without clock, chance, files or network. This keeps honest code
 * repeatable; it is no prison for code that hides what it does.
 */

/** Names as they are written. */
const ALLOWED: readonly RegExp[] = [
  /^tickwright\/(strategy|domain\/[\w-]+)$/,
  /^zod(\/v4)?$/,
  /^rxjs(\/operators)?$/,
  /^trading-signals$/,
  /^node:assert(\/strict)?$/,
];

export const ALLOWED_TEXT =
  'tickwright/strategy, tickwright/domain/..., zod, rxjs, trading-signals, node:assert';

export const mayImport = (name: string): boolean => ALLOWED.some((each) => each.test(name));

/** Comments and plain texts, which are no code. */
const NO_CODE = /\/\/[^\n]*|\/\*[^]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g;

/** Ways to load or make code while a strategy runs. */
const HIDDEN =
  /\bimport\s*\(|\brequire\s*\(|\beval\s*\(|\bFunction\s*\(|\bgetBuiltinModule\b|\bprocess\s*\.\s*binding\b|\bcreateRequire\b/;

/** The first way in which code loads other code out of sight, or null. */
export const hiddenLoading = (code: string): string | null =>
  HIDDEN.exec(code.replaceAll(NO_CODE, ' '))?.[0].replace(/\s*\($/, '()') ?? null;
