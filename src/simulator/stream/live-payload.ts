/** A frame as the live service writes it: over several lines, large numbers in scientific notation (notes, section 1). */
const INDENT = 2;
/** `"total" : 230745319` becomes `2.30745319E8`; only values, never what stands in quotes. */
const LARGE_VALUE = /(?<=": )-?\d{8,}(?:\.\d+)?(?=,?$)/gm;

export function livePayload(frame: string): string {
  const at = frame.indexOf('{');
  if (at === -1) return frame;
  const payload: unknown = JSON.parse(frame.slice(at));
  const printed = JSON.stringify(payload, null, INDENT);
  return frame.slice(0, at) + printed.replace(LARGE_VALUE, (text) => scientific(Number(text)));
}

const scientific = (value: number): string => value.toExponential().replace('e+', 'E');
