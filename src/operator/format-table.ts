import { widthOf } from './terminal.ts';

export interface Column {
  readonly title: string;
  readonly align: 'left' | 'right';
}

const BETWEEN = '  ';

/** Aligned columns under their titles. A cell may carry colours; they take no width. */
export function formatTable(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const widths = columns.map(({ title }, i) =>
    Math.max(widthOf(title), ...rows.map((row) => widthOf(row[i] ?? ''))),
  );
  const line = (cells: readonly string[]): string =>
    columns
      .map(({ align }, i) => pad(cells[i] ?? '', widths[i] ?? 0, align))
      .join(BETWEEN)
      .trimEnd();
  const rule = widths.map((width) => '-'.repeat(width)).join(BETWEEN);
  return [line(columns.map(({ title }) => title)), rule, ...rows.map(line)].join('\n');
}

export function pad(text: string, width: number, align: Column['align'] = 'left'): string {
  const blanks = ' '.repeat(Math.max(0, width - widthOf(text)));
  return align === 'left' ? text + blanks : blanks + text;
}

/** `1,234,567`. */
export function formatMoney(value: number): string {
  const digits = String(Math.abs(value)).replace(/\B(?=(?:\d{3})+$)/g, ',');
  return value < 0 ? `-${digits}` : digits;
}

/** `+1,234,567`, and `0` for nothing. */
export const formatSigned = (value: number): string => (value > 0 ? '+' : '') + formatMoney(value);
