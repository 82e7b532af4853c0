/** Address and credentials of this run's broker: the embedded simulator on paper, the configured hosts otherwise. */
import { readFileSync, statSync } from 'node:fs';
import type { AlertsConfig, AuthConfig, ChannelConfig, Config, SecretPlace } from '../../config/config.ts';
import type { ClockMap } from '../../domain/clock.ts';
import type { DurationUs } from '../../domain/units.ts';
import { configuredFeed, readFeedTerms, readSecret } from '../../host/cluster-access.ts';
import { REAL_TIME } from '../../host/system-clock.ts';
import type { RunPlan } from '../../host/run-plan.ts';
import { Secrets } from '../../operator/redact.ts';
import type { StatePaths } from '../../host/state/state-paths.ts';
import {
  obtainSimulator,
  SimulatorFaults,
  type SimulatorLink,
  simulatorPlan,
} from '../simulator/embedded-simulator.ts';
import { failureOf } from '../../domain/failure.ts';
import { isLoopback } from '../../operator/http-guards.ts';

export interface BrokerAddress {
  readonly restUrl: string;
  readonly streamUrl: string;
  /** Key of the token cache: the host, or the simulator on whatever port it listens today. */
  readonly tokenOwner: string;
  readonly custodyCode: string;
  readonly subAccountId: string;
  readonly apiKey: () => string | undefined;
  /** One-time password of the simulator; null for a broker that asks a person or a program. */
  readonly fixedOtp: string | null;
  /** Faults of the simulator of a paper run; null for others. */
  readonly faults: SimulatorFaults | null;
  /** Hidden in every sink; grows by the passwords and tokens of this run. */
  readonly secrets: Secrets;
}

export const simulatorAddress = (link: SimulatorLink): BrokerAddress => ({
  restUrl: link.rest,
  streamUrl: link.stream,
  tokenOwner: 'simulator',
  custodyCode: link.custodyCode,
  subAccountId: link.subAccountId,
  apiKey: () => link.apiKey,
  fixedOtp: link.otp,
  faults: new SimulatorFaults(link.control, link.controlToken),
  secrets: new Secrets([link.custodyCode, link.subAccountId, link.apiKey]),
});

/** Path of the price stream (contract, 6.1). */
const STREAM_PATH = 'ws/thesis/v1/stream/derivative';

export function configuredAddress({ broker, account, auth }: Config): BrokerAddress {
  if (broker.restUrl === undefined || broker.streamUrl === undefined || account === undefined) {
    throw new Error(
      'the configuration names no broker: expected broker.restUrl, broker.streamUrl and account',
    );
  }
  if (process.env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    throw new Error(
      'NODE_TLS_REJECT_UNAUTHORIZED=0 is set: the broker would not be proven to be the broker, and key and token would go to anyone; unset it',
    );
  }
  const stream = new URL(broker.streamUrl);
  if (stream.pathname === '/' || stream.pathname === '') stream.pathname = STREAM_PATH;
  return {
    restUrl: broker.restUrl,
    streamUrl: stream.href,
    tokenOwner: broker.restUrl,
    custodyCode: account.custodyCode,
    subAccountId: account.subAccountId,
    apiKey: () => readApiKey(auth),
    fixedOtp: null,
    faults: null,
    secrets: new Secrets([account.custodyCode, account.subAccountId, readApiKey(auth) ?? '']),
  };
}

/** Finds or starts the simulator of a paper run, with a new account if `fresh`; otherwise takes the configured hosts. */
export async function reachBroker(plan: RunPlan, paths: StatePaths, fresh: boolean) {
  if (plan.config.mode !== 'paper') {
    return {
      address: configuredAddress(plan.config),
      clockMap: REAL_TIME,
      lockstep: null,
      onEnd: () => undefined,
      close: () => Promise.resolve(),
    };
  }
  const feed = configuredFeed(plan.config);
  const terms = feed?.role === 'read' ? await readFeedTerms(feed) : null;
  const simulator = await obtainSimulator(simulatorPlan(plan, paths, fresh, terms), paths.dir);
  const { link } = simulator;
  return {
    address: simulatorAddress(link),
    // Frames keep their times: nothing of this daemon may come before one that is on its way.
    clockMap: feed?.role === 'read' ? later(link.clockMap, feed.delay) : link.clockMap,
    /** For a tape that runs faster than life; else null. */
    lockstep: simulator.lockstep,
    onEnd: (report: (reason: string) => void): void => simulator.onEnd(report),
    close: () => simulator.stop(),
  };
}

const later = (map: ClockMap, by: DurationUs): ClockMap => ({
  ...map,
  originMarketUs: map.originMarketUs - by,
});

