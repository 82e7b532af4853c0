/** The live edge: one token, one REST client, one stream, one gateway. Paper and live differ in addresses alone. */
import { map } from 'rxjs';
import type { TokenHours } from '../../broker/auth/token-keeper.ts';
import { type GatewayOptions, RestGateway } from '../../broker/gateway/rest-gateway.ts';
import type { CallMeter } from '../../broker/gateway/rest-gateway.ts';
import { BrokerContracts } from '../../broker/reports/broker-contracts.ts';
import { BrokerReports } from '../../broker/reports/reports.ts';
import { FRESH_STATE, type PauseReason, type ReconnectStore } from '../../broker/stream/reconnect-policy.ts';
import { StreamClient } from '../../broker/stream/stream-client.ts';
import type { Dial } from '../../broker/stream/open-socket.ts';
import type { Config } from '../../config/config.ts';
import { parseTimeOfDay } from '../../text/dates.ts';
import { phaseAt, sessionAfter, sessionOnOrBefore } from '../../domain/calendar.ts';
import { addDays, momentOf, type TradingDay } from '../../domain/civil-date.ts';
import type { ClockMap } from '../../domain/clock.ts';
import { durationUs, type DurationUs, type TsUs, tsUs } from '../../domain/units.ts';
import type { InputSink } from '../../engine/ports/engine-event.ts';
import type { JournalStore } from '../../journal/journal-store.ts';
import { readTimedFrame, type ReceivedFrame } from '../../wire/stream/server-frame.ts';
import type { Secrets } from '../../operator/redact.ts';
import { createMarketClock, sessionDayAt, systemClock, systemTimers } from '../../host/system-clock.ts';
import { connectBroker, type BrokerConnectionOptions, exchangeCounter } from './broker-connection.ts';
import type { EdgeAlerts } from './edge-alerts.ts';

export interface BrokerEdgeOptions extends Pick<
  BrokerConnectionOptions,
  'config' | 'address' | 'tokenPath' | 'otpDesk'
> {
  readonly clockMap: ClockMap;
  readonly journal: JournalStore;
  readonly emergency: GatewayOptions['emergency'];
  /** Takes reports, call outcomes and the state of the stream. */
  readonly sink: InputSink;
  /** Why a call may not leave now, or null; asked just before the first byte. */
  readonly refuse: GatewayOptions['haltReason'];
  readonly alerts: EdgeAlerts;
  readonly dial?: Dial | undefined;
  readonly meter?: EdgeMeter;
}

export interface EdgeMeter extends CallMeter {
  pong(roundTrip: DurationUs): void;
}

export type BrokerEdge = ReturnType<typeof createBrokerEdge>;

/** At speed n the book is polled n times as often, but never faster than this. */
const POLL_MIN_US = 50_000;

