/** Walk-forward windows as bars over the days: what was looked at, and what came after it, in the colour of its profit. */
import { escapeHtml } from './escape-html.ts';
import type { ReportModel, ReportWindow } from './report-model.ts';
import { section } from './report-sections.ts';

export function windowPicture({ days, rows }: NonNullable<ReportModel['windows']>): string {
  const note =
    '<p class="note">Grey: parameters were chosen on these days. Coloured: what was chosen was tried on these, green with a profit, red with a loss.</p>';
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
