import type { OrderRow } from '../../app/inspect/read-orders.ts';
import type {
  JournalRow,
  PnlRow,
  PositionRow,
  SessionHead,
  StateView,
} from '../../app/inspect/read-state.ts';
import { formatTime } from '../../domain/civil-date.ts';
import { tsUs } from '../../domain/units.ts';
import { formatNumber } from '../../text/numbers.ts';
import { formatTable } from '../../text/table.ts';

export function ordersTable(view: StateView<OrderRow>): string {
  const head = [
    'time',
    'strategy',
    'order',
    'no.',
    'contract',
    'side',
    'qty',
    'limit',
    'filled',
    'average',
    'status',
    'why',
  ];
  const rows = view.rows.map((row) => [
    timeOf(view, row.tsUs),
    row.strategy,
    row.clientOrderId,
    row.orderNo ?? '',
    row.orderCode,
    row.side,
    String(row.qty),
    row.limitPoints ?? 'market',
    String(row.filledQty),
    pointsOf(row.avgPoints),
    row.status,
    row.detail,
  ]);
  return `${heading(view)}${orNone(head, rows, 'no orders')}`;
}

export function positionsTable(view: StateView<PositionRow>): string {
  const head = ['strategy', 'contract', 'qty', 'average', 'realised VND'];
  const rows = view.rows.map((row) => [
    row.strategy,
    row.orderCode,
    row.qty > 0 ? `+${row.qty}` : String(row.qty),
    pointsOf(row.avgPoints),
    formatNumber(row.realised),
  ]);
  return `${heading(view)}${orNone(head, rows, 'flat: no positions')}`;
}

export function pnlTable(view: StateView<PnlRow>): string {
  const head = [
    'strategy',
    'orders',
    'fills',
    'qty',
    'denied',
    'rejected',
    'realised',
    'fee',
    'tax',
    'net VND',
  ];
  const total: PnlRow = view.rows.reduce((sum, row) => added(sum, row), { ...NOTHING });
  const shown = view.rows.length > 1 ? [...view.rows, total] : view.rows;
  const rows = shown.map((row) => [
    row.strategy,
    ...[row.orders, row.fills, row.filledQty, row.denied, row.rejected].map(String),
    ...[row.realised, row.fee, row.tax, row.net].map(formatNumber),
  ]);
  return `${heading(view)}${orNone(head, rows, 'nothing traded')}Open positions are not in these figures.\n`;
}

export function journalTable(view: StateView<JournalRow>): string {
  const head = ['id', 'time', 'strategy', 'kind', 'fact'];
  const rows = view.rows.map((row) => [
    String(row.id),
    timeOf(view, row.tsUs),
    row.strategy ?? '',
    row.kind,
    Object.entries(row.body)
      .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
      .join(' '),
  ]);
  return `${heading(view)}${orNone(head, rows, 'nothing written')}`;
}

const NOTHING: PnlRow = {
  strategy: 'all',
  orders: 0,
  fills: 0,
  filledQty: 0,
  denied: 0,
  rejected: 0,
  realised: 0,
  fee: 0,
  tax: 0,
  net: 0,
};

const added = (sum: PnlRow, row: PnlRow): PnlRow => ({
  strategy: sum.strategy,
  orders: sum.orders + row.orders,
  fills: sum.fills + row.fills,
  filledQty: sum.filledQty + row.filledQty,
  denied: sum.denied + row.denied,
  rejected: sum.rejected + row.rejected,
  realised: sum.realised + row.realised,
  fee: sum.fee + row.fee,
  tax: sum.tax + row.tax,
  net: sum.net + row.net,
});

const heading = ({ session, utcOffsetMinutes }: SessionHead): string =>
  `session ${session}, times ${utcOffsetMinutes === null ? 'in UTC' : 'of the exchange'}\n`;

const orNone = (head: readonly string[], rows: readonly (readonly string[])[], none: string): string =>
  rows.length === 0 ? `${none}\n` : `${formatTable(head, rows)}\n`;

const timeOf = ({ utcOffsetMinutes }: SessionHead, at: number): string =>
  formatTime(tsUs(at), utcOffsetMinutes ?? 0);

const pointsOf = (points: number | null): string => (points === null ? '' : points.toFixed(2));
