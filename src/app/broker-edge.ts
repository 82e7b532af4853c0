/** The live edge, put together: one token, one REST client, one stream; paper and live differ in addresses alone. */
import { accountId, subAccountId } from '../domain/ids.ts';
import type { Clock } from '../domain/clock.ts';
import { contractMonthOf } from '../domain/contract-code.ts';
import type { ContractSpec } from '../domain/contract.ts';
import { durationUs, minutes, seconds, type TsUs } from '../domain/units.ts';
import { phaseAt } from '../domain/calendar.ts';
import type { Config } from '../config/config.ts';
import { commandOtp } from '../broker/auth/command-otp.ts';
import { fileOtp } from '../broker/auth/file-otp.ts';
import { fixedOtp, type OtpProvider } from '../broker/auth/otp-provider.ts';
import { promptOtp } from '../broker/auth/prompt-otp.ts';
import { createTokenCache } from '../broker/auth/token-cache.ts';
import { createTokenKeeper, type TokenKeeper } from '../broker/auth/token-keeper.ts';
import { createRestGateway, type RestGateway } from '../broker/gateway/rest-gateway.ts';
import { ContractTable } from '../broker/reports/contract-table.ts';
import { type BrokerReports, createReports } from '../broker/reports/reports.ts';
import { createAuthCalls } from '../broker/rest/auth-calls.ts';
import { createRestClient, type RestClient } from '../broker/rest/rest-client.ts';
import { createTransport, type Transport } from '../broker/rest/transport.ts';
import { createStreamClient, type StreamClient } from '../broker/stream/stream-client.ts';
import type { JournalStore } from '../journal/journal-store.ts';
import { DriftLog } from '../wire/drift.ts';
import type { InputGate } from './input-gate.ts';
import type { Latch } from './latch.ts';
import { systemClock, systemTimers } from './market-clock.ts';
import { reconnectStore } from './reconnect-store.ts';
import type { SignalDesk } from './signal-desk.ts';

/** Where the broker is and who we are there. */
export interface BrokerAddress {
  readonly restUrl: string;
  readonly streamUrl: string;
  /** Whose tokens these are: the host, or the simulator wherever it listens today. */
  readonly tokenOwner: string;
  readonly custodyCode: string;
  readonly subAccountId: string;
  readonly apiKey: () => string | undefined;
  /** The simulator's own password; null where a person or a program gives it. */
  readonly fixedOtp: string | null;
}

export interface BrokerEdgeParts {
  readonly config: Config;
  readonly address: BrokerAddress;
  readonly tokenPath: string;
  /** Market time. */
  readonly clock: Clock;
  readonly speed: number;
  readonly journal: JournalStore;
  readonly emergency: (line: string) => void;
  readonly gate: InputGate;
  readonly latch: Latch;
  readonly signals: SignalDesk;
  readonly onFrame: (text: string) => void;
  readonly sessionClose: () => TsUs | undefined;
}

export interface BrokerEdge {
  readonly tokens: TokenKeeper;
  readonly rest: RestClient;
  readonly table: ContractTable;
  readonly reports: BrokerReports;
  readonly gateway: RestGateway;
  readonly stream: StreamClient;
  readonly drift: DriftLog;
  close(): Promise<void>;
}

/** Calls that may go at once after a quiet time, in seconds of the sustained pace. */
const BURST_SECONDS = 3;
/** At speed n the book is polled n times as often, but never faster than this. */
const POLL_MIN_US = 50_000;
const PROMPT_TIMEOUT = minutes(30);

export function createBrokerEdge(parts: BrokerEdgeParts): BrokerEdge {
  const { config, address, gate, latch, journal, signals, clock } = parts;
  const timers = systemTimers;
  const drift = new DriftLog((place, deviation) => signals.drift(place, deviation));
  const transport = transportOf(parts);
  const tokens = tokenKeeperOf(parts, transport);
  const specOf = (code: string): ContractSpec | undefined =>
    config.contracts[contractMonthOf(code)?.underlying ?? ''];
  const account = {
    accountId: accountId(address.custodyCode),
    subAccountId: subAccountId(address.subAccountId),
  };
  const rest = createRestClient({
    transport,
    tokens,
    account,
    specOf,
    drift,
    timers,
    onSignal: signals.rest,
  });
  const table = new ContractTable();
  const scaled = (span: number) => durationUs(Math.max(POLL_MIN_US, Math.round(span / parts.speed)));
  const { bookFast, bookSlow } = config.engine.poll;
  const reports = createReports({
    rest,
    table,
    sink: gate,
    clock,
    timers,
    specOf,
    calendar: config.calendar,
    bookTempo: { fast: scaled(bookFast), slow: scaled(bookSlow) },
    onSignal: signals.report,
  });
  const gateway = createRestGateway({
    rest,
    sink: gate,
    timers,
    commit: () => journal.flush(),
    latch: (purpose) => latch.refuse(purpose),
    emergency: (record) => parts.emergency(JSON.stringify(record)),
    onSignal: signals.gateway,
  });
  const stream = createStreamClient({
    url: address.streamUrl,
    tokens,
    clock: systemClock,
    timers,
    store: reconnectStore(journal),
    sink: gate,
    quietLimit: (_contract, channel) =>
      phaseAt(config.calendar, clock.nowUs()) === 'continuous' && channel !== 'trades'
        ? minutes(5)
        : undefined,
    onFrame: parts.onFrame,
    onSignal: signals.stream,
  });
  const close = async (): Promise<void> => {
    reports.stop();
    tokens.close();
    await stream.stop();
    await transport.close();
  };
  return { tokens, rest, table, reports, gateway, stream, drift, close };
}

function transportOf({ config, address, gate, signals, speed }: BrokerEdgeParts): Transport {
  const { requestTimeout } = config.broker;
  const callsPerSecond = Math.min(200, config.broker.requestsPerSecond * Math.max(1, speed));
  return createTransport({
    baseUrl: address.restUrl,
    pace: { callsPerSecond, burst: Math.max(1, Math.ceil(callsPerSecond * BURST_SECONDS)) },
    clock: systemClock,
    timers: systemTimers,
    sink: gate,
    onSignal: signals.rest,
    timeouts: { connect: seconds(5), headers: requestTimeout, body: requestTimeout, total: requestTimeout },
  });
}

function tokenKeeperOf(parts: BrokerEdgeParts, transport: Transport): TokenKeeper {
  const { config, address, journal, signals } = parts;
  return createTokenKeeper({
    exchange: createAuthCalls(transport),
    otp: otpProviderOf(config, address),
    route: config.auth.otpRoute,
    apiKey: address.apiKey,
    cache: createTokenCache(parts.tokenPath, `${address.tokenOwner} ${address.subAccountId}`),
    counter: {
      used: () => journal.counter('token_exchange', brokerDay()),
      add: () => void journal.bumpCounter('token_exchange', brokerDay()),
    },
    clock: systemClock,
    timers: systemTimers,
    refreshBefore: config.schedule.tokenRefreshBefore,
    sessionClose: parts.sessionClose,
    onSignal: signals.token,
  });
}

/** The broker counts exchanges by its own day, in Vietnam (+07:00), in real time. */
const brokerDay = (): string =>
  new Date(systemClock.nowUs() / 1000 + 7 * 3_600_000).toISOString().slice(0, 10);

function otpProviderOf({ auth }: Config, address: BrokerAddress): OtpProvider {
  const { otp } = auth;
  switch (otp.kind) {
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
      return fileOtp({ path: otp.path, clock: systemClock, timers: systemTimers, timeout: otp.timeout });
  }
}
