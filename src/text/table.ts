/** Tables as text: for a terminal, and comma-separated (RFC 4180, with a line feed behind each line). */
interface Column {
  readonly title: string;
  readonly align: 'left' | 'right';
}

/** Columns of a terminal that every text fits. */
export const SCREEN_WIDTH = 80;

/** A last column of text gets at least this much room, or lines of its own below its row. */
const INLINE_MIN = 24;
const BELOW = '    ';
/** A percentage is one; a figure without a value is a dash. */
const NUMBER = /^([+-]?[\d,]+(\.\d+)?( %)?|–)?$/;

/**
 * A title alone makes a column that is right-aligned when all its cells are numbers. A table that is wider than the screen loses a blank
 * between its columns, and the text of its last column goes on below. No line feed at the end.
 */
export function formatTable(
  columns: readonly (Column | string)[],
  rows: readonly (readonly string[])[],
): string {
  const titles = columns.map((column) => (typeof column === 'string' ? column : column.title));
  const aligns = columns.map((column, i) => (typeof column === 'string' ? alignOf(rows, i) : column.align));
  const widths = titles.map((title, i) =>
    Math.max(widthOf(title), ...rows.map((row) => widthOf(row[i] ?? ''))),
  );
  const between = widths.reduce((sum, width) => sum + width + 2, -2) > SCREEN_WIDTH ? ' ' : '  ';
  const last = widths.length - 1;
  const line = (cells: readonly string[], from = 0, to = widths.length): string =>
    widths
      .slice(from, to)
      .map((width, i) => pad(cells[from + i] ?? '', width, aligns[from + i]))
      .join(between)
      .trimEnd();
  const before = widths.slice(0, last).reduce((sum, width) => sum + width + between.length, 0);
  const room = SCREEN_WIDTH - before;
  if (aligns[last] === 'right' || (widths[last] ?? 0) <= room || last === 0) {
    return [titles, widths.map((width) => '-'.repeat(width)), ...rows].map((cells) => line(cells)).join('\n');
  }
  const isInline = room >= INLINE_MIN;
  const broken = (cells: readonly string[]): readonly string[] => {
    const text = cells[last] ?? '';
    const head = line(cells, 0, last);
    if (text === '') return [head];
    if (!isInline) return [head, ...wrapText(text, SCREEN_WIDTH - BELOW.length).map((part) => BELOW + part)];
    const blank = ' '.repeat(before);
    return wrapText(text, room).map((part, i) => (i === 0 ? pad(head, before) : blank) + part);
  };
  const ruled = isInline ? '-'.repeat(room) : '';
  const rules = [...widths.slice(0, last).map((width) => '-'.repeat(width)), ruled];
  const heads = isInline ? titles : [...titles.slice(0, last), ''];
  return [line(heads), line(rules), ...rows.flatMap(broken)].join('\n');
}

/** Lines of at most `width` columns, broken at blanks where there are some, and never within a link. Colours take no width and may cross lines. */
export function wrapText(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let current = '';
  for (const word of text.split(' ')) {
    const longer = current === '' ? word : `${current} ${word}`;
    if (widthOf(longer) <= width) {
      current = longer;
      continue;
    }
    if (current !== '') lines.push(current);
    current = word;
    while (widthOf(current) > width && !current.includes('\u001B') && !current.includes('://')) {
      lines.push(current.slice(0, width));
      current = current.slice(width);
    }
  }
  return [...lines, current];
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

export type CsvValue = string | number | boolean | null;

const SPECIAL = /[",\r\n]/;

function csvCell(value: CsvValue): string {
  if (value === null) return '';
  const text = String(value);
  return SPECIAL.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export const csvLine = (cells: readonly CsvValue[]): string => `${cells.map(csvCell).join(',')}\n`;

export const csvText = (head: readonly string[], rows: readonly (readonly CsvValue[])[]): string =>
  [head, ...rows].map(csvLine).join('');

/** One column a key: its title, and its cell of a row. */
export const csvRows = <Row>(
  rows: readonly Row[],
  columns: Readonly<Record<string, (row: Row) => CsvValue>>,
): string => {
  const cells = Object.values(columns);
  return csvText(
    Object.keys(columns),
    rows.map((row) => cells.map((cell) => cell(row))),
  );
};
