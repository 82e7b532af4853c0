/** The live edge: one token, one REST client, one stream, one gateway. Paper and live differ in addresses alone. */
import { map } from 'rxjs';
import { type TokenHours, TokenKeeper, type ExchangeCounter } from '../../broker/auth/token-keeper.ts';
import { type CallMeter, type GatewayOptions, RestGateway } from '../../broker/gateway/rest-gateway.ts';
import { BrokerContracts } from '../../broker/reports/broker-contracts.ts';
import { BrokerReports } from '../../broker/reports/reports.ts';
import { FRESH_STATE, type PauseReason, type ReconnectStore } from '../../broker/stream/reconnect-policy.ts';
import { StreamClient } from '../../broker/stream/stream-client.ts';
import type { Config } from '../../config/config.ts';
import { parseTimeOfDay } from '../../text/dates.ts';
import {
  CLOSE_REPORTED_AFTER,
  phaseAt,
  sessionAfter,
  sessionOnOrBefore,
  type TradingCalendar,
} from '../../domain/calendar.ts';
import { addDays, dayAt, momentOf, type TradingDay } from '../../domain/civil-date.ts';
import type { ClockMap } from '../../domain/clock.ts';
import { thrownText } from '../../domain/failure.ts';
import { type DurationUs, durationUs, minutes, seconds, type TsUs, tsUs } from '../../domain/units.ts';
import type { InputSink } from '../../engine/ports/engine-event.ts';
import type { JournalStore } from '../../journal/journal-store.ts';
import { readTimedFrame, type ReceivedFrame } from '../../wire/stream/server-frame.ts';
import type { Secrets } from '../../operator/redact.ts';
import {
  createMarketClock,
  sessionDayAt,
  systemClock,
  systemTimers,
  wallClock,
} from '../../host/system-clock.ts';
import type { EdgeAlerts } from './edge-alerts.ts';
import {
  commandOtp,
  fileOtp,
  fixedOtp,
  type OtpProvider,
  promptOtp,
  type OtpInbox,
} from '../../broker/auth/one-time-password.ts';
import { createTokenCache } from '../../broker/auth/access-token.ts';
import { createAuthCalls, createRestClient } from '../../broker/rest/rest-client.ts';
import type { SpecOf } from '../../wire/rest/in-day-book.ts';
import { Transport } from '../../broker/rest/transport.ts';
import { contractMonthOf } from '../../domain/contract-code.ts';
import { accountId, subAccountId } from '../../domain/ids.ts';
import { DriftLog } from '../../wire/drift.ts';
import type { BrokerAddress } from './broker-address.ts';
import type { Dial } from '../../broker/stream/stream-connection.ts';

export interface BrokerEdgeOptions extends Pick<
  BrokerConnectionOptions,
  'config' | 'address' | 'tokenPath' | 'otpInbox'
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
    otpInbox: options.otpInbox,
    session: () => tokenHours(config, clock.nowUs(), clockMap),
    sink,
    alerts,
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
    pollPace: { fast: scaled(bookFast), slow: scaled(bookSlow) },
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
    store: reconnectStore(journal, () => lastOpenDay(calendar, clock.nowUs())),
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
  const endOf = (day: TradingDay): TsUs => tsUs(at(day, last.toUs) + CLOSE_REPORTED_AFTER);
  const day = endOf(today) > now ? today : sessionAfter(calendar, today);
  const times = schedule.tokenRefresh.map((text) => parseTimeOfDay(text) ?? 0);
  // The simulator's password needs no person: from the last close on, so that the daemon may start at any hour.
  const from =
    auth.otp.from === 'simulator'
      ? at(sessionOnOrBefore(calendar, addDays(day, -1)), last.toUs)
      : at(day, Math.min(...times));
  // The moment may be past: it identifies this session's exchange.
  const real = (market: TsUs): TsUs =>
    tsUs(systemClock.nowUs() + Math.round((market - now) / clockMap.speed));
  return { fromUs: real(from), untilUs: real(endOf(day)) };
}

/** Reasons of a pause by their stored number; 0 is no pause. */
const PAUSES: readonly (PauseReason | null)[] = [null, 'attempts_used_up', 'protocol_error'];

/**
 * Reconnect attempts survive a crash, so that a crash loop cannot become a login storm (rulings, 18). They count until the next open, also
 * where no process saw that.
 */
export const reconnectStore = (journal: JournalStore, openDay: () => TradingDay): ReconnectStore => ({
  load: () => ({
    ...FRESH_STATE,
    attempts: journal.counter('reconnect_attempts', openDay()),
    protocolErrors: journal.counter('reconnect_protocol_errors', openDay()),
    paused: PAUSES[journal.counter('reconnect_paused', openDay())] ?? null,
  }),
  save: ({ attempts, protocolErrors, paused }) => {
    journal.setCounterOrReport('reconnect_attempts', openDay(), attempts);
    journal.setCounterOrReport('reconnect_protocol_errors', openDay(), protocolErrors);
    journal.setCounterOrReport('reconnect_paused', openDay(), PAUSES.indexOf(paused));
  },
});

/** The last day whose time of the open has passed. */
export const lastOpenDay = ({ phases, utcOffsetMinutes }: TradingCalendar, now: TsUs): TradingDay =>
  dayAt(tsUs(now - (phases[0]?.fromUs ?? 0)), utcOffsetMinutes);

// The part of the edge that every program needs to talk to the broker: one transport, one token, one REST client.

