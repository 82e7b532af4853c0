/** Reads of the broker, one command an operation. */
import type { Command } from 'commander';
import type { ManualTrader } from '../../app/manual/manual-trader.ts';
import {
  accountRows,
  cashRow,
  closedRows,
  conditionRow,
  holdingRow,
  loanRows,
  orderRow,
  positionRow,
  quoteRow,
  type Row,
  rowsTable,
} from './broker-rows.ts';
import { brokerCommand, type BrokerFlags, needToken, withBroker } from './broker-session.ts';
import { type CliContext, CliFailure, EXIT, printJson } from '../cli-io.ts';

interface ReadFlags extends BrokerFlags {
  readonly symbol?: string;
}

interface ReadCommand {
  /** Name of the operation. */
  readonly name: string;
  readonly description: string;
  /** Help text of the account argument, for reads that take one. */
  readonly account?: string;
  readonly bySymbol?: boolean;
  read(trader: ManualTrader, account: string, flags: ReadFlags): Promise<Answer>;
}

type Answer =
  | { readonly ok: true; readonly rows: readonly Row[] }
  | { readonly ok: false; readonly reason: string };

const READ = { priority: 'lookup' } as const;

/** The answer of a read that brought a value. */
async function rowsOf<T>(
  read: Promise<{ readonly ok: true; readonly value: T } | { readonly ok: false; readonly reason: string }>,
  toRows: (value: T) => readonly Row[],
): Promise<Answer> {
  const result = await read;
  return result.ok ? { ok: true, rows: toRows(result.value) } : result;
}

interface BookWalk<Order> {
  readonly complete: boolean;
  readonly orders: readonly Order[];
  readonly reason: string;
}

/** A partly read book is a failure, not a shorter book. */
async function bookRows<Order>(
  walk: Promise<BookWalk<Order>>,
  toRow: (order: Order) => Row,
): Promise<Answer> {
  const { complete, orders, reason } = await walk;
  return complete ? { ok: true, rows: orders.map(toRow) } : { ok: false, reason };
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
    read: ({ rest }) => rowsOf(rest.account(READ), accountRows),
  },
  {
    name: 'positions',
    description: 'open positions',
    read: ({ rest }) => rowsOf(rest.positions(READ), (rows) => rows.map(positionRow)),
  },
  {
    name: 'closed-positions',
    description: 'what was closed today',
    bySymbol: true,
    read: ({ rest }, _account, { symbol }) =>
      rowsOf(rest.accounts.closedPositions(symbol ?? null, READ), ({ positions, total }) =>
        closedRows(positions, total),
      ),
  },
  {
    name: 'in-day',
    description: "today's normal orders",
    read: ({ rest, specOf }) => bookRows(rest.inDayBook(READ), orderRow(specOf)),
  },
  {
    name: 'conditions',
    description: 'orders that wait for a price: stops, halves of brackets, arbitrage',
    read: ({ rest, specOf }) => bookRows(rest.conditions.book(READ), conditionRow(specOf)),
  },
  {
    name: 'derivatives',
    description: 'ceiling, floor, reference and last price of each contract',
    read: ({ rest, specOf }) => rowsOf(rest.quotes(READ), (rows) => rows.map(quoteRow(specOf))),
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
      rowsOf(rest.accounts.stockAssets(account, READ), (rows) => rows.map(holdingRow)),
  },
  {
    name: 'cash-balance',
    description: 'cash of a sub-account',
    account: 'sub-account',
    read: ({ rest }, account) =>
      rowsOf(rest.accounts.cashBalance(account, READ), (rows) => rows.map(cashRow)),
  },
  {
    name: 'loan-packages',
    description: 'supplementary loan packages of a margin account',
    account: 'margin sub-account',
    read: ({ rest }, account) => rowsOf(rest.accounts.loanPackages(account, READ), loanRows),
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
      if (!answer.ok) throw new CliFailure(EXIT.failed, `${each.name} could not be read: ${answer.reason}`);
      if (flags.json === true) printJson(context.io, answer.rows);
      else context.io.out(rowsTable(answer.rows));
    });
  }
}
