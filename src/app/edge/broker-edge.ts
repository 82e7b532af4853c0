/** The live edge, put together: one token, one REST client, one stream; paper and live differ in addresses alone. */
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
import { FRESH_STATE, type PauseReason, type ReconnectStore } from '../../broker/stream/reconnect-policy.ts';
import { createStreamClient, type StreamClient } from '../../broker/stream/stream-client.ts';
import type { Config } from '../../config/config.ts';
import { phaseAt } from '../../domain/calendar.ts';
import type { Clock } from '../../domain/clock.ts';
import type { ClientOrderId } from '../../domain/ids.ts';
import { durationUs, minutes, type TsUs } from '../../domain/units.ts';
import type { InputSink } from '../../engine/ports/input-sink.ts';
import type { JournalStore } from '../../journal/journal-store.ts';
import { DriftLog } from '../../wire/drift.ts';
import { systemClock, systemTimers } from '../host/market-clock.ts';
import type { BrokerAddress } from './broker-address.ts';
import {
  exchangeCounter,
  otpProviderOf,
  specOfConfig,
  tradedAccount,
  transportSettings,
} from './broker-connection.ts';
import type { SignalDesk } from './edge-alerts.ts';
import type { InputGate } from './input-gate.ts';

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
  /** Why a call may not leave now, or null; asked just before the first byte. */
  readonly refuse: GatewayOptions['latch'];
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
  const { config, address, gate, journal, signals, clock } = parts;
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
    latch: parts.refuse,
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

/** Place 0 is no pause. */
const PAUSES: readonly (PauseReason | null)[] = [null, 'attempts_used_up', 'protocol_error'];

/** Reconnect attempts survive a restart, so that a crash loop cannot become a login storm (rulings, 18). */
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

const OUTCOME = { status: 'not_sent', reason: 'dry run: journaled, not sent' } as const;

/** Everything but the send: each call is journaled and comes back as one that never left. */
export function dryRunGateway(gateway: RestGateway, sink: InputSink): RestGateway {
  const keep = (
    call: 'place' | 'modify' | 'cancel',
    callId: ClientOrderId,
    clientOrderId: ClientOrderId,
  ): void => sink.post({ kind: 'call_outcome', call, callId, clientOrderId, outcome: OUTCOME });
  return {
    submit: ({ clientOrderId }) => keep('place', clientOrderId, clientOrderId),
    modify: ({ callId, clientOrderId }) => keep('modify', callId, clientOrderId),
    cancel: ({ callId, clientOrderId }) => keep('cancel', callId, clientOrderId),
    conditions: {
      submit: ({ clientOrderId }) => keep('place', clientOrderId, clientOrderId),
      moveTrigger: ({ callId, clientOrderId }) => keep('modify', callId, clientOrderId),
      cancel: ({ callId, clientOrderId }) => keep('cancel', callId, clientOrderId),
    },
    killAll: () => gateway.killAll(),
    get inFlight() {
      return gateway.inFlight;
    },
    settled: () => gateway.settled(),
  };
}
