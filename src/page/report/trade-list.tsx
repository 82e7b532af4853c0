/** The list of trades, a page at a time, in the order of any column. */
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ReportData, ReportTrade } from '../../research/report/report-model.ts';
import { US_PER_SECOND } from '../../domain/units.ts';
import { formatSpan } from '../../text/durations.ts';
import { momentText, moneyText } from '../charts/axis-text.ts';

/** A row is a card on a phone. */
const ROWS = matchMedia('(max-width: 44rem)').matches ? 8 : 25;

interface TradeColumn {
  readonly name: string;
  readonly title: string;
  readonly value: (trade: ReportTrade) => string | number;
  /** Absent: the value. */
  readonly text?: (trade: ReportTrade) => string;
  /** `money` has the colour of its sign; `wide` takes a line of its card for itself. */
  readonly kind?: 'money' | 'words' | 'wide';
}

function columnsOf({ trades, prices, utcOffsetMinutes, moneyDigits }: ReportData): readonly TradeColumn[] {
  const money = (name: string, title: string, value: (trade: ReportTrade) => number): TradeColumn => ({
    name,
    title,
    value,
    text: (trade) => moneyText(value(trade), moneyDigits),
    kind: 'money',
  });
  const hasStrategies = new Set(trades.map(({ strategy }) => strategy)).size > 1;
  const decimals = Math.max(0, ...prices.map((each) => each.decimals));
  const price = new Intl.NumberFormat('en-US', {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals + 2,
  });
  const strategy = { name: 'strategy', title: '', kind: 'words' } as const;
  return [
    {
      name: 'entry',
      title: 'time of the entry',
      value: (trade) => trade.entrySeconds,
      text: (trade) => momentText(trade.entrySeconds, utcOffsetMinutes),
      kind: 'words',
    },
    ...(hasStrategies ? [{ ...strategy, value: (trade: ReportTrade) => trade.strategy }] : []),
    {
      name: 'trade',
      title: 'side and contracts',
      value: (trade) => trade.direction,
      text: ({ direction, qty, symbol }) => `${direction} ${qty} ${symbol}`,
      kind: 'words',
    },
    {
      name: 'prices',
      title: 'mean price of the entry and of the exit',
      value: (trade) => trade.entryPrice,
      text: (trade) => `${price.format(trade.entryPrice)} → ${price.format(trade.exitPrice)}`,
      kind: 'wide',
    },
    {
      name: 'held',
      title: 'time from entry to exit',
      value: (trade) => trade.exitSeconds - trade.entrySeconds,
      text: ({ entrySeconds, exitSeconds, isOpen }) =>
        formatSpan((exitSeconds - entrySeconds) * US_PER_SECOND) + (isOpen ? ', open' : ''),
    },
    money('MAE', 'maximum adverse excursion: the largest open loss, before costs', (trade) => trade.adverse),
    money('MFE', 'maximum favourable excursion: the largest gain, before costs', (trade) => trade.favourable),
    {
      name: 'costs',
      title: 'fees and tax',
      value: (trade) => trade.costs,
      text: (trade) => moneyText(trade.costs, moneyDigits),
    },
    money('net profit', 'after costs', (trade) => trade.profit),
  ];
}

const NO_ORDER = { column: 0, isFalling: false, page: 0 };

export function TradeList(data: ReportData): VNode {
  const { trades } = data;
  const columns = columnsOf(data);
  const [shown, setShown] = useState(NO_ORDER);
  const { column: chosen, isFalling, page } = shown;
  const pages = Math.ceil(trades.length / ROWS);
  const sorted = sortedBy(trades, columns[chosen], isFalling);
  const choose = (column: number): void =>
    setShown({ column, isFalling: column === chosen && !isFalling, page: 0 });
  const turn = (by: number): void => setShown({ ...shown, page: page + by });
  return (
    <>
      <div class="scrolled">
        <table class="cards trades">
          <thead>
            <tr>
              {columns.map(({ name, title, kind }, i) => (
                <th
                  key={name}
                  scope="col"
                  class={kind === 'words' ? 'text' : ''}
                  aria-sort={chosen === i ? (isFalling ? 'descending' : 'ascending') : 'none'}
                >
                  <button type="button" title={title} onClick={() => choose(i)}>
                    {name}
                    {chosen === i ? (isFalling ? ' ↓' : ' ↑') : ''}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {sorted.slice(page * ROWS, (page + 1) * ROWS).map((trade, i) => (
              <tr key={i}>
                {columns.map((column) => (
                  <td key={column.name} data-label={column.name} class={classOf(column, trade)}>
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
          <button type="button" disabled={page === 0} onClick={() => turn(-1)}>
            ← before
          </button>
          <span aria-live="polite">
            {page * ROWS + 1} to {Math.min(trades.length, (page + 1) * ROWS)} of {moneyText(trades.length, 0)}
          </span>
          <button type="button" disabled={page === pages - 1} onClick={() => turn(1)}>
            next →
          </button>
        </div>
      )}
    </>
  );
}

function classOf({ kind, value }: TradeColumn, trade: ReportTrade): string {
  if (kind === 'words') return 'text wide';
  if (kind === 'wide') return 'number wide';
  const amount = Number(value(trade));
  if (kind !== 'money' || amount === 0) return 'number';
  return amount < 0 ? 'number loss' : 'number gain';
}

function sortedBy(trades: readonly ReportTrade[], column: TradeColumn | undefined, isFalling: boolean) {
  if (column === undefined) return trades;
  const sign = isFalling ? -1 : 1;
  return trades.toSorted((a, b) => {
    const [one, other] = [column.value(a), column.value(b)];
    return one === other ? 0 : one < other ? -sign : sign;
  });
}
