/** Carries alerts to the operator's channels and commands back, off the way of any order. */
import type { Config } from '../config/config.ts';
import { tradingDayAt } from '../domain/calendar.ts';
import { withAliases } from '../domain/contract-code.ts';
import { timeOfDayUs } from '../domain/civil-date.ts';
import { milliseconds, seconds, type TsUs, US_PER_DAY, US_PER_HOUR } from '../domain/units.ts';
import { type AlertSeverity, type JournalEntry, NO_EVENT } from '../engine/ports/journal-entry.ts';
import type { JournalStore } from '../journal/journal-store.ts';
import { type Alert, AlertFilter, quietHours } from '../operator/alerts/alert-filter.ts';
import type { AlertChannel, AlertDraft, AlertMessage } from '../operator/alerts/alert-message.ts';
import { type AlertRoute, Routes } from '../operator/alerts/routes.ts';
import { WaitingFile } from '../operator/alerts/waiting-file.ts';
import { DeadMansSwitch } from '../operator/channels/dead-man.ts';
import { RemoteControl, type RemoteOptions } from '../operator/channels/remote-control.ts';
import { type TelegramBot, TelegramListener } from '../operator/channels/telegram.ts';
import type { BrokerAddress } from './edge/broker-address.ts';
import type { StatePaths } from '../host/state/state-paths.ts';
import { remedyOf } from '../operator/remedies.ts';
import { formatShownTime } from '../text/dates.ts';
import { systemClock, systemTimers } from '../host/system-clock.ts';
import type { StrategyNames } from '../domain/ids.ts';
import { OTP_NEEDED } from './otp-reminders.ts';
import { openChannel, readHidden, tryChannels, type ChannelTrial } from './alert-channels.ts';

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
    if (entry.kind !== 'halt' || entry.strategy !== null || entry.cause !== NO_EVENT) return;
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
            take: async (message) => {
              const reply = await control.take(message);
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
