/** One message to the operator, as every channel gets it. */
import type { TsUs } from '../../domain/units.ts';
import type { AlertSeverity } from '../../engine/ports/journal-entry.ts';

export interface AlertMessage {
  /** Counts up within a process. */
  readonly id: number;
  /** Real time. */
  readonly atUs: TsUs;
  readonly severity: AlertSeverity;
  /** `alert`: by severity, may wait. `reminder`: to all at once. `question`: so too, until a restart. `report`: to all, may wait. */
  readonly kind: 'alert' | 'reminder' | 'question' | 'report';
  readonly title: string;
  readonly text: string;
  /** A file with the same as HTML, for channels that can carry it; null without one. */
  readonly page: string | null;
  /** It asks for a start: the next one resolves it. */
  readonly isUntilStart?: boolean;
  /** Of the alert, until its condition is over. */
  readonly code?: string;
  /** The strategy of the alert and what it is about; empty where it is about nothing alone. */
  readonly about?: string;
  /** Channels that an earlier run gave it to. */
  readonly given?: readonly string[];
}

export type AlertDraft = Omit<AlertMessage, 'id' | 'atUs'>;

/** Messages that leave together, the oldest first. */
export interface Delivery {
  readonly severity: AlertSeverity;
  readonly title: string;
  readonly text: string;
  /** Something in it waits to be acknowledged. */
  readonly isUrgent: boolean;
  readonly pages: readonly string[];
}

/** `later`: the same may succeed after the pause (null: the channel's own). `refused`: a person has to fix it, like a wrong token. */
export type DeliveryResult =
  | { readonly status: 'sent' }
  | { readonly status: 'later'; readonly pauseMs: number | null; readonly reason: string }
  | { readonly status: 'refused'; readonly reason: string };

export interface AlertChannel {
  readonly id: string;
  /** Longest text of one delivery, in characters. */
  readonly textMax: number;
  /** Never throws; ends by itself within seconds. */
  send(delivery: Delivery): Promise<DeliveryResult>;
  close(): Promise<void>;
}

const RANK: Readonly<Record<AlertSeverity, number>> = { info: 0, warning: 1, critical: 2 };

export const isAtLeast = (severity: AlertSeverity, least: AlertSeverity): boolean =>
  RANK[severity] >= RANK[least];

/** Makes room: the oldest of the least severe goes, and the journal has it. */
export function dropLeast(messages: AlertMessage[]): void {
  const least = Math.min(...messages.map(({ severity }) => RANK[severity]));
  messages.splice(
    messages.findIndex(({ severity }) => RANK[severity] === least),
    1,
  );
}

const MORE = '…';

/** The end of conditions, by the codes of their alerts; `about` as in a message, or empty for any. */
export interface AllClear {
  readonly codes: readonly string[];
  readonly about: string;
}

/** The same rule for a message that waits, a repeat that is counted, and a condition that comes back. */
export const isEndedBy = (
  { code = '', about }: Pick<AlertMessage, 'code' | 'about'>,
  ending: AllClear | undefined,
): boolean => ending?.codes.includes(code) === true && (ending.about === '' || ending.about === about);

/** A message that comes late says that it is true no more. */
export const endedBy = (message: AlertMessage, ending: AllClear): AlertMessage =>
  isEndedBy(message, ending) ? { ...message, code: '', title: `OVER by now: ${message.title}` } : message;

/** As many of the oldest messages as fit; at least one, cut if it must be. */
export function bundle(
  messages: readonly AlertMessage[],
  textMax: number,
  time: (at: TsUs) => string,
): { readonly delivery: Delivery; readonly taken: number } {
  const parts: string[] = [];
  let left = textMax;
  for (const { atUs, title, text } of messages) {
    const part = `${time(atUs)} ${title}\n${text}`.trimEnd();
    const cost = part.length + (parts.length === 0 ? 0 : 2);
    if (parts.length > 0 && cost > left) break;
    parts.push(part.length > left ? part.slice(0, left - MORE.length) + MORE : part);
    left -= cost;
  }
  const taken = messages.slice(0, parts.length);
  const worst = taken.reduce((a, b) => (RANK[b.severity] > RANK[a.severity] ? b : a));
  const more = taken.length === 1 ? '' : ` (and ${taken.length - 1} more)`;
  const pages = taken.flatMap(({ page }) => (page === null ? [] : [page]));
  const delivery: Delivery = {
    severity: worst.severity,
    title: worst.title + more,
    text: parts.join('\n\n'),
    isUrgent: worst.severity === 'critical',
    pages,
  };
  return { delivery, taken: parts.length };
}
