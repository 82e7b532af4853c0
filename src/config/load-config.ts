/** Reads the whole configuration: a valid one, or every problem of it. */
import { alwaysOpen, type TradingCalendar } from '../domain/calendar.ts';
import type { EngineSettings } from '../domain/settings.ts';
import { assumedBy, configProblems, limitProblems, withKeptPositions } from './config-rules.ts';
import { type ConfigFile, configSchema } from './config-schema.ts';
import type { Config } from './config.ts';
import { type MarketDefinition, readMarket } from './market-file.ts';
import type { Problem } from './problem.ts';
import { readFile } from './read-file.ts';
import { type Catalog, readStrategies, type StrategiesRead } from './strategy-entries.ts';
import type { YamlSource } from './yaml-source.ts';

export type LoadedConfig =
  | { readonly ok: true; readonly config: Config }
  | {
      readonly ok: false;
      readonly problems: readonly Problem[];
      /** Channels for reporting them; absent where the file itself cannot be read. */
      readonly reach?: Pick<Config, 'mode' | 'alerts'>;
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
  if (!market.ok) return { ok: false, problems: [...problems, ...market.problems], reach };
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
    calendar: hoursOf(value, calendar),
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

/** Only the simulator can be open at any hour. */
function hoursOf(file: ConfigFile, exchange: TradingCalendar): TradingCalendar {
  const open =
    file.mode === 'paper' && file.simulator.hours === 'always_open' && file.simulator.tape === undefined;
  return open ? alwaysOpen(exchange) : exchange;
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
