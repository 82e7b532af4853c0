/**
 * `tickwright broker`: sends one operation of the broker by hand, with the address, the token and the pace of the daemon. It may run next
 * to a daemon, but exchanges a token only where no daemon runs: the daemon owns the journal that counts exchanges.
 */
import {
  closing,
  errorText,
  isDiskFailing,
  thrownBy,
  thrownText,
  undefinedIfMissing,
} from '../../domain/failure.ts';
import { formatLocalSecond } from '../../text/dates.ts';
import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import type { RefreshReason, TokenSignal } from '../../broker/auth/token-keeper.ts';
import type {
  ChangeRequest,
  ConditionRef,
  ConditionToChange,
  ConditionToPlace,
  PlaceRequest,
  RestClient,
} from '../../broker/rest/rest-client.ts';
import type { SpecOf } from '../../wire/rest/in-day-book.ts';
import type { RestSignal } from '../../broker/rest/transport.ts';
import type { Config } from '../../config/config.ts';
import { type BrokerOrderNo, type ClientOrderId, clientOrderId } from '../../domain/ids.ts';
import { type PriceTicks, toMs, type TsUs, US_PER_SECOND } from '../../domain/units.ts';
import { AlreadyRunning, isLockHeld, takeInstanceLock } from '../../journal/instance-lock.ts';
import { readJournal } from '../../journal/journal-reader.ts';
import { JournalStore } from '../../journal/journal-store.ts';
import { type BrokerAddress, configuredAddress, simulatorAddress } from './broker-address.ts';
import {
  type BrokerConnection,
  brokerDay,
  connectBroker,
  exchangeCounter,
  TOKEN_EXCHANGES,
} from './broker-edge.ts';
import { driftText } from './edge-alerts.ts';
import { systemClock, systemTimers } from '../../host/system-clock.ts';
import { withFirstDayLimits } from '../../host/run-plan.ts';
import { isAccountTraded } from '../../host/state/running-daemons.ts';
import { prepareStateDir, type StatePaths, statePaths } from '../../host/state/state-paths.ts';
import type { SimulatorLink } from '../simulator/embedded-simulator.ts';
import type { CallOutcome, CallReceipt } from '../../domain/broker-order.ts';
import { formatNumber } from '../../text/numbers.ts';
import { type ContractSpec, formatPoints } from '../../domain/contract.ts';
import type { CashMove, MoneyTransfer } from '../../wire/rest/money-calls.ts';

export interface ManualTraderOptions {
  readonly config: Config;
  /** Why nothing but cancels may leave, or null. */
  readonly problem: string | null;
  readonly address: BrokerAddress;
  readonly paths: StatePaths;
  /** Progress lines; results are returned. */
  readonly note: (text: string) => void;
}

/** Undefined when the embedded broker of a paper configuration does not run. */
export function openBroker(
  configured: Config,
  stateDir: string | null,
  note: (text: string) => void,
  problem: string | null = null,
): ManualTrader | undefined {
  const paths = statePaths(stateDir ?? configured.stateDir);
  try {
    prepareStateDir(paths);
  } catch (error) {
    // What cannot be recorded does not leave, but a cancel does.
    if (!isDiskFailing(error)) throw error;
    note(errorText(error));
  }
  // A journal that only another Tickwright can read must not lock a person out of his orders.
  const { config, remarks } = withFirstDayLimits(configured, paths.journal, note);
  const address = config.mode === 'paper' ? embeddedAddress(paths) : configuredAddress(config);
  if (address === undefined) return undefined;
  for (const remark of remarks) note(remark);
  return new ManualTrader({ config, problem, address, paths, note });
}

/** The link may be a leftover of an ended simulator: only the lock proves that one runs. */
function embeddedAddress({ simulatorLink, simulatorLock }: StatePaths): BrokerAddress | undefined {
  if (!isLockHeld(simulatorLock)) return undefined;
  const link: SimulatorLink = JSON.parse(fs.readFileSync(simulatorLink, 'utf8'));
  return simulatorAddress(link);
}

export class ManualTrader {
  readonly rest: RestClient;
  readonly specOf: SpecOf;
  readonly #options: ManualTraderOptions;
  readonly #connection: BrokerConnection;
  readonly #log: CallLog;
  /** The count of exchanges is read often: each failure is noted once. */
  readonly #noted = new Set<string>();

