/** Decides which alert becomes a message, and when: repeats, quiet hours, and critical ones until a person has acknowledged them. */
import type { CancelTimer, Clock, Timers } from '../../domain/clock.ts';
import { type DurationUs, durationUs, minutes, seconds, type TsUs, tsUs } from '../../domain/units.ts';
import type { AlertSeverity, EntryOf } from '../../engine/ports/journal-entry.ts';
import { formatSpan } from '../../text/durations.ts';
import { formatCount } from '../../text/numbers.ts';
import {
  type AlertDraft,
  type AlertMessage,
  dropLeast,
  endedBy,
  type AllClear,
  isEndedBy,
} from './alert-message.ts';

export interface Alert extends Pick<EntryOf<'alert'>, 'severity' | 'code' | 'text'> {
  /** The strategy, or empty. */
  readonly subject: string;
  /** The strategy and what the alert is about; empty where it is about nothing alone. */
  readonly about: string;
  /** The operator's next step; empty without one. */
  readonly remedy: string;
  /** Codes whose condition ends. It has their severity, reaches the same channels, and nobody has to acknowledge it. */
  readonly ends?: AllClear;
}

export interface AlertFilterOptions {
  readonly repeatAfter: DurationUs;
  /** An unacknowledged critical alert is sent again after this, and after twice as long. */
  readonly escalateAfter: DurationUs;
  /** When quiet hours that contain this moment end; null outside of them. */
  readonly quietUntil: (at: TsUs) => TsUs | null;
  readonly clock: Clock;
  readonly timers: Timers;
  /** In front of each title: `live`, `paper`. */
  readonly label: string;
  readonly send: (message: AlertMessage) => void;
  /** Of what was sent: it may wait in a channel. */
  readonly onEnd: (ending: AllClear) => void;
  /** The memory for the next start has changed. */
  readonly onChange: () => void;
}

/** Taken over by a start from the run before. */
export interface AlertMemory {
  /** Wait for the end of quiet hours. */
  readonly held: readonly AlertMessage[];
  readonly unseen: readonly AlertMessage[];
  /** Sent, and not sent again within their windows. */
  readonly sent?: readonly SentAlert[];
}

interface SentAlert {
  readonly key: string;
  readonly sentUs: TsUs;
  readonly windowUs: number;
  repeats: number;
  last: Alert;
}

/** Recognises a repeat by code and subject; numbers may differ, ids of orders and codes of contracts may not. */
interface RepeatWindow extends SentAlert {
  readonly cancel: CancelTimer;
}

/** A start resolves these, so that the next one is news. */
const UNTIL_START: ReadonlySet<string> = new Set(['engine_gone', 'program_waits', 'terms_changed']);
const NOT_ACKNOWLEDGED = 'not_acknowledged';
const ACKNOWLEDGED: AllClear = { codes: [NOT_ACKNOWLEDGED], about: '' };
const END_AT_ONCE = { severity: 'info', kind: 'reminder' } as const;
const WINDOW_MAX = minutes(240);
const SUBJECTS_MAX = 1_000;
const HELD_MAX = 200;
const UNSEEN_MAX = 50;
const ESCALATIONS_MAX = 4;
const CHECK_EVERY = seconds(30);

export class AlertFilter {
  readonly #options: AlertFilterOptions;
  readonly #windows = new Map<string, RepeatWindow>();
  #held: AlertMessage[] = [];
  #unseen: AlertMessage[] = [];
  #escalations = 0;
  #escalateUs = 0;
  #nextId: number;
  #cancelHeld: CancelTimer | undefined = undefined;
  #cancelCheck: CancelTimer | undefined = undefined;
  readonly counts: Record<AlertSeverity | 'repeated' | 'escalated', number> = {
    info: 0,
    warning: 0,
    critical: 0,
    repeated: 0,
    escalated: 0,
  };

  constructor(options: AlertFilterOptions) {
    this.#options = options;
    // Numbers of an earlier run stay below these.
    this.#nextId = options.clock.nowUs();
  }

