/** The part of the edge that every program needs to talk to the broker: one transport, one token, one REST client. */
import { dayAt } from '../../domain/civil-date.ts';
import {
  commandOtp,
  fileOtp,
  fixedOtp,
  type OtpProvider,
  promptOtp,
} from '../../broker/auth/otp-providers.ts';
import type { OtpDesk } from '../../broker/auth/otp-desk.ts';
import { createTokenCache } from '../../broker/auth/access-token.ts';
import type { ExchangeCounter, TokenSignal } from '../../broker/auth/obtain-token.ts';
import { type TokenHours, TokenKeeper } from '../../broker/auth/token-keeper.ts';
import { createAuthCalls } from '../../broker/rest/auth-calls.ts';
import { createRestClient } from '../../broker/rest/rest-client.ts';
import type { SpecOf } from '../../wire/rest/in-day-book.ts';
import { type RestSignal, Transport, type TransportOptions } from '../../broker/rest/transport.ts';
import type { Config } from '../../config/config.ts';
import { contractMonthOf } from '../../domain/contract-code.ts';
import { accountId, subAccountId } from '../../domain/ids.ts';
import { minutes, seconds } from '../../domain/units.ts';
import type { InputSink } from '../../engine/ports/engine-event.ts';
import type { JournalStore } from '../../journal/journal-store.ts';
import { DriftLog } from '../../wire/drift.ts';
import type { Secrets } from '../../operator/redact.ts';
import { systemClock, systemTimers, wallClock } from '../../host/system-clock.ts';
import type { BrokerAddress } from './broker-address.ts';

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
  readonly otpDesk?: OtpDesk | undefined;
  readonly sink: InputSink;
  readonly onRest: (signal: RestSignal) => void;
  readonly onToken: (signal: TokenSignal) => void;
  readonly onDrift: (place: string, deviation: string) => void;
}

/** Calls that may go at once after a quiet time, in seconds of the sustained pace. */
const BURST_SECONDS = 3;
const CALLS_PER_SECOND_MAX = 200;
const PROMPT_TIMEOUT = minutes(30);

export type BrokerConnection = ReturnType<typeof connectBroker>;

export function connectBroker(options: BrokerConnectionOptions) {
  const { config, address, onRest } = options;
  const { contracts, auth: authConfig, schedule } = config;
  const transport = new Transport({
    ...transportSettings(config, address, options.speed),
    sink: options.sink,
    onSignal: onRest,
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
    onSignal: options.onToken,
  });
  tokens.onChange(() => {
    const token = tokens.current();
    if (token !== undefined) address.secrets.add(token.jwt);
  });
  const drift = new DriftLog(options.onDrift);
  const specOf: SpecOf = (code) => contracts[contractMonthOf(code)?.underlying ?? ''];
  const rest = createRestClient({
    transport,
    tokens,
    account: { accountId: accountId(address.custodyCode), subAccountId: subAccountId(address.subAccountId) },
    specOf,
    drift,
    timers: systemTimers,
    onSignal: onRest,
    ...(config.mode === 'dry-run' ? { readOnly: 'dry run: nothing is sent' } : {}),
  });
  const close = async (): Promise<void> => {
    tokens.close();
    await transport.close();
  };
  const calls: Pick<Transport, 'sent' | 'pending'> = transport;
  return { auth, tokens, rest, drift, specOf, calls, close };
}

/** The pace scales with the paper market's; against a real broker the speed is 1. */
function transportSettings(
  { broker }: Config,
  { restUrl }: BrokerAddress,
  speed: number,
): Omit<TransportOptions, 'sink' | 'onSignal'> {
  const { requestTimeout } = broker;
  const callsPerSecond = Math.min(CALLS_PER_SECOND_MAX, broker.requestsPerSecond * Math.max(1, speed));
  return {
    baseUrl: restUrl,
    pace: { callsPerSecond, burst: Math.max(1, Math.ceil(callsPerSecond * BURST_SECONDS)) },
    clock: systemClock,
    timers: systemTimers,
    timeouts: { connect: seconds(5), headers: requestTimeout, body: requestTimeout, total: requestTimeout },
  };
}

/** Name of their counter in the journal. */
export const TOKEN_EXCHANGES = 'token_exchange';

/** Counts token exchanges in the journal, shared by all programs of this account. */
export const exchangeCounter = (journal: JournalStore): ExchangeCounter => ({
  used: () => journal.counter(TOKEN_EXCHANGES, brokerDay()),
  add: () => void journal.bumpCounter(TOKEN_EXCHANGES, brokerDay()),
});

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

/** A person at the terminal is asked there and at the desk; without a terminal, at the desk alone. */
function providerOf({ config, address, otpDesk }: BrokerConnectionOptions): OtpProvider {
  const { otp, otpRoute } = config.auth;
  const own = otpProviderOf(config, address);
  if (otpDesk === undefined || otp.from === 'simulator') return own;
  if (otp.from === 'prompt' && !process.stdin.isTTY) return otpDesk.provider(null, otpRoute);
  return otpDesk.provider(own, otpRoute);
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
