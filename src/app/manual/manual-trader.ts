/**
 * `tickwright broker`: one operation of the broker by hand, with the address, the token and the pace that the daemon uses. It runs
 * beside a daemon: a token is exchanged only when no daemon works here, because the daemon owns the journal that counts exchanges.
 */
import { formatUtc } from '../../text/dates.ts';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createTokenCache } from '../../broker/auth/token-cache.ts';
import type { TokenExchange } from '../../broker/auth/token-exchange.ts';
import { createTokenKeeper, type RefreshReason, type TokenKeeper } from '../../broker/auth/token-keeper.ts';
import { createAuthCalls } from '../../broker/rest/auth-calls.ts';
import { createRestClient, type RestClient } from '../../broker/rest/rest-client.ts';
import type { RestSignal } from '../../broker/rest/rest-signal.ts';
import type { SpecOf } from '../../broker/rest/traded-account.ts';
import { createTransport, type Transport } from '../../broker/rest/transport.ts';
import type { Config } from '../../config/config.ts';
import { type ClientOrderId, clientOrderId } from '../../domain/ids.ts';
import { type TsUs, US_PER_MS } from '../../domain/units.ts';
import { AlreadyRunning, isLockHeld, takeInstanceLock } from '../../journal/instance-lock.ts';
import { JournalStore } from '../../journal/journal-store.ts';
import { DriftLog } from '../../wire/drift.ts';
import { type BrokerAddress, configuredAddress, simulatorAddress } from '../edge/broker-address.ts';
import {
  exchangeCounter,
  otpProviderOf,
  specOfConfig,
  tradedAccount,
  transportSettings,
} from '../edge/broker-connection.ts';
import { systemClock, systemTimers } from '../host/market-clock.ts';
import { firstDay } from '../host/run-plan.ts';
import { prepareStateDir, type StatePaths, statePaths } from '../restart/state-paths.ts';
import type { SimulatorLink } from '../simulator/embedded-simulator.ts';
import { type HandCall, handRefusal, isCancel, isMoneyCall } from './broker-call.ts';
import { CallLog, type HandOutcome } from './call-log.ts';

export interface BrokerDeskParts {
  readonly config: Config;
  readonly address: BrokerAddress;
  readonly paths: StatePaths;
  /** Lines for the person, none of them a result. */
  readonly note: (text: string) => void;
}

export type TokenOutcome =
  | { readonly ok: true; readonly expiresAt: TsUs }
  | { readonly ok: false; readonly reason: string };

export class BrokerDesk {
  readonly rest: RestClient;
  readonly #parts: BrokerDeskParts;
  readonly #transport: Transport;
  readonly #auth: TokenExchange;
  readonly #tokens: TokenKeeper;
  readonly #log: CallLog;
  #journal: JournalStore | undefined = undefined;

