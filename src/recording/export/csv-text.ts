/** An exported table as CSV: what it writes, an import takes back. */
import type { Column } from '../columns/row-table.ts';
import { US_PER_SECOND } from '../../domain/units.ts';
import { csvLine } from '../../text/csv.ts';
import { formatLocalTime, formatUtcOffset } from '../../text/dates.ts';
import { DecimalStep } from '../../text/decimals.ts';
import type { ExportField, ExportTable } from './export-table.ts';

/** Rows of one piece of text. */
const PIECE_ROWS = 1 << 14;

export function* csvText({ fields, parts, utcOffsetMinutes }: ExportTable): Generator<string> {
  yield csvLine(fields.map(({ name }) => name));
  const cells = fields.map((field) => cellWriter(field, utcOffsetMinutes));
  for (const { rows, columns } of parts) {
    for (let from = 0; from < rows; from += PIECE_ROWS) {
      yield piece(columns, cells, from, Math.min(rows, from + PIECE_ROWS));
    }
  }
}

type CellWriter = (value: number) => string;

function piece(columns: readonly Column[], cells: readonly CellWriter[], from: number, to: number): string {
  let text = '';
  for (let row = from; row < to; row += 1) {
    for (let i = 0; i < cells.length; i += 1) {
      if (i > 0) text += ',';
      text += cells[i]?.(columns[i]?.[row] ?? 0) ?? '';
    }
    text += '\n';
  }
  return text;
}

function cellWriter(field: ExportField, utcOffsetMinutes: number): CellWriter {
  switch (field.kind) {
    case 'time':
      return timeWriter(utcOffsetMinutes);
    case 'price': {
      const step = new DecimalStep(field.step);
      return (value) => (value === 0 ? '' : step.text(value));
    }
    case 'amount': {
      const step = new DecimalStep(field.step);
      return (value) => step.text(value);
    }
    case 'count':
      return String;
    case 'word':
      return (value) => field.words[value + field.first] ?? '';
  }
}

const US_DIGITS = 6;

/** `2026-03-04T09:00:01+07:00`, with as many digits of the second as there are. */
function timeWriter(utcOffsetMinutes: number): CellWriter {
  const zone = formatUtcOffset(utcOffsetMinutes);
  let secondBefore = NaN;
  let textBefore = '';
  return (at) => {
    const second = Math.floor(at / US_PER_SECOND);
    if (second !== secondBefore) {
      secondBefore = second;
      textBefore = formatLocalTime(second * US_PER_SECOND, utcOffsetMinutes).slice(0, 19);
    }
    const us = at - second * US_PER_SECOND;
    const part = us === 0 ? '' : `.${String(us).padStart(US_DIGITS, '0').replace(/0+$/, '')}`;
    return `${textBefore}${part}${zone}`;
  };
}
