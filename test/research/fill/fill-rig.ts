/**
 * A day written by hand, one line a moment, through the venue in process as a run has it: clock, venue, conditional book,
 * market and account; only the engine is absent, orders are written into the script. What filled comes back as lines.
 *
 *   09:00:05 trade 1000 x 5 sold            a print; `bought`, `sold` say who crossed the spread, `-` that nobody knows
 *   09:00:06 book 999x10 998x20 | 1001x5    the recorded book from now on
 *   09:00:06 quote 999x10 | 1001x5          bid and ask, where the day has quotes and no trades; without sizes `999 | 1001`
 *   09:00:00 bar 1000 1004 998 1002 x 40        a minute: open, high, low, close; its rows are in the order given by `first`
 *   09:00:07 A buy 3 at 1000                a limit order of strategy A; B, C, ... are others
 *   09:00:07 A sell stop 3 below 995 limit 990          `above` for the other way
 *   09:00:07 A sell trail 3 from 1005 by 4 limit 990
 *   09:00:07 A buy bracket 3 at 1000 stop 996 profit 1004
 *   09:00:08 A price 1001 / A qty 2 / A cancel / A move 994 / A drop         change, take back; of what waits: move, take out
 *
 * A fill is `09:00:09 A buy 3 at 1000 queue_reached`.
 */
import type { BacktestFill } from '../../../src/research/backtest-result.ts';
import { RunAccount } from '../../../src/research/run/run-account.ts';
import { RunInstrument } from '../../../src/research/run/run-instrument.ts';
import { dayMoments } from '../../../src/research/backtest-plan.ts';
import { JournalDigest } from '../../../src/research/run/journal-digest.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { TapePlayer } from '../../../src/research/run/tape-player.ts';
import { Timeline } from '../../../src/research/run/timeline.ts';
import { type Latency, VirtualClock } from '../../../src/research/run/virtual-time.ts';
import { RunBroker } from '../../../src/research/run/run-broker.ts';
import type { FillModel } from '../../../src/venue/exchange/fill-models.ts';
import { formatTime, tradingDay } from '../../../src/domain/civil-date.ts';
import type { BrokerOrder } from '../../../src/domain/broker-order.ts';
import type { PriceBand } from '../../../src/domain/contract.ts';
import type { CostSchedule } from '../../../src/domain/costs.ts';
import { durationUs, priceHundredths, priceTicks } from '../../../src/domain/units.ts';
import type { EngineEvent } from '../../../src/engine/ports/engine-event.ts';
import type { TickRows } from '../../../src/recording/columns/tick-file.ts';
import type { MarginRules } from '../../../src/venue/account/margin.ts';
import { MARKET_CALENDAR } from '../../support/market-calendar.ts';
import { SampleTable } from '../../../src/research/run/sample-table.ts';
import { contract } from '../../support/strategy-fixtures.ts';
import { type Action, parseScript } from './rig-script.ts';
import { RigOrders } from './rig-orders.ts';
import { createExchange } from '../../../src/venue/exchange/bar-exchange.ts';

const RIG_DAY = tradingDay('2026-03-04');
const REFERENCE = priceHundredths(10_000);

const always = (value: number) => [{ from: tradingDay('2017-08-10'), value }];
const NO_COSTS: CostSchedule = {
  exchangeFee: always(0),
  clearingFee: always(0),
  brokerFee: always(0),
  taxPpm: always(0),
  marginBps: always(1_700),
};

export const ON_TICKS = { on: 'ticks', queue: 'queue', cancels: 'behind', slippageTicks: 0 } as const;
const NONE: Latency = { kind: 'constant', span: durationUs(0) };

interface RigOptions {
  readonly model?: FillModel;
  readonly costs?: CostSchedule;
  readonly order?: Latency;
  readonly report?: Latency;
  readonly band?: Pick<PriceBand, 'floor' | 'ceiling'>;
  readonly capital?: number;
  readonly margin?: MarginRules;
  /** The extreme that comes first; the high when absent. */
  readonly first?: 'high' | 'low';
}

const STRATEGIES = 6;
const NAMES = 'ABCDEF';