  constructor(options: ManualTraderOptions) {
    const { config, address, paths, note } = options;
    this.#options = options;
    this.#connection = connectBroker({
      config,
      address,
      tokenPath: paths.token,
      speed: 1,
      exchanges: { used: () => this.#exchangesUsed(), add: () => this.#countExchange() },
      session: () => undefined,
      sink: { post: (event) => (event.kind === 'clock_skew' ? this.#noteSkew(event.skewUs) : undefined) },
      alerts: {
        rest: (signal) => this.#noteRest(signal),
        token: (signal) => this.#noteToken(signal),
        drift: (place, deviation) => note(driftText(place, deviation)),
      },
    });
    this.rest = this.#connection.rest;
    this.specOf = this.#connection.specOf;
    this.#log = new CallLog(paths.calls);
    this.#connection.tokens.start();
  }

  get config(): Config {
    return this.#options.config;
  }

  get address(): BrokerAddress {
    return this.#options.address;
  }

  /** A running daemon sees manual orders as orders of another channel. */
  get isDaemonRunning(): boolean {
    return this.#whyNoExchange() !== null;
  }

  /** The daemon of the account alone exchanges tokens: a new one may end the one that it has. */
  #whyNoExchange(): string | null {
    const { config, address, paths } = this.#options;
    // No file on a disk that takes none.
    if (fs.statSync(paths.lock, { throwIfNoEntry: false }) !== undefined && isLockHeld(paths.lock))
      return 'the daemon of this account has no token yet: tickwright token asks it for one';
    return config.mode === 'live' && isAccountTraded(address)
      ? 'a daemon with another state directory trades this account: name that directory with --state'
      : null;
  }

