/** Secrets of the broker, of channels, of metrics and of a cluster: from the environment first, then from a file. Read once, and hidden in every sink. */
import { readFileSync, statSync } from 'node:fs';
import type { AlertsConfig, AuthConfig, ChannelConfig, Config, SecretPlace } from '../../config/config.ts';
import { failureOf } from '../../domain/failure.ts';
import { readSecret } from '../../host/cluster-access.ts';
import { isLoopback } from '../../operator/http-guards.ts';

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

/** Read when it is needed and never stored: from the environment first, then from the file. */
export function readApiKey({ apiKeyEnvironment, apiKeyFile }: AuthConfig): string | undefined {
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
