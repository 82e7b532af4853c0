/** Colours of a terminal; the caller decides whether to use them. */
type Painter = (text: string) => string;

const ESCAPE = '\u001b[';

export type Paint = ReturnType<typeof createPaint>;

export function createPaint(isColour: boolean) {
  const painter =
    (open: number, close: number): Painter =>
    (text) =>
      isColour && text !== '' ? `${ESCAPE}${open}m${text}${ESCAPE}${close}m` : text;
  return {
    bold: painter(1, 22),
    dim: painter(2, 22),
    red: painter(31, 39),
    green: painter(32, 39),
    yellow: painter(33, 39),
    cyan: painter(36, 39),
  };
}

export const PLAIN: Paint = createPaint(false);

/** Colours need a terminal and an empty `NO_COLOR`. */
export const isColourWanted = (
  isTerminal: boolean | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): boolean => isTerminal === true && (environment['NO_COLOR'] ?? '') === '' && environment['TERM'] !== 'dumb';

const CONTROL = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

/** Foreign text as one line, without control characters of the terminal. */
export const oneLine = (text: string): string => text.replace(CONTROL, ' ').trim();
