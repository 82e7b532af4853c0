/** The parts of a report that are text: headlines, figures, tables, heat maps. */
import { escapeHtml } from './escape-html.ts';
import type { ReportFigure, ReportHeatMap, ReportModel, ReportTable } from './report-model.ts';

const GROUPED = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 });

export const headlines = (figures: readonly ReportFigure[]): string =>
  `<dl class="headlines">${figures
    .map(
      ({ name, text, meaning }) =>
        `<div title="${escapeHtml(meaning)}"><dt>${escapeHtml(name)}</dt><dd class="${signClass(text)}">${escapeHtml(text)}</dd></div>`,
    )
    .join('')}</dl>`;

export const figureTable = (figures: readonly ReportFigure[]): string =>
  scrolled(
    `<table class="figures"><tbody>${figures
      .map(
        ({ name, text, meaning }) =>
          `<tr><th scope="row">${escapeHtml(name)}</th><td class="number">${escapeHtml(text)}</td><td class="meaning">${escapeHtml(meaning)}</td></tr>`,
      )
      .join('')}</tbody></table>`,
  );

export function dataTable(table: ReportTable): string {
  const head = table.columns.map((name) => `<th scope="col">${escapeHtml(name)}</th>`).join('');
  const body = table.rows.map((row) => `<tr>${row.map(cell).join('')}</tr>`).join('');
  const note = table.note === '' ? '' : `<p class="note">${escapeHtml(table.note)}</p>`;
  return section(
    table.title,
    note + scrolled(`<table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table>`),
  );
}

function cell(value: string | number | null, place: number): string {
  if (place === 0) return `<th scope="row">${escapeHtml(String(value ?? ''))}</th>`;
  if (value === null) return '<td class="number">–</td>';
  if (typeof value === 'string') return `<td class="number">${escapeHtml(value)}</td>`;
  return `<td class="number${value < 0 ? ' loss' : ''}">${GROUPED.format(value)}</td>`;
}

/** Colour runs from the worst loss to the best gain with zero in the middle, so that a colour means a sign. */
export function heatMap(map: ReportHeatMap): string {
  const most = Math.max(1e-12, ...map.cells.flat().map((value) => Math.abs(value ?? 0)));
  const head = map.xValues.map((x) => `<th scope="col">${escapeHtml(x)}</th>`).join('');
  const rows = map.cells.map((line, i) => {
    const cells = line.map((value) => heatCell(value, most)).join('');
    return `<tr><th scope="row">${escapeHtml(map.yValues[i] ?? '')}</th>${cells}</tr>`;
  });
  const corner = `${map.yName === '' ? '' : `${escapeHtml(map.yName)} ↓ `}${escapeHtml(map.xName)} →`;
  return section(
    map.title,
    scrolled(
      `<table class="heat"><thead><tr><th>${corner}</th>${head}</tr></thead><tbody>${rows.join('')}</tbody></table>`,
    ),
  );
}

function heatCell(value: number | null, most: number): string {
  if (value === null) return '<td>–</td>';
  const strength = Math.round((Math.abs(value) / most) * 70);
  const colour = value < 0 ? 'var(--loss)' : 'var(--gain)';
  return `<td style="background:color-mix(in srgb, ${colour} ${strength}%, transparent)">${GROUPED.format(value)}</td>`;
}

export const warningList = (warnings: readonly string[]): string =>
  warnings.length === 0
    ? ''
    : `<ul class="warnings">${warnings.map((text) => `<li>${escapeHtml(text)}</li>`).join('')}</ul>`;

export const provenance = (model: ReportModel): string =>
  section(
    'Where this comes from',
    scrolled(
      `<table class="figures"><tbody>${model.provenance
        .map(
          ([name, value]) =>
            `<tr><th scope="row">${escapeHtml(name)}</th><td class="code">${escapeHtml(value)}</td></tr>`,
        )
        .join('')}</tbody></table>`,
    ),
  );

export const section = (title: string, content: string): string =>
  `<section><h2>${escapeHtml(title)}</h2>${content}</section>`;

/** A place that the page's script draws into, with the words for who cannot see it. */
export const chart = (kind: string, place: number, words: string): string =>
  `<div class="chart" data-chart="${kind}" data-place="${place}" role="img" aria-label="${escapeHtml(words)}"></div>`;

const scrolled = (content: string): string => `<div class="scrolled">${content}</div>`;

const signClass = (text: string): string =>
  /^[-−]/.test(text) ? 'loss' : text.startsWith('+') ? 'gain' : '';
