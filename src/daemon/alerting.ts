/** Carries alerts to the operator's channels and commands back, off the way of any order, and asks for the one-time password of the day. */
import type { ChannelConfig, Config, Mode, SecretRef } from '../config/config.ts';
import { phaseAt, tradingDayAt } from '../domain/calendar.ts';
import type { CancelTimer, Clock } from '../domain/clock.ts';
import type { TokenHours, TokenKeeper } from '../broker/auth/token-keeper.ts';
import { withAliases } from '../domain/contract-code.ts';
import { timeOfDayUs } from '../domain/civil-date.ts';
import { milliseconds, seconds, type TsUs, US_PER_DAY, US_PER_HOUR, US_PER_SECOND } from '../domain/units.ts';
import { type AlertSeverity, type JournalEntry, OWN_CAUSE } from '../engine/ports/journal-entry.ts';
import type { JournalStore } from '../journal/journal-store.ts';
import { type Alert, AlertFilter, quietHours } from '../operator/alerts/alert-filter.ts';
import type {
  AlertChannel,
  AlertDraft,
  AlertMessage,
  Delivery,
  DeliveryResult,
} from '../operator/alerts/alert-message.ts';
import { type AlertRoute, Routes } from '../operator/alerts/routes.ts';
import { WaitingFile } from '../operator/alerts/waiting-file.ts';
import { DeadMansSwitch } from '../operator/channels/dead-man.ts';
import { chatCommands, RemoteControl, type RemoteOptions } from '../operator/channels/remote-control.ts';
import {
  createTelegramBot,
  createTelegramChannel,
  type TelegramBot,
  TelegramListener,
} from '../operator/channels/telegram.ts';
import type { BrokerAddress } from './edge/broker-address.ts';
import { secretRefText } from './edge/secret-ref.ts';
import type { StatePaths } from '../host/state/state-paths.ts';
import { remedyOf } from '../operator/remedies.ts';
import { formatLocalTime, formatShownTime } from '../text/dates.ts';
import { withTimeout, systemClock, systemTimers } from '../host/system-clock.ts';
import { createMail } from '../operator/channels/mail.ts';
import { createWebhook } from '../operator/channels/webhook.ts';
import { Secrets } from '../operator/redact.ts';
import { readSecret } from '../host/cluster-access.ts';
import { thrownText } from '../domain/failure.ts';
import type { StrategyNames } from '../domain/ids.ts';

export interface AlertingOptions {
  readonly config: Config;
  readonly paths: Pick<StatePaths, 'messages'>;
  readonly names: StrategyNames;
  readonly address: Pick<BrokerAddress, 'secrets'>;
  /** Journals an alert of a channel; it comes back through `entry`. */
  readonly alert: (severity: AlertSeverity, code: string, text: string, about?: string) => void;
  /** A name and a count that outlive the process. */
  readonly counters: Pick<JournalStore, 'counter' | 'setCounterOrReport'>;
}

/** Older messages say nothing about now; the journal has them. */
const REPEATS_MAX = 24 * US_PER_HOUR;
/** Outcomes of a command that somebody waits for, and runs that begin or end while something is held: every channel gets them. */
const ALERT_AT_ONCE: ReadonlySet<string> = new Set([
  'halt_proven',
  'cancel_all_ended',
  'flatten_ended',
  'started_after_a_crash',
  'started_with_a_position',
  'stopped_with_a_position',
]);

/** Between the service's clock and ours, and between an alert and its message. */
const CLOCKS_APART_MAX = seconds(30);

/** Code of the question for a one-time password, which a token answers. */
const OTP_NEEDED = 'otp_needed';

/** Ends of conditions, with the severity and the codes of their beginnings. */
const ALL_CLEARS: Readonly<Record<string, readonly [AlertSeverity, readonly string[]]>> = {
  token_obtained: ['critical', ['token_rejected', 'token_expired', OTP_NEEDED]],
  prices_fresh: ['critical', ['prices_stale']],
  stream_up: ['warning', ['stream_down']],
  order_known: ['warning', ['order_unknown']],
  positions_agree: ['critical', ['position_mismatch']],
  position_covered: ['critical', ['failure_policy', 'exits_missing']],
  channel_works: ['warning', ['channel_failed']],
  dead_man_reached: ['warning', ['dead_man_unreached']],
  entries_on: [
    'info',
    [
      'entries_off',
      'entries_halted',
      'halt_proven',
      'halt_unproven',
      'message_rate',
      'rejections',
      'drawdown',
      'journal_failed',
      'money_mismatch',
      'second_daemon',
    ],
  ],
};

