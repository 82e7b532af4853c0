/** The checks of `tickwright doctor` that look at channels to the operator. Nothing secret leaves: no token, no path of an address. */
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { ChannelConfig, Config, SecretPlace } from '../../config/config.ts';
import { errorText } from '../../domain/failure.ts';
import { missingSecrets, readSecret } from '../edge/secret-place.ts';
import { bad, type Finding, good, warning } from './doctor-checks.ts';

const ANSWER_MS_MAX = 5_000;

export async function channelFindings({
  alerts,
  mode,
}: Pick<Config, 'alerts' | 'mode'>): Promise<readonly Finding[]> {
  const { channels, deadMansSwitch } = alerts;
  if (channels.length === 0 && deadMansSwitch === null) {
    if (mode === 'paper') return [];
    return [warning('alerts', 'no channel is configured: trouble is told in the log alone')];
  }
  const missing = missingSecrets(alerts);
  if (missing.length > 0) return missing.map((text) => bad('alerts', text));
  const findings = await Promise.all(channels.map(channelFinding));
  const isSteered = channels.some((channel) => channel.kind === 'telegram' && channel.users.length > 0);
  if (!isSteered) findings.push(warning('alerts', 'no channel takes commands: a halt needs a terminal'));
  if (deadMansSwitch === null) return findings;
  return [...findings, await reached('dead man’s switch', originOf(deadMansSwitch.url))];
}

function channelFinding(channel: ChannelConfig): Promise<Finding> {
  switch (channel.kind) {
    case 'telegram':
      return reached(`channel ${channel.id}`, new URL(channel.apiUrl).origin);
    case 'webhook':
      return reached(`channel ${channel.id}`, originOf(channel.url));
    case 'email':
      return greeted(`channel ${channel.id}`, channel);
  }
}

/** Null for a text that is no address. */
function originOf(place: SecretPlace): string | null {
  const text = readSecret(place) ?? '';
  return URL.canParse(text) ? new URL(text).origin : null;
}

/** Any answer proves that the host is there. */
async function reached(what: string, origin: string | null): Promise<Finding> {
  if (origin === null) return bad(what, 'its secret is no address like https://host/path');
  try {
    await fetch(origin, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(ANSWER_MS_MAX) });
    return good(what, `${origin} answers; whether it takes our secret shows the first message`);
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    return warning(what, `${origin} cannot be reached: ${errorText(cause)}`);
  }
}

/** A mail server speaks first. */
function greeted(
  what: string,
  { host, port, secure }: Extract<ChannelConfig, { readonly kind: 'email' }>,
): Promise<Finding> {
  return new Promise((resolve) => {
    const socket = secure ? connectTls({ host, port, servername: host }) : connect({ host, port });
    const settle = (finding: Finding): void => {
      socket.destroy();
      resolve(finding);
    };
    socket.setTimeout(ANSWER_MS_MAX, () => settle(warning(what, `${host}:${port} does not answer`)));
    socket.once('error', (error) =>
      settle(warning(what, `${host}:${port} cannot be reached: ${errorText(error)}`)),
    );
    socket.once('data', (chunk: Buffer) =>
      settle(
        chunk.toString('latin1').startsWith('220')
          ? good(
              what,
              `${host}:${port} is a mail server; whether it takes our password shows the first message`,
            )
          : warning(what, `${host}:${port} answers, but not like a mail server`),
      ),
    );
  });
}
