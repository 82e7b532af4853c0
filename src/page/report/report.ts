/** Runs in the reader's browser: draws the data of the page, in the page's colours, as wide as the page is. */
import { h, render } from 'preact';
import type { ReportData } from '../../research/report/report-model.ts';
import { attribute } from '../charts/price-chart.ts';
import { drawChart } from './pictures.ts';
import { Calendar } from '../charts/calendar.tsx';
import { TradeList } from './trade-list.tsx';
import './report.css';

/** The data are packed: gzip in base64. */
async function unpacked(): Promise<ReportData> {
  const text = document.getElementById('report')?.textContent ?? '';
  const bytes = Uint8Array.from(atob(text), (char) => char.codePointAt(0) ?? 0);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).json();
}

const data = await unpacked();
for (const box of document.querySelectorAll<HTMLElement>('[data-chart]'))
  drawChart(box, data, box.dataset['chart'] ?? '', Number(box.dataset['place']));
attribute(document.body);
for (const box of document.querySelectorAll<HTMLElement>('[data-part]')) {
  if (box.dataset['part'] === 'calendar' && data.daily !== null)
    render(Calendar(data.daily, data.moneyDigits), box);
  if (box.dataset['part'] === 'trades') render(h(TradeList, data), box);
}
document.documentElement.dataset['drawn'] = String(
  [...document.querySelectorAll('[data-chart]')].filter((box) => box.querySelector('canvas') !== null).length,
);