  get memory(): AlertMemory {
    const sent = [...this.#windows.values()].map(({ cancel: _cancel, ...each }) => each);
    return { held: this.#held, unseen: this.#unseen, sent };
  }

  resume({ held, unseen, sent = [] }: AlertMemory): void {
    const now = this.#options.clock.nowUs();
    for (const each of sent) {
      const leftUs = Math.min(each.sentUs - now, 0) + each.windowUs;
      if (leftUs > 0 && !UNTIL_START.has(each.last.code)) this.#remember(each, leftUs);
    }
    this.#unseen = unseen.slice(-UNSEEN_MAX);
    if (this.#unseen.length > 0) this.#armEscalation();
    for (const message of held) this.#deliver(message);
  }

  alert(alert: Alert): void {
    this.counts[alert.ends === undefined ? alert.severity : 'info'] += 1;
    // The condition has come back: its end is no news any more.
    for (const window of this.#windows.values()) if (isEndedBy(alert, window.last.ends)) window.repeats = 0;
    if (alert.ends !== undefined) this.#end(alert.ends);
    const key = `${alert.severity} ${alert.code} ${alert.subject} ${alert.text.replaceAll(NUMBERS, '#')}`;
    const seen = this.#windows.get(key);
    if (seen !== undefined) {
      seen.repeats += 1;
      seen.last = alert;
      this.counts.repeated += 1;
      return;
    }
    for (const [other, { last, cancel }] of this.#windows)
      if (isEndedBy(last, alert.ends)) {
        // When it begins again, that is news.
        cancel();
        this.#windows.delete(other);
      }
    this.#begin(key, alert, this.#options.repeatAfter);
    this.#sendAlert(alert, bodyOf(alert));
  }

  /** The end of something critical leaves at once too. */
  #sendAlert(alert: Alert, text: string): void {
    const { severity, code, about, ends } = alert;
    const isUntilStart = UNTIL_START.has(code);
    const head =
      ends !== undefined && severity === 'critical' ? END_AT_ONCE : ({ severity, kind: 'alert' } as const);
    this.send({ ...head, title: this.#titleOf(alert), text, page: null, isUntilStart, code, about });
  }

  #end(ending: AllClear): void {
    this.#held = this.#held.map((message) => endedBy(message, ending));
    this.#unseen = this.#unseen.map((message) => endedBy(message, ending));
    this.#options.onEnd(ending);
  }

  /** Sends without counting repeats. */
  send(draft: AlertDraft): void {
    const { clock } = this.#options;
    this.#nextId += 1;
    const message: AlertMessage = { ...draft, id: this.#nextId, atUs: clock.nowUs() };
    if (message.severity === 'critical' && message.kind === 'alert') {
      this.#unseen.push(message);
      if (this.#unseen.length > UNSEEN_MAX) this.#unseen.shift();
      this.#armEscalation();
    }
    this.#deliver(message);
  }

  /** The operator has seen the messages up to a moment; returns how many critical alerts of them were unacknowledged. */
  acknowledge(untilUs = Infinity): number {
    const newer = this.#unseen.filter(({ atUs }) => atUs > untilUs);
    const count = this.#unseen.length - newer.length;
    this.#unseen = newer;
    if (newer.length === 0) {
      this.#cancelCheck?.();
      this.#cancelCheck = undefined;
      this.#end(ACKNOWLEDGED);
    }
    if (count > 0) this.#options.onChange();
    return count;
  }

  close(): void {
    this.#cancelHeld?.();
    this.#cancelCheck?.();
    for (const { cancel } of this.#windows.values()) cancel();
  }

  /** Title as a lock screen shows it, with the event. */
  #titleOf({ severity, code, subject, text, ends }: Alert): string {
    const word = ends === undefined ? WORD[severity] : 'all clear:';
    const who = subject === '' ? '' : `, ${subject}`;
    return `${word} ${code.replaceAll('_', ' ')} (${this.#options.label}${who}): ${headlineOf(text)}`;
  }

  /** A bound on memory: the oldest subject counts as new again. */
  #remember(sent: SentAlert, leftUs: number): void {
    const { key } = sent;
    const oldest = this.#windows.size >= SUBJECTS_MAX ? this.#windows.keys().next() : { done: true as const };
    if (oldest.done !== true) {
      this.#windows.get(oldest.value)?.cancel();
      this.#windows.delete(oldest.value);
    }
    const cancel = this.#options.timers.after(durationUs(leftUs), () => this.#endWindow(key));
    this.#windows.set(key, { ...sent, cancel });
  }

  #begin(key: string, last: Alert, windowUs: number): void {
    this.#remember({ key, sentUs: this.#options.clock.nowUs(), windowUs, repeats: 0, last }, windowUs);
  }

  /** Repeats are sent once at the end of its window, which opens one of twice the length. */
  #endWindow(key: string): void {
    const seen = this.#windows.get(key);
    this.#windows.delete(key);
    if (seen === undefined || seen.repeats === 0) return;
    const { last, repeats, windowUs, sentUs } = seen;
    this.#begin(key, last, Math.min(windowUs * 2, WINDOW_MAX));
    const span = formatSpan(this.#options.clock.nowUs() - sentUs);
    this.#sendAlert(last, `${formatCount(repeats, 'more time')} within ${span}\n${bodyOf(last)}`.trimEnd());
  }

  #deliver(message: AlertMessage): void {
    const { quietUntil, clock, send, onChange } = this.#options;
    const canWait =
      message.kind === 'report' || (message.kind === 'alert' && message.severity !== 'critical');
    const until = canWait ? quietUntil(clock.nowUs()) : null;
    if (until === null) return send(message);
    if (this.#held.length >= HELD_MAX) dropLeast(this.#held);
    this.#held.push(message);
    this.#cancelHeld ??= this.#after(until, () => this.#release());
    onChange();
  }

  #release(): void {
    this.#cancelHeld = undefined;
    const held = this.#held;
    this.#held = [];
    for (const message of held) this.#deliver(message);
    this.#options.onChange();
  }

  /** Each alert begins all its repeats, and puts those of others off no further. */
  #armEscalation(): void {
    const { clock, escalateAfter } = this.#options;
    const isIdle = this.#cancelCheck === undefined || this.#escalations === ESCALATIONS_MAX;
    const dueUs = clock.nowUs() + escalateAfter;
    this.#escalateUs = isIdle ? dueUs : Math.min(this.#escalateUs, dueUs);
    this.#escalations = 0;
    this.#cancelCheck?.();
    this.#waitToEscalate();
  }

  #waitToEscalate(): void {
    this.#cancelCheck = this.#after(tsUs(this.#escalateUs), () => {
      const { clock, escalateAfter } = this.#options;
      this.#escalations += 1;
      this.#escalateUs = clock.nowUs() + escalateAfter * 2 ** this.#escalations;
      this.#escalate();
      if (this.#escalations < ESCALATIONS_MAX) this.#waitToEscalate();
    });
  }

  #escalate(): void {
    const [first] = this.#unseen;
    const last = this.#unseen.at(-1);
    if (first === undefined || last === undefined) return;
    this.counts.escalated += 1;
    const { clock, label } = this.#options;
    const waits = formatSpan(clock.nowUs() - first.atUs);
    const older = this.#unseen.length === 1 ? '' : `\n\nThe first was: ${first.title}\n${first.text}`;
    this.send({
      severity: 'critical',
      kind: 'reminder',
      title: `NOT ACKNOWLEDGED for ${waits}: ${formatCount(this.#unseen.length, 'critical alert')} (${label})`,
      text: `${last.title}\n${last.text}${older}\n\nAny command acknowledges: /seen, or tickwright seen.`,
      page: null,
      code: NOT_ACKNOWLEDGED,
    });
  }

