/** The effective configuration: the checked YAML files with every default filled in, without secrets; or every problem of them. */
import { type TradingCalendar, alwaysOpen } from '../domain/calendar.ts';
import type { ContractSpec } from '../domain/contract.ts';
import type { CostSchedule } from '../domain/costs.ts';
import type { EngineSettings } from '../domain/settings.ts';
import { type ConfigFile, configSchema } from './config-schema.ts';
import { assumedBy, configProblems, limitProblems, withKeptPositions } from './config-rules.ts';
import { type MarketDefinition, readMarket } from './market-file.ts';
import { type Problem, meantHint } from './problem.ts';
import { readFile, zodProblems } from './read-file.ts';
import type { YamlSource } from './yaml-source.ts';
import { formatCount } from '../text/numbers.ts';
import { z } from 'zod';

export type Mode = ConfigFile['mode'];
/** Source of a one-time password; `simulator` is the embedded broker's own. */
type OtpSource = NonNullable<ConfigFile['auth']['otp']>;
export type AuthConfig = ConfigFile['auth'] & { readonly otp: OtpSource };
export type AlertsConfig = ConfigFile['alerts'];
export type ChannelConfig = AlertsConfig['channels'][number];
export type ClusterConfig = NonNullable<ConfigFile['cluster']>;
export type RetentionConfig = ConfigFile['retention'];

/** Place of a secret: the environment comes first, then the file. */
export type SecretRef = Readonly<ClusterConfig['password']>;

/** Code of a strategy of the user's own, with all its imports: plain data that may be sent to a thread. */
export interface StrategyCode {
  /** Its first file, with all links followed. */
  readonly file: string;
  /** Digest of the sources as read; twelve hexadecimal digits. */
  readonly digest: string;
  readonly script: string;
  /** Name of the script in stack traces. */
  readonly stackName: string;
  /** Modules of the program and packages that the script asks for. */
  readonly imports: readonly string[];
  /** Source map of the script, as JSON. */
  readonly map: string;
}

export interface StrategyConfig {
  readonly id: string;
  /** Name of the strategy in the catalogue, or its file or package as it is written. */
  readonly strategy: string;
  /** Null for a strategy of the catalogue. */
  readonly code: StrategyCode | null;
  readonly symbols: readonly string[];
  /** Parameters as the strategy's schema read them, defaults filled in. */
  readonly params: Readonly<Record<string, unknown>>;
}

/** Sections of the file as they are written, but for those that the engine takes under names of its own. */
export interface Config extends Readonly<
  Pick<
    ConfigFile,
    | 'mode'
    | 'account'
    | 'broker'
    | 'live'
    | 'money'
    | 'simulator'
    | 'operator'
    | 'alerts'
    | 'retention'
    | 'cluster'
  >
> {
  readonly file: string;
  readonly stateDir: string;
  readonly auth: AuthConfig;
  readonly schedule: Pick<ConfigFile['session'], 'tokenRefresh' | 'tokenRefreshBefore' | 'rollover'>;
  /** Hours of this run; always open where the simulator is. */
  readonly calendar: TradingCalendar;
  readonly exchangeCalendar: TradingCalendar;
  readonly contracts: Readonly<Record<string, ContractSpec>>;
  readonly costs: CostSchedule;
  /** Settings of the engine; `engine.strategies[i]` belongs to `strategies[i]`. */
  readonly engine: EngineSettings;
  readonly strategies: readonly StrategyConfig[];
}

export type LoadedConfig =
  | { readonly ok: true; readonly config: Config }
  | {
      readonly ok: false;
      readonly problems: readonly Problem[];
      /** Channels for reporting them; absent where the file itself cannot be read. */
      readonly reach?: Pick<Config, 'mode' | 'alerts'>;
      /** Present where only the closures are wrong: enough to cancel by. */
      readonly withoutClosures?: Config | undefined;
    };

/** `read` is the file itself, defaults filled in. */
export type ReadConfig =
  | Extract<LoadedConfig, { readonly ok: false }>
  | { readonly ok: true; readonly config: Config; readonly read: ConfigFile };