export interface BrokerConnectionOptions {
  readonly config: Config;
  readonly address: BrokerAddress;
  readonly tokenPath: string;
  /** Market seconds in one real second. */
  readonly speed: number;
  readonly exchanges: ExchangeCounter;
  /** The session that runs or comes next; undefined where nothing closes. */
  readonly session: () => TokenHours | undefined;
  /** Where people bring passwords; absent in programs that do not wait for one. */
  readonly otpInbox?: OtpInbox | undefined;
  readonly sink: InputSink;
  readonly alerts: Pick<EdgeAlerts, 'rest' | 'token' | 'drift'>;
}

/** Calls that may go at once after a quiet time, in seconds of the sustained pace. */
const BURST_SECONDS = 3;
const CALLS_PER_SECOND_MAX = 200;
const PROMPT_TIMEOUT = minutes(30);

export type BrokerConnection = ReturnType<typeof connectBroker>;

export function connectBroker(options: BrokerConnectionOptions) {
  const { config, address, alerts } = options;
  const { contracts, auth: authConfig, schedule } = config;
  const { requestTimeout, requestsPerSecond } = config.broker;
  // The pace scales with the paper market's; against a real broker the speed is 1.
  const callsPerSecond = Math.min(CALLS_PER_SECOND_MAX, requestsPerSecond * Math.max(1, options.speed));
  const transport = new Transport({
    baseUrl: address.restUrl,
    pace: { callsPerSecond, burst: Math.max(1, Math.ceil(callsPerSecond * BURST_SECONDS)) },
    clock: systemClock,
    timers: systemTimers,
    timeouts: { connect: seconds(5), headers: requestTimeout, body: requestTimeout, total: requestTimeout },
    sink: options.sink,
    onSignal: alerts.rest,
  });
  const auth = createAuthCalls(transport);
  const tokens = new TokenKeeper({
    exchange: auth,
    otp: remembering(providerOf(options), address.secrets),
    route: authConfig.otpRoute,
    apiKey: address.apiKey,
    cache: createTokenCache(options.tokenPath, `${address.tokenOwner} ${address.subAccountId}`),
    counter: options.exchanges,
    clock: systemClock,
    timers: systemTimers,
    refreshBefore: schedule.tokenRefreshBefore,
    session: options.session,
    onSignal: alerts.token,
  });
  tokens.onChange(() => {
    const token = tokens.current();
    if (token !== undefined) address.secrets.add(token.jwt);
  });
  const drift = new DriftLog(alerts.drift);
  const specOf: SpecOf = (code) => contracts[contractMonthOf(code)?.underlying ?? ''];
  const rest = createRestClient({
    transport,
    tokens,
    account: { accountId: accountId(address.custodyCode), subAccountId: subAccountId(address.subAccountId) },
    specOf,
    drift,
    timers: systemTimers,
    onSignal: alerts.rest,
    ...(config.mode === 'dry-run' ? { readOnly: 'dry run: nothing is sent' } : {}),
  });
  const close = async (): Promise<void> => {
    tokens.close();
    await transport.close();
  };
  const calls: Pick<Transport, 'sent' | 'pending'> = transport;
  return { auth, tokens, rest, drift, specOf, calls, close };
}

/** Name of their counter in the journal. */
export const TOKEN_EXCHANGES = 'token_exchange';

/** Counts in the journal, for all programs of the account. One that the disk refuses stays in memory: without a token no cancel leaves. */
export function exchangeCounter(journal: JournalStore): ExchangeCounter {
  const unkept = new Map<string, number>();
  const unkeptOf = (day: string): number => unkept.get(day) ?? 0;
  return {
    used: () => journal.counter(TOKEN_EXCHANGES, brokerDay()) + unkeptOf(brokerDay()),
    add: () => {
      const day = brokerDay();
      const failure = thrownText(() => journal.bumpCounter(TOKEN_EXCHANGES, day));
      if (failure !== null) unkept.set(day, unkeptOf(day) + 1);
    },
  };
}

/** The broker counts exchanges by its own day, in Vietnam (+07:00), in real time. */
export const brokerDay = (): string => dayAt(systemClock.nowUs(), BROKER_UTC_OFFSET_MINUTES);
const BROKER_UTC_OFFSET_MINUTES = 420;

/** A broker that refuses a password may quote it. */
const remembering = (otp: OtpProvider, secrets: Secrets): OtpProvider => ({
  ...otp,
  read: async (signal) => {
    const answer = await otp.read(signal);
    if (answer.ok) secrets.add(answer.otp);
    return answer;
  },
});

/** A person is asked at the terminal and by the inbox; without a terminal, by the inbox alone. */
function providerOf({ config, address, otpInbox }: BrokerConnectionOptions): OtpProvider {
  const { otp, otpRoute } = config.auth;
  const own = otpProviderOf(config, address);
  if (otpInbox === undefined || otp.from === 'simulator') return own;
  if (otp.from === 'prompt' && !process.stdin.isTTY) return otpInbox.provider(null, otpRoute);
  return otpInbox.provider(own, otpRoute);
}

function otpProviderOf({ auth }: Config, address: BrokerAddress): OtpProvider {
  const { otp } = auth;
  switch (otp.from) {
    case 'simulator':
      return fixedOtp(address.fixedOtp ?? '');
    case 'prompt':
      return promptOtp({
        input: process.stdin,
        output: process.stderr,
        timers: systemTimers,
        timeout: PROMPT_TIMEOUT,
      });
    case 'command': {
      const [program = '', ...args] = otp.command;
      return commandOtp({ command: [program, ...args], timers: systemTimers, timeout: otp.timeout });
    }
    case 'file':
      return fileOtp({ path: otp.path, clock: wallClock, timers: systemTimers, timeout: otp.timeout });
  }
}
