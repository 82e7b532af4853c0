/** A report as one HTML file that needs no network: data, style, chart library and script are all inside. */
import { embeddedJson, escapeHtml } from './escape-html.ts';
import type { ReportModel } from './report-model.ts';
import {
  chart,
  dataTable,
  figureTable,
  headlines,
  heatMap,
  provenance,
  section,
  warningList,
} from './report-sections.ts';
import { REPORT_STYLE } from './report-style.ts';
import { windowPicture } from './window-picture.ts';

/** What the page needs besides the data; read from the installed packages by the caller. */
export interface ReportAssets {
  readonly chartLibrary: string;
  readonly chartStyle: string;
  readonly pageScript: string;
}

export function renderReport(model: ReportModel, assets: ReportAssets): string {
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
<script type="application/json" id="report">${embeddedJson(chartData(model))}</script>
<script>${assets.chartLibrary}</script>
<script type="module">${assets.pageScript}</script>
</body>
</html>
`;
}

/** What the script draws; the tables are already text. */
const chartData = ({
  currency,
  timeZone,
  equity,
  drawdown,
  prices,
  histograms,
  fans = [],
}: ReportModel): unknown => ({
  currency,
  timeZone,
  equity,
  drawdown,
  prices,
  histograms,
  fans,
});

function pictures(model: ReportModel): string {
  const parts: string[] = [];
  if (model.equity !== null) {
    const falls =
      model.drawdown === null ? '' : chart('drawdown', 0, 'Money below the highest equity so far');
    parts.push(
      section('Equity and drawdown', chart('equity', 0, `Equity in ${model.currency} over time`) + falls),
    );
  }
  model.prices.forEach(({ symbol, marks }, place) => {
    const words = `Prices of ${symbol} with ${marks.length} entries and exits`;
    const hint =
      '<p class="note">▲ buy, ▼ sell; filled: entry, hollow: exit. Drag to look closer, double-click for all.</p>';
    parts.push(section(`Prices of ${symbol}`, hint + chart('prices', place, words)));
  });
  model.histograms.forEach(({ title }, place) => {
    parts.push(section(title, chart('histogram', place, title)));
  });
  (model.fans ?? []).forEach(({ title, xName }, place) => {
    const words = `${title}: bands of 5, 25, 50, 75 and 95 % by ${xName}`;
    parts.push(section(title, chart('fan', place, words)));
  });
  return parts.join('\n');
}
