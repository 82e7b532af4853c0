/** The one-time password of the day: asks a person for it, reminds, and says when it is in. */
import type { Config } from '../config/config.ts';
import { phaseAt } from '../domain/calendar.ts';
import type { CancelTimer, Clock } from '../domain/clock.ts';
import type { TokenHours, TokenKeeper } from '../broker/auth/token-keeper.ts';
import type { TsUs } from '../domain/units.ts';
import type { AlertDraft } from '../operator/alerts/alert-message.ts';
import { formatLocalTime } from '../text/dates.ts';
import { systemClock, systemTimers } from '../host/system-clock.ts';

/** Code of the question for a one-time password, which a token answers. */
export const OTP_NEEDED = 'otp_needed';

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
  #questions = 0;

  constructor(options: ReminderOptions) {
    this.#options = options;
  }

  waiting(isWaiting: boolean): void {
    this.#cancel?.();
    if (isWaiting) this.#ask();
  }

  obtained(): void {
    const token = this.#options.tokens().current();
    if (this.#questions === 0 || token === undefined) return;
    this.#questions = 0;
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
    if (isNight && this.#questions > 0) return;
    this.#questions += 1;
    const again = this.#questions === 1 ? '' : `, asked for ${this.#questions} times`;
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
