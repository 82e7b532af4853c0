/** Text of comma-separated values (RFC 4180), with a line feed behind each line. */
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
