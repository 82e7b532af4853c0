/** A report as one HTML file that needs no network: data, style, chart library and script are all inside. */
import { readFileSync } from 'node:fs';
import type { ReportFigure, ReportHeatMap, ReportModel, ReportTable, ReportWindow } from './report-model.ts';

/** The page's style and script, with the chart library in both. */
export interface ReportAssets {
  readonly style: string;
  readonly script: string;
}

export function renderReport(model: ReportModel, assets: ReportAssets): string {
  // The script draws these; the tables are text already.
  const { currency, timeZone, equity, drawdown, prices, histograms, fans = [] } = model;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<title>${escapeHtml(model.title)}</title>
<style>${assets.style}</style>
</head>
<body>
<header><h1>${escapeHtml(model.title)}</h1><p>${escapeHtml(model.subtitle)}</p></header>
<main>
${headlines(model.headlines)}
${warningList(model.warnings)}
${pictures(model)}
${model.heatMaps.map(heatMap).join('\n')}
${model.windows === undefined ? '' : windowPicture(model.windows)}
${model.tables.map(dataTable).join('\n')}
${model.figures.length === 0 ? '' : section('All figures', figureTable(model.figures))}
${provenance(model)}
</main>
<script type="application/json" id="report">${embeddedJson({ currency, timeZone, equity, drawdown, prices, histograms, fans })}</script>
<script type="module">${assets.script}</script>
</body>
</html>
`;
}

function pictures(model: ReportModel): string {
  const { equity, drawdown, currency, prices, histograms, fans = [] } = model;
  const fall = drawdown === null ? '' : chart('drawdown', 0, 'Money below the highest equity so far');
  const account =
    equity === null
      ? []
      : [section('Equity and drawdown', chart('equity', 0, `Equity in ${currency} over time`) + fall)];
  const hint = noteText(
    '▲ buy, ▼ sell; filled: entry, hollow: exit. Drag to look closer, double-click for all.',
  );
  const priced = prices.map(({ symbol, marks }, place) => {
    const words = `Prices of ${symbol} with ${marks.length} entries and exits`;
    return section(`Prices of ${symbol}`, hint + chart('prices', place, words));
  });
  const binned = histograms.map(({ title }, place) => section(title, chart('histogram', place, title)));
  const fanned = fans.map(({ title, xName }, place) => {
    const words = `${title}: bands of 5, 25, 50, 75 and 95 % by ${xName}`;
    return section(title, chart('fan', place, words));
  });
  return [...account, ...priced, ...binned, ...fanned].join('\n');
}

const GROUPED = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 });

const headlines = (figures: readonly ReportFigure[]): string =>
  `<dl class="headlines">${figures
    .map(
      ({ name, text, meaning }) =>
        `<div title="${escapeHtml(meaning)}"><dt>${escapeHtml(name)}</dt><dd class="${signClass(text)}">${escapeHtml(text)}</dd></div>`,
    )
    .join('')}</dl>`;

const figureTable = (figures: readonly ReportFigure[]): string =>
  tableOf(
    'figures',
    '',
    figures.map(({ name, text, meaning }) => tableRow(name, [td('number', text), td('meaning', meaning)])),
  );

const dataTable = ({ title, note, columns, rows, isText = false }: ReportTable): string =>
  section(
    title,
    (note === '' ? '' : noteText(escapeHtml(note))) +
      tableOf(
        isText ? 'words' : '',
        columns.map(columnHead).join(''),
        rows.map(([name, ...cells]) => tableRow(String(name ?? ''), cells.map(cell))),
      ),
  );

function cell(value: string | number | null): string {
  if (typeof value === 'number') return td(value < 0 ? 'number loss' : 'number', GROUPED.format(value));
  return td('number', value ?? '–');
}

/** Colour runs from the worst loss to the best gain with zero in the middle, so that a colour means a sign. */
function heatMap({ title, xName, yName, xValues, yValues, cells }: ReportHeatMap): string {
  const most = Math.max(1e-12, ...cells.flat().map((value) => Math.abs(value ?? 0)));
  const corner = `${yName === '' ? '' : `${escapeHtml(yName)} ↓ `}${escapeHtml(xName)} →`;
  const rows = cells.map((line, i) =>
    tableRow(
      yValues[i] ?? '',
      line.map((value) => heatCell(value, most)),
    ),
  );
  return section(title, tableOf('heat', `<th>${corner}</th>${xValues.map(columnHead).join('')}`, rows));
}

function heatCell(value: number | null, most: number): string {
  if (value === null) return '<td>–</td>';
  const strength = Math.round((Math.abs(value) / most) * 70);
  const colour = value < 0 ? 'var(--loss)' : 'var(--gain)';
  return `<td style="background:color-mix(in srgb, ${colour} ${strength}%, transparent)">${GROUPED.format(value)}</td>`;
}

const warningList = (warnings: readonly string[]): string =>
  warnings.length === 0
    ? ''
    : `<ul class="warnings">${warnings.map((text) => `<li>${escapeHtml(text)}</li>`).join('')}</ul>`;

const provenance = (model: ReportModel): string =>
  section(
    'Where this comes from',
    tableOf(
      'figures',
      '',
      model.provenance.map(([name, value]) => tableRow(name, [td('code', value)])),
    ),
  );

/** `head` and `rows` are HTML. */
const tableOf = (kind: string, head: string, rows: readonly string[]): string =>
  `<div class="scrolled"><table${kind === '' ? '' : ` class="${kind}"`}>${head === '' ? '' : `<thead><tr>${head}</tr></thead>`}<tbody>${rows.join('')}</tbody></table></div>`;

const columnHead = (name: string): string => `<th scope="col">${escapeHtml(name)}</th>`;

const tableRow = (name: string, cells: readonly string[]): string =>
  `<tr><th scope="row">${escapeHtml(name)}</th>${cells.join('')}</tr>`;

const td = (kind: string, text: string): string => `<td class="${kind}">${escapeHtml(text)}</td>`;

const noteText = (content: string): string => `<p class="note">${content}</p>`;

const section = (title: string, content: string): string =>
  `<section><h2>${escapeHtml(title)}</h2>${content}</section>`;

/** A place that the page's script draws into, with a label for readers who cannot see it. */
const chart = (kind: string, place: number, words: string): string =>
  `<div class="chart" data-chart="${kind}" data-place="${place}" role="img" aria-label="${escapeHtml(words)}"></div>`;

const signClass = (text: string): string =>
  /^[-−]/.test(text) ? 'loss' : text.startsWith('+') ? 'gain' : '';

/** Walk-forward windows as bars over the days: in sample, then out of sample in the colour of its profit. */
function windowPicture({ days, rows }: NonNullable<ReportModel['windows']>): string {
  const note = noteText(
    'Grey: parameters were chosen on these days. Coloured: what was chosen was tried on these, green with a profit, red with a loss.',
  );
  return section(
    'Walk-forward windows over the days',
    `${note}<div class="windows">${rows.map((row) => windowRow(row, days)).join('')}</div>`,
  );
}

const PERCENT = 100;

function windowRow({ name, inFrom, outFrom, outTo, profit, text }: ReportWindow, days: number): string {
  const bar = (kind: string, from: number, to: number): string => {
    const [left, width] = [(from / days) * PERCENT, ((to - from) / days) * PERCENT];
    return `<i class="${kind}" style="left:${left.toFixed(2)}%;width:${width.toFixed(2)}%"></i>`;
  };
  const kind = profit === null ? 'idle' : profit < 0 ? 'loss' : 'gain';
  const bars = bar('inside', inFrom, outFrom) + bar(`outside ${kind}`, outFrom, outTo);
  return `<div title="${escapeHtml(text)}"><span>${escapeHtml(name)}</span><b role="img" aria-label="${escapeHtml(text)}">${bars}</b></div>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as it may stand between tags and in quoted attributes. */
const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);

/** JSON as it may stand in a script element: no text in it can end the element. */
const embeddedJson = (value: unknown): string => JSON.stringify(value).replace(/</g, '\\u003c');

const text = (path: URL): string => readFileSync(path, 'utf8');

/** Style and script as the build bundled them; sources that run as they are find those of the last build. */
export function loadReportAssets(): ReportAssets {
  const isSource = import.meta.url.endsWith('.ts');
  const bundle = new URL(isSource ? '../../../dist/src/page/' : '../../page/', import.meta.url);
  return { style: text(new URL('report.css', bundle)), script: text(new URL('report.js', bundle)) };
}