  /** The cached token, or a new one; `operator` exchanges in any case. */
  async token(reason: RefreshReason) {
    const current = this.#connection.tokens.current();
    if (current !== undefined && reason === 'needed')
      return { ok: true, expiresAt: current.expiresAt } as const;
    const refused = this.#whyNoExchange();
    if (refused !== null) return { ok: false, reason: refused } as const;
    const result = await this.#connection.tokens.refresh(reason);
    if (result.ok) return { ok: true, expiresAt: result.token.expiresAt } as const;
    // It may have started while a person looked for the password.
    return { ok: false, reason: this.#whyNoExchange() ?? result.failure.reason } as const;
  }

  /** Only step 1 of the request route. */
  async requestOtp(): Promise<{ readonly ok: boolean; readonly text: string }> {
    const apiKey = this.#options.address.apiKey();
    if (apiKey === undefined) return { ok: false, text: 'there is no API key' };
    const reply = await this.#connection.auth.requestOtp(apiKey);
    if (reply.status === 'ok') return { ok: true, text: reply.value };
    return { ok: false, text: reply.status === 'refused' ? `${reply.code} ${reply.message}` : reply.reason };
  }

  /** Reason why the call may not be sent, or null. `again`: the operator has checked the equal calls of before whose outcome is unknown. */
  refusal(call: ManualCall, again: boolean): string | null {
    const { config, problem, address } = this.#options;
    if (problem !== null && !isCancel(call)) return `${problem}\nonly cancels leave`;
    const isArmed = process.env['TICKWRIGHT_ARM'] === 'yes';
    const refused = callRefusal(call, { config, subAccountId: address.subAccountId, isArmed });
    return refused ?? this.#twinOf(call, again);
  }

  /** Records the call, sends it once, records its outcome. `again` as for `refusal`. */
  async send(call: ManualCall, again: boolean): Promise<ManualOutcome> {
    const id = randomUUID();
    const failure = thrownText(() => this.#log.append({ id, at: systemClock.nowUs(), call }));
    if (failure !== null) {
      const reason = `the call could not be recorded: ${failure}`;
      // A cancel without a record can do no harm.
      if (!isCancel(call)) return { status: 'not_sent', reason };
      this.#options.note(reason);
    }
    // Of equal calls from two terminals at once the one that was recorded first leaves.
    const reason = this.#twinOf(call, again, id);
    const sent: ManualOutcome = reason === null ? await this.#dispatch(call) : { status: 'not_sent', reason };
    const outcome = this.#options.address.secrets.hideIn(sent);
    const second = thrownText(() => this.#log.append({ id, at: systemClock.nowUs(), outcome }));
    if (second !== null) this.#options.note(`the outcome of the call could not be recorded: ${second}`);
    return outcome;
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }

  /** Why an equal call, recorded before this one, forbids it, or null. */
  #twinOf(call: ManualCall, again: boolean, ownId?: string): string | null {
    if (!addsWhenRepeated(call)) return null;
    let twin: TsUs | undefined;
    const failure = thrownText(() => (twin = this.#log.unknownTwin(call, again, ownId)));
    if (failure !== null) return `the record of calls cannot be read: ${failure}`;
    return twin === undefined
      ? null
      : `an equal ${call.kind} was sent at ${formatLocalSecond(twin, this.config.calendar.utcOffsetMinutes)} and its outcome is unknown: check the account, then repeat with --again`;
  }

  #dispatch(call: ManualCall): Promise<ManualOutcome> {
    const { rest } = this;
    const send = { priority: isCancel(call) ? 'exit' : 'entry', refuse: refuseNothing } as const;
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
        return rest.money.deposit(call, { refuse: refuseNothing });
      case 'withdraw':
        return rest.money.withdraw(call, { refuse: refuseNothing });
      case 'transfer':
        return rest.money.transfer(call, { refuse: refuseNothing });
      case 'cancel-stock-orders':
        return rest.accounts.cancelStockOrders(call.accountNo, call.orderIds, { refuse: refuseNothing });
    }
  }

  /** `H.` + account tail + `m` + milliseconds + a random part: never an id of a daemon, which has a digit or a-f in that place. */
  #callId(): ClientOrderId {
    const tail = this.#options.address.custodyCode.slice(-6);
    const sentMs = toMs(systemClock.nowUs());
    return clientOrderId(`H.${tail}m${sentMs}${randomUUID().slice(0, 8)}`);
  }

  #exchangesUsed(): number {
    const { journal } = this.#options.paths;
    if (!fs.existsSync(journal)) return 0;
    let used = 0;
    this.#noteFailure('exchanges of today are not known', () => {
      used = closing(readJournal(journal), ({ read }) => read.counter(TOKEN_EXCHANGES, brokerDay()));
    });
    return used;
  }

  /** Throws while a daemon runs; on a disk that takes no writes none can begin to. */
  #countExchange(): void {
    this.#noteFailure('the exchange is not counted', () => this.#addExchange());
  }

  /** Holds the lock of the daemon for the count alone: a person may take minutes to type a password. */
  #addExchange(): void {
    const { paths, note } = this.#options;
    const lock = takeInstanceLock(paths.lock, process.pid);
    try {
      const journal = new JournalStore({
        path: paths.journal,
        wallClock: systemClock,
        timers: systemTimers,
        onFailure: ({ message }) => note(`the journal could not be written: ${message}`),
      });
      closing(journal, () => exchangeCounter(journal).add());
    } finally {
      lock.release();
    }
  }

  #noteFailure(what: string, run: () => void): void {
    const thrown = thrownBy(run);
    if (thrown instanceof AlreadyRunning) throw thrown;
    const failure = thrown === null ? null : errorText(thrown);
    if (failure === null || this.#noted.has(what)) return;
    this.#noted.add(what);
    this.#options.note(`${what}: ${failure}`);
  }

  /** The result of an exchange is returned; only the steps on the way are noted. */
  #noteToken(signal: TokenSignal): void {
    const { note } = this.#options;
    if (signal.kind === 'asking' && signal.provider !== 'fixed')
      note(`asking for a one-time password (${signal.provider})`);
    if (signal.kind === 'cache_failed') note(`the token could not be stored: ${signal.reason}`);
  }

  /** The outcome of a call is returned; only the steps on the way are noted. */
  #noteRest(signal: RestSignal): void {
    const { note } = this.#options;
    if (signal.kind === 'slowed_down') note('the broker asks for a slower pace (429)');
    if (signal.kind === 'read_failed' && signal.willRetry)
      note(`${signal.operation}: ${signal.reason}; asking again`);
  }

  #noteSkew(skewUs: number): void {
    const { config, note } = this.#options;
    if (Math.abs(skewUs) <= config.engine.risk.clockSkewMax) return;
    const seconds = (skewUs / US_PER_SECOND).toFixed(1);
    note(`our clock differs by ${seconds} s from the broker's: set it, or orders may be refused`);
  }
}

/** The operator has confirmed the call, so nothing refuses it now. */
const refuseNothing = (): null => null;

// Records calls by hand: one JSON line before the call is sent and one for its outcome, each on the disk before the next step
// (rulings, 30). A process that dies in between leaves a call without an outcome: unknown, like a lost answer.

export type ManualOutcome = CallOutcome | CallReceipt;