/** A stop waits for at most three seconds. */
const CLOSE_CHECKS = 30;
const CLOSE_CHECK_EVERY = milliseconds(100);

interface Bot {
  readonly id: string;
  readonly bot: TelegramBot;
  readonly users: readonly number[];
}

export class Alerting {
  readonly #options: AlertingOptions;
  readonly #filter: AlertFilter;
  readonly #routes: Routes;
  readonly #file: WaitingFile;
  readonly #bots: Bot[] = [];
  readonly #channels: AlertChannel[] = [];
  #listeners: readonly TelegramListener[] = [];
  #deadMansSwitch: DeadMansSwitch | undefined = undefined;

  /** Throws for a secret that is missing. */
  constructor(options: AlertingOptions) {
    this.#options = options;
    const { config, alert } = options;
    const path = options.paths.messages;
    const { alerts, calendar, mode } = config;
    const offset = calendar.utcOffsetMinutes;
    const routes = alerts.channels.map((settings): AlertRoute => {
      const { id, least, perMinute } = settings;
      const { channel, bot } = openChannel(settings, options.address.secrets, config.stateDir);
      if (bot !== null && settings.kind === 'telegram') this.#bots.push({ id, bot, users: settings.users });
      this.#channels.push(channel);
      return { channel, least, perMinute };
    });
    const changed = (): void => this.#file.changed();
    this.#routes = new Routes({
      routes,
      clock: systemClock,
      timers: systemTimers,
      time: (at) => formatShownTime(at, systemClock.nowUs(), offset),
      alert,
      onChange: changed,
    });
    const { quiet, repeatAfter, escalateAfter } = alerts;
    this.#filter = new AlertFilter({
      clock: systemClock,
      timers: systemTimers,
      repeatAfter,
      escalateAfter,
      quietUntil:
        quiet === undefined
          ? () => null
          : quietHours(quiet.from, quiet.until, (at) => timeOfDayUs(at, offset), US_PER_DAY),
      label: mode,
      send: (message) => this.#routes.send(message),
      onEnd: (ending) => this.#routes.end(ending),
      onChange: changed,
    });
    this.#file = new WaitingFile(
      path,
      () => ({ desk: this.#filter.memory, queues: this.#routes.waiting }),
      (reason) =>
        alert(
          'warning',
          'alerts_not_kept',
          `${path} could not be written: ${reason}; a restart would forget what was not delivered`,
        ),
    );
    if (this.isUsed) this.#resumeWaiting(path, systemClock.nowUs());
  }

  get isUsed(): boolean {
    return this.#options.config.alerts.channels.length > 0;
  }

  get state() {
    const { counts, memory } = this.#filter;
    return { channels: this.#routes.states, counts, unseen: memory.unseen.length };
  }

  entry(entry: JournalEntry): void {
    if (!this.isUsed) return;
    if (entry.kind === 'alert') {
      const { severity, code, strategy } = entry;
      const { calendar } = this.#options.config;
      const text = withAliases(entry.text, calendar, tradingDayAt(calendar, entry.tsUs));
      const title = `${code.replaceAll('_', ' ')} (${this.#options.config.mode})`;
      if (ALERT_AT_ONCE.has(code))
        return this.send({ severity, kind: 'reminder', title, text, page: null, code });
      const subject = strategy === null ? '' : this.#options.names.nameOf(strategy);
      const about = entry.about === undefined ? '' : `${entry.about} ${subject}`;
      return this.#alert({ severity, code, text, subject, about });
    }
    // A halt of the engine has an alert of its own, and any other one the outcome of its cancels.
    if (entry.kind !== 'halt' || entry.strategy !== null || entry.cause !== OWN_CAUSE) return;
    if (!entry.halted) this.#alertHalt('info', 'entries_on', `entries are on again: ${entry.reason}`);
    else if (this.#options.config.mode === 'dry-run')
      this.#alertHalt('warning', 'entries_off', `entries are off until you resume: ${entry.reason}`);
  }

  send(draft: AlertDraft): void {
    if (!this.isUsed) return;
    const { secrets } = this.#options.address;
    this.#filter.send({ ...draft, title: secrets.hide(draft.title), text: secrets.hide(draft.text) });
  }

  /** Sends a test message to this channel, or to all. */
  async try(id: string | null): Promise<readonly ChannelTrial[]> {
    const { config, address } = this.#options;
    const channels = this.#channels.filter((channel) => id === null || channel.id === id);
    const trials = await tryChannels(channels, config.mode, address.secrets);
    for (const trial of trials) this.#routes.onTrial(trial.id, trial.failure);
    return trials;
  }

  acknowledge(untilUs?: number): number {
    return this.#filter.acknowledge(untilUs);
  }

  /** Commands by phone are taken from here on, and the dead man's switch is called while `problem` returns null. */
  listen(remote: RemoteOptions, problem: () => string | null): void {
    this.#startDeadMansSwitch(problem);
    const { counters, alert, address } = this.#options;
    const control = new RemoteControl(remote);
    this.#listeners = this.#bots
      .filter(({ users }) => users.length > 0)
      .map(
        ({ id, bot, users }) =>
          new TelegramListener({
            bot,
            users,
            clock: systemClock,
            timers: systemTimers,
            taken: {
              stampOf: (update) => counters.counter('telegram_update', `${id} ${update}`),
              keep: (update, stamp) =>
                counters.setCounterOrReport('telegram_update', `${id} ${update}`, stamp),
            },
            take: async (asked) => {
              const reply = await control.take(asked);
              return { ...reply, text: address.secrets.hide(reply.text) };
            },
            // A press may come hours late, as after an outage: what came after its message was not seen.
            seen: (by, sentUs) => {
              const count = this.acknowledge(sentUs + CLOCKS_APART_MAX);
              remote.journal(by, 'seen', `alerts acknowledged: ${count}`);
              return this.state.unseen === 0 ? 'acknowledged' : 'acknowledged; newer ones wait';
            },
            alert,
          }),
      );
    for (const listener of this.#listeners) listener.start();
  }

  async stopListening(): Promise<void> {
    this.#deadMansSwitch?.close();
    const listeners = this.#listeners;
    this.#listeners = [];
    await Promise.all(listeners.map((listener) => listener.close()));
  }

  /** Gives the last messages a moment; the next start sends the rest. */
  async close(): Promise<void> {
    this.#filter.close();
    for (let checks = 0; checks < CLOSE_CHECKS && !this.#routes.isIdle; checks += 1)
      await new Promise<void>((resolve) => systemTimers.after(CLOSE_CHECK_EVERY, resolve));
    await this.#routes.close();
    if (this.isUsed) this.#file.changed();
    await this.#file.settled();
  }

  #startDeadMansSwitch(problem: () => string | null): void {
    const { config, alert, address } = this.#options;
    const { deadMansSwitch: settings } = config.alerts;
    if (settings === undefined) return;
    const { url, every, start, fail } = settings;
    this.#deadMansSwitch = new DeadMansSwitch({
      url: readHidden('deadMansSwitch', url, address.secrets),
      every,
      start,
      fail,
      timers: systemTimers,
      problem,
      onService: (failure) =>
        failure === null
          ? alert('info', 'dead_man_reached', 'the service of the dead man’s switch is reached again')
          : alert(
              'warning',
              'dead_man_unreached',
              `the service of the dead man’s switch is not reached: ${failure}; it will raise its alarm`,
            ),
    });
    this.#deadMansSwitch.start();
  }

  #alertHalt(severity: AlertSeverity, code: string, text: string): void {
    this.#alert({ severity, code, text, subject: '', about: '' });
  }

  #alert({ severity, code, text, subject, about }: Omit<Alert, 'remedy' | 'ends'>): void {
    const [began = severity, codes] = ALL_CLEARS[code] ?? [];
    const { address, config } = this.#options;
    const remedy = remedyOf(
      { severity, code, text },
      (command) => `tickwright ${command} --state ${config.stateDir}`,
    );
    const named = subject === '' ? remedy : remedy.replaceAll(' … ', ` ${subject} `);
    this.#filter.alert({
      severity: began,
      code,
      subject,
      about,
      text: address.secrets.hide(text),
      remedy: named,
      ...(codes === undefined ? {} : { ends: { codes, about } }),
    });
  }

  #resumeWaiting(path: string, nowUs: TsUs): void {
    const left = WaitingFile.read(path);
    if (left === null) return;
    const isWorthIt = ({ atUs, kind }: AlertMessage): boolean =>
      kind !== 'question' && nowUs - atUs < REPEATS_MAX;
    for (const { channel, messages } of left.queues)
      for (const message of messages.filter(isWorthIt)) this.#routes.resume(channel, message);
    const unseen = left.desk.unseen.filter((message) => isWorthIt(message) && message.isUntilStart !== true);
    this.#filter.resume({ ...left.desk, held: left.desk.held.filter(isWorthIt), unseen });
  }
}

