/** The tables of a report as HTML: wide ones become cards on a phone, long ones are folded. */
import { columnDigits, formatCell, formatCount } from '../../text/numbers.ts';
import { formatSpan } from '../../text/durations.ts';
import { formatLocalTime } from '../../text/dates.ts';
import { escapeHtml } from '../../text/html.ts';
import { US_PER_SECOND } from '../../domain/units.ts';
import type {
  ReportCosts,
  ReportDrawdown,
  ReportFigure,
  ReportModel,
  ReportTable,
  ReportYear,
} from './report-model.ts';

export const noteText = (text: string): string =>
  text === '' ? '' : `<p class="note">${escapeHtml(text)}</p>`;

/** Tables with fewer columns fit on a phone as they are. */
const CARD_COLUMNS = 4;
/** Rows shown of a table with more than `ROWS_MAX`; the others are folded. */
const ROWS_SHOWN = 10;
const ROWS_MAX = 15;
const PERCENT = 100;

export function dataTable(table: ReportTable, moneyDigits: number): string {
  const { note, rows, columns } = table;
  const digits = columns.map((_, column) => columnDigits(rows, column, moneyDigits));
  if (rows.length <= ROWS_MAX) return noteText(note) + rowTable(table, rows, digits);
  const more = formatCount(rows.length - ROWS_SHOWN, 'more row');
  const rest = `<details><summary>${more}</summary>${rowTable(table, rows.slice(ROWS_SHOWN), digits)}</details>`;
  return noteText(note) + rowTable(table, rows.slice(0, ROWS_SHOWN), digits) + rest;
}

function rowTable(
  { columns, isText = false }: ReportTable,
  rows: ReportTable['rows'],
  digits: readonly number[],
): string {
  const isCards = columns.length >= CARD_COLUMNS;
  return tableOf(
    [...(isText ? ['words'] : []), ...(isCards ? ['cards'] : [])].join(' '),
    columns.every((name) => name === '') ? '' : columns.map(columnHead).join(''),
    rows.map(([name, ...cells]) =>
      tableRow(
        String(name ?? ''),
        cells.map((value, i) => cell(value, digits[i + 1] ?? 0, isCards ? (columns[i + 1] ?? '') : '')),
      ),
    ),
  );
}

function cell(value: string | number | null, digits: number, label: string): string {
  if (typeof value === 'number')
    return td(value < 0 ? 'number loss' : 'number', formatCell(value, digits), label);
  const isFigure = value !== null && /^[-+\d.,]+ %$/.test(value);
  return td(isFigure ? 'number figure' : 'number', value ?? '–', label);
}

export const figureTable = (figures: readonly ReportFigure[]): string =>
  tableOf(
    'figures',
    '',
    figures.map(([name, text, meaning]) => tableRow(name, [td('number', text), td('meaning', meaning)])),
  );

export const provenanceTable = (rows: readonly (readonly [string, string])[]): string =>
  tableOf(
    'figures',
    '',
    rows.map(([name, value]) => tableRow(name, [td('code', value)])),
  );

const largest = (values: readonly (number | null)[]): number =>
  values.reduce((most: number, value) => Math.max(most, Math.abs(value ?? 0)), 1e-12);

/** Colour runs from the worst loss to the best gain with zero in the middle, so that a colour means a sign. */
const HEAT_LEVELS = 8;

function heatCell(value: number | null, most: number, format: Intl.NumberFormat, label = ''): string {
  if (value === null) return td('', '–', label);
  const level = Math.ceil((Math.abs(value) / most) * HEAT_LEVELS - 1e-9);
  const kind = level === 0 ? '' : `${value < 0 ? 'l' : 'g'}${level}`;
  return td(kind, format.format(value === 0 ? 0 : value), label);
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const percents = (digits: number): Intl.NumberFormat =>
  new Intl.NumberFormat('en-US', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    signDisplay: 'exceptZero',
  });

/** The sum of a year is set apart: it is no month, and its size would pale them. */
export function monthTable(years: readonly ReportYear[]): string {
  const most = largest(years.flatMap(({ months }) => months));
  const format = percents(most < 1 ? 2 : 1);
  const mostOfYears = largest(years.map(({ total }) => total));
  return tableOf(
    'heat months',
    ['', ...MONTHS, 'Year'].map(columnHead).join(''),
    years.map(({ year, months, total }) =>
      tableRow(year, [
        ...months.map((value, i) => heatCell(value, most, format, MONTHS[i])),
        heatCell(total, mostOfYears, format, 'Year'),
      ]),
    ),
  );
}

