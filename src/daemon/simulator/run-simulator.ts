/** `tickwright simulator`: the broker alone, for any client in any language. */
import { assert } from '../../domain/assert.ts';
import { formatProblem, type Problem } from '../../config/problem.ts';
import { readFile } from '../../config/read-file.ts';
import { readMarket } from '../../config/market-file.ts';
import type { TradingCalendar } from '../../domain/calendar.ts';
import type { CostSchedule } from '../../domain/costs.ts';
import {
  authSettings,
  DEFAULT_OPTIONS,
  readingSettings,
  type SimulatorOptions,
  streamSettings,
  type AccountSettings,
  subAccountNo,
  type SubAccountSettings,
  threeSubAccounts,
} from '../../simulator/simulator-options.ts';
import { describeSimulator, startSimulator } from '../../simulator/start-simulator.ts';
import { type DescribedFault, describeFaults } from '../../simulator/faults/fault.ts';
import { z } from 'zod';
import { durationFrom } from '../../config/values.ts';
import { bpsOf, money } from '../../domain/units.ts';

// Schema of the simulator's own YAML file. Every key has a default: an empty file is the demo.

const amount = z.int().min(0);
const name = z.string().min(1);

const count = z.int().min(1);

const stock = z.strictObject({ symbol: name, quantity: count, averagePrice: amount, marketPrice: amount });

/** Placed elsewhere, and waiting: a client can only cancel it. */
const stockOrder = z.strictObject({
  orderId: name,
  symbol: name,
  side: z.enum(['buy', 'sell']),
  quantity: count,
  price: count,
});

const loanPackage = z.strictObject({
  id: z.int().min(0),
  name,
  code: name,
  subscriptionFee: amount.default(0),
  status: z.string().default('ACTIVE'),
});
const tPlusPackage = z.strictObject({
  id: z.int().min(0),
  name,
  firstRate: z.number().min(0).default(0),
  status: z.string().default('ACTIVE'),
});

const subAccount = z.strictObject({
  type: z.enum(['NORMAL', 'MARGIN', 'DERIVATIVE']),
  accountNo: name.optional(),
  cash: amount.default(0),
  active: z.boolean().default(true),
  default: z.boolean().optional(),
  stocks: z.array(stock).default([]),
  stockOrders: z.array(stockOrder).default([]),
  loanPackages: z.array(loanPackage).default([]),
  tPlusPackages: z.array(tPlusPackage).default([]),
});

const account = z.strictObject({
  custodyCode: z.string().regex(/^\w{10}$/, '10 letters and digits, such as 105C000001'),
  apiKey: name,
  otp: z.string("a text in quotes, such as '123456'").min(4).default('123456'),
  name: name.default('Demo Account'),
  /** Money of one sub-account of each type, for files that need no more. */
  cash: z
    .strictObject({ normal: amount.default(0), margin: amount.default(0), derivative: amount.default(0) })
    .optional(),
  subAccounts: z.array(subAccount).min(1).optional(),
});

const port = z.int().min(0).max(65_535);
const rate = z.number().positive().max(1_000).transform(bpsOf).exactOptional();
const { auth: usualAuth, stream: usualStream, ...usual } = DEFAULT_OPTIONS;
assert(usual.market.kind === 'synthetic', 'the demo makes its own market');

