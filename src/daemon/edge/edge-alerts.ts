/** Turns each signal of the edge into a line or an alert for the operator. Alerts are journaled. */
import { formatLocalSecond } from '../../text/dates.ts';
import type { TokenSignal } from '../../broker/auth/token-keeper.ts';
import type { GatewaySignal } from '../../broker/gateway/rest-gateway.ts';
import type { ReportSignal } from '../../broker/reports/reports.ts';
import type { RestSignal } from '../../broker/rest/transport.ts';
import { describeEnd } from '../../broker/stream/stream-connection.ts';
import type { StreamSignal } from '../../broker/stream/stream-client.ts';
import { US_PER_SECOND } from '../../domain/units.ts';
import type { AlertSeverity } from '../../engine/ports/journal-entry.ts';

type RaiseAlert = (severity: AlertSeverity, code: string, text: string) => void;
type Note = (text: string) => void;

type AlertHead = readonly [severity: AlertSeverity, code: string];
/** Signals that are alerts; the others are lines of the log. */
type AlertHeads<Signal extends { readonly kind: string }> = Readonly<
  Partial<Record<Signal['kind'], AlertHead>>
>;

const TOKEN_ALERTS: AlertHeads<TokenSignal> = {
  refresh_failed: ['critical', 'token_refresh_failed'],
  expires_before_close: ['warning', 'token_expires_before_close'],
  expired: ['critical', 'token_expired'],
  doubted: ['warning', 'token_doubted'],
  rejected: ['critical', 'token_rejected'],
  cache_failed: ['warning', 'token_cache_failed'],
};

const STREAM_ALERTS: AlertHeads<StreamSignal> = {
  paused: ['critical', 'stream_paused'],
  awaiting_token: ['warning', 'stream_awaits_token'],
  channel_stale: ['warning', 'channel_stale'],
  feed_stale: ['critical', 'prices_stale'],
  no_trades: ['warning', 'no_trades'],
  feed_fresh: ['info', 'prices_fresh'],
};

export class EdgeAlerts {
  readonly #alert: RaiseAlert;
  readonly #note: Note;
  /** Formats a time of the exchange. */
  readonly #time: (us: number) => string;
  #isTokenLost = false;

  constructor(alert: RaiseAlert, note: Note, utcOffsetMinutes: number) {
    this.#alert = alert;
    this.#note = note;
    this.#time = (us) => formatLocalSecond(us, utcOffsetMinutes);
  }

  readonly drift = (place: string, deviation: string): void => {
    this.#note(driftText(place, deviation));
  };

  readonly rest = (signal: RestSignal): void => {
    const { operation } = signal;
    if (signal.kind === 'slowed_down')
      return this.#alert('warning', 'rate_limited', `${operation}: the broker asks for a slower pace (429)`);
    if (signal.kind === 'read_failed')
      return signal.willRetry ? undefined : this.#note(`${operation} could not be read: ${signal.reason}`);
    const text = `${operation}: ${signal.reason}; it is being looked up`;
    // The engine alerts an order that is placed, with its id.
    return PLACING.has(operation) ? this.#note(text) : this.#alert('warning', 'outcome_unknown', text);
  };

  readonly report = (signal: ReportSignal): void => {
    if (signal.kind === 'scan_incomplete')
      return this.#note(`only part of the order book could be read: ${signal.reason}`);
    if (signal.kind === 'contract_list_missing')
      return this.#note(`the contract list could not be read (${signal.reason}): using the price board`);
    const text = `prices come for ${signal.codes.join(', ')}, which the contract list does not have: they are not traded`;
    return this.#alert('warning', 'orphan_codes', text);
  };

  readonly gateway = (signal: GatewaySignal): void => {
    const call = `the ${signal.call} of ${signal.order}`;
    if (signal.kind === 'exit_not_sent') {
      const text = `NOT sent: ${call}, which shrinks a position; ${signal.reason}`;
      return this.#alert('critical', 'exit_not_sent', text);
    }
    const how = signal.recorded ? 'recorded in the emergency file' : 'without any record';
    return this.#alert('critical', 'sent_on_emergency', `the journal failed: ${call} was sent, ${how}`);
  };