/** `others`: strategies that are not in the catalogue, as they were read before, or those to take as they are written. */
export function loadConfig(
  file: string,
  catalog: Catalog,
  others: OtherStrategies | ((strategy: string) => boolean) = () => false,
): ReadConfig {
  const main = readFile(file, configSchema, 'a configuration');
  if ('problems' in main) return { ok: false, problems: main.problems };
  const { source } = main;
  const value = withKeptPositions(main.value);
  const strategies =
    typeof others === 'function'
      ? readStrategies(source, value, catalog, others)
      : readBefore(source, value, others);
  const problems = [...strategies.problems, ...configProblems(source, value)];
  const reach = { mode: value.mode, alerts: value.alerts };
  const market = readMarket(source, value.market);
  if (!market.ok) {
    const rest = problems.length > 0 ? undefined : market.withoutClosures;
    const withoutClosures = rest && configOf(file, value, rest, strategies.entries);
    return { ok: false, problems: [...problems, ...market.problems], reach, withoutClosures };
  }
  problems.push(...limitProblems(source, value, market));
  if (problems.length > 0) return { ok: false, problems, reach };
  const config = configOf(file, value, market, strategies.entries);
  const read: ConfigFile = {
    ...value,
    auth: config.auth,
    strategies: value.strategies.map((entry, i) => ({
      ...entry,
      params: { ...strategies.entries[i]?.params },
    })),
  };
  return { ok: true, config, read };
}

function configOf(
  file: string,
  value: ConfigFile,
  { calendar, contracts, costs }: MarketDefinition,
  strategies: Config['strategies'],
): Config {
  const { mode, state, account, auth, broker, live, money, simulator, operator } = value;
  const { alerts, retention, cluster } = value;
  const { tokenRefresh, tokenRefreshBefore, rollover } = value.session;
  // Only the simulator can be open at any hour.
  const isOpen = mode === 'paper' && simulator.hours === 'always_open' && simulator.tape === undefined;
  const otp = auth.otp ?? { from: mode === 'paper' ? 'simulator' : 'prompt' };
  return {
    file,
    mode,
    stateDir: state,
    account,
    broker,
    live,
    money,
    simulator,
    operator,
    alerts,
    retention,
    cluster,
    auth: { ...auth, otp },
    schedule: { tokenRefresh, tokenRefreshBefore, rollover },
    engine: {
      ...engineSettingsOf(value),
      lookUp: { ...value.lookUp, ...value.unknown },
      policies: value.policies,
      moneyMismatch: value.reconcile.money,
      assumed: assumedBy(value),
    },
    calendar: isOpen ? alwaysOpen(calendar) : calendar,
    exchangeCalendar: calendar,
    contracts,
    costs,
    strategies,
  };
}

/** Strategies of a file as another thread read them. */
export interface OtherStrategies extends StrategiesRead {
  readonly asked: ConfigFile['strategies'];
}

function readBefore(
  source: YamlSource,
  { strategies }: ConfigFile,
  { asked, ...read }: OtherStrategies,
): StrategiesRead {
  if (JSON.stringify(asked) === JSON.stringify(strategies)) return read;
  const hint = 'it was written at this moment: try again';
  return {
    entries: [],
    problems: [source.problem(['strategies'], 'a file that does not change', hint, 'another list')],
  };
}

type EngineSections = Pick<
  ConfigFile,
  'risk' | 'strategies' | 'flatten' | 'stop' | 'poll' | 'lookUp' | 'session'
>;

export const engineSettingsOf = ({
  risk,
  strategies,
  flatten,
  stop,
  poll,
  lookUp,
  session: { cancelBeforeAuction, flatBeforeClose },
}: EngineSections): EngineSettings => ({
  risk,
  strategies: strategies.map(({ id, symbols, overnight, onExpiry, risk: limits }) => ({
    id,
    symbols,
    overnight,
    onExpiry,
    risk: limits,
  })),
  flatten,
  stop,
  poll,
  lookUp,
  cancelBeforeAuction,
  flatBeforeClose,
});

