/** Drives an engine by hand, in virtual time, with a book, positions and answers written out by the test. */
import type { BrokerAccount, BrokerTriggerOrder, CallOutcome } from '../../src/domain/broker-order.ts';
import type { TradingCalendar } from '../../src/domain/calendar.ts';
import { brokerOrderNo, type ClientOrderId, clientOrderId, orderCode } from '../../src/domain/ids.ts';
import type { ModifyIntent, OrderIntent, Side } from '../../src/domain/order.ts';
import type { EngineSettings, PolicySettings, StrategySettings } from '../../src/domain/settings.ts';
import {
  type InstrumentIndex,
  instrumentIndex,
  money,
  priceHundredths,
  priceTicks,
  qty,
  seconds,
  seq,
  signedQty,
  strategyIndex,
  type StrategyIndex,
  type TsUs,
  tsUs,
  US_PER_SECOND,
} from '../../src/domain/units.ts';
import { Engine, type EngineDependencies } from '../../src/engine/engine.ts';
import type { EngineState } from '../../src/engine/engine-state.ts';
import type { ApprovedCancel, ApprovedOrder } from '../../src/engine/ports/approved.ts';
import type {
  Command,
  ConfiguredStrategy,
  EngineEvent,
  OrderOwner,
  SessionStarted,
  UnnumberedInput,
} from '../../src/engine/ports/engine-event.ts';
import type { EntryOf, JournalEntry } from '../../src/engine/ports/journal-entry.ts';
import { RiskGuard } from '../../src/engine/risk/risk-guard.ts';
import { SessionController } from '../../src/engine/session/session-controller.ts';
import type { EventDecisions } from '../../src/engine/replay/decisions.ts';
import { accountWith, limit, row, type RowFacts } from './engine-facts.ts';
import { createSimpleDependencies, type SimpleDependencies } from './simple-parts.ts';
import { type ScriptedStrategy, ScriptedHost } from './engine-host.ts';
import { RigPorts } from './rig-ports.ts';
import { ALL_ASSUMED } from './waiting-calls.ts';
import { CALENDAR, COSTS, DAY, FRONT, NEXT, SETTINGS, timeOf, worth } from './engine-world.ts';

export const FIRST = strategyIndex(0);
export const SECOND = strategyIndex(1);

const ALL_HOLD: PolicySettings = {
  after: seconds(30),
  nakedPosition: 'hold',
  tokenDead: 'hold',
  streamDead: 'hold',
  staleData: 'hold',
  unprovenPosition: 'hold',
  journalFailure: 'hold',
  diskFull: 'hold',
  clockJump: 'hold',
};

export interface RigOptions {
  readonly strategies?: readonly ScriptedStrategy[];
  /** The real guard and the real keeper instead of the simple ones. */
  readonly isReal?: boolean;
  /** The broker reports the end of an order once, as one in the process does. */
  readonly reportsOnce?: boolean;
  readonly startUs?: TsUs;
  readonly calendar?: TradingCalendar;
  /** What the real keeper gets in place of the engine's state. */
  readonly alter?: (state: EngineState) => EngineState;
  /** Orders may wait at the broker, of every kind. */
  readonly canWait?: boolean;
  /** Orders and positions of so many contracts pass. */
  readonly qtyMax?: number;
  readonly lookUp?: Partial<EngineSettings['lookUp']>;
  readonly risk?: Partial<EngineSettings['risk']>;
  readonly policies?: Partial<PolicySettings>;
  readonly moneyMismatch?: 'halt' | 'alert';
  readonly stop?: EngineSettings['stop'];
  /** Instead of the usual two, in the order of `strategies`. */
  readonly seats?: readonly StrategySettings[];
}

const realParts = ({ alter }: RigOptions): EngineDependencies | undefined =>
  alter && {
    createGuard: (view) => new RiskGuard(view),
    createSessionController: (state) => new SessionController(alter(state)),
  };

function settingsOf({ canWait = false, qtyMax, ...changed }: RigOptions): EngineSettings {
  const assumed = canWait ? { assumed: ALL_ASSUMED } : {};
  const policies = changed.policies === undefined ? {} : { policies: { ...ALL_HOLD, ...changed.policies } };
  const settings = {
    ...SETTINGS,
    ...assumed,
    ...policies,
    ...(changed.moneyMismatch === undefined ? {} : { moneyMismatch: changed.moneyMismatch }),
    stop: changed.stop ?? SETTINGS.stop,
    strategies: changed.seats ?? SETTINGS.strategies,
    risk: { ...SETTINGS.risk, ...changed.risk },
    lookUp: { ...SETTINGS.lookUp, ...changed.lookUp },
  };
  if (qtyMax === undefined) return settings;
  const positionMax = qty(qtyMax);
  const strategies = settings.strategies.map((each) => ({ ...each, risk: { ...each.risk, positionMax } }));
  const limits = { ...settings.risk, orderQtyMax: positionMax, positionMax: positionMax };
  return { ...settings, risk: limits, strategies };
}

