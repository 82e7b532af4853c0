/** The customers of a simulator file, and what no schema can see: that they do not contradict themselves or each other. */
import { money } from '../../domain/units.ts';
import {
  type AccountSettings,
  subAccountNo,
  type SubAccountSettings,
  threeSubAccounts,
} from '../../simulator/accounts/account-settings.ts';
import type { AccountEntry, SubAccountEntry } from './simulator-file.ts';

/** What is wrong, and at which place of the file. */
export interface AccountProblem {
  readonly path: readonly (string | number)[];
  readonly expected: string;
}

export const accountsOf = (entries: readonly AccountEntry[]): readonly AccountSettings[] =>
  entries.map(({ custodyCode, apiKey, otp, name, cash, subAccounts }) => ({
    custodyCode,
    apiKey,
    otp,
    name,
    subAccounts:
      subAccounts === undefined
        ? threeSubAccounts(custodyCode, cash ?? { normal: 0, margin: 0, derivative: 0 })
        : subAccounts.map((entry, at) => subAccountOf(custodyCode, entry, subAccounts, at)),
  }));

function subAccountOf(
  custodyCode: string,
  entry: SubAccountEntry,
  all: readonly SubAccountEntry[],
  at: number,
): SubAccountSettings {
  const isNamed = all.some((other) => other.default === true);
  return {
    accountNo: entry.accountNo ?? subAccountNo(custodyCode, entry.type),
    type: entry.type,
    cash: entry.cash,
    isActive: entry.active,
    // The first one that holds cash, unless the file says which.
    isDefault: isNamed ? entry.default === true : at === all.findIndex(({ type }) => type !== 'DERIVATIVE'),
    stocks: entry.stocks.map(({ quantity, ...row }) => ({ ...row, qty: quantity })),
    stockOrders: entry.stockOrders.map(({ quantity, ...row }) => ({ ...row, qty: quantity })),
    packages: {
      packages: entry.loanPackages.map((row) => ({ ...row, subscriptionFee: money(row.subscriptionFee) })),
      tiered: entry.tPlusPackages,
    },
  };
}

export function accountProblems(entries: readonly AccountEntry[]): readonly AccountProblem[] {
  const accounts = accountsOf(entries);
  const paths = accounts.map((_, at) => ['accounts', at] as const);
  return [
    ...repeated(
      accounts,
      ({ custodyCode }) => custodyCode,
      (at) => ['accounts', at, 'custodyCode'],
    ),
    ...repeated(
      accounts,
      ({ apiKey }) => apiKey,
      (at) => ['accounts', at, 'apiKey'],
    ),
    ...entries.flatMap(({ cash, subAccounts }, at) =>
      cash !== undefined && subAccounts !== undefined
        ? [{ path: ['accounts', at, 'cash'], expected: 'cash or subAccounts, not both' }]
        : [],
    ),
    ...numberProblems(accounts),
    ...accounts.flatMap(({ subAccounts }, at) =>
      subAccounts.flatMap((row, i) => ownProblems(row, [...(paths[at] ?? []), 'subAccounts', i])),
    ),
  ];
}

function repeated<T>(
  rows: readonly T[],
  keyOf: (row: T) => string,
  pathOf: (at: number) => readonly (string | number)[],
): AccountProblem[] {
  return rows.flatMap((row, at) =>
    rows.findIndex((other) => keyOf(other) === keyOf(row)) === at
      ? []
      : [{ path: pathOf(at), expected: `one that no entry before it has, not ${keyOf(row)} again` }],
  );
}

/** No number twice, over all customers; at most one default and one derivative account each. */
function numberProblems(accounts: readonly AccountSettings[]): AccountProblem[] {
  const rows = accounts.flatMap(({ subAccounts }, at) =>
    subAccounts.map((row, i) => ({ ...row, at, path: ['accounts', at, 'subAccounts', i] })),
  );
  const second = (is: (row: SubAccountSettings) => boolean, expected: string): AccountProblem[] =>
    accounts.flatMap((_, at) =>
      rows
        .filter((row) => row.at === at && is(row))
        .slice(1)
        .map(({ path }) => ({ path, expected })),
    );
  return [
    ...repeated(
      rows,
      ({ accountNo }) => accountNo,
      (at) => rows[at]?.path ?? [],
    ),
    ...second(({ type }) => type === 'DERIVATIVE', 'at most one DERIVATIVE account of a customer'),
    ...second(({ isDefault }) => isDefault, 'at most one default account of a customer'),
  ];
}

function ownProblems(row: SubAccountSettings, path: readonly (string | number)[]): AccountProblem[] {
  const { type, cash, stocks, stockOrders, packages } = row;
  const problems: AccountProblem[] = [];
  const wrong = (key: string, expected: string): void =>
    void problems.push({ path: [...path, key], expected });
  if (type === 'DERIVATIVE' && stocks.length + stockOrders.length > 0)
    wrong(stocks.length > 0 ? 'stocks' : 'stockOrders', 'shares in a NORMAL or MARGIN account');
  if (type !== 'MARGIN' && packages.packages.length + packages.tiered.length > 0)
    wrong(packages.packages.length > 0 ? 'loanPackages' : 'tPlusPackages', 'packages of a MARGIN account');
  const bought = stockOrders.filter(({ side }) => side === 'buy');
  if (bought.reduce((sum, { qty, price }) => sum + qty * price, 0) > cash)
    wrong('stockOrders', 'orders to buy for no more than the cash of the account');
  for (const { symbol } of stockOrders.filter(({ side }) => side === 'sell')) {
    const sold = stockOrders.filter((order) => order.side === 'sell' && order.symbol === symbol);
    const held = stocks.filter((stock) => stock.symbol === symbol);
    if (totalOf(sold) > totalOf(held))
      wrong('stockOrders', `orders to sell no more ${symbol} than the account holds`);
  }
  problems.push(
    ...repeated(
      stocks,
      ({ symbol }) => symbol,
      (at) => [...path, 'stocks', at, 'symbol'],
    ),
    ...repeated(
      stockOrders,
      ({ orderId }) => orderId,
      (at) => [...path, 'stockOrders', at, 'orderId'],
    ),
  );
  return problems;
}

const totalOf = (rows: readonly { readonly qty: number }[]): number =>
  rows.reduce((total, { qty }) => total + qty, 0);
