/** `tickwright simulator`: the broker alone, for any client in any language. */
import { InputFault } from '../../domain/failure.ts';
import { assert } from '../../domain/assert.ts';
import { formatProblem, type Problem } from '../../config/problem.ts';
import { readFile } from '../../config/read-file.ts';
import { readMarket } from '../../config/market-file.ts';
import type { TradingCalendar } from '../../domain/calendar.ts';
import type { CostSchedule } from '../../domain/costs.ts';
import {
  type AccountSettings,
  accountSettings,
  authSettings,
  DEFAULT_OPTIONS,
  readingSettings,
  type SimulatorOptions,
  streamSettings,
  type SubAccountSettings,
} from '../../simulator/simulator-options.ts';
import { describeSimulator, startSimulator } from '../../simulator/start-simulator.ts';
import { type DescribedFault, describeFaults } from '../../simulator/faults/fault.ts';
import { z } from 'zod';
import { durationFrom } from '../../config/values.ts';
import { bpsOf } from '../../domain/units.ts';

// Schema of the simulator's own YAML file. Every key has a default: an empty file is the demo.

const name = z.string().min(1);

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
  accounts: z
    .array(accountSettings)
    .min(1)
    .default([...usual.accounts]),
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
      positionMax: z.int().min(1).exactOptional(),
      triggerLife: z.enum(['day', 'contract']).exactOptional(),
      triggersMax: z.int().min(1).exactOptional(),
      stopLossSlipTicks: z.int().min(0).exactOptional(),
    })
    .prefault({}),
  readings: readingSettings.prefault({}),
});

type Path = readonly (string | number)[];
type AccountProblem = readonly [path: Path, expected: string];

function accountProblems(accounts: readonly AccountSettings[]): readonly AccountProblem[] {
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

const totalOf = (of: readonly { readonly symbol: string; readonly qty: number }[], symbol: string): number =>
  of.reduce((total, each) => (each.symbol === symbol ? total + each.qty : total), 0);

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

const NO_FILE: ReadSimulatorFile = { file: simulatorFileSchema.parse({}), market: null };

function simulatorSettings(options: SimulatorRunOptions): Partial<SimulatorOptions> {
  const read = options.config === undefined ? { value: NO_FILE } : readSimulatorFile(options.config);
  if ('problems' in read) throw new InputFault('arguments', read.problems.map(formatProblem).join('\n'));
  const { file, market } = read.value;
  const tape = options.tape ?? file.tape;
  const { entryPercent: entryBps, warnPercent: warnBps, forcePercent: forceBps, ...rules } = file.rules;
  return {
    port: options.port ?? file.port,
    controlPort: options.controlPort ?? file.controlPort,
    stateDir: options.state ?? file.state,
    fresh: options.fresh ?? false,
    accounts: file.accounts,
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
  const problems = accountProblems(file.accounts).map((problem) => source.problem(...problem));
  if (file.market === undefined)
    return problems.length > 0 ? { problems } : { value: { file, market: null } };
  const market = readMarket(source, file.market);
  if (!market.ok) problems.push(...market.problems);
  if (problems.length > 0 || !market.ok) return { problems };
  const { calendar, costs } = market;
  return { value: { file, market: { calendar, costs } } };
}
