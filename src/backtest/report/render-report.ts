/** A report as one HTML file that needs no network: data, style, chart library and script are all inside. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { ReportFigure, ReportHeatMap, ReportModel, ReportTable, ReportWindow } from './report-model.ts';

/** Libraries and scripts of the page. */
export interface ReportAssets {
  readonly chartLibrary: string;
  readonly chartStyle: string;
  readonly pageScript: string;
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
<style>${assets.chartStyle}${REPORT_STYLE}</style>
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
<script>${assets.chartLibrary}</script>
<script type="module">${assets.pageScript}</script>
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

/** The look of a report: light and dark by the reader's own setting, one column on a phone. */
const REPORT_STYLE = `
:root { color-scheme: light dark; --ink: #1b1f24; --quiet: #5c6670; --page: #ffffff; --card: #f5f6f8; --line: #d9dde2;
  --gain: #14804a; --loss: #c0362c; --price: #2f5fd0; --mark: #8a5a00; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ed; --quiet: #9aa4af; --page: #14171b; --card: #1d2127;
  --line: #333a43; --gain: #4cc38a; --loss: #f0786b; --price: #7ea2ff; --mark: #e0ae4a; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem clamp(0.75rem, 3vw, 2rem) 4rem; max-width: 76rem; background: var(--page);
  color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0; } h2 { font-size: 1.1rem; margin: 2.2rem 0 0.6rem; }
header p, .note { color: var(--quiet); margin: 0.2rem 0 0.8rem; }
.headlines { display: grid; grid-template-columns: repeat(auto-fit, minmax(max(9.4rem, 22%), 1fr)); gap: 0.6rem; margin: 1rem 0; }
.headlines div { background: var(--card); border-radius: 0.5rem; padding: 0.6rem 0.8rem; min-width: 0; }
.headlines dt { color: var(--quiet); font-size: 0.8rem; }
.headlines dd { margin: 0; font-size: 1.15rem; font-weight: 600; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.gain { color: var(--gain); } .loss { color: var(--loss); }
.scrolled { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.88rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.25rem 0.7rem; border-bottom: 1px solid var(--line); text-align: left; white-space: nowrap; }
thead th { color: var(--quiet); font-weight: 500; } tbody th { font-weight: 500; } thead th:not(:first-child) { text-align: right; }
.number { text-align: right; } .meaning { color: var(--quiet); white-space: normal; min-width: 16rem; }
.code { font-family: ui-monospace, monospace; white-space: normal; overflow-wrap: anywhere; }
.heat td, .heat th { text-align: right; }
.words td, .words thead th:not(:first-child) { text-align: left; }
.words td:last-child { white-space: normal; overflow-wrap: break-word; min-width: 14rem; }
.chart { width: 100%; min-height: 8rem; } .chart + .chart { margin-top: 0.4rem; }
.warnings { border-left: 4px solid var(--mark); background: var(--card); margin: 1rem 0; padding: 0.7rem 1rem 0.7rem 2rem; }
select { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: 0.3rem; padding: 0.2rem 0.4rem; }
.windows div { display: grid; grid-template-columns: minmax(6rem, 13rem) 1fr; gap: 0.6rem; align-items: center; margin: 0.2rem 0; }
.windows span { font-size: 0.8rem; font-variant-numeric: tabular-nums; color: var(--quiet); }
.windows b { position: relative; height: 1.1rem; background: var(--card); border-radius: 0.2rem; overflow: hidden; }
.windows i { position: absolute; top: 0; bottom: 0; } .windows .inside { background: var(--line); }
.windows .outside.gain { background: var(--gain); } .windows .outside.loss { background: var(--loss); }
.windows .outside.idle { background: var(--quiet); opacity: 0.4; }
.u-legend { color: var(--ink); font-size: 0.8rem; } .u-legend th, .u-legend td { border: 0; padding: 0 0.15rem; }
@media (max-width: 36rem) { .figures tr { display: grid; grid-template-columns: 1fr auto; border-bottom: 1px solid var(--line); }
  .figures th, .figures td { border: 0; white-space: normal; } .figures .meaning { grid-column: 1 / -1; min-width: 0; padding-top: 0; }
  .figures .code { grid-column: 1 / -1; padding-top: 0; } }
`;

const resolver = createRequire(import.meta.url);

const text = (path: string | URL): string => readFileSync(path, 'utf8');

const PAGE_SCRIPT = new URL('./page/draw-charts.js', import.meta.url);

/** Reads the chart library from the installed package, and the page's script: compiled, it lies beside this file. */
export function loadReportAssets(pageScript: string | URL = PAGE_SCRIPT): ReportAssets {
  return {
    chartLibrary: text(resolver.resolve('uplot/dist/uPlot.iife.min.js')),
    chartStyle: text(resolver.resolve('uplot/dist/uPlot.min.css')),
    pageScript: text(pageScript),
  };
}
