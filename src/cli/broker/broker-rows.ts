/** Answers of the broker as rows of named cells, for tables and JSON. Prices in points, money in VND. */
import type {
  BrokerAccount,
  BrokerClosedPosition,
  BrokerOrder,
  BrokerPosition,
  BrokerTriggerOrder,
  CashBalance,
  ClosedTotal,
  ContractQuote,
  LoanPackages,
  StockHolding,
} from '../../domain/broker-order.ts';
import { type ContractSpec, pointsOf } from '../../domain/contract.ts';
import type { PriceHundredths, PriceTicks } from '../../domain/units.ts';
import { formatNumber } from '../../text/numbers.ts';
import { formatTable } from '../../text/table.ts';

export type Cell = string | number | boolean | null;
export type Row = Readonly<Record<string, Cell>>;
export type SpecOf = (code: string) => ContractSpec | undefined;

export function rowsTable(rows: readonly Row[]): string {
  const [first] = rows;
  if (first === undefined) return 'none\n';
  const head = Object.keys(first);
  const cells = rows.map((row) => head.map((key) => cellText(row[key] ?? null)));
  return `${formatTable(head, cells)}\n`;
}

function cellText(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no';
  return typeof cell === 'number' ? formatNumber(cell) : cell;
}

const points = (spec: ContractSpec | undefined, price: PriceTicks | null): number | null =>
  spec === undefined || price === null ? null : pointsOf(spec, price);
const hundredths = (price: PriceHundredths | null): number | null => (price === null ? null : price / 100);

/** One figure a line. */
export const accountRows = (account: BrokerAccount): readonly Row[] =>
  Object.entries({
    cash: account.cash,
    'net asset value': account.netAssetValue,
    'initial margin': account.initialMargin,
    'required margin': account.requiredMargin,
    'buying power': account.buyingPower,
    'profit of the day': account.profit,
    'fees and tax not yet taken': account.uncollected,
    'fees of the day': account.fee,
    'tax of the day': account.tax,
    'margin used, percent': account.usageBps / 100,
  }).map(([figure, value]) => ({ figure, value }));

export const positionRow = ({ orderCode, qty, lastPrice, openProfit }: BrokerPosition): Row => ({
  contract: orderCode,
  qty,
  last: hundredths(lastPrice),
  'open profit': openProfit,
});

export const orderRow =
  (specOf: SpecOf) =>
  (order: BrokerOrder): Row => {
    const spec = specOf(order.orderCode);
    return {
      order: order.orderNo,
      contract: order.orderCode,
      side: order.side,
      qty: order.qty,
      price: points(spec, order.limitPrice),
      filled: order.filledQty,
      'filled value': order.filledValue?.value ?? null,
      status: order.status,
      letters: order.statusText,
      source: order.source,
      'our id': order.refId,
      reason: order.reason,
    };
  };

export const conditionRow =
  (specOf: SpecOf) =>
  (order: BrokerTriggerOrder): Row => {
    const spec = specOf(order.orderCode);
    return {
      key: order.orderKey,
      order: order.orderNo,
      kind: order.kind,
      contract: order.orderCode,
      side: order.side,
      qty: order.qty,
      price: points(spec, order.limitPrice),
      trigger: points(spec, order.triggerPrice),
      when: order.triggerWhen,
      status: order.status,
      letters: order.statusText,
      children: order.children.join(' '),
    };
  };

export const quoteRow =
  (specOf: SpecOf) =>
  (quote: ContractQuote): Row => {
    const spec = specOf(quote.orderCode);
    return {
      contract: quote.orderCode,
      ceiling: points(spec, quote.ceiling),
      floor: points(spec, quote.floor),
      reference: hundredths(quote.reference),
      last: points(spec, quote.lastPrice),
      expiry: quote.expiry,
    };
  };

/** The broker's own sums stand last. */
export const closedRows = (
  positions: readonly BrokerClosedPosition[],
  total: ClosedTotal | null,
): readonly Row[] => [
  ...positions.map((row) => ({
    contract: row.orderCode,
    side: row.side,
    closed: row.closedQty,
    of: row.totalQty,
    opened: hundredths(row.averageOpen),
    left: hundredths(row.averageClose),
    ...sums(row),
    time: row.time,
  })),
  ...(total === null
    ? []
    : [
        {
          contract: 'TOTAL',
          side: '',
          closed: null,
          of: null,
          opened: null,
          left: null,
          ...sums(total),
          time: '',
        },
      ]),
];

const sums = ({ closedProfit, openProfit, fee, tax }: ClosedTotal): Row => ({
  profit: closedProfit,
  'open profit': openProfit,
  fee,
  tax,
});

export const holdingRow = (row: StockHolding): Row => ({
  symbol: row.symbol,
  shares: row.qty,
  available: row.availableQty,
  'average price': row.averagePrice,
  value: row.marketValue,
});

export const cashRow = (row: CashBalance): Row => ({
  account: row.accountNo,
  cash: row.cash,
  balance: row.balance,
  withdrawable: row.withdrawable,
  buying: row.buying,
  blocked: row.blocked,
  'purchasing power': row.purchasingPower,
});

export const loanRows = ({ packages, tiered }: LoanPackages): readonly Row[] => [
  ...packages.map(({ id, name, code, subscriptionFee, status }) => ({
    kind: 'package',
    id: String(id),
    name,
    code,
    fee: subscriptionFee,
    rate: null,
    status,
  })),
  ...tiered.map(({ id, name, firstRate, status }) => ({
    kind: 'tiered',
    id: String(id),
    name,
    code: '',
    fee: null,
    rate: firstRate,
    status,
  })),
];
