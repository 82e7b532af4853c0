/** Reads the whole configuration: a valid one, or every problem of it. */
import { alwaysOpen, type TradingCalendar } from '../domain/calendar.ts';
import type { EngineSettings } from '../domain/settings.ts';
import { seconds } from '../domain/units.ts';
import {
  alertProblems,
  assumedBy,
  closingProblems,
  fileProblems,
  limitProblems,
  cockpitProblems,
  metricsProblems,
  modeProblems,
  withKeptPositions,
} from './config-rules.ts';
import { type ConfigFile, configSchema } from './config-schema.ts';
import type { Config, SecretPlace } from './config.ts';
import { readMarket } from './market-file.ts';
import type { Problem } from './problem.ts';
import { readFile } from './read-file.ts';
import { type Catalog, readStrategies, type StrategiesRead } from './strategy-entries.ts';
import type { YamlSource } from './yaml-source.ts';

export type LoadedConfig =
  | { readonly ok: true; readonly config: Config }
  | {
      readonly ok: false;
      readonly problems: readonly Problem[];
      /** Who can be told of them; absent where the file itself is not understood. */
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
  others: OthersRead | ((strategy: string) => boolean) = () => false,
): ReadConfig {
  const main = readFile(file, configSchema, 'a configuration');
  if ('problems' in main) return { ok: false, problems: main.problems };
  const { source } = main;
  const value = withKeptPositions(main.value);
  const strategies =
    typeof others === 'function'
      ? readStrategies(source, value, catalog, others)
      : readBefore(source, value, others);
  const problems = [
    ...strategies.problems,
    ...modeProblems(source, value),
    ...fileProblems(source, value),
    ...closingProblems(source, value),
    ...alertProblems(source, value),
    ...metricsProblems(source, value),
    ...cockpitProblems(source, value),
  ];
  const reach = { mode: value.mode, alerts: alertsOf(value) };
  const market = readMarket(source, value.market);
  if (!market.ok) return { ok: false, problems: [...problems, ...market.problems], reach };
  problems.push(...limitProblems(source, value, market));
  if (problems.length > 0) return { ok: false, problems, reach };
  const config: Config = {
    ...sections(file, value),
    calendar: hoursOf(value, market.calendar),
    exchangeCalendar: market.calendar,
    contracts: market.contracts,
    costs: market.costs,
    strategies: strategies.entries,
  };
  const read: ConfigFile = {
    ...value,
    auth: { ...value.auth, otp: otpOf(value) },
    strategies: value.strategies.map((entry, i) => ({
      ...entry,
      params: { ...strategies.entries[i]?.params },
    })),
  };
  return { ok: true, config, read };
}

/** Strategies of a file as another thread read them. */
export interface OthersRead extends StrategiesRead {
  readonly asked: ConfigFile['strategies'];
}

function readBefore(
  source: YamlSource,
  { strategies }: ConfigFile,
  { asked, ...read }: OthersRead,
): StrategiesRead {
  if (JSON.stringify(asked) === JSON.stringify(strategies)) return read;
  const hint = 'it was written at this moment: try again';
  return {
    entries: [],
    problems: [source.problem(['strategies'], 'a file that does not change', hint, 'another list')],
  };
}

const otpOf = ({ auth, mode }: ConfigFile): NonNullable<ConfigFile['auth']['otp']> =>
  auth.otp ?? { from: mode === 'paper' ? 'simulator' : 'prompt' };

/** Only the simulator can be open at any hour. */
function hoursOf(file: ConfigFile, exchange: TradingCalendar): TradingCalendar {
  const open =
    file.mode === 'paper' && file.simulator.hours === 'always_open' && file.simulator.tape === undefined;
  return open ? alwaysOpen(exchange) : exchange;
}