export const simulatorFileSchema = z.strictObject({
  port: port.default(8700),
  controlPort: port.default(0),
  state: name.default('var/simulator'),
  seed: z.int().min(0).default(usual.market.seed),
  startPoints: z.number().positive().default(usual.market.startPoints),
  speed: z.number().positive().default(usual.time.speed),
  tape: name.optional(),
  /** A market file next to this one: real hours and costs in place of the demo's. */
  market: name.optional(),
  codes: z.enum(['legacy', 'coded']).default(usual.codes),
  streamCodes: z.enum(['same', 'internal']).default(usual.streamCodes),
  accounts: z.array(account).min(1).optional(),
  auth: authSettings
    .extend({
      tokenLife: durationFrom('1s', '24h').default(usualAuth.tokenLife),
      appOtpLife: durationFrom('1s', '1h').default(usualAuth.appOtpLife),
      otpIdLife: durationFrom('1s', '24h').default(usualAuth.otpIdLife),
    })
    .prefault({}),
  stream: streamSettings
    .extend({ protocolPingGrace: durationFrom('1s', '5m').default(usualStream.protocolPingGrace) })
    .prefault({}),
  rules: z
    .strictObject({
      changeOfBoth: z.enum(['refuse', 'replace']).exactOptional(),
      repeatedRefId: z.enum(['accept', 'refuse']).exactOptional(),
      gatewayDelay: durationFrom('0ms', '1m').exactOptional(),
      entryPercent: rate,
      warnPercent: rate,
      forcePercent: rate,
      positionMax: count.exactOptional(),
      triggerLife: z.enum(['day', 'contract']).exactOptional(),
      triggersMax: count.exactOptional(),
      stopLossSlipTicks: z.int().min(0).exactOptional(),
    })
    .prefault({}),
  readings: readingSettings.prefault({}),
});

type AccountEntry = z.output<typeof account>;
type SubAccountEntry = z.output<typeof subAccount>;

type Path = readonly (string | number)[];
type AccountProblem = readonly [path: Path, expected: string];

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

function accountProblems(entries: readonly AccountEntry[]): readonly AccountProblem[] {
  const accounts = accountsOf(entries);
  const rows = accounts.flatMap(({ subAccounts }, at) =>
    subAccounts.map((row, i) => ({ ...row, at, path: ['accounts', at, 'subAccounts', i] as const })),
  );
  /** At most one of a customer. */
  const second = (is: (row: SubAccountSettings) => boolean, what: string): readonly AccountProblem[] =>
    accounts.flatMap((_, at) => {
      const [, ...others] = rows.filter((row) => row.at === at && is(row));
      return others.map(({ path }) => [path, `at most one ${what} account of a customer`] as const);
    });
  return [
    ...repeated(accounts, 'custodyCode', (at) => ['accounts', at]),
    ...repeated(accounts, 'apiKey', (at) => ['accounts', at]),
    ...entries.flatMap(({ cash, subAccounts }, at) =>
      cash === undefined || subAccounts === undefined
        ? []
        : [[['accounts', at, 'cash'], 'cash or subAccounts, not both'] as const],
    ),
    ...repeated(rows, 'accountNo', (at) => rows[at]?.path ?? []),
    ...second(({ type }) => type === 'DERIVATIVE', 'DERIVATIVE'),
    ...second(({ isDefault }) => isDefault, 'default'),
    ...rows.flatMap((row) => ownProblems(row, row.path)),
  ];
}

function repeated<Key extends string>(
  rows: readonly Readonly<Record<Key, string>>[],
  key: Key,
  pathOf: (at: number) => Path,
): readonly AccountProblem[] {
  return rows.flatMap((row, at) =>
    rows.findIndex((other) => other[key] === row[key]) === at
      ? []
      : [[[...pathOf(at), key], `one that no entry before it has, not ${row[key]} again`] as const],
  );
}

function ownProblems(row: SubAccountSettings, path: Path): readonly AccountProblem[] {
  const { type, cash, stocks, stockOrders, packages } = row;
  const problems: AccountProblem[] = [];
  const wrong = (key: string, expected: string): void => void problems.push([[...path, key], expected]);
  if (type === 'DERIVATIVE' && stocks.length + stockOrders.length > 0)
    wrong(stocks.length > 0 ? 'stocks' : 'stockOrders', 'shares in a NORMAL or MARGIN account');
  if (type !== 'MARGIN' && packages.packages.length + packages.tiered.length > 0)
    wrong(packages.packages.length > 0 ? 'loanPackages' : 'tPlusPackages', 'packages of a MARGIN account');
  const bought = stockOrders.filter(({ side }) => side === 'buy');
  if (bought.reduce((sum, { qty, price }) => sum + qty * price, 0) > cash)
    wrong('stockOrders', 'orders to buy for no more than the cash of the account');
  const sold = stockOrders.filter(({ side }) => side === 'sell');
  const totalOf = (
    of: readonly { readonly symbol: string; readonly qty: number }[],
    symbol: string,
  ): number => of.reduce((total, each) => (each.symbol === symbol ? total + each.qty : total), 0);
  for (const { symbol } of sold)
    if (totalOf(sold, symbol) > totalOf(stocks, symbol))
      wrong('stockOrders', `orders to sell no more ${symbol} than the account holds`);
  return [
    ...problems,
    ...repeated(stocks, 'symbol', (at) => [...path, 'stocks', at]),
    ...repeated(stockOrders, 'orderId', (at) => [...path, 'stockOrders', at]),
  ];
}