/** Contracts that a strategy brings into a day, of the front month and from 13,000 unless said. */
interface Carried {
  readonly strategy: StrategyIndex;
  readonly instrument?: InstrumentIndex;
  readonly qty: number;
  readonly price?: number;
}

type Held = number | Readonly<Record<string, number>>;

export class EngineRig {
  readonly #ports = new RigPorts();
  readonly entries = this.#ports.entries;
  readonly sent = this.#ports.sent;
  readonly waiting = this.#ports.waiting;
  readonly reads = this.#ports.reads;
  readonly tempos = this.#ports.tempos;
  readonly inputs: EngineEvent[] = [];
  readonly parts: SimpleDependencies;
  readonly host: ScriptedHost;
  readonly engine: Engine;
  now: TsUs;
  #seq = 0;
  #volume = 0;
  readonly #pending: { strategy: StrategyIndex; run: () => void }[] = [];

  constructor(options: RigOptions = {}) {
    this.now = options.startUs ?? timeOf(10);
    this.parts = createSimpleDependencies();
    const pending = this.#pending;
    const scripted = options.strategies ?? [{}, {}];
    // Besides its own handlers, each strategy does what the test asks it to do on the next tick.
    const strategies = scripted.map((strategy) => ({
      ...strategy,
      onTrade: (...[tick, desk, me]: Parameters<NonNullable<ScriptedStrategy['onTrade']>>) => {
        for (const each of pending.splice(0)) {
          if (each.strategy === me) each.run();
          else pending.push(each);
        }
        strategy.onTrade?.(tick, desk, me);
      },
    }));
    this.host = new ScriptedHost(strategies);
    this.engine = new Engine(
      {
        settings: settingsOf(options),
        calendar: options.calendar ?? CALENDAR,
        costs: COSTS,
        host: this.host,
        outbound: this.#ports.outbound(options.reportsOnce),
      },
      options.isReal === true ? realParts(options) : this.parts,
    );
  }

  get wakeAt(): number {
    return this.#ports.wakeAt;
  }

  /** Lets time pass; nothing is processed. */
  pass(secondsLong: number): this {
    this.now = tsUs(this.now + Math.round(secondsLong * US_PER_SECOND));
    return this;
  }