type CallLine =
  | { readonly id: string; readonly at: TsUs; readonly call: ManualCall }
  | { readonly id: string; readonly at: TsUs; readonly outcome: ManualOutcome };

const OWNER_ONLY = 0o600;
const NEW_LINE = 10;

export class CallLog {
  readonly #path: string;
  /** What was recorded before a person asked for a call ends here. */
  #known = 0;

  constructor(path: string) {
    this.#path = path;
    // One that cannot be read says so when it is.
    thrownText(() => (this.#known = fs.statSync(path).size));
  }

  /**
   * Time of the latest equal call whose outcome is unknown, of those recorded before `ownId`, and with `again` since this record was
   * opened; undefined when there is none.
   */
  unknownTwin(call: ManualCall, again = false, ownId?: string): TsUs | undefined {
    const wanted = keyOf(call);
    let open: { readonly id: string; readonly at: TsUs }[] = [];
    const written = undefinedIfMissing(() => fs.readFileSync(this.#path)) ?? Buffer.alloc(0);
    const text = written.toString('utf8', again ? this.#known : 0);
    for (const line of text.split('\n').flatMap(linesIn)) {
      if (line.id === ownId) break;
      if ('call' in line) {
        if (keyOf(line.call) === wanted) open.push(line);
        continue;
      }
      const { id, outcome } = line;
      // Who sent a later equal call knew of the earlier ones.
      const known = outcome.status === 'unknown' ? -1 : open.findIndex((each) => each.id === id);
      if (known >= 0)
        open = open.filter((_, at) => (outcome.status === 'not_sent' ? at !== known : at > known));
    }
    return open.at(-1)?.at;
  }

  /** Throws when the disk refuses: then a call must not leave. */
  append(line: CallLine): void {
    const file = fs.openSync(this.#path, 'a+', OWNER_ONLY);
    try {
      // After half a line of a power cut the next record begins a new line.
      // All of it: a nearly full disk takes a part, and says nothing.
      fs.writeFileSync(file, `${endsWhole(file) ? '' : '\n'}${JSON.stringify(line)}\n`);
      fs.fsyncSync(file);
    } finally {
      fs.closeSync(file);
    }
  }
}

function endsWhole(file: number): boolean {
  const { size } = fs.fstatSync(file);
  const last = Buffer.alloc(1);
  return size === 0 || (fs.readSync(file, last, 0, 1, size - 1) === 1 && last[0] === NEW_LINE);
}

/** Two transfers that differ only in their note are equal. */
const keyOf = (call: ManualCall): string => JSON.stringify({ ...call, note: '' });

/** The last line may be cut off by a power cut: nothing was sent on the strength of half a line. */
function linesIn(text: string): readonly CallLine[] {
  if (text === '') return [];
  try {
    const line: CallLine = JSON.parse(text);
    return [line];
  } catch {
    // Half a line is ignored.
    return [];
  }
}

// A call by hand as data: checked, described, recorded and sent in this form.

type OrderHead = Omit<ConditionToPlace, 'callId' | 'trigger'>;

export type MoneyCall =
  | (CashMove & { readonly kind: 'deposit' | 'withdraw' })
  | (MoneyTransfer & { readonly kind: 'transfer' });

/** Named as the operations are. */
export type ManualCall =
  | (OrderHead & { readonly kind: 'place'; readonly terms: NonNullable<PlaceRequest['terms']> })
  | (Omit<ChangeRequest, 'callId'> & { readonly kind: 'change' })
  | { readonly kind: 'cancel'; readonly orderNo: BrokerOrderNo }
  | (OrderHead & { readonly kind: 'condition-place'; readonly trigger: ConditionToPlace['trigger'] })
  | (Omit<ConditionToChange, 'callId'> & { readonly kind: 'condition-change' })
  | (ConditionRef & { readonly kind: 'condition-cancel' })
  | MoneyCall
  | {
      readonly kind: 'cancel-stock-orders';
      readonly accountNo: string;
      readonly orderIds: readonly string[];
    };

const isMoneyCall = (call: ManualCall): call is MoneyCall =>
  call.kind === 'deposit' || call.kind === 'withdraw' || call.kind === 'transfer';

/** Sent twice, it trades or moves twice what was meant. */
const addsWhenRepeated = (call: ManualCall): boolean =>
  isMoneyCall(call) || call.kind === 'place' || call.kind === 'condition-place';

/** Only removes orders, so it may be sent when nothing else may. */
const isCancel = ({ kind }: ManualCall): boolean =>
  kind === 'cancel' || kind === 'condition-cancel' || kind === 'cancel-stock-orders';

export function describeCall(call: ManualCall, subAccount: string, spec: ContractSpec | undefined): string {
  const points = (price: PriceTicks): string => (spec === undefined ? '?' : formatPoints(spec, price));
  const order = ({ side, qty, orderCode, limitPrice }: OrderHead): string =>
    `${side} ${qty} ${orderCode} at ${points(limitPrice)} on ${subAccount}`;
  switch (call.kind) {
    case 'place':
      return `place: ${order(call)}${termsText(call.terms, points)}`;
    case 'change':
      return `change order ${call.orderNo} of ${call.orderCode} to ${call.qty} at ${points(call.limitPrice)}`;
    case 'cancel':
      return `cancel order ${call.orderNo}`;
    case 'condition-place':
      return `when ${triggerText(call.trigger, points, spec)}, ${order(call)}`;
    case 'condition-change':
      return `move the trigger of condition ${call.orderKey} of ${call.orderCode} to ${points(call.triggerPrice)}`;
    case 'condition-cancel':
      return `cancel condition ${call.orderKey}`;
    case 'deposit':
      return `deposit ${formatNumber(call.amount)} VND into ${subAccount}`;
    case 'withdraw':
      return `withdraw ${formatNumber(call.amount)} VND from ${subAccount}`;
    case 'transfer':
      return `transfer ${formatNumber(call.amount)} VND from ${call.from} to ${call.to}`;
    case 'cancel-stock-orders':
      return `cancel stock orders ${call.orderIds.join(', ')} of ${call.accountNo}`;
  }
}

type Points = (price: PriceTicks) => string;

function termsText(terms: NonNullable<PlaceRequest['terms']>, points: Points): string {
  switch (terms.kind) {
    case 'regular':
      return '';
    case 'bracket':
      return `, stop-loss ${points(terms.stopLossPrice)}, take-profit ${points(terms.takeProfitPrice)}`;
    case 'arbitrage':
      return `, once our order in ${terms.leg} fills`;
  }
}

function triggerText(trigger: ConditionToPlace['trigger'], points: Points, spec: ContractSpec | undefined) {
  if (trigger.kind === 'stop') {
    const way = trigger.triggerWhen === 'at_or_above' ? 'rises to' : 'falls to';
    return `the price ${way} ${points(trigger.triggerPrice)}`;
  }
  const step = spec === undefined ? '?' : (trigger.trailingOffset * spec.hundredthsPerTick) / 100;
  return `the price, followed from ${points(trigger.activationPrice)} on, turns by ${step}`;
}

interface CallContext {
  readonly config: Config;
  readonly subAccountId: string;
  /** The environment arms real orders. */
  readonly isArmed: boolean;
}

/** Reason why the call may not be sent, or null; confirmation does not lift it. */
function callRefusal(call: ManualCall, { config, subAccountId, isArmed }: CallContext): string | null {
  if (config.mode === 'dry-run') return 'mode dry-run: nothing is sent';
  if (config.mode === 'live' && !isArmed && !isCancel(call)) {
    return 'mode live: expected TICKWRIGHT_ARM=yes in the environment; without it only cancels leave';
  }
  if (isMoneyCall(call)) return moneyRefusal(call, config.money, subAccountId);
  if (!('qty' in call)) return null;
  const { orderQtyMax } = config.engine.risk;
  return call.qty > orderQtyMax
    ? `quantity ${call.qty}: expected at most risk.orderQtyMax, ${orderQtyMax}`
    : null;
}

function moneyRefusal(call: MoneyCall, money: Config['money'], subAccountId: string): string | null {
  if (money === undefined) {
    return 'money does not move: expected a section money: { accounts: [...], amountMax: ... } in the configuration';
  }
  const named = call.kind === 'transfer' ? [call.from, call.to] : [subAccountId];
  const foreign = named.find((account) => !money.accounts.includes(account));
  if (foreign !== undefined) return `account ${foreign}: expected one that money.accounts names`;
  if (call.kind === 'transfer' && call.from === call.to)
    return 'a transfer has two ends: expected two accounts';
  if (call.amount <= 0) return `amount ${call.amount}: expected VND above zero`;
  return call.amount > money.amountMax
    ? `amount ${call.amount}: expected at most money.amountMax, ${money.amountMax}`
    : null;
}
