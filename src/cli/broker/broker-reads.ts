/** Reads of the broker, one command an operation. Answers are rows of named cells, for tables and JSON: prices in points, money in VND. */
import type { Command } from 'commander';
import type { ManualTrader } from '../../daemon/edge/manual-trader.ts';
import type { ClosedTotal } from '../../domain/broker-order.ts';
import { type ContractSpec, pointsOf } from '../../domain/contract.ts';
import type { PriceHundredths, PriceTicks } from '../../domain/units.ts';
import { formatNumber } from '../../text/numbers.ts';
import { formatTable } from '../../text/table.ts';
import { type CliContext, jsonText, failed } from '../cli-io.ts';
import { brokerCommand, type BrokerFlags, needToken, READ, withBroker } from './broker-session.ts';

interface ReadFlags extends BrokerFlags {
  readonly symbol?: string;
}

interface ReadCommand {
  readonly name: string;
  readonly description: string;
  /** Help text of the account argument, for reads that take one. */
  readonly account?: string;
  readonly bySymbol?: boolean;
  read(trader: ManualTrader, account: string, flags: ReadFlags): Promise<RowsResult>;
}

type RowRead<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reason: string };
type RowsResult = RowRead<readonly BrokerRow[]>;

async function rowsOf<T>(
  read: Promise<RowRead<T>>,
  toRows: (value: T) => readonly BrokerRow[],
): Promise<RowsResult> {
  const result = await read;
  return result.ok ? { ok: true, value: toRows(result.value) } : result;
}

/** A partly read book is a failure, not a shorter book. */
async function bookRows<Order>(
  scan: Promise<{ readonly complete: boolean; readonly orders: readonly Order[]; readonly reason: string }>,
  toRow: (order: Order) => BrokerRow,
): Promise<RowsResult> {
  const { complete, orders, reason } = await scan;
  return complete ? { ok: true, value: orders.map(toRow) } : { ok: false, reason };
}

