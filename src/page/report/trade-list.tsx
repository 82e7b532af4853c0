/** The list of trades, a page at a time, in the order of any column. */
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ReportData, ReportTrade } from '../../research/report/report-model.ts';
import { DAY, HOUR, MINUTE } from '../../text/durations.ts';
import { momentText, moneyText } from '../charts/axis-text.ts';

/** A row is a card on a phone. */
const ROWS = matchMedia('(max-width: 44rem)').matches ? 8 : 25;

interface TradeColumn {
  readonly name: string;
  readonly title: string;
  readonly value: (trade: ReportTrade) => string | number;
  /** Absent: the value. */
  readonly text?: (trade: ReportTrade) => string;
  readonly isMoney?: boolean;
  readonly isWords?: boolean;
  /** Takes a line of its card for itself. */
  readonly isWide?: boolean;
}

function columnsOf(data: ReportData): readonly TradeColumn[] {
  const { trades, prices, utcOffsetMinutes, moneyDigits } = data;
  const money = (name: string, title: string, value: (trade: ReportTrade) => number): TradeColumn => ({
    name,
    title,
    value,
    text: (trade) => moneyText(value(trade), moneyDigits),
    isMoney: true,
  });
  const hasStrategies = new Set(trades.map(({ strategy }) => strategy)).size > 1;
  const decimals = Math.max(0, ...prices.map((each) => each.decimals));
  const price = new Intl.NumberFormat('en-US', {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals + 2,
  });
  const strategy: TradeColumn = {
    name: 'strategy',
    title: '',
    value: (trade) => trade.strategy,
    isWords: true,
  };
  return [
    {
      name: 'entry',
      title: 'time of the entry',
      value: (trade) => trade.entrySeconds,
      text: (trade) => momentText(trade.entrySeconds, utcOffsetMinutes),
      isWords: true,
    },
    ...(hasStrategies ? [strategy] : []),
    {
      name: 'trade',
      title: 'side and contracts',
      value: (trade) => trade.direction,
      text: ({ direction, qty, symbol }) => `${direction} ${qty} ${symbol}`,
      isWords: true,
    },
    {
      name: 'prices',
      title: 'mean price of the entry and of the exit',
      value: (trade) => trade.entryPrice,
      text: (trade) => `${price.format(trade.entryPrice)} → ${price.format(trade.exitPrice)}`,
      isWide: true,
    },
    {
      name: 'held',
      title: 'time from entry to exit',
      value: (trade) => trade.exitSeconds - trade.entrySeconds,
      text: (trade) => spanText(trade.exitSeconds - trade.entrySeconds) + (trade.isOpen ? ', open' : ''),
    },
    money('MAE', 'maximum adverse excursion: the largest open loss, before costs', ({ adverse }) => adverse),
    money(
      'MFE',
      'maximum favourable excursion: the largest open gain, before costs',
      ({ favourable }) => favourable,
    ),
    money('costs', 'fees and tax', ({ costs }) => costs),
    money('net profit', 'after costs', ({ profit }) => profit),
  ];
}

function spanText(seconds: number): string {
  if (seconds >= DAY) return `${(seconds / DAY).toFixed(1)} d`;
  if (seconds >= HOUR) return `${Math.floor(seconds / HOUR)} h ${Math.floor((seconds % HOUR) / MINUTE)} min`;
  return seconds >= MINUTE ? `${Math.floor(seconds / MINUTE)} min ${seconds % MINUTE} s` : `${seconds} s`;
}

interface SortOrder {
  readonly column: number;
  readonly isFalling: boolean;
}

export function TradeList(data: ReportData): VNode {
  const { trades } = data;
  const columns = columnsOf(data);
  const [order, setOrder] = useState<SortOrder>({ column: 0, isFalling: false });
  const [page, setPage] = useState(0);
  const pages = Math.ceil(trades.length / ROWS);
  const sorted = sortedBy(trades, columns[order.column], order.isFalling);
  const choose = (column: number): void => {
    setOrder({ column, isFalling: column === order.column ? !order.isFalling : false });
    setPage(0);
  };
  return (
    <>
      <div class="scrolled">
        <table class="cards trades">
          <thead>
            <tr>
              {columns.map(({ name, title, isWords }, i) => (
                <th
                  key={name}
                  scope="col"
                  class={isWords === true ? 'text' : ''}
                  aria-sort={order.column === i ? (order.isFalling ? 'descending' : 'ascending') : 'none'}
                >
                  <button type="button" title={title} onClick={() => choose(i)}>
                    {name}
                    {order.column === i ? (order.isFalling ? ' ↓' : ' ↑') : ''}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {sorted.slice(page * ROWS, (page + 1) * ROWS).map((trade, i) => (
              <tr key={i}>
                {columns.map((column) => (
                  <td key={column.name} data-label={column.name} class={kindOf(column, trade)}>
                    {column.text?.(trade) ?? column.value(trade)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {pages > 1 && (
        <div class="pages" role="group" aria-label="Pages of the list">
          <button type="button" disabled={page === 0} onClick={() => setPage(page - 1)}>
            ← before
          </button>
          <span aria-live="polite">
            {page * ROWS + 1} to {Math.min(trades.length, (page + 1) * ROWS)} of {moneyText(trades.length, 0)}
          </span>
          <button type="button" disabled={page === pages - 1} onClick={() => setPage(page + 1)}>
            next →
          </button>
        </div>
      )}
    </>
  );
}

function kindOf(
  { isMoney = false, isWords = false, isWide = false, value, name }: TradeColumn,
  trade: ReportTrade,
): string {
  if (isWords) return 'text wide';
  if (isWide) return 'number wide';
  const amount = value(trade);
  if (!isMoney || name === 'costs' || typeof amount !== 'number' || amount === 0) return 'number';
  return amount < 0 ? 'number loss' : 'number gain';
}

function sortedBy(
  trades: readonly ReportTrade[],
  column: TradeColumn | undefined,
  isFalling: boolean,
): readonly ReportTrade[] {
  if (column === undefined) return trades;
  const { value } = column;
  const sorted = trades.toSorted((a, b) => {
    const [one, other] = [value(a), value(b)];
    return one < other ? -1 : one > other ? 1 : 0;
  });
  return isFalling ? sorted.toReversed() : sorted;
}
