import type { ReportModel } from '../../../src/backtest/report/report-model.ts';

const SAMPLES = 400;
const START = Date.UTC(2026, 2, 4, 2) / 1000;
const tsSeconds = Array.from({ length: SAMPLES }, (_, i) => START + i * 60);
const wave = (height: number, i: number): number => Math.round(height * Math.sin(i / 25) * 10) / 10;

/** Every part of a report, with text that would break a page that does not escape it. */
export const SAMPLE_REPORT: ReportModel = {
  title: '</script><b>EMA & "cross"',
  subtitle: '2026-03-04',
  currency: 'VND',
  timeZone: 'Asia/Ho_Chi_Minh',
  headlines: [
    { name: 'Net profit', text: '-4,030,000', meaning: 'after <fees> and tax' },
    { name: 'Trades', text: '503', meaning: 'round trips' },
  ],
  figures: [{ name: 'Sharpe ratio', text: '1.23', meaning: 'mean / deviation' }],
  equity: { tsSeconds, values: tsSeconds.map((_, i) => 1e9 + wave(1e6, i)) },
  drawdown: { tsSeconds, values: tsSeconds.map((_, i) => Math.min(0, wave(1e6, i))) },
  prices: [
    {
      symbol: 'VN30F1M',
      series: { tsSeconds, values: tsSeconds.map((_, i) => 1900 + wave(5, i)) },
      marks: [
        { tsSeconds: START + 90, price: 1901.2, side: 'buy', effect: 'entry', qty: 1, strategy: 'ema' },
        { tsSeconds: START + 9_000, price: 1899, side: 'sell', effect: 'exit', qty: 1, strategy: 'ema' },
      ],
    },
  ],
  histograms: [{ title: 'Net profit of a trade', edges: [-2, -1, 0, 1], counts: [3, 0, 5] }],
  heatMaps: [
    {
      title: 'Net profit by parameters',
      xName: 'fast',
      yName: 'slow',
      xValues: ['3', '5'],
      yValues: ['10'],
      cells: [[-2_000_000, null]],
    },
  ],
  fans: [
    {
      title: 'Equity, drawn again',
      xName: 'trades',
      x: [0, 1, 2],
      bands: [-20, -8, 0, 9, 21].map((end, i) => [`${i}`, [1e9, 1e9 + end * 1e5, 1e9 + end * 2e5]] as const),
    },
  ],
  windows: {
    days: 10,
    rows: [
      { name: 'day 5 & 6', inFrom: 0, outFrom: 4, outTo: 6, profit: -1_000, text: 'chosen on <4> days' },
      { name: 'day 7', inFrom: 2, outFrom: 6, outTo: 7, profit: null, text: 'nothing traded' },
    ],
  },
  tables: [
    { title: 'By month', note: 'net of costs', columns: ['month', 'net'], rows: [['2026-03', -1_234_567]] },
  ],
  warnings: ['best of 400 trials'],
  provenance: [['hash', 'abc']],
};
