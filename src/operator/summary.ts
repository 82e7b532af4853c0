/** Summary of a session: results of each strategy, and our books against the broker's. */
import { formatCount, formatNumber, formatSigned } from '../text/numbers.ts';
import { type Column, formatTable, SCREEN_WIDTH, wrapText } from '../text/table.ts';
import { type Paint, PLAIN } from './terminal.ts';

export interface SummaryStrategy {
  readonly strategy: string;
  readonly orders: number;
  readonly fills: number;
  readonly filledQty: number;
  readonly rejected: number;
  readonly denials: ReadonlyMap<string, number>;
  readonly fee: number;
  readonly tax: number;
  readonly realised: number;
  /** Null where no engine answered. */
  readonly open: number | null;
  readonly net: number | null;
}

export interface SessionSummary {
  readonly session: string;
  readonly strategies: readonly SummaryStrategy[];
  /** Comparisons with the broker; empty where no engine answered. */
  readonly books: readonly (readonly [label: string, text: string])[];
  /** Orders with an unknown outcome. */
  readonly unresolved: number;
  readonly alerts: number;
}

type SummedName = Exclude<keyof SummaryStrategy, 'strategy' | 'denials' | 'open' | 'net'>;

const STRATEGY_COLUMNS: readonly Column[] = [
  { title: 'strategy', align: 'left' },
  ...['orders', 'fills', 'contracts', 'costs', 'realised', 'open', 'net VND'].map((title): Column => ({
    title,
    align: 'right',
  })),
];

export function summaryText(facts: SessionSummary, paint: Paint = PLAIN): string {
  return [
    paint.bold(`Session ${facts.session}`),
    '',
    strategyTable(facts.strategies),
    '',
    ...(facts.books.length === 0
      ? [paint.yellow('No engine answered: it is not known how our books compare with the broker’s.')]
      : facts.books.flatMap(([label, text]) => wrapText(`${label}: ${text}`, SCREEN_WIDTH))),
    facts.unresolved === 0
      ? 'No order is unresolved.'
      : paint.red(
          `${formatCount(facts.unresolved, 'order')} unresolved: compare tickwright orders with the broker’s book, then: tickwright orders resolve`,
        ),
    facts.alerts === 0 ? 'No alerts.' : paint.yellow(`${formatCount(facts.alerts, 'alert')}.`),
  ].join('\n');
}

function strategyTable(strategies: readonly SummaryStrategy[]): string {
  const active = strategies.filter(isActive);
  if (active.length === 0) return 'No strategy did anything.';
  const sum = (name: SummedName): number => active.reduce((total, each) => total + each[name], 0);
  const sumOrNull = (name: 'open' | 'net'): number | null =>
    active.reduce<number | null>((total, each) => plusOrNull(total, each[name]), 0);
  const total: SummaryStrategy = {
    strategy: 'total',
    orders: sum('orders'),
    fills: sum('fills'),
    filledQty: sum('filledQty'),
    rejected: sum('rejected'),
    denials: new Map(),
    fee: sum('fee'),
    tax: sum('tax'),
    realised: sum('realised'),
    open: sumOrNull('open'),
    net: sumOrNull('net'),
  };
  const shown = active.length === 1 ? active : [...active, total];
  const idle = strategies.filter((each) => !isActive(each)).map(({ strategy }) => strategy);
  const remarks = [
    ...(idle.length === 0 ? [] : [`Without an order: ${idle.join(', ')}.`]),
    ...active.flatMap(notTaken),
  ].flatMap((text) => wrapText(text, SCREEN_WIDTH));
  return [formatTable(STRATEGY_COLUMNS, shown.map(strategyRow)), ...remarks].join('\n');
}

const isActive = ({ orders, fills, denials, open }: SummaryStrategy): boolean =>
  orders > 0 || fills > 0 || denials.size > 0 || open !== 0;

/** Orders that risk denied and that the broker rejected, in words. */
function notTaken({ strategy, denials, rejected }: SummaryStrategy): readonly string[] {
  const denied = [...denials.values()].reduce((total, count) => total + count, 0);
  const texts = [
    ...(denied === 0 ? [] : [`risk denied ${formatNumber(denied)} (${whyDenied(denials)})`]),
    ...(rejected === 0 ? [] : [`the broker rejected ${formatNumber(rejected)}`]),
  ];
  return texts.length === 0 ? [] : [`${strategy}: ${texts.join(', ')}.`];
}

const strategyRow = (each: SummaryStrategy): readonly string[] => [
  each.strategy,
  formatNumber(each.orders),
  formatNumber(each.fills),
  formatNumber(each.filledQty),
  formatNumber(each.fee + each.tax),
  formatSigned(each.realised),
  signedOrUnknown(each.open),
  signedOrUnknown(each.net),
];

const plusOrNull = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? null : a + b;

const signedOrUnknown = (value: number | null): string => (value === null ? 'unknown' : formatSigned(value));

/** The most frequent first. */
function whyDenied(denials: ReadonlyMap<string, number>): string {
  const rows = [...denials].toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  return rows.map(([code, count]) => `${code} ${count}`).join(', ');
}