/** Read when it is needed and never stored: from the environment first, then from the file. */
function readApiKey({ apiKeyEnvironment, apiKeyFile }: AuthConfig): string | undefined {
  const named = process.env[apiKeyEnvironment];
  if (named !== undefined && named !== '') return named;
  return apiKeyFile === undefined ? undefined : readFileSync(apiKeyFile, 'utf8').trim();
}

/** `where` is for people. */
export function apiKeyPlace({ apiKeyEnvironment, apiKeyFile }: AuthConfig) {
  const where = secretPlaceText({ environment: apiKeyEnvironment, file: apiKeyFile });
  const named = process.env[apiKeyEnvironment];
  if (named !== undefined && named !== '') return { where, isThere: true };
  const size = apiKeyFile === undefined ? 0 : (statSync(apiKeyFile, { throwIfNoEntry: false })?.size ?? 0);
  return { where, isThere: size > 0 };
}

// Secrets of channels and of metrics: from the environment first, then from a file. Read once, and hidden in every sink.

export const secretPlaceText = ({ environment, file }: SecretPlace): string =>
  `${file === undefined ? '' : `${file} or `}the environment variable ${environment}${isUnderPm2() ? ', which pm2 does not pass on: use a file of mode 600' : ''}`;

const isUnderPm2 = (): boolean => process.env['pm_id'] !== undefined;

/** Every place of a secret that a run with this configuration reads. */
export function secretPlaces({ mode, auth, alerts, operator, cluster }: SecretsIn): readonly SecretPlace[] {
  const key = { environment: auth.apiKeyEnvironment, file: auth.apiKeyFile };
  return [
    ...(mode === 'paper' ? [] : [key]),
    ...alerts.channels.map(placeOf),
    alerts.deadMansSwitch?.url,
    operator.metrics?.token,
    passwordOf(cluster),
  ].filter((place) => place !== undefined);
}

type SecretsIn = Pick<Config, 'mode' | 'auth' | 'alerts' | 'operator' | 'cluster'>;

const passwordOf = (cluster: Config['cluster']): SecretPlace | undefined =>
  cluster?.user === undefined ? undefined : cluster.password;

/** Variables of the environment that hold a secret of this run. */
export const environmentSecrets = (config: SecretsIn): readonly string[] => [
  ...new Set(
    secretPlaces(config)
      .map(({ environment }) => environment)
      .filter((variable) => (process.env[variable]?.trim() ?? '') !== ''),
  ),
];

/** One text for each secret that pm2 was given, though its dump file shows it. */
export const secretsInPm2 = (config: SecretsIn): readonly string[] =>
  isUnderPm2()
    ? environmentSecrets(config).map(
        (variable) =>
          `${variable} came with the environment, which pm2 keeps in clear: move it into a file of mode 600, then pm2 delete ` +
          'tickwright, pm2 start ecosystem.config.cjs and pm2 save',
      )
    : [];

/** One text for each secret that is nowhere, or that others can read. */
export function missingSecrets({ channels, deadMansSwitch }: AlertsConfig): readonly string[] {
  const places = channels.map((channel) => ({
    id: `channel ${channel.id}`,
    place: placeOf(channel),
    isAddress: channel.kind === 'webhook',
  }));
  if (deadMansSwitch !== undefined)
    places.push({ id: 'deadMansSwitch', place: deadMansSwitch.url, isAddress: true });
  return places.flatMap(({ id, place, isAddress }) =>
    place === undefined ? [] : missing(`alerts: the secret of ${id}`, place, isAddress),
  );
}

/** The same for the server of a cluster, where it knows users. */
export function missingPassword({ cluster }: Pick<Config, 'cluster'>): readonly string[] {
  const place = passwordOf(cluster);
  return place === undefined ? [] : missing(`cluster: the password of ${cluster?.user}`, place);
}

/** The same for metrics, which need a token where others could reach them. */
export const missingMetricsToken = ({ metrics }: Config['operator']): readonly string[] =>
  metrics === undefined || isLoopback(metrics.address)
    ? []
    : missing(`operator.metrics: the token for ${metrics.address}`, metrics.token);

function missing(what: string, place: SecretPlace, isAddress = false): readonly string[] {
  let found: string | undefined;
  const failure = failureOf(() => {
    found = readSecret(place);
  });
  if (failure !== null) return [`${what}: ${failure}`];
  if (found !== undefined && isAddress && !(/^https?:/.test(found) && URL.canParse(found)))
    return [`${what} is no address like https://host/path: see ${secretPlaceText(place)}`];
  return found === undefined ? [`${what}: expected it in ${secretPlaceText(place)}, was missing`] : [];
}

/** Undefined for a channel that needs no secret. */
function placeOf(channel: ChannelConfig): SecretPlace | undefined {
  switch (channel.kind) {
    case 'telegram':
      return channel.token;
    case 'email':
      return channel.user === undefined ? undefined : channel.password;
    case 'webhook':
      return channel.url;
  }
}