/** The part of a strategy's definition that the configuration checks. */
interface CatalogEntry {
  readonly name: string;
  readonly params: z.ZodType;
  /** A name for each contract that the strategy trades. */
  readonly legs: readonly string[];
  readonly code?: StrategyCode;
}

type Catalog = readonly CatalogEntry[];

type Entry = ConfigFile['strategies'][number];

/** Lines and tables show these names next to those of strategies. */
const RESERVED: ReadonlySet<string> = new Set(['operator', 'system', 'all', 'total']);

interface StrategiesRead {
  readonly entries: readonly StrategyConfig[];
  readonly problems: readonly Problem[];
}

/** Strategies that are not in the catalogue and that `isAsWritten` names are taken as they are written: they cannot run. */
export function readStrategies(
  source: YamlSource,
  file: Pick<ConfigFile, 'strategies'>,
  catalog: Catalog,
  isAsWritten: (strategy: string) => boolean = () => false,
): StrategiesRead {
  const entries: StrategyConfig[] = [];
  const problems: Problem[] = [];
  const ids = new Map<string, number>();
  file.strategies.forEach((entry, i) => {
    const path = ['strategies', i];
    const taken = ids.get(entry.id) ?? (RESERVED.has(entry.id) ? null : undefined);
    if (taken !== undefined) {
      const hint = taken === null ? 'the program itself has this name' : `line ${taken} has it too`;
      problems.push(source.problem([...path, 'id'], 'an id that no other strategy has', hint));
    }
    ids.set(entry.id, source.lineOf([...path, 'id']));
    const definition = catalog.find(({ name }) => name === entry.strategy);
    if (definition === undefined && isAsWritten(entry.strategy)) {
      const { id, strategy, symbols, params } = entry;
      entries.push({ id, strategy, code: null, symbols, params });
    } else if (definition === undefined) problems.push(unknownStrategy(source, path, entry, catalog));
    else problems.push(...readOne(source, path, entry, definition, entries));
  });
  return { entries, problems };
}

function unknownStrategy(
  source: YamlSource,
  path: readonly PropertyKey[],
  entry: Entry,
  catalog: Catalog,
): Problem {
  const names = catalog.map(({ name }) => name);
  return source.problem(
    [...path, 'strategy'],
    `one of ${names.join(', ')}, a file such as ./mine.ts, or an installed package`,
    meantHint(entry.strategy, names, 'see tickwright strategies'),
  );
}

/** The command lists the strategies of the program alone. */
const helpOf = ({ code, params }: CatalogEntry): string =>
  code === undefined || !(params instanceof z.ZodObject)
    ? 'see tickwright strategies'
    : `write one of ${Object.keys(params.shape).join(', ')}`;

function readOne(
  source: YamlSource,
  path: readonly PropertyKey[],
  entry: Entry,
  definition: CatalogEntry,
  entries: StrategyConfig[],
): readonly Problem[] {
  const problems: Problem[] = [];
  if (entry.symbols.length !== definition.legs.length) {
    const expected = `${formatCount(definition.legs.length, 'symbol')} (${definition.legs.join(', ')})`;
    problems.push(source.problem([...path, 'symbols'], expected));
  }
  const params = definition.params.safeParse(entry.params);
  if (!params.success) {
    const part = { base: [...path, 'params'], help: helpOf(definition) };
    // Rules between parameters wait until every key is spelled right.
    const issues = params.error.issues;
    const isMisspelt = issues.some(({ code }) => code === 'unrecognized_keys');
    const relevant = issues.filter(({ code }) => !isMisspelt || code !== 'custom');
    return [...problems, ...zodProblems(source, relevant, definition.params, part)];
  }
  const { id, strategy, symbols } = entry;
  const read = Object.fromEntries(Object.entries(params.data ?? {}));
  entries.push({ id, strategy, code: definition.code ?? null, symbols, params: read });
  return problems;
}