function sections(
  file: string,
  read: ConfigFile,
): Omit<Config, 'calendar' | 'exchangeCalendar' | 'contracts' | 'costs' | 'strategies'> {
  const { auth, broker, session } = read;
  const { from: kind, ...rest } = otpOf(read);
  return {
    file,
    mode: read.mode,
    stateDir: read.state,
    account: read.account ?? null,
    auth: {
      otp: { kind, ...rest } as Config['auth']['otp'], // oxlint-disable-line typescript/no-unsafe-type-assertion -- renames the tag
      otpRoute: auth.otpRoute,
      apiKeyEnvironment: auth.apiKeyEnvironment,
      apiKeyFile: auth.apiKeyFile ?? null,
    },
    broker: { ...broker, restUrl: broker.restUrl ?? null, streamUrl: broker.streamUrl ?? null },
    live: read.live,
    money: read.money ?? null,
    simulator: { ...read.simulator, tape: read.simulator.tape ?? null },
    engine: {
      ...engineSettingsOf(read),
      lookUp: { ...read.lookUp, ...read.unknown },
      policies: read.policies,
      moneyMismatch: read.reconcile.money,
      assumed: assumedBy(read),
    },
    schedule: {
      tokenRefresh: session.tokenRefresh,
      tokenRefreshBefore: session.tokenRefreshBefore,
      rollover: session.rollover,
    },
    operator: operatorOf(read),
    alerts: alertsOf(read),
    retention: read.retention,
  };
}

function operatorOf({ operator: { metrics, ...rest } }: ConfigFile): Config['operator'] {
  return {
    ...rest,
    metrics: metrics === undefined ? null : { ...metrics, token: placeOf(metrics.token) },
  };
}

function alertsOf({ alerts }: ConfigFile): Config['alerts'] {
  const { channels, quiet, deadMansSwitch: dead, ...rest } = alerts;
  return {
    ...rest,
    quiet: quiet ?? null,
    deadMansSwitch: dead === undefined ? null : { ...dead, url: placeOf(dead.url) },
    channels: channels.map((channel) => {
      switch (channel.kind) {
        case 'telegram':
          return { ...channel, token: placeOf(channel.token) };
        case 'email':
          return { ...channel, user: channel.user ?? null, password: placeOf(channel.password) };
        case 'webhook': {
          const { preset, template = '', url, ...head } = channel;
          return { ...head, url: placeOf(url), format: preset === undefined ? { template } : { preset } };
        }
      }
    }),
  };
}

const placeOf = ({
  environment,
  file,
}: {
  readonly environment: string;
  readonly file?: string | undefined;
}): SecretPlace => ({
  environment,
  file: file ?? null,
});

type EngineSections = Pick<
  ConfigFile,
  'risk' | 'strategies' | 'flatten' | 'stop' | 'poll' | 'lookUp' | 'session'
>;

export function engineSettingsOf({ risk, strategies, ...file }: EngineSections): EngineSettings {
  return {
    risk: {
      orderQtyMax: risk.orderQtyMax,
      collarBps: risk.collarPercent,
      accountPositionMax: risk.positionMax,
      openOrdersMax: risk.openOrdersMax,
      ordersPerSecondMax: risk.ordersPerSecondMax,
      ordersPerMinuteMax: risk.ordersPerMinuteMax,
      dataAgeMax: risk.dataAgeMax,
      accountDailyLossMax: risk.dailyLossMax,
      accountAgeMax: risk.accountAgeMax,
      marginUseBps: risk.marginUsePercent,
      sameRejectionsMax: risk.sameRejectionsMax,
      clockSkewMax: risk.clockSkewMax,
      auctionEntries: risk.auctionEntries,
      selfTradePrevention: risk.selfTradePrevention,
      messagesPerMinuteMax: risk.messagesPerMinuteMax,
      rejectionsPerMinuteMax: risk.rejectionsPerMinuteMax,
      ...(risk.drawdownMax === undefined ? {} : { drawdownMax: risk.drawdownMax }),
      ...(risk.protectiveStop === undefined ? {} : { protectiveStop: risk.protectiveStop }),
      nakedMax: seconds(risk.nakedSecondsMax),
      onOrphan: risk.onOrphan,
    },
    strategies: strategies.map(({ id, symbols, overnight, onExpiry, risk: limits }) => ({
      id,
      symbols,
      overnight,
      onExpiry,
      risk: limits,
    })),
    flatten: file.flatten,
    stop: file.stop,
    poll: file.poll,
    lookUp: file.lookUp,
    cancelBeforeAuction: file.session.cancelBeforeAuction,
    flatBeforeClose: file.session.flatBeforeClose,
  };
}