/** As given on the command line; the file, then the demo, fill the rest. */
export interface SimulatorRunOptions {
  readonly port?: number;
  readonly controlPort?: number;
  readonly config?: string;
  readonly fresh?: boolean;
  readonly state?: string;
  readonly seed?: number;
  readonly speed?: number;
  readonly tape?: string;
}

export type SimulatorRun = Awaited<ReturnType<typeof runSimulator>>;

export async function runSimulator(options: SimulatorRunOptions) {
  const running = await startSimulator(simulatorSettings(options));
  return { description: describeSimulator(running), close: () => running.close() };
}

/** The message has a line for each problem of the file. */
class SimulatorConfigError extends Error {
  override readonly name = 'SimulatorConfigError';
}

const NO_FILE: ReadSimulatorFile = { file: simulatorFileSchema.parse({}), market: null };

function simulatorSettings(options: SimulatorRunOptions): Partial<SimulatorOptions> {
  const read = options.config === undefined ? { value: NO_FILE } : readSimulatorFile(options.config);
  if ('problems' in read) throw new SimulatorConfigError(read.problems.map(formatProblem).join('\n'));
  const { file, market } = read.value;
  const tape = options.tape ?? file.tape;
  const { entryPercent: entryBps, warnPercent: warnBps, forcePercent: forceBps, ...rules } = file.rules;
  return {
    port: options.port ?? file.port,
    controlPort: options.controlPort ?? file.controlPort,
    stateDir: options.state ?? file.state,
    fresh: options.fresh ?? false,
    accounts: file.accounts === undefined ? usual.accounts : accountsOf(file.accounts),
    market:
      tape === undefined
        ? { kind: 'synthetic', seed: options.seed ?? file.seed, startPoints: file.startPoints }
        : { kind: 'tape', path: tape, referencePoints: null },
    time: {
      ...usual.time,
      speed: options.speed ?? file.speed,
      start: tape === undefined ? 'origin' : 'first_subscriber',
    },
    ...market,
    codes: file.codes,
    streamCodes: file.streamCodes,
    auth: file.auth,
    stream: { ...usualStream, ...file.stream },
    rules: {
      ...rules,
      ...(entryBps !== undefined && { entryBps }),
      ...(warnBps !== undefined && { warnBps }),
      ...(forceBps !== undefined && { forceBps }),
    },
    readings: file.readings,
  };
}

/** Every fault by name, with its effect and its parameters. */
export const simulatorFaults = (): readonly DescribedFault[] => describeFaults();

interface ReadSimulatorFile {
  readonly file: z.output<typeof simulatorFileSchema>;
  /** Null: the demo's own. */
  readonly market: { readonly calendar: TradingCalendar; readonly costs: CostSchedule } | null;
}

export function readSimulatorFile(
  path: string,
): { readonly value: ReadSimulatorFile } | { readonly problems: readonly Problem[] } {
  const main = readFile(path, simulatorFileSchema, 'a simulator file');
  if ('problems' in main) return main;
  const { source, value: file } = main;
  const problems = accountProblems(file.accounts ?? []).map((problem) => source.problem(...problem));
  if (file.market === undefined)
    return problems.length > 0 ? { problems } : { value: { file, market: null } };
  const market = readMarket(source, file.market);
  if (!market.ok) problems.push(...market.problems);
  if (problems.length > 0 || !market.ok) return { problems };
  const { calendar, costs } = market;
  return { value: { file, market: { calendar, costs } } };
}