/** Samples of whole days have no time. */
const END_OF_DAY = 'T23:59:59';

export function drawdownTable(
  worst: readonly ReportDrawdown[],
  { currency, moneyDigits, utcOffsetMinutes }: ReportModel,
): string {
  const time = (seconds: number): string => {
    const text = formatLocalTime(seconds * US_PER_SECOND, utcOffsetMinutes);
    return text.includes(END_OF_DAY) ? text.slice(0, 10) : text.slice(0, 16).replace('T', ' ');
  };
  const table: ReportTable = {
    title: '',
    note: '',
    columns: ['', 'fall', currency, 'peak', 'trough', 'recovered', 'peak to recovery'],
    rows: worst.map(({ peakSeconds, troughSeconds, recoveredSeconds, depth, percent }, i) => [
      String(i + 1),
      `-${percent.toFixed(2)} %`,
      -depth,
      time(peakSeconds),
      time(troughSeconds),
      recoveredSeconds === null ? 'not yet' : time(recoveredSeconds),
      recoveredSeconds === null ? '–' : formatSpan((recoveredSeconds - peakSeconds) * US_PER_SECOND),
    ]),
  };
  return dataTable(table, moneyDigits);
}

/** `part` of the longest bar. */
const barCell = (part: number, kind: string): string =>
  `<td class="bar"><svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect class="${kind}" width="${(part * PERCENT).toFixed(1)}" height="10"/></svg></td>`;

/** A bar a year, as long as its return is large. */
export function yearTable(years: readonly ReportYear[]): string {
  const most = largest(years.map(({ total }) => total));
  const rows = years.map(({ year, total }) =>
    tableRow(year, [
      td(`number ${signOf(total)}`, percents(most < 1 ? 2 : 1).format(total)),
      barCell(Math.abs(total) / most, signOf(total)),
    ]),
  );
  return tableOf('costs', '', rows);
}

const signOf = (amount: number): string => (amount < 0 ? 'loss' : 'gain');

/** Bars are parts of the largest amount. */
export function costTable({ gross, charges, net, spread, trades }: ReportCosts, moneyDigits: number): string {
  const money = (amount: number): string => formatCell(amount, moneyDigits);
  const most = Math.max(Math.abs(gross), Math.abs(net), ...charges.map(([, amount]) => amount), 1e-12);
  const row = (name: string, amount: number, kind: string): string =>
    tableRow(name, [
      td(amount < 0 ? 'number loss' : 'number', money(amount)),
      td('number', trades === 0 ? '–' : money(amount / trades)),
      barCell(Math.abs(amount) / most, kind),
    ]);
  return (
    tableOf('costs', ['', 'amount', 'a trade'].map(columnHead).join('') + '<td></td>', [
      row('Profit before charges', gross, signOf(gross)),
      ...charges
        .filter(([, amount]) => amount !== 0)
        .map(([name, amount]) => row(name, -amount, signOf(-amount))),
      row('Net profit', net, signOf(net)),
    ]) +
    noteText(
      spread === null
        ? 'The data has no bid and ask: what was paid as spread is not known.'
        : `Also in the prices: ${money(spread)} of spread, fills against the middle of the book.`,
    )
  );
}

/** `head` and `rows` are HTML. */
const tableOf = (kind: string, head: string, rows: readonly string[]): string =>
  `<div class="scrolled"><table${kind === '' ? '' : ` class="${kind}"`}>${head === '' ? '' : `<thead><tr>${head}</tr></thead>`}<tbody>${rows.join('')}</tbody></table></div>`;

const columnHead = (name: string): string =>
  name === '' ? '<td></td>' : `<th scope="col">${escapeHtml(name)}</th>`;

const tableRow = (name: string, cells: readonly string[]): string =>
  `<tr><th scope="row">${escapeHtml(name)}</th>${cells.join('')}</tr>`;

/** `label` names the column where the row is a card. */
const td = (kind: string, text: string, label = ''): string =>
  `<td${kind === '' ? '' : ` class="${kind}"`}${label === '' ? '' : ` data-label="${escapeHtml(label)}"`}>${escapeHtml(text)}</td>`;
