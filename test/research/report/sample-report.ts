import type { ReportedRun, ReportModel } from '../../../src/research/report/report-model.ts';

const SAMPLES = 400;
const START = Date.UTC(2026, 2, 4, 2) / 1000;
const tsSeconds = Array.from({ length: SAMPLES }, (_, i) => START + i * 60);
const wave = (height: number, i: number): number => Math.round(height * Math.sin(i / 25) * 10) / 10;

const DAY = 86_400;
const days = Array.from({ length: 400 }, (_, i) => new Date((START + (i - 600) * DAY) * 1_000))
  .filter((date) => ![0, 6].includes(date.getUTCDay()))
  .map((date) => date.toISOString().slice(0, 10));

/** Every part of a report, with text that would break a page that does not escape it. */
export const SAMPLE_REPORT: ReportModel & { readonly run: ReportedRun } = {
  title: '</script><b>EMA & "cross"',
  subtitle: '2026-03-04',
  moneyDigits: 0,
  headlines: [
    ['Net profit', '-4,030,000', 'after <fees> and tax'],
    ['Trades', '503', 'round trips'],
  ],
  tables: [
    { title: 'By month', note: 'net of costs', columns: ['month', 'net'], rows: [['2026-03', -1_234_567]] },
  ],
  warnings: ['best of 400 trials'],
  provenance: [['hash', 'abc']],
  run: {
    timeZone: 'Asia/Ho_Chi_Minh',
    years: [
      { year: '2024', months: Array.from({ length: 12 }, (_, i) => wave(3, i * 11)), total: 4.2 },
      { year: '2025', months: [null, ...Array.from({ length: 11 }, (_, i) => wave(3, i * 7))], total: -1 },
    ],
    costs: {
      gross: -1_000_000,
      charges: [
        ['Exchange fee', 70_000],
        ['Tax', 3_000_000],
      ],
      net: -4_070_000,
      spread: 20_000,
      trades: 30,
    },
    settings: [
      {
        title: 'ema',
        note: '',
        columns: ['parameter', 'value'],
        isText: true,
        rows: [['fast', '9 <bars>']],
      },
      {
        title: 'Metrics',
        note: '',
        columns: ['metric', 'value', 'formula'],
        isText: true,
        rows: [
          ['Downside risk', '2.28 %', 'root mean square of losses x sqrt(days of a year)'],
          ['Cumulative return', '-0.14 %', '(1 + r1)(1 + r2)... - 1'],
        ],
      },
    ],
    drawn: {
      currency: 'VND',
      moneyDigits: 0,
      utcOffsetMinutes: 420,
      account: {
        tsSeconds,
        equity: tsSeconds.map((_, i) => 1e9 + wave(1e6, i)),
        position: tsSeconds.map((_, i) => Math.round(wave(2, i))),
        positionUnit: 'contracts',
        cash: tsSeconds.map((_, i) => 1e9 + wave(1e6, i)),
        marginUsed: tsSeconds.map((_, i) => Math.abs(wave(4e8, i))),
        buyingPower: tsSeconds.map((_, i) => 1e9 - Math.abs(wave(4e8, i))),
      },
      worst: [
        {
          peakSeconds: START,
          troughSeconds: START + 6_000,
          recoveredSeconds: null,
          depth: 2e6,
          percent: 0.2,
        },
      ],
      daily: { days, profit: days.map((_, i) => wave(2e6, i * 9)) },
      trades: Array.from({ length: 60 }, (_, i) => ({
        strategy: i % 2 === 0 ? 'ema' : '<b>breakout',
        symbol: 'VN30F1M',
        direction: i % 3 === 0 ? ('short' as const) : ('long' as const),
        qty: 1 + (i % 3),
        entrySeconds: START + i * 360,
        entryPrice: 1900 + wave(5, i * 6),
        exitSeconds: START + i * 360 + 240,
        exitPrice: 1900 + wave(5, i * 6 + 4),
        costs: 42_000,
        profit: Math.round(wave(1e6, i * 5)),
        adverse: -200_000,
        favourable: 300_000,
        isOpen: i === 59,
      })),
      tradeCount: 60,
      prices: [
        {
          name: 'VN30F1M',
          symbols: ['VN30F1M'],
          decimals: 1,
          tick: 0.1,
          everySeconds: 60,
          candles: tsSeconds.map((time, i) => ({
            time,
            open: 1900 + wave(5, i),
            high: 1902 + wave(5, i),
            low: 1899 + wave(5, i),
            close: 1900 + wave(5, i + 1),
          })),
          lines: [
            {
              name: 'ema <fast>',
              values: tsSeconds.map((_, i) => (i < 9 ? null : 1900 + wave(4, i - 9))),
            },
            {
              name: 'ema slow',
              values: tsSeconds.map((_, i) => (i < 21 ? null : 1900 + wave(3, i - 21))),
            },
          ],
          lineCount: 2,
          fills: 2,
          marks: [
            { tsSeconds: START + 90, price: 1901.2, side: 'buy', effect: 'entry', qty: 1 },
            { tsSeconds: START + 9_000, price: 1899, side: 'sell', effect: 'exit', qty: 1 },
          ],
        },
      ],
      histogram: {
        title: 'Net profit of a trade',
        edges: [-2, -1, 0, 1],
        counts: [3, 0, 5],
        mean: 0.1,
        median: 0.2,
      },
      fans: [
        {
          title: 'Equity, drawn again',
          xName: 'trades',
          x: [0, 1, 2],
          bands: [-20, -8, 0, 9, 21].map(
            (end, i) => [`${i}`, [1e9, 1e9 + end * 1e5, 1e9 + end * 2e5]] as const,
          ),
        },
      ],
    },
  },
};
