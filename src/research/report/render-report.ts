/** A report as one HTML file that needs no network: data, style, chart libraries and script are all inside. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { escapeHtml } from '../../text/html.ts';
import { formatSpan } from '../../text/durations.ts';
import { formatCount, formatNumber, columnDigits, formatCell } from '../../text/numbers.ts';
import {
  type ReportFigure,
  type ReportedRun,
  type ReportModel,
  type ReportPrices,
  type ReportCosts,
  type ReportData,
  type ReportTable,
  type ReportYear,
} from './report-model.ts';
import { formatLocalTime } from '../../text/dates.ts';
import { US_PER_SECOND } from '../../domain/units.ts';

/** The page's style and script, with the chart libraries in both. */
export type ReportAssets = ReturnType<typeof loadReportAssets>;

export function renderReport(model: ReportModel, assets: ReportAssets): string {
  const { title, subtitle, run } = model;
  const parts = sectionsOf(model);
  const [first, ...others] = parts;
  const style = assets.style.trim();
  const script = run === null ? '' : assets.script.trim();
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; style-src ${hashOf(style)}; script-src ${script === '' ? "'none'" : hashOf(script)}">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<header><h1>${escapeHtml(title)}</h1><p>${escapeHtml(subtitle)}</p></header>
${contents(parts)}
<main>
${headlines(model.headlines)}
${run !== null && first !== undefined ? sectionText(first) : ''}
${notes(model.warnings)}
${(run === null ? parts : others).map(sectionText).join('\n')}
</main>
${run === null ? '' : dataAndScript(run.drawn, script)}
</body>
</html>
`;
}

function dataAndScript(drawn: ReportData, script: string): string {
  // Packed: figures take a quarter of their room, and no text in them can end the element.
  const packed = gzipSync(JSON.stringify(drawn), { level: 9 }).toString('base64');
  return `<script type="text/plain" id="report">${packed}</script>
<script type="module">${script}</script>`;
}

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

type Section = Readonly<Record<'title' | 'content', string>>;

const CONTENTS_MIN = 6;

const idOf = (title: string): string => title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

const contents = (parts: readonly Section[]): string =>
  parts.length < CONTENTS_MIN
    ? ''
    : `<nav aria-label="Contents">${parts
        .map(({ title }) => `<a href="#${idOf(title)}">${escapeHtml(title)}</a>`)
        .join('')}</nav>`;

const sectionText = ({ title, content }: Section): string =>
  `<section id="${idOf(title)}"><h2>${escapeHtml(title)}</h2>${content}</section>`;

/** In the order of a reader's questions: how it went, where, when, by which trades, at which cost, with which settings. */
const sectionsOf = ({ run, tables, moneyDigits, provenance }: ReportModel): readonly Section[] => [
  ...(run === null ? [] : runSections(run)),
  ...tables.map((table) => ({ title: table.title, content: dataTable(table, moneyDigits) })),
  ...(run === null ? [] : [{ title: 'Settings', content: settingTables(run) }]),
  {
    title: 'Where this comes from',
    content: tableOf(
      'figures',
      '',
      provenance.map(([name, value]) => tableRow(name, [td('code', value)])),
    ),
  },
];

const runSections = (run: ReportedRun): readonly Section[] => [
  {
    title: 'Equity and drawdown',
    content:
      chart('equity', 0, `Equity in ${run.drawn.currency} over time`) +
      chart('drawdown', 0, 'Percent below the highest equity over time'),
  },
  ...run.drawn.prices.map((prices, index) => priceSection(prices, index, run)),
  ...daySections(run),
  ...tradeSections(run),
  ...riskSections(run),
];

const settingTables = ({ settings }: ReportedRun): string =>
  settings.map((table) => `<h3>${escapeHtml(table.title)}</h3>${dataTable(table, 0)}`).join('');

const timesOf = (zone: string): string => `Times of ${zone}.`;

const when = (isThere: boolean, title: string, content: () => string): readonly Section[] =>
  isThere ? [{ title, content: content() }] : [];

const DAYS_MIN = 2;

function daySections({ years, drawn: { daily, currency } }: ReportedRun): readonly Section[] {
  const hasDays = daily.days.length >= DAYS_MIN;
  const note = `Change of equity in ${currency}, open profit included.`;
  return [
    ...when(
      hasDays && years.length > 0,
      'Returns by month',
      () => noteText('Percent, compounded, open profit included.') + monthTable(years),
    ),
    ...when(hasDays, 'Results by day', () => `${noteText(note)}<div data-part="calendar"></div>`),
  ];
}

const isAnyHeld = (values: readonly number[]): boolean => values.some((value) => value !== 0);

function riskSections({ drawn, costs, timeZone }: ReportedRun): readonly Section[] {
  const { worst, account, fans, currency, moneyDigits } = drawn;
  const { positionUnit: unit } = account;
  const price = unit === currency ? ' at the price of the last fill' : '';
  return [
    ...when(worst.length > 0, 'Deepest drawdowns', () => noteText(timesOf(timeZone)) + drawdownTable(drawn)),
    ...when(
      isAnyHeld(account.position),
      'Exposure',
      () =>
        noteText(`Held over all strategies, in ${unit}${price}; long is above zero.`) +
        chart('position', 0, `Position held in ${unit} over time`),
    ),
    ...when(
      isAnyHeld(account.marginUsed),
      'Cash and margin',
      () =>
        noteText(`In ${currency}. Buying power: for new positions, orders that work considered.`) +
        chart('funds', 0, `Cash, margin used and buying power in ${currency} over time`),
    ),
    { title: 'Costs', content: costTable(costs, moneyDigits) },
    ...fans.map(({ title, xName }, index) => ({
      title,
      content: chart('fan', index, `${title}: 5, 25, 50, 75 and 95 %, ${currency} by ${xName}`),
    })),
  ];
}

function priceSection(prices: ReportPrices, place: number, { drawn, timeZone }: ReportedRun): Section {
  const { trades, tradeCount } = drawn;
  const { name, symbols, lines, lineCount, marks, fills, everySeconds } = prices;
  const cut = [
    ...(marks.length < fills ? [`the first ${ofAll(marks, fills)} fills`] : []),
    ...(trades.length < tradeCount ? [`the first ${ofAll(trades, tradeCount)} trades`] : []),
  ];
  const hint = [
    `Each candle is ${formatSpan(everySeconds * US_PER_SECOND)}. A line joins the entry and the exit of a trade: solid a gain, dashed a loss.`,
    'Zoomed in: ▲ buy, ▼ sell, filled an entry, hollow an exit. Zoomed out: sums along the bottom.',
    'Turn the wheel or pinch to zoom, drag to move.',
    timesOf(timeZone),
    ...(symbols.length === 1
      ? []
      : ['Contracts follow each other: a jump where one takes over is no move of the market.']),
    ...(lines.length < lineCount
      ? [`Of ${formatNumber(lineCount)} lines that strategies draw the first ${lines.length} are shown.`]
      : []),
    ...(cut.length === 0 ? [] : [`Shown are ${cut.join(' and ')}; all are in the CSV files.`]),
  ].join(' ');
  const words = `Price of ${name} in points over time, with ${fills} entries and exits`;
  return { title: `Prices of ${name}`, content: noteText(hint) + chart('prices', place, words) };
}

const ofAll = ({ length }: readonly unknown[], all: number): string =>
  `${formatNumber(length)} of ${formatNumber(all)}`;

function tradeSections({ drawn, timeZone }: ReportedRun): readonly Section[] {
  const { histogram, trades, tradeCount } = drawn;
  const cut =
    trades.length < tradeCount ? `The first ${ofAll(trades, tradeCount)}; all are in trades.csv.` : '';
  return [
    ...(histogram === null
      ? []
      : [{ title: histogram.title, content: chart('histogram', 0, histogram.title) }]),
    ...when(
      trades.length > 0,
      'List of trades',
      () => `${noteText(`${cut} ${timesOf(timeZone)}`)}<div data-part="trades"></div>`,
    ),
  ];
}

const headlines = (figures: readonly ReportFigure[]): string =>
  `<dl class="headlines">${figures
    .map(
      ([name, text, meaning]) =>
        `<div title="${escapeHtml(meaning)}"><dt>${escapeHtml(name)}</dt><dd class="${signClass(text)}">${escapeHtml(text)}</dd></div>`,
    )
    .join('')}</dl>`;

/** The weightiest note stays open. */
function notes(warnings: readonly string[]): string {
  const [first, ...others] = warnings.map((text) => `<li>${escapeHtml(text)}</li>`);
  if (first === undefined) return '';
  const more =
    others.length === 0
      ? ''
      : `<details><summary>${formatCount(others.length, 'more note')}</summary><ul>${others.join('')}</ul></details>`;
  return `<aside class="warnings" aria-label="Notes"><ul>${first}</ul>${more}</aside>`;
}

/** A place that the page's script draws into; below it both axes in words, also for readers who cannot see it. */
const chart = (kind: string, place: number, words: string): string =>
  `<div class="chart ${kind}" data-chart="${kind}" data-place="${place}" role="${kind === 'prices' ? 'figure' : 'img'}" aria-label="${escapeHtml(words)}"></div>${noteText(words)}`;

const signClass = (text: string): string =>
  /^[-−]/.test(text) ? 'loss' : text.startsWith('+') ? 'gain' : '';

const text = (path: URL): string => readFileSync(path, 'utf8');

/** Style and script as the build bundled them; sources that run as they are find those of the last build. */
export function loadReportAssets() {
  const isSource = import.meta.url.endsWith('.ts');
  const bundle = new URL(isSource ? '../../../dist/src/page/' : '../../page/', import.meta.url);
  return { style: text(new URL('report.css', bundle)), script: text(new URL('report.js', bundle)) };
}

// The tables of a report: wide ones become cards on a phone, long ones are folded.

const noteText = (text: string): string => (text === '' ? '' : `<p class="note">${escapeHtml(text)}</p>`);

/** Tables with fewer columns fit on a phone as they are. */
const CARD_COLUMNS = 4;
/** Rows shown of a table with more than `ROWS_MAX`; the others are folded. */
const ROWS_SHOWN = 10;
const ROWS_MAX = 15;

function dataTable(table: ReportTable, moneyDigits: number): string {
  const { note, rows, columns } = table;
  const digits = columns.map((_, column) => columnDigits(rows, column, moneyDigits));
  if (rows.length <= ROWS_MAX) return noteText(note) + rowTable(table, rows, digits);
  const more = formatCount(rows.length - ROWS_SHOWN, 'more row');
  const hidden = `<details><summary>${more}</summary>${rowTable(table, rows.slice(ROWS_SHOWN), digits)}</details>`;
  return noteText(note) + rowTable(table, rows.slice(0, ROWS_SHOWN), digits) + hidden;
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
function monthTable(years: readonly ReportYear[]): string {
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

function drawdownTable({ worst, currency, moneyDigits, utcOffsetMinutes }: ReportData): string {
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

function costTable({ gross, charges, net, spread, trades }: ReportCosts, moneyDigits: number): string {
  const row = (name: string, amount: number): ReportTable['rows'][number] => [
    name,
    amount,
    trades === 0 ? null : amount / trades,
  ];
  const paid = charges.filter(([, amount]) => amount !== 0).map(([name, amount]) => row(name, -amount));
  const note =
    spread === null
      ? 'No fill has a bid and ask of its time: what was paid as spread is not known.'
      : `Also in the prices: ${formatCell(spread, moneyDigits)} of spread, fills against the middle of the book.`;
  return dataTable(
    {
      title: '',
      note,
      columns: ['', 'amount', 'a trade'],
      rows: [row('Profit before charges', gross), ...paid, row('Net profit', net)],
    },
    moneyDigits,
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