  constructor(parts: BrokerDeskParts) {
    const { config, address, note } = parts;
    this.#parts = parts;
    this.specOf = specOfConfig(config);
    this.#transport = createTransport({
      ...transportSettings(config, address, 1),
      sink: { post: (event) => this.#heed(event.kind === 'clock_skew' ? event.skewUs : 0) },
      onSignal: (signal) => this.#heedRest(signal),
    });
    this.#auth = createAuthCalls(this.#transport);
    this.#tokens = this.#createTokens();
    this.rest = createRestClient({
      transport: this.#transport,
      tokens: this.#tokens,
      account: tradedAccount(address),
      specOf: this.specOf,
      drift: new DriftLog((place, deviation) =>
        note(`the broker deviates from its contract: ${place}: ${deviation}`),
      ),
      timers: systemTimers,
      onSignal: (signal) => this.#heedRest(signal),
    });
    this.#log = new CallLog(parts.paths.calls);
    this.#tokens.start();
  }

  get config(): Config {
    return this.#parts.config;
  }

  get address(): BrokerAddress {
    return this.#parts.address;
  }

  readonly specOf: SpecOf;

  /** A daemon sees what is sent by hand as orders of another channel. */
  get isDaemonRunning(): boolean {
    return isLockHeld(this.#parts.paths.lock);
  }

  /** The cached token, or a new one; `operator` exchanges in any case. */
  async token(reason: RefreshReason): Promise<TokenOutcome> {
    const current = this.#tokens.current();
    if (current !== undefined && reason === 'needed') return { ok: true, expiresAt: current.expiresAt };
    try {
      return await this.#exchange(reason);
    } catch (error) {
      if (!(error instanceof AlreadyRunning)) throw error;
      return {
        ok: false,
        reason: 'the daemon of this account has no token yet: tickwright token asks it for one',
      };
    }
  }

  /** Step 1 of the request route alone. */
  async requestOtp(): Promise<{ readonly ok: boolean; readonly text: string }> {
    const apiKey = this.#parts.address.apiKey();
    if (apiKey === undefined) return { ok: false, text: 'there is no API key' };
    const reply = await this.#auth.requestOtp(apiKey);
    if (reply.status === 'ok') return { ok: true, text: reply.value };
    return { ok: false, text: reply.status === 'refused' ? `${reply.code} ${reply.message}` : reply.reason };
  }

  /** Why the call may not leave, or null; `again`: a person has looked what became of its unknown twin. */
  refusal(call: HandCall, again: boolean): string | null {
    const { config, address } = this.#parts;
    const isArmed = process.env['TICKWRIGHT_ARM'] === 'yes';
    const refused = handRefusal(call, { config, subAccountId: address.subAccountId, isArmed });
    if (refused !== null || again || !isMoneyCall(call)) return refused;
    const twin = this.#log.unknownTwin(call);
    return twin === undefined
      ? null
      : `an equal ${call.kind} was sent at ${formatUtc(twin)} and nobody knows what became of it: look at the account, then repeat with --again`;
  }

  /** Recorded, then sent once; recorded again with what became of it. */
  async send(call: HandCall): Promise<HandOutcome> {
    const id = randomUUID();
    const failure = problemOf(() => this.#log.begin(id, systemClock.nowUs(), call));
    if (failure !== null) {
      const reason = `the call could not be recorded: ${failure}`;
      // A cancel without a record can do no harm.
      if (!isCancel(call)) return { status: 'not_sent', reason };
      this.#parts.note(reason);
    }
    const outcome = await this.#dispatch(call);
    const second = problemOf(() => this.#log.end(id, systemClock.nowUs(), outcome));
    if (second !== null) this.#parts.note(`what became of the call could not be recorded: ${second}`);
    return outcome;
  }

  async close(): Promise<void> {
    this.#tokens.close();
    await this.#transport.close();
  }

  #dispatch(call: HandCall): Promise<HandOutcome> {
    const { rest } = this;
    const send = { priority: isCancel(call) ? 'exit' : 'entry', refuse } as const;
    switch (call.kind) {
      case 'place':
        return rest.place({ ...call, clientOrderId: this.#callId() }, send);
      case 'change':
        return rest.change({ ...call, callId: this.#callId() }, send);
      case 'cancel':
        return rest.cancel({ orderNo: call.orderNo, callId: this.#callId() }, send);
      case 'condition-place':
        return rest.conditions.place({ ...call, callId: this.#callId() }, send);
      case 'condition-change':
        return rest.conditions.change({ ...call, callId: this.#callId() }, send);
      case 'condition-cancel':
        return rest.conditions.cancel(call, send);
      case 'deposit':
        return rest.money.deposit(call, { refuse });
      case 'withdraw':
        return rest.money.withdraw(call, { refuse });
      case 'transfer':
        return rest.money.transfer(call, { refuse });
      case 'cancel-stock-orders':
        return rest.accounts.cancelStockOrders(call.accountNo, call.orderIds, { refuse });
    }
  }

  /** `H.` + account tail + milliseconds: longer than the daemon's own ids, so never one of them. */
  #callId(): ClientOrderId {
    const tail = this.#parts.address.custodyCode.slice(-6);
    return clientOrderId(`H.${tail}${Math.floor(systemClock.nowUs() / US_PER_MS)}`);
  }

  async #exchange(reason: RefreshReason): Promise<TokenOutcome> {
    const { paths, note } = this.#parts;
    const lock = takeInstanceLock(paths.lock, process.pid);
    const journal = new JournalStore({
      path: paths.journal,
      wallClock: systemClock,
      timers: systemTimers,
      strategyName: String,
      onFailure: ({ message }) => note(`the journal could not be written: ${message}`),
    });
    this.#journal = journal;
    try {
      const result = await this.#tokens.refresh(reason);
      return result.ok
        ? { ok: true, expiresAt: result.token.expiresAt }
        : { ok: false, reason: result.failure.reason };
    } finally {
      this.#journal = undefined;
      journal.close();
      lock.release();
    }
  }

  #createTokens(): TokenKeeper {
    const { config, address, paths, note } = this.#parts;
    return createTokenKeeper({
      exchange: this.#auth,
      otp: otpProviderOf(config, address),
      route: config.auth.otpRoute,
      apiKey: address.apiKey,
      cache: createTokenCache(paths.token, `${address.tokenOwner} ${address.subAccountId}`),
      // Asked for only while an exchange is under way.
      counter: {
        used: () => this.#counter()?.used() ?? Infinity,
        add: () => this.#counter()?.add(),
      },
      clock: systemClock,
      timers: systemTimers,
      refreshBefore: config.schedule.tokenRefreshBefore,
      sessionClose: () => undefined,
      // The result of an exchange is returned; what the cache holds is nobody's news.
      onSignal: (signal) => {
        if (signal.kind === 'asking' && signal.provider !== 'fixed')
          note(`asking for a one-time password (${signal.provider})`);
        if (signal.kind === 'cache_failed') note(`the token could not be kept: ${signal.reason}`);
      },
    });
  }

  #counter() {
    return this.#journal === undefined ? undefined : exchangeCounter(this.#journal);
  }

  /** How a call ended is returned; what happens on the way is told. */
  #heedRest(signal: RestSignal): void {
    if (signal.kind === 'slowed_down') this.#parts.note('the broker asks for a slower pace (429)');
    if (signal.kind === 'read_failed' && signal.willRetry) {
      this.#parts.note(`${signal.operation}: ${signal.reason}; asking again`);
    }
  }

  #heed(skewUs: number): void {
    const { clockSkewMax } = this.#parts.config.engine.risk;
    if (Math.abs(skewUs) > clockSkewMax) {
      this.#parts.note(
        `the clocks differ by ${(skewUs / 1_000_000).toFixed(1)} s: ours against the broker's`,
      );
    }
  }
}

/** Everything that may refuse was asked before: a person has said yes. */
const refuse = (): null => null;

/** A failed write is a fact of the world here, with a way to go on. */
function problemOf(write: () => void): string | null {
  try {
    write();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Finds the broker of a configuration, for a call by hand: the configured one, or the embedded one of a paper daemon that runs. */

/** Undefined when the embedded broker does not run. */
export function openBroker(
  asked: Config,
  stateDir: string | null,
  note: (text: string) => void,
): BrokerDesk | undefined {
  const paths = statePaths(stateDir ?? asked.stateDir);
  prepareStateDir(paths);
  const { config, remarks } = firstDay(asked, paths.journal);
  const address = config.mode === 'paper' ? embeddedAddress(paths) : configuredAddress(config);
  if (address === undefined) return undefined;
  for (const remark of remarks) note(remark);
  return new BrokerDesk({ config, address, paths, note });
}

/** The link alone says nothing: one may be left of a simulator that is gone. */
function embeddedAddress({ simulatorLink, simulatorLock }: StatePaths): BrokerAddress | undefined {
  if (!isLockHeld(simulatorLock)) return undefined;
  const link: SimulatorLink = JSON.parse(readFileSync(simulatorLink, 'utf8'));
  return simulatorAddress(link);
}
