/** Secrets of the broker, of channels, of metrics and of a cluster: from the environment first, then from a file. Read once, and hidden in every sink. */
import type { AuthConfig, ChannelConfig, Config, SecretRef } from '../../config/config.ts';
import { thrownText } from '../../domain/failure.ts';
import { readSecret } from '../../host/cluster-access.ts';
import { isLoopback } from '../../operator/http-guards.ts';

export const secretRefText = ({ environment, file }: SecretRef): string =>
  `${file === undefined ? '' : `${file} or `}the environment variable ${environment}${isUnderPm2() ? ', which pm2 does not pass on: use a file of mode 600' : ''}`;

const isUnderPm2 = (): boolean => process.env['pm_id'] !== undefined;

interface ConfiguredSecret {
  readonly what: string;
  readonly ref: SecretRef;
  readonly isAddress?: boolean;
  readonly isOptional?: boolean;
}

type SecretsIn = Pick<Config, 'mode' | 'auth' | 'alerts'> & Partial<Pick<Config, 'operator' | 'cluster'>>;

/** Metrics need a token where others could reach them, a cluster a password where it knows users. */
function secretsOf({ mode, auth, alerts, operator, cluster }: SecretsIn): readonly ConfiguredSecret[] {
  const { channels, deadMansSwitch: watched } = alerts;
  const metrics = operator?.metrics;
  const secrets: ConfiguredSecret[] =
    mode === 'paper' ? [] : [{ what: 'auth: the API key', ref: apiKeyRef(auth) }];
  for (const channel of channels) {
    const ref = secretRefOf(channel);
    const what = `alerts: the secret of channel ${channel.id}`;
    if (ref !== undefined) secrets.push({ what, ref, isAddress: channel.kind === 'webhook' });
  }
  if (watched !== undefined)
    secrets.push({ what: 'alerts: the secret of deadMansSwitch', ref: watched.url, isAddress: true });
  if (metrics !== undefined) {
    const what = `operator.metrics: the token for ${metrics.address}`;
    secrets.push({ what, ref: metrics.token, isOptional: isLoopback(metrics.address) });
  }
  if (cluster?.user !== undefined)
    secrets.push({ what: `cluster: the password of ${cluster.user}`, ref: cluster.password });
  return secrets;
}

function secretRefOf(channel: ChannelConfig): SecretRef | undefined {
  switch (channel.kind) {
    case 'telegram':
      return channel.token;
    case 'email':
      return channel.user === undefined ? undefined : channel.password;
    case 'webhook':
      return channel.url;
  }
}

/** Every place of a secret that a run with this configuration reads. */
export const secretRefs = (config: SecretsIn): readonly SecretRef[] =>
  secretsOf(config).map(({ ref }) => ref);

/** Variables of the environment that hold a secret of this run. */
export const environmentSecrets = (config: Parameters<typeof secretRefs>[0]): readonly string[] => [
  ...new Set(
    secretRefs(config)
      .map(({ environment }) => environment)
      .filter((variable) => (process.env[variable]?.trim() ?? '') !== ''),
  ),
];

/** One text for each secret that pm2 was given, though its dump file shows it. */
export const secretsInPm2 = (config: Config): readonly string[] =>
  isUnderPm2()
    ? environmentSecrets(config).map(
        (variable) =>
          `${variable} came with the environment, which pm2 keeps in clear: move it into a file of mode 600, then pm2 delete ` +
          'tickwright, pm2 start ecosystem.config.cjs and pm2 save',
      )
    : [];

/** One text for each secret that is nowhere, or that others can read. */
export const missingSecrets = (config: SecretsIn): readonly string[] =>
  secretsOf(config).flatMap(({ what, ref, isAddress = false, isOptional = false }) => {
    if (isOptional) return [];
    let found: string | undefined;
    const failure = thrownText(() => {
      found = readSecret(ref);
    });
    if (failure !== null) return [`${what}: ${failure}`];
    if (found === undefined) return [`${what}: expected it in ${secretRefText(ref)}, was missing`];
    return isAddress && !(/^https?:/.test(found) && URL.canParse(found))
      ? [`${what} is no address like https://host/path: see ${secretRefText(ref)}`]
      : [];
  });

/** Read when it is needed and never stored. */
export const readApiKey = (auth: AuthConfig): string | undefined => readSecret(apiKeyRef(auth));

export const apiKeyRef = ({ apiKeyEnvironment, apiKeyFile }: AuthConfig): SecretRef => ({
  environment: apiKeyEnvironment,
  file: apiKeyFile,
});