export function createBrokerEdge(options: BrokerEdgeOptions) {
  const { config, address, journal, alerts, clockMap } = options;
  const sink: InputSink = { post: (event) => options.sink.post(address.secrets.hideIn(event)) };
  const { calendar } = config;
  const clock = createMarketClock(clockMap);
  const timers = systemTimers;
  const connection = connectBroker({
    config,
    address,
    tokenPath: options.tokenPath,
    speed: clockMap.speed,
    exchanges: exchangeCounter(journal),
    otpDesk: options.otpDesk,
    session: () => tokenHours(config, clock.nowUs(), clockMap),
    sink,
    onRest: alerts.rest,
    onToken: alerts.token,
    onDrift: alerts.drift,
  });
  const { tokens, rest, specOf, drift } = connection;
  const table = new BrokerContracts();
  const scaled = (span: number) => durationUs(Math.max(POLL_MIN_US, Math.round(span / clockMap.speed)));
  const { bookFast, bookSlow } = config.engine.poll;
  const reports = new BrokerReports({
    rest,
    table,
    sink,
    clock,
    timers,
    specOf,
    calendar,
    bookTempo: { fast: scaled(bookFast), slow: scaled(bookSlow) },
    onSignal: alerts.report,
  });
  const gateway = new RestGateway({
    rest,
    sink,
    timers,
    commit: () => journal.flush(),
    haltReason: options.refuse,
    emergency: options.emergency,
    onSignal: alerts.gateway,
    meter: options.meter,
  });
  const stream = new StreamClient({
    url: address.streamUrl,
    dial: options.dial,
    tokens,
    clock: systemClock,
    timers,
    store: reconnectStore(journal),
    // No broker counts them, and a feed may be away for a night.
    attemptsMax: config.cluster?.feed?.role === 'read' ? Infinity : undefined,
    sink,
    isContinuous: () => phaseAt(calendar, clock.nowUs()) === 'continuous',
    onSignal: alerts.stream,
    onPong: (roundTrip) => options.meter?.pong(roundTrip),
  });
  const close = async (): Promise<void> => {
    reports.stop();
    await stream.stop();
    await connection.close();
  };
  const frames$ = stream.frames$.pipe(map(receive(config, address.secrets)));
  return { tokens, rest, table, reports, gateway, stream, frames$, drift, calls: connection.calls, close };
}

/** Data frames stay unchanged but for secrets. Those of a feed alone bring the time of their receipt. Hot. */
function receive({ cluster }: Config, secrets: Secrets): (frame: string) => ReceivedFrame {
  if (cluster?.feed?.role !== 'read')
    return (frame) => ({ text: secrets.hideAmongNumbers(frame), receivedUs: null });
  return (frame) => {
    const { text, receivedUs } = readTimedFrame(frame);
    return { text: secrets.hideAmongNumbers(text), receivedUs };
  };
}

/** The session at or after `now`; undefined where trading never ends. The simulator's password disturbs no person at night. */
export function tokenHours(
  { calendar, schedule, auth }: Config,
  now: TsUs,
  clockMap: ClockMap,
): TokenHours | undefined {
  const last = calendar.phases.at(-1);
  if (calendar.name === 'always-open' || last === undefined) return undefined;
  const at = (day: TradingDay, timeUs: number): TsUs => momentOf(day, timeUs, calendar.utcOffsetMinutes);
  const today = sessionDayAt(calendar, now);
  const day = at(today, last.toUs) > now ? today : sessionAfter(calendar, today);
  const times = schedule.tokenRefresh.map((text) => parseTimeOfDay(text) ?? 0);
  // The simulator's password needs no person: from the last close on, so that the daemon may start at any hour.
  const from =
    auth.otp.from === 'simulator'
      ? at(sessionOnOrBefore(calendar, addDays(day, -1)), last.toUs)
      : at(day, Math.min(...times));
  // Also of a past moment: it identifies this session's exchange.
  const real = (market: TsUs): TsUs =>
    tsUs(systemClock.nowUs() + Math.round((market - now) / clockMap.speed));
  return { fromUs: real(from), untilUs: real(at(day, last.toUs)) };
}

/** By the number that is stored; 0 is no pause. */
const PAUSES: readonly (PauseReason | null)[] = [null, 'attempts_used_up', 'protocol_error'];

/** Reconnect attempts survive a crash, so that a crash loop cannot become a login storm (rulings, 18). */
const reconnectStore = (journal: JournalStore): ReconnectStore => ({
  load: () => ({
    ...FRESH_STATE,
    attempts: journal.counter('reconnect_attempts', ''),
    protocolErrors: journal.counter('reconnect_protocol_errors', ''),
    paused: PAUSES[journal.counter('reconnect_paused', '')] ?? null,
  }),
  save: ({ attempts, protocolErrors, paused }) => {
    journal.keepCounter('reconnect_attempts', '', attempts);
    journal.keepCounter('reconnect_protocol_errors', '', protocolErrors);
    journal.keepCounter('reconnect_paused', '', PAUSES.indexOf(paused));
  },
});