  /** Checks often: timers pause while the machine sleeps. */
  #after(at: TsUs, run: () => void): CancelTimer {
    const { timers, clock } = this.#options;
    let cancel: CancelTimer;
    const wait = (): void => {
      cancel = timers.after(durationUs(Math.min(CHECK_EVERY, Math.max(0, at - clock.nowUs()))), () =>
        clock.nowUs() >= at ? run() : wait(),
      );
    };
    wait();
    return () => cancel();
  }
}

const WORD: Readonly<Record<AlertSeverity, string>> = {
  info: 'info:',
  warning: 'WARNING:',
  critical: 'CRITICAL:',
};

/** A digit that belongs to the id of an order or the code of a contract distinguishes two subjects. */
const NUMBERS = /(?<![\w.#])[-+]?\d[\d.,:]*/g;

const HEADLINE_MAX = 120;

/** The first clause; the point of "order no. 34" ends none. */
function headlineOf(text: string): string {
  const [clause = ''] = text.split(/; |(?<!\bno)\. |\n/, 1);
  return clause.length <= HEADLINE_MAX ? clause : `${clause.slice(0, HEADLINE_MAX)}…`;
}

/** The next step, then what the title had no room for. */
const bodyOf = ({ text, remedy }: Alert): string =>
  [...(remedy === '' ? [] : [`→ ${remedy}`]), ...(text === headlineOf(text) ? [] : [text])].join('\n');

/** Quiet hours of each day, from and until a time of day; `from` after `until` spans midnight. */
export function quietHours(
  fromUs: number,
  untilUs: number,
  timeOfDay: (at: TsUs) => number,
  dayUs: number,
): (at: TsUs) => TsUs | null {
  return (at) => {
    const now = timeOfDay(at);
    const isQuiet = fromUs < untilUs ? now >= fromUs && now < untilUs : now >= fromUs || now < untilUs;
    if (!isQuiet) return null;
    return tsUs(at - now + (now < untilUs ? untilUs : untilUs + dayUs));
  };
}