export interface RigResult {
  readonly fills: readonly string[];
  /** As the account has them, in order. */
  readonly executions: readonly BacktestFill[];
  /** What the engine would have heard, with its time. */
  readonly heard: readonly EngineEvent[];
  readonly rows: TickRows;
}

/** Codes with which the broker refused calls. */
export const refusalsIn = (heard: readonly EngineEvent[]): readonly string[] =>
  heard.flatMap((event) => {
    const outcome = event.kind === 'execution_report' ? event.answer?.outcome : undefined;
    return outcome?.status === 'rejected' ? [outcome.code] : [];
  });

/** Rows of the in-day book, in the order in which they were reported. */
export const rowsIn = (heard: readonly EngineEvent[]): readonly BrokerOrder[] =>
  heard.flatMap((event) => {
    if (event.kind === 'execution_report') return event.news?.rows ?? [];
    return event.kind === 'book_snapshot' && event.list === 'orders' ? event.orders : [];
  });

export function playScript(script: string, options: RigOptions = {}): RigResult {
  const { rows, actions } = parseScript(script, options.first ?? 'high');
  return playActions(rows, actions, options);
}

/** Each change of a book is heard. */
const HEARD = { hasBookListener: true };

function playActions(rows: TickRows, actions: readonly Action[], options: RigOptions): RigResult {
  const { model = ON_TICKS, costs = NO_COSTS, order = NONE, report = NONE } = options;
  const clock = new VirtualClock();
  const instrument = new RunInstrument(contract(0, 'VN30F2603'), costs, new SampleTable().prices());
  const account = new RunAccount(options.capital ?? 2_000_000_000, STRATEGIES, [instrument]);
  const heard: EngineEvent[] = [];
  const plan = {
    costs,
    margin: options.margin ?? null,
    moneyScale: 1,
    isMarginRuleOn: true,
    settings: { risk: {} },
    fill: model,
    latency: { order, report },
    seed: 1,
  };
  const broker = new RunBroker(plan, clock, account, new JournalDigest(() => undefined));
  const { venue } = broker;
  const exchange = createExchange(rows, model, venue.entry, () => account.netOf(0));
  const timeline = new Timeline(clock, broker, account, Infinity);
  const hear = (event: EngineEvent): void => void heard.push(event);
  // What the parts see of an engine: somebody who listens.
  const engine = { process: hear, trade: hear, book: hear, stretchOf: () => HEARD } as unknown as Engine;
  timeline.engine = engine;
  const { beginUs, boundaries, endUs } = dayMoments(MARKET_CALENDAR, RIG_DAY);
  clock.nowUs = beginUs;
  instrument.open(exchange, REFERENCE);
  const { floor, ceiling } = options.band ?? { floor: priceTicks(500), ceiling: priceTicks(1_500) };
  venue.openDay(RIG_DAY, new Map([[0, { floor, ceiling, reference: REFERENCE }]]));
  timeline.openDay(boundaries, Infinity);
  const { index, orderCode } = instrument.contract;
  const tape = { instrument: index, orderCode, rows, exchange, volumeBefore: 0 };
  const parts = {
    engine,
    clock,
    timeline,
    venue,
    isRowByRow: true,
    onRows: () => undefined,
  };
  const player = new TapePlayer(parts, [tape]);
  const orders = new RigOrders(broker, heard);
  for (const action of actions) {
    player.playTo(action.atUs);
    timeline.runTo(action.atUs);
    orders.act(action);
  }
  player.playTo(Infinity);
  timeline.runTo(endUs);
  venue.expire();
  timeline.runTo(endUs + 1);
  const executions = account.ledgers
    .flatMap(({ fills }) => [...fills])
    .map((fill, place) => ({ fill, place }))
    .toSorted((a, b) => a.fill.tsUs - b.fill.tsUs || a.place - b.place)
    .map(({ fill }) => fill);
  return { fills: executions.map(fillLine), executions, heard, rows };
}

const fillLine = ({ tsUs, strategy, side, qty, priceTicks: price, clause }: BacktestFill): string =>
  `${formatTime(tsUs, 420).slice(0, 8)} ${NAMES[strategy]} ${side} ${qty} at ${price} ${clause}`;

/** One line each, without the lines before and after. */
export const lines = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
