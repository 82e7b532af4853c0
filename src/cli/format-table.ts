/** Columns of a table in text. Numbers stand on the right. */
export function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => (row[i] ?? '').length)));
  const isNumber = head.map((_, i) => rows.length > 0 && rows.every((row) => NUMBER.test(row[i] ?? '')));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => (isNumber[i] === true ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0)))
      .join('  ')
      .trimEnd();
  const rule = widths.map((width) => '-'.repeat(width)).join('  ');
  return `${[line(head), rule, ...rows.map(line)].join('\n')}\n`;
}

const NUMBER = /^(-?[\d,]+(\.\d+)?)?$/;

/** `-1,234,567`. */
export const formatMoney = (value: number): string => value.toLocaleString('en-US');