// Channels to the operator as the configuration names them, with their secrets.

/** Throws for a secret that is missing. `bot`: null for a channel that takes no commands; `stateDir` of a daemon that takes them, or null. */
function openChannel(config: ChannelConfig, secrets: Secrets, stateDir: string | null) {
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
function readHidden(id: string, ref: SecretRef, secrets: Secrets): string {
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

const tryChannels = (
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

// The one-time password of the day: asks a person for it, reminds, and says when it is in.

interface ReminderOptions {
  readonly config: Config;
  readonly market: Clock;
  readonly tokens: () => Pick<TokenKeeper, 'current' | 'budget'>;
  readonly hours: () => TokenHours | undefined;
  readonly send: (draft: AlertDraft) => void;
}

export class OtpReminders {
  readonly #options: ReminderOptions;
  #cancel: CancelTimer | undefined = undefined;
  #asked = 0;

  constructor(options: ReminderOptions) {
    this.#options = options;
  }

  waiting(isWaiting: boolean): void {
    this.#cancel?.();
    if (isWaiting) this.#ask();
  }

  obtained(): void {
    const token = this.#options.tokens().current();
    if (this.#asked === 0 || token === undefined) return;
    this.#asked = 0;
    const text = `The token is valid until ${this.#time(token.expiresAt)}. ${this.#budget()}`;
    this.#remind('info', 'the one-time password is in', text, '');
  }

  close(): void {
    this.#cancel?.();
  }

  #ask(): void {
    const { config, hours } = this.#options;
    this.#cancel = systemTimers.after(config.alerts.remindOtpEvery, () => this.#ask());
    const session = hours();
    const isNight = session !== undefined && systemClock.nowUs() < session.fromUs;
    if (isNight && this.#asked > 0) return;
    this.#asked += 1;
    const again = this.#asked === 1 ? '' : `, asked for ${this.#asked} times`;
    this.#remind(this.#severity(), `one-time password needed${again}`, this.#question(session), OTP_NEEDED);
  }

  #severity(): AlertDraft['severity'] {
    const { tokens, config, market } = this.#options;
    const isOpen = phaseAt(config.calendar, market.nowUs()) !== 'closed';
    return isOpen && tokens().current() === undefined ? 'critical' : 'warning';
  }

  #question(session: TokenHours | undefined): string {
    const { tokens, config } = this.#options;
    const token = tokens().current();
    const needed = session === undefined ? '' : ` A token is needed until ${this.#time(session.untilUs)}.`;
    const until =
      token === undefined
        ? 'Until it is in nothing can be sent, and no prices come: no entries, no changes, no cancels. What works at the broker stays there. ' +
          `If it never comes, the day is not traded, and policies.tokenDead (${config.engine.policies?.tokenDead ?? 'hold'}) acts once a token is there.`
        : `The present token is valid until ${this.#time(token.expiresAt)}: trading goes on until then, and stops there if no password comes.`;
    return `Bring it: /otp 123456 in the chat, or tickwright otp on the machine.${needed} ${until} ${this.#budget()}`;
  }

  #budget(): string {
    const { used, allowed } = this.#options.tokens().budget;
    return `${used} of ${allowed} exchanges of the day are used.`;
  }

  #time(at: TsUs): string {
    return formatLocalTime(at, this.#options.config.exchangeCalendar.utcOffsetMinutes)
      .slice(0, 16)
      .replace('T', ' ');
  }

  #remind(severity: AlertDraft['severity'], title: string, text: string, code: string): void {
    const { send, config } = this.#options;
    send({ severity, kind: 'question', title: `${title} (${config.mode})`, text, page: null, code });
  }
}