  readonly token = (signal: TokenSignal): void => {
    const { kind } = signal;
    if (kind === 'obtained') {
      if (this.#isTokenLost) this.#alert('info', 'token_obtained', 'there is a token again');
      this.#isTokenLost = false;
    } else if (kind === 'expired' || kind === 'rejected') this.#isTokenLost = true;
    const mayPass = kind === 'refresh_failed' && signal.failure.kind === 'temporary';
    const head: AlertHead | undefined = mayPass ? ['warning', 'token_refresh_failed'] : TOKEN_ALERTS[kind];
    this.#raise(head, tokenText(signal, this.#time));
  };

  readonly stream = (signal: StreamSignal): void => {
    this.#raise(STREAM_ALERTS[signal.kind], streamText(signal));
  };

  #raise(head: AlertHead | undefined, text: string): void {
    if (head === undefined) this.#note(text);
    else this.#alert(...head, text);
  }
}

function tokenText(signal: TokenSignal, time: (us: number) => string): string {
  switch (signal.kind) {
    case 'no_cached_token':
      return `${signal.reason}: a new token is needed`;
    case 'asking':
      return signal.provider === 'inbox'
        ? 'waiting for a one-time password: tickwright otp brings it'
        : `asking for a one-time password (${signal.provider})`;
    case 'obtained':
      return `token from ${signal.from}, valid until ${time(signal.expiresAt)}; ${signal.used} of ${signal.allowed} exchanges of the day are used`;
    case 'asks_later':
      return `there is no token: a one-time password is asked for at ${time(signal.at)}, ahead of the session; tickwright token asks now`;
    case 'refresh_failed':
      return `no new token (exchanges today: ${signal.used}): ${signal.failure.reason}${signal.failure.kind === 'final' ? '; tickwright token tries again, the daemon does so at the next session.tokenRefresh' : ''}`;
    case 'expires_before_close':
      return `the token expires at ${time(signal.expiresAt)}, and the last reports of the day may come until ${time(signal.neededUntil)}: renew it with tickwright token`;
    case 'expired':
      return 'the token has expired: entries wait for a new one';
    case 'doubted':
      return `${signal.detail}: the token is kept until the broker refuses another operation too`;
    case 'rejected':
      return `the broker rejects the token (${signal.by}): ${signal.detail}`;
    case 'cache_failed':
      return `the token could not be stored: ${signal.reason}; the next start needs a new one`;
  }
}

function streamText(signal: StreamSignal): string {
  switch (signal.kind) {
    case 'connecting':
    case 'live':
      return `stream: ${signal.kind}`;
    case 'ended':
      return `stream: ended: ${describeEnd(signal.end)}`;
    case 'retrying':
      return `stream: attempt ${signal.attempt} in ${signal.after / US_PER_SECOND} s`;
    case 'paused':
      return `the price stream makes no more attempts to connect (${signal.reason}): run tickwright reconnect`;
    case 'awaiting_token':
      return `the price stream waits for a token (${signal.why})`;
    case 'handed_over':
      return 'stream: the renewed token took over';
    case 'hand_over_failed':
      return `stream: the renewed token could not connect: ${describeEnd(signal.end)}; next: ${signal.next}`;
    case 'channel_resubscribed':
      return `stream: ${signal.code} ${signal.channel} is silent: subscribed again`;
    case 'channel_stale':
      return `${signal.code} ${signal.channel}: still silent after it was subscribed again`;
    case 'feed_stale':
      return `no ${signal.what} for ${signal.silence / US_PER_SECOND} s on a connection that is alive: entries wait; subscribed again, and reconnected if that does not help`;
    case 'no_trades':
      return `quotes come, but no trade for ${signal.silence / US_PER_SECOND} s: subscribed again; nothing to do where contracts hardly trade`;
    case 'feed_fresh':
      return 'prices come again';
    case 'channel_fresh':
      return `stream: ${signal.code} ${signal.channel} sends again`;
  }
}

const PLACING: ReadonlySet<string> = new Set(['place', 'condition-place']);

export const driftText = (place: string, deviation: string): string =>
  `the broker deviates from its contract: ${place}: ${deviation}`;