  post(event: UnnumberedInput<EngineEvent>): this {
    this.#seq += 1;
    this.process({ ...event, seq: seq(this.#seq), tsUs: this.now });
    return this;
  }

  process(event: EngineEvent): void {
    this.#ports.mute('live');
    this.#take(event);
    this.engine.process(event);
  }

  /** As a restart does: nothing leaves, and what the journal does not hold is delivered with the first live event. */
  replay(event: EngineEvent, decisions: EventDecisions | null, earlier: readonly StrategyIndex[] = []): void {
    this.#ports.mute(decisions === null ? 'tail' : 'known');
    this.#take(event);
    this.engine.replay(event, decisions, earlier);
  }

  #take(event: EngineEvent): void {
    this.inputs.push(event);
    this.#seq = event.seq;
    if (event.tsUs > this.now) this.now = event.tsUs;
  }

  /** A day that has begun, contracts, prices and an agreed position: entries may go. */
  start(held: Held = {}): this {
    this.session().boot(1).contracts().stream('live').reference().look().pass(1).positions(held);
    return this.look().pass(1);
  }

  session(facts: Partial<Omit<SessionStarted, 'kind'>> = {}, carried: readonly Carried[] = []): this {
    const carriedOver = carried.map(({ strategy, instrument = FRONT.index, qty: held, price = 13_000 }) => {
      const openValue = money(worth(price, Math.abs(held)));
      return { strategy, instrument, qty: signedQty(held), openValue };
    });
    return this.post({ kind: 'session_started', tradingDay: DAY, halted: null, carriedOver, ...facts });
  }

  boot(boot: number, owners: readonly OrderOwner[] = [], stamp = ''): this {
    const started = { kind: 'booted', boot, accountTail: '123456', owners } as const;
    return this.post(stamp === '' ? started : { ...started, stamp });
  }

  /** The strategies that are configured from here on. */
  strategies(strategies: readonly ConfiguredStrategy[]): this {
    return this.post({ kind: 'strategies', strategies });
  }

  contracts(list = [FRONT, NEXT], listed = list): this {
    const codes = listed.map((each) => each.orderCode);
    return this.post({ kind: 'contracts', contracts: list, listed: codes });
  }

  stream(state: 'live' | 'down'): this {
    return this.post({ kind: 'stream', state, reason: 'test' });
  }

  reference(price = 130_000): this {
    const band = {
      ceiling: priceTicks(13_910),
      floor: priceTicks(12_090),
      reference: priceHundredths(price),
      lastPrice: null,
    };
    const rows = [FRONT, NEXT].map(({ index }) => ({ instrument: index, ...band }));
    return this.post({ kind: 'reference', rows });
  }

  trade(price: number, contracts = 1, missed = 0): this {
    this.#volume += contracts + missed;
    return this.post({
      kind: 'trade',
      instrument: instrumentIndex(0),
      price: priceTicks(price),
      qty: qty(contracts),
      totalVolume: this.#volume,
    });
  }

  quote(bid: number, ask: number): this {
    for (const [side, price] of [
      ['bid', bid],
      ['ask', ask],
    ] as const)
      this.post({
        kind: 'book_update',
        instrument: FRONT.index,
        side,
        levels: [{ price: priceTicks(price), qty: qty(9) }],
      });
    return this;
  }

  clock(): this {
    return this.post({ kind: 'clock' });
  }

  command(command: Command): this {
    return this.post({ kind: 'command', by: 'operator', command });
  }

  /** A walk over the book that began `ago` seconds before now. */
  book(rows: readonly RowFacts[] = [], { ago = 0.1, complete = true } = {}): this {
    const startedUs = tsUs(this.now - Math.round(ago * US_PER_SECOND));
    return this.post({ kind: 'book_snapshot', list: 'orders', startedUs, complete, orders: rows.map(row) });
  }

  /** A walk over the book a second from now. */
  look(rows: readonly RowFacts[] = [], walk = {}): this {
    return this.pass(1).book(rows, walk);
  }

  conditions(rows: readonly BrokerTriggerOrder[] = [], { ago = 0.1, complete = true } = {}): this {
    const startedUs = tsUs(this.now - Math.round(ago * US_PER_SECOND));
    return this.post({ kind: 'book_snapshot', list: 'triggers', startedUs, complete, orders: rows });
  }

  /** One number is of the front month. */
  positions(held: Held = {}, ago = 0.1): this {
    const byCode = typeof held === 'number' ? { [FRONT.orderCode]: held } : held;
    const positions = Object.entries(byCode).map(([code, each]) => ({
      orderCode: orderCode(code),
      qty: signedQty(each),
      lastPrice: priceHundredths(130_000),
      openProfit: null,
    }));
    const startedUs = tsUs(this.now - Math.round(ago * US_PER_SECOND));
    return this.post({ kind: 'position_snapshot', startedUs, positions });
  }

  account(buyingPower = 4_000_000_000, money: Partial<BrokerAccount> = {}): this {
    const account = { ...accountWith(buyingPower), ...money };
    return this.post({ kind: 'account_snapshot', startedUs: this.now, account });
  }

  outcome(
    call: 'place' | 'modify' | 'cancel',
    id: ClientOrderId,
    callId: ClientOrderId,
    outcome: CallOutcome,
  ): this {
    const answer = { call, callId, clientOrderId: id, outcome };
    return this.post({ kind: 'execution_report', answer, news: null });
  }

  answered(id: ClientOrderId, outcome: CallOutcome): this {
    return this.outcome('place', id, id, outcome);
  }

  accepted(id: ClientOrderId, no: string): this {
    return this.answered(id, { status: 'accepted', orderNo: brokerOrderNo(no), orderKey: null });
  }

  unknown(id: ClientOrderId): this {
    return this.answered(id, { status: 'unknown', reason: 'timeout' });
  }

  /** Lets a strategy act on the next tick, and gives that tick. */
  act(strategy: StrategyIndex, run: () => void): this {
    this.#pending.push({ strategy, run });
    return this.trade(13_000);
  }

  submit(strategy: StrategyIndex, side: Side, contracts: number, price: number): ClientOrderId {
    let id = clientOrderId('none');
    this.act(strategy, () => {
      id = this.host.desk.submit(strategy, limit(side, contracts, price));
    });
    return id;
  }

  /** Submits an order that the broker accepts under `no`. */
  resting(strategy: StrategyIndex, side: Side, contracts: number, price: number, no: string): ClientOrderId {
    const id = this.submit(strategy, side, contracts, price);
    this.accepted(id, no);
    return id;
  }

  ask(strategy: StrategyIndex, intent: OrderIntent): ClientOrderId {
    let id = clientOrderId('none');
    this.act(strategy, () => {
      id = this.host.desk.submit(strategy, intent);
    });
    return id;
  }

  modify(strategy: StrategyIndex, change: ModifyIntent): this {
    return this.act(strategy, () => this.host.desk.modify(strategy, change));
  }

  cancel(strategy: StrategyIndex, id: ClientOrderId): this {
    return this.act(strategy, () => this.host.desk.cancel(strategy, id));
  }

  statusOf(id: ClientOrderId): string {
    const open = this.engine.snapshot().orders.find((order) => order.clientOrderId === id);
    if (open !== undefined) return open.status;
    const last = this.of('order_status').findLast((entry) => entry.clientOrderId === id);
    return last?.to ?? 'none';
  }

  position(strategy: StrategyIndex, instrument = FRONT.index): number {
    return this.host.desk.position(strategy, instrument).qty;
  }

  of<Kind extends JournalEntry['kind']>(kind: Kind): EntryOf<Kind>[] {
    return this.entries.filter((entry): entry is EntryOf<Kind> => entry.kind === kind);
  }

  alerts(): string[] {
    return this.of('alert').map(({ code }) => code);
  }

  places(): ApprovedOrder[] {
    return this.sent.flatMap((each) => (each.call === 'place' ? [each.order] : []));
  }

  cancels(): ApprovedCancel[] {
    return this.sent.flatMap((each) => (each.call === 'cancel' ? [each.cancel] : []));
  }
}
