/** The live edge, put together: one token, one REST client, one stream; paper and live differ in addresses alone. */
import type { Clock } from '../../domain/clock.ts';
import { durationUs, minutes, type TsUs } from '../../domain/units.ts';
import { phaseAt } from '../../domain/calendar.ts';
import type { Config } from '../../config/config.ts';
import { createTokenCache } from '../../broker/auth/token-cache.ts';
import { createTokenKeeper, type TokenKeeper } from '../../broker/auth/token-keeper.ts';
import {
  createRestGateway,
  type GatewayOptions,
  type RestGateway,
} from '../../broker/gateway/rest-gateway.ts';
import { ContractTable } from '../../broker/reports/contract-table.ts';
import { type BrokerReports, createReports } from '../../broker/reports/reports.ts';
import { createAuthCalls } from '../../broker/rest/auth-calls.ts';
import { createRestClient, type RestClient } from '../../broker/rest/rest-client.ts';
import { createTransport, type Transport } from '../../broker/rest/transport.ts';
import { createStreamClient, type StreamClient } from '../../broker/stream/stream-client.ts';
import type { JournalStore } from '../../journal/journal-store.ts';
import { DriftLog } from '../../wire/drift.ts';
import type { BrokerAddress } from './broker-address.ts';
import {
  exchangeCounter,
  otpProviderOf,
  specOfConfig,
  tradedAccount,
  transportSettings,
} from './broker-parts.ts';
import type { InputGate } from '../live/input-gate.ts';
import type { Latch } from './halt.ts';
import { systemClock, systemTimers } from '../live/market-clock.ts';
import { reconnectStore } from './reconnect-store.ts';
import type { SignalDesk } from '../live/signal-desk.ts';

export interface BrokerEdgeParts {
  readonly config: Config;
  readonly address: BrokerAddress;
  readonly tokenPath: string;
  /** Market time. */
  readonly clock: Clock;
  readonly speed: number;
  readonly journal: JournalStore;
  readonly emergency: GatewayOptions['emergency'];
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

/** At speed n the book is polled n times as often, but never faster than this. */
const POLL_MIN_US = 50_000;

export function createBrokerEdge(parts: BrokerEdgeParts): BrokerEdge {
  const { config, address, gate, latch, journal, signals, clock } = parts;
  const timers = systemTimers;
  const drift = new DriftLog((place, deviation) => signals.drift(place, deviation));
  const transport = createTransport({
    ...transportSettings(config, address, parts.speed),
    sink: gate,
    onSignal: signals.rest,
  });
  const tokens = tokenKeeperOf(parts, transport);
  const specOf = specOfConfig(config);
  const rest = createRestClient({
    transport,
    tokens,
    account: tradedAccount(address),
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
    emergency: parts.emergency,
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

function tokenKeeperOf(parts: BrokerEdgeParts, transport: Transport): TokenKeeper {
  const { config, address, journal, signals } = parts;
  return createTokenKeeper({
    exchange: createAuthCalls(transport),
    otp: otpProviderOf(config, address),
    route: config.auth.otpRoute,
    apiKey: address.apiKey,
    cache: createTokenCache(parts.tokenPath, `${address.tokenOwner} ${address.subAccountId}`),
    counter: exchangeCounter(journal),
    clock: systemClock,
    timers: systemTimers,
    refreshBefore: config.schedule.tokenRefreshBefore,
    sessionClose: parts.sessionClose,
    onSignal: signals.token,
  });
}