const READS: readonly ReadCommand[] = [
  {
    name: 'profile',
    description: 'sub-accounts of the custody account',
    read: ({ rest }) =>
      rowsOf(rest.subAccounts(READ), (accounts) =>
        accounts.map((row) => ({
          account: row.accountNo,
          type: row.accountType,
          name: row.name,
          'type name': row.typeName,
          bank: row.bankCode,
          active: row.isActive,
          default: row.isDefault,
        })),
      ),
  },
  {
    name: 'account-status',
    description: 'money and margin of the derivative account',
    // One figure a line.
    read: ({ rest }) =>
      rowsOf(rest.account(READ), (account) =>
        Object.entries({
          cash: account.cash,
          'net asset value': account.netAssetValue,
          'initial margin': account.initialMargin,
          'required for margin, loss and costs of the day': account.requiredMargin,
          'buying power': account.buyingPower,
          'profit of the day': account.profit,
          'fees and tax not yet taken': account.uncollected,
          'fees of the day': account.fee,
          'tax of the day': account.tax,
          'margin used, percent': account.usageBps / 100,
        }).map(([figure, value]) => ({ figure, value })),
      ),
  },
  {
    name: 'positions',
    description: 'open positions',
    read: ({ rest }) =>
      rowsOf(rest.positions(READ), (positions) =>
        positions.map(({ orderCode, qty, lastPrice, openProfit }) => ({
          contract: orderCode,
          qty,
          last: hundredths(lastPrice),
          'open profit': openProfit,
        })),
      ),
  },
  {
    name: 'closed-positions',
    description: 'what was closed today',
    bySymbol: true,
    // The broker's own sums come last.
    read: ({ rest }, _account, { symbol }) =>
      rowsOf(rest.accounts.closedPositions(symbol ?? null, READ), ({ positions, total }) => [
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
        ...(total === null ? [] : [{ contract: 'TOTAL', ...sums(total) }]),
      ]),
  },
  {
    name: 'in-day',
    description: "today's normal orders",
    read: ({ rest, specOf }) =>
      bookRows(rest.inDayBook(READ), (order) => ({
        order: order.orderNo,
        contract: order.orderCode,
        side: order.side,
        qty: order.qty,
        price: points(specOf(order.orderCode), order.limitPrice),
        filled: order.filledQty,
        'filled value': order.filledValue?.value ?? null,
        status: order.status,
        letters: order.statusText,
        source: order.source,
        'our id': order.refId,
        reason: order.reason,
      })),
  },
  {
    name: 'conditions',
    description: 'orders that wait for a price: stops, halves of brackets, arbitrage',
    read: ({ rest, specOf }) =>
      bookRows(rest.conditions.book(READ), (order) => ({
        key: order.orderKey,
        order: order.orderNo,
        kind: order.kind,
        contract: order.orderCode,
        side: order.side,
        qty: order.qty,
        price: points(specOf(order.orderCode), order.limitPrice),
        trigger: points(specOf(order.orderCode), order.triggerPrice),
        when: order.triggerWhen,
        status: order.status,
        letters: order.statusText,
        children: order.children.join(' '),
      })),
  },
  {
    name: 'derivatives',
    description: 'ceiling, floor, reference and last price of each contract',
    read: ({ rest, specOf }) =>
      rowsOf(rest.quotes(READ), (quotes) =>
        quotes.map((quote) => ({
          contract: quote.orderCode,
          ceiling: points(specOf(quote.orderCode), quote.ceiling),
          floor: points(specOf(quote.orderCode), quote.floor),
          reference: hundredths(quote.reference),
          last: points(specOf(quote.orderCode), quote.lastPrice),
          expiry: quote.expiry,
        })),
      ),
  },
  {
    name: 'contracts',
    description: "the price stream's codes",
    read: ({ rest }) =>
      rowsOf(rest.contracts(READ), (rows) => rows.map(({ code, expiry }) => ({ code, expiry }))),
  },
  {
    name: 'stock-assets',
    description: 'shares of a sub-account',
    account: 'normal or margin sub-account',
    read: ({ rest }, account) =>
      rowsOf(rest.accounts.stockAssets(account, READ), (holdings) =>
        holdings.map((row) => ({
          symbol: row.symbol,
          shares: row.qty,
          available: row.availableQty,
          'average price': row.averagePrice,
          value: row.marketValue,
        })),
      ),
  },
  {
    name: 'cash-balance',
    description: 'cash of a sub-account',
    account: 'sub-account',
    read: ({ rest }, account) =>
      rowsOf(rest.accounts.cashBalance(account, READ), (balances) =>
        balances.map((row) => ({
          account: row.accountNo,
          cash: row.cash,
          balance: row.balance,
          withdrawable: row.withdrawable,
          buying: row.buying,
          blocked: row.blocked,
          'purchasing power': row.purchasingPower,
        })),
      ),
  },
  {
    name: 'loan-packages',
    description: 'supplementary loan packages of a margin account',
    account: 'margin sub-account',
    read: ({ rest }, account) =>
      rowsOf(rest.accounts.loanPackages(account, READ), ({ packages, tiered }) => [
        ...packages.map(({ id, name, code, subscriptionFee: fee, status }) => ({
          kind: 'package',
          id: String(id),
          name,
          code,
          fee,
          rate: null,
          status,
        })),
        ...tiered.map(({ id, name, firstRate: rate, status }) => ({
          kind: 'tiered',
          id: String(id),
          name,
          code: '',
          fee: null,
          rate,
          status,
        })),
      ]),
  },
];

export function addBrokerReads(broker: Command, context: CliContext): void {
  for (const each of READS) {
    const example = `tickwright broker ${each.name}${each.account === undefined ? '' : ' 0001234567'}`;
    const command = brokerCommand(broker, each.name, each.description, example);
    if (each.account !== undefined) command.argument('<account>', each.account);
    if (each.bySymbol === true) command.option('--symbol <code>', 'one contract; all when not given');
    command.action(async (argument: unknown) => {
      const flags = command.opts<ReadFlags>();
      const account = typeof argument === 'string' ? argument : '';
      const answer = await withBroker(flags, context, async (trader) => {
        await needToken(trader);
        return each.read(trader, account, flags);
      });
      if (!answer.ok) throw failed(`${each.name} could not be read: ${answer.reason}`);
      context.io.out(flags.json === true ? jsonText(answer.value) : rowsTable(answer.value));
    });
  }
}

type Cell = string | number | boolean | null;
type BrokerRow = Readonly<Record<string, Cell>>;

function rowsTable(rows: readonly BrokerRow[]): string {
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

const sums = ({ closedProfit, openProfit, fee, tax }: ClosedTotal): BrokerRow => ({
  profit: closedProfit,
  'open profit': openProfit,
  fee,
  tax,
});
