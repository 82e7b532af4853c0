/** What every program that talks to the broker makes from the configuration: the daemon, and calls by hand. */
import { dayAt } from '../../domain/civil-date.ts';
import { commandOtp } from '../../broker/auth/command-otp.ts';
import { fileOtp } from '../../broker/auth/file-otp.ts';
import { fixedOtp, type OtpProvider } from '../../broker/auth/otp-provider.ts';
import { promptOtp } from '../../broker/auth/prompt-otp.ts';
import type { ExchangeCounter } from '../../broker/auth/token-exchange.ts';
import type { SpecOf, TradedAccount } from '../../broker/rest/traded-account.ts';
import type { TransportOptions } from '../../broker/rest/transport.ts';
import type { Config } from '../../config/config.ts';
import { contractMonthOf } from '../../domain/contract-code.ts';
import { accountId, subAccountId } from '../../domain/ids.ts';
import { minutes, seconds } from '../../domain/units.ts';
import type { JournalStore } from '../../journal/journal-store.ts';
import type { BrokerAddress } from './broker-address.ts';
import { systemClock, systemTimers } from '../host/market-clock.ts';

/** Calls that may go at once after a quiet time, in seconds of the sustained pace. */
const BURST_SECONDS = 3;
const CALLS_PER_SECOND_MAX = 200;
const PROMPT_TIMEOUT = minutes(30);

export const tradedAccount = (address: BrokerAddress): TradedAccount => ({
  accountId: accountId(address.custodyCode),
  subAccountId: subAccountId(address.subAccountId),
});

export const specOfConfig =
  ({ contracts }: Config): SpecOf =>
  (code) =>
    contracts[contractMonthOf(code)?.underlying ?? ''];

/** The pace scales with the paper market's; against a real broker the speed is 1. */
export function transportSettings(
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

/** Durable, and shared by all who exchange for this account. */
export const exchangeCounter = (journal: JournalStore): ExchangeCounter => ({
  used: () => journal.counter('token_exchange', brokerDay()),
  add: () => void journal.bumpCounter('token_exchange', brokerDay()),
});

/** The broker counts exchanges by its own day, in Vietnam (+07:00), in real time. */
const brokerDay = (): string => dayAt(systemClock.nowUs(), BROKER_UTC_OFFSET_MINUTES);
const BROKER_UTC_OFFSET_MINUTES = 420;

export function otpProviderOf({ auth }: Config, address: BrokerAddress): OtpProvider {
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
