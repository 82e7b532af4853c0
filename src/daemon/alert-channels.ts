/** Channels to the operator as the configuration names them, with their secrets; also for a start that has no daemon. */
import type { ChannelConfig, Config, Mode, SecretRef } from '../config/config.ts';
import { seconds, US_PER_SECOND } from '../domain/units.ts';
import type { AlertChannel, Delivery, DeliveryResult } from '../operator/alerts/alert-message.ts';
import { chatCommands } from '../operator/channels/remote-control.ts';
import { createTelegramBot, createTelegramChannel } from '../operator/channels/telegram.ts';
import { secretRefText } from './edge/secret-ref.ts';
import { withTimeout } from '../host/system-clock.ts';
import { createMail } from '../operator/channels/mail.ts';
import { createWebhook } from '../operator/channels/webhook.ts';
import { Secrets } from '../operator/redact.ts';
import { readSecret } from '../host/cluster-access.ts';
import { thrownText } from '../domain/failure.ts';

/** Throws for a secret that is missing. `bot`: null for a channel that takes no commands; `stateDir` of a daemon that takes them, or null. */
export function openChannel(config: ChannelConfig, secrets: Secrets, stateDir: string | null) {
  const { id } = config;
  switch (config.kind) {
    case 'telegram': {
      const token = readHidden(id, config.token, secrets);
      const bot = createTelegramBot({ apiUrl: config.apiUrl, token });
      const channel = createTelegramChannel(id, bot, config.chat);
      if (config.users.length === 0 || stateDir === null) return { channel, bot };
      const inChat = chatCommands(stateDir);
      const send: AlertChannel['send'] = (delivery) =>
        channel.send({ ...delivery, text: inChat(delivery.text) });
      return { channel: { ...channel, send }, bot };
    }
    case 'email': {
      const { host, port, secure, from, to, user } = config;
      const login = user === undefined ? null : { user, password: readHidden(id, config.password, secrets) };
      return { channel: createMail({ id, host, port, isSecure: secure, from, to, login }), bot: null };
    }
    case 'webhook': {
      const url = readHidden(id, config.url, secrets);
      const { preset, template = '' } = config;
      const format = preset === undefined ? { template } : { preset };
      return { channel: createWebhook({ id, url, format }), bot: null };
    }
  }
}

/** A secret that is hidden in every text from now on. */
export function readHidden(id: string, ref: SecretRef, secrets: Secrets): string {
  const secret = readSecret(ref);
  if (secret === undefined)
    throw new Error(`alerts: expected the secret of ${id} in ${secretRefText(ref)}, was missing`);
  secrets.keep(secret);
  return secret;
}

export interface ChannelTrial {
  readonly id: string;
  /** Null: its service took the message. */
  readonly failure: string | null;
}

/** A command line waits for about this long. */
const TRIAL_MAX = seconds(30);

export const tryChannels = (
  channels: readonly AlertChannel[],
  mode: Mode,
  secrets: Secrets,
): Promise<readonly ChannelTrial[]> =>
  sendToEach(channels, secrets, ({ id }) => ({
    severity: 'info',
    title: `test message (${mode})`,
    text: `Tickwright reaches you by the channel ${id}. Nothing is to be done.`,
  }));

/** For a start that fails before there is a daemon: past queue, severities, quiet hours and journal. Ends also where no service answers. */
export async function sendAtOnce(settings: readonly ChannelConfig[], alert: ScreenAlert): Promise<void> {
  const secrets = new Secrets([]);
  // The start names a secret that is missing; the others hear of the failure.
  const { channels, close } = openedChannels(settings, secrets);
  await sendToEach(channels, secrets, () => alert);
  await close();
}

/** Channels without a daemon, and those whose secret is missing. */
function openedChannels(settings: readonly ChannelConfig[], secrets: Secrets) {
  const channels: AlertChannel[] = [];
  const unopened: ChannelTrial[] = [];
  for (const each of settings) {
    const failure = thrownText(() => channels.push(openChannel(each, secrets, null).channel));
    if (failure !== null) unopened.push({ id: each.id, failure });
  }
  return { channels, unopened, close: () => Promise.all(channels.map((channel) => channel.close())) };
}

type ScreenAlert = Pick<Delivery, 'severity' | 'title' | 'text'>;

const sendToEach = (
  channels: readonly AlertChannel[],
  secrets: Secrets,
  alertFor: (channel: AlertChannel) => ScreenAlert,
): Promise<readonly ChannelTrial[]> =>
  Promise.all(
    channels.map(async (channel) => {
      const { severity, title, text } = alertFor(channel);
      const isUrgent = severity === 'critical';
      const delivery = { severity, title, text: `${title}\n${text}`, isUrgent, pages: [] };
      const failure = refusalOf(await withTimeout(channel.send(delivery), TRIAL_MAX));
      return { id: channel.id, failure: failure === null ? null : secrets.hide(failure) };
    }),
  );

function refusalOf(result: DeliveryResult | undefined): string | null {
  if (result === undefined) return `no answer within ${TRIAL_MAX / US_PER_SECOND} s`;
  return result.status === 'sent' ? null : result.reason;
}

export const trialLines = (trials: readonly ChannelTrial[]): string =>
  trials.map(({ id, failure }) => `${id}: ${failure === null ? 'sent' : `NOT sent: ${failure}`}`).join('\n');

export const noChannel = (id: string | null): string =>
  id === null
    ? 'no channel is configured under alerts.channels'
    : `there is no channel ${id} under alerts.channels`;

export async function testMessage(
  { alerts, mode }: Pick<Config, 'alerts' | 'mode'>,
  id: string | null,
): Promise<readonly ChannelTrial[]> {
  const secrets = new Secrets([]);
  const chosen = alerts.channels.filter((channel) => id === null || channel.id === id);
  const { channels, unopened, close } = openedChannels(chosen, secrets);
  try {
    return [...(await tryChannels(channels, mode, secrets)), ...unopened];
  } finally {
    await close();
  }
}
