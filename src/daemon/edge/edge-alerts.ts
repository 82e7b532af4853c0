/** Turns each signal of the edge into a line or an alert for the operator. Alerts are journaled. */
import { formatLocalSecond } from '../../text/dates.ts';
import type { TokenSignal } from '../../broker/auth/obtain-token.ts';
import type { GatewaySignal } from '../../broker/gateway/durable-sender.ts';
import type { ReportSignal } from '../../broker/reports/reports.ts';
import type { RestSignal } from '../../broker/rest/transport.ts';
import { describeEnd } from '../../broker/stream/open-socket.ts';
import type { StreamSignal } from '../../broker/stream/stream-signal.ts';
import { US_PER_SECOND } from '../../domain/units.ts';
import type { AlertSeverity } from '../../engine/ports/journal-entry.ts';

type RaiseAlert = (severity: AlertSeverity, code: string, text: string) => void;
type Note = (text: string) => void;

export class EdgeAlerts {
  readonly #alert: RaiseAlert;
  readonly #note: Note;

  #isTokenLost = false;
  /** Of the exchange. */
  readonly #time: (us: number) => string;

  constructor(alert: RaiseAlert, note: Note, utcOffsetMinutes: number) {
    this.#alert = alert;
    this.#note = note;
    this.#time = (us) => formatLocalSecond(us, utcOffsetMinutes);
  }

  readonly drift = (place: string, deviation: string): void => {
    this.#note(driftText(place, deviation));
  };

  readonly rest = (signal: RestSignal): void => {
    switch (signal.kind) {
      case 'slowed_down':
        return this.#alert(
          'warning',
          'rate_limited',
          `${signal.operation}: the broker asks for a slower pace (429)`,
        );
      case 'outcome_unknown': {
        const text = `${signal.operation}: ${signal.reason}; it is being looked up`;
        // The engine alerts an order that is placed, with its id.
        return PLACES.has(signal.operation)
          ? this.#note(text)
          : this.#alert('warning', 'outcome_unknown', text);
      }
      case 'read_failed':
        if (!signal.willRetry) this.#note(`${signal.operation} could not be read: ${signal.reason}`);
    }
  };

  readonly report = (signal: ReportSignal): void => {
    switch (signal.kind) {
      case 'orphan_codes':
        return this.#alert(
          'warning',
          'orphan_codes',
          `prices come for ${signal.codes.join(', ')}, which the contract list does not have: they are not traded`,
        );
      case 'contract_list_missing':
        return this.#note(
          `the contract list could not be read (${signal.reason}): using the price board instead`,
        );
      case 'scan_incomplete':
        return this.#note(`only part of the order book could be read: ${signal.reason}`);
    }
  };

  readonly gateway = (signal: GatewaySignal): void => {
    if (signal.kind === 'exit_not_sent') {
      const text = `NOT sent: the ${signal.call} of ${signal.order}, which shrinks a position; ${signal.reason}`;
      return this.#alert('critical', 'exit_not_sent', text);
    }
    const how = signal.recorded ? 'recorded in the emergency file' : 'without any record';
    this.#alert(
      'critical',
      'sent_on_emergency',
      `the journal failed: the ${signal.call} of ${signal.order} was sent, ${how}`,
    );
  };

  readonly token = (signal: TokenSignal): void => {
    switch (signal.kind) {
      case 'no_cached_token':
        return this.#note(`${signal.reason}: a new token is needed`);
      case 'asking':
        return this.#note(
          signal.provider === 'desk'
            ? 'waiting for a one-time password: tickwright otp brings it'
            : `asking for a one-time password (${signal.provider})`,
        );
      case 'obtained':
        if (this.#isTokenLost) this.#alert('info', 'token_obtained', 'there is a token again');
        this.#isTokenLost = false;
        return this.#note(
          `token from ${signal.from}, valid until ${this.#time(signal.expiresAt)}; ${signal.used} of ${signal.allowed} exchanges of the day are used`,
        );
      case 'asks_later':
        return this.#note(
          `there is no token: a one-time password is asked for at ${this.#time(signal.at)}, ahead of the session; tickwright token asks now`,
        );
      case 'refresh_failed':
        return this.#alert(
          signal.failure.kind === 'temporary' ? 'warning' : 'critical',
          'token_refresh_failed',
          `no new token (${signal.used} exchanges today): ${signal.failure.reason}${signal.failure.kind === 'final' ? '; tickwright token tries again, the daemon does so at the next session.tokenRefresh' : ''}`,
        );
      case 'expires_before_close':
        return this.#alert(
          'warning',
          'token_expires_before_close',
          `the token expires at ${this.#time(signal.expiresAt)}, before the close at ${this.#time(signal.closesAt)}: renew it with tickwright token`,
        );
      case 'expired':
        this.#isTokenLost = true;
        return this.#alert('critical', 'token_expired', 'the token has expired: entries wait for a new one');
      case 'doubted':
        return this.#alert(
          'warning',
          'token_doubted',
          `${signal.detail}: the token is kept until the broker refuses another operation too`,
        );
      case 'rejected':
        this.#isTokenLost = true;
        return this.#alert(
          'critical',
          'token_rejected',
          `the broker rejects the token (${signal.by}): ${signal.detail}`,
        );
      case 'cache_failed':
        return this.#alert(
          'warning',
          'token_cache_failed',
          `the token could not be stored: ${signal.reason}; the next start needs a new one`,
        );
    }
  };

  readonly stream = (signal: StreamSignal): void => {
    switch (signal.kind) {
      case 'connecting':
        return this.#note('stream: connecting');
      case 'live':
        return this.#note('stream: live');
      case 'ended':
        return this.#note(`stream: ended: ${describeEnd(signal.end)}`);
      case 'retrying':
        return this.#note(`stream: attempt ${signal.attempt} in ${signal.after / US_PER_SECOND} s`);
      case 'paused':
        return this.#alert(
          'critical',
          'stream_paused',
          `the price stream makes no more attempts to connect (${signal.reason}): run tickwright reconnect`,
        );
      case 'awaiting_token':
        return this.#alert(
          'warning',
          'stream_awaits_token',
          `the price stream waits for a token (${signal.why})`,
        );
      case 'handed_over':
        return this.#note('stream: the renewed token took over');
      case 'hand_over_failed':
        return this.#note(
          `stream: the renewed token could not connect: ${describeEnd(signal.end)}; next: ${signal.next}`,
        );
      case 'channel_resubscribed':
        return this.#note(`stream: ${signal.code} ${signal.channel} is silent: subscribed again`);
      case 'channel_stale':
        return this.#alert(
          'warning',
          'channel_stale',
          `${signal.code} ${signal.channel}: still silent after it was subscribed again`,
        );
      case 'feed_stale':
        return this.#alert(
          'critical',
          'prices_stale',
          `no ${signal.what} for ${signal.silence / US_PER_SECOND} s on a connection that is alive: entries wait; subscribed again, and reconnected if that does not help`,
        );
      case 'no_trades':
        return this.#alert(
          'warning',
          'no_trades',
          `quotes come, but no trade for ${signal.silence / US_PER_SECOND} s: subscribed again; nothing to do where contracts hardly trade`,
        );
      case 'feed_fresh':
        return this.#alert('info', 'prices_fresh', 'prices come again');
      case 'channel_fresh':
        return this.#note(`stream: ${signal.code} ${signal.channel} sends again`);
    }
  };
}

/** Operations that place an order. */
const PLACES: ReadonlySet<string> = new Set(['place', 'condition-place']);

export const driftText = (place: string, deviation: string): string =>
  `the broker deviates from its contract: ${place}: ${deviation}`;
