/** Tables of text for a terminal. */
export interface Column {
  readonly title: string;
  readonly align: 'left' | 'right';
}

const BETWEEN = '  ';
const NUMBER = /^([+-]?[\d,]+(\.\d+)?)?$/;

/** A title alone makes a column that stands on the right when all its cells are numbers. No line feed at the end. */
export function formatTable(
  columns: readonly (Column | string)[],
  rows: readonly (readonly string[])[],
): string {
  const titles = columns.map((column) => (typeof column === 'string' ? column : column.title));
  const aligns = columns.map((column, i) => (typeof column === 'string' ? alignOf(rows, i) : column.align));
  const widths = titles.map((title, i) =>
    Math.max(widthOf(title), ...rows.map((row) => widthOf(row[i] ?? ''))),
  );
  const line = (cells: readonly string[]): string =>
    widths
      .map((width, i) => pad(cells[i] ?? '', width, aligns[i]))
      .join(BETWEEN)
      .trimEnd();
  const rule = widths.map((width) => '-'.repeat(width)).join(BETWEEN);
  return [line(titles), rule, ...rows.map(line)].join('\n');
}

/** One column a key: its title, and its cell of a row. */
export const formatRows = <Row>(
  rows: readonly Row[],
  columns: Readonly<Record<string, (row: Row) => string>>,
): string =>
  formatTable(
    Object.keys(columns),
    rows.map((row) => Object.values(columns).map((cell) => cell(row))),
  );

const alignOf = (rows: readonly (readonly string[])[], i: number): Column['align'] =>
  rows.length > 0 && rows.every((row) => NUMBER.test(row[i] ?? '')) ? 'right' : 'left';

export function pad(text: string, width: number, align: Column['align'] = 'left'): string {
  const blanks = ' '.repeat(Math.max(0, width - widthOf(text)));
  return align === 'left' ? text + blanks : blanks + text;
}

// oxlint-disable-next-line no-control-regex -- colours of a terminal begin with an escape
const STYLE = /\u001B\[\d+m/gu;

/** Columns of the terminal that a text takes; colours take none. */
export const widthOf = (text: string): number => Array.from(text.replace(STYLE, '')).length;
