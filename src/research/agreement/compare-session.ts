/**
 * Compares a recorded session with the backtest. First the decisions: the engine is driven through the session again and must send
 * the same orders. Second the fills: the fill model gets the same orders at the moments at which the session sent them, and each
 * fill that differs is explained or named.
 */
import { getOrCreate } from '../../domain/lists.ts';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type DayTape, dayMoments } from '../backtest-plan.ts';
import type { Config } from '../../config/config.ts';
import { NotFoundError } from '../../domain/failure.ts';
import { phaseAt, type SessionPhase } from '../../domain/calendar.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import { type Contract, type ContractSpec, pointsOf } from '../../domain/contract.ts';
import { minutes, priceTicks, tsUs, seconds } from '../../domain/units.ts';
import type { JournaledInput } from '../../journal/compact-input.ts';
import type { NamedEntry } from '../../journal/fold-session.ts';
import { readColumns, type TickRows, firstRowAt, rowsBetween } from '../../recording/columns/tick-file.ts';
import { openStoredSession, type SessionQuery } from '../../host/state/read-state.ts';
import { replayStored } from '../../host/state/replay-session.ts';
import { storedLog } from '../../recording/frame-log.ts';
import { compileFrames } from '../recorded/compile-frames.ts';
import { medianMs, sessionRecord, type SessionCall, type SessionOrder } from '../recorded/session-orders.ts';
import { clauseText, type FillClause, type QueueModel } from '../../venue/exchange/fill-models.ts';
import { Random } from '../../venue/market/random.ts';
import { TapeExchange } from '../../venue/exchange/tape-exchange.ts';

type SessionTape = Pick<DayTape, 'contract' | 'rows'>;

export type SessionAgreement = Awaited<ReturnType<typeof compareSession>>;

/** Throws `NotFoundError` without a journal, without this session in it, or without its frames. */
export async function compareSession(query: SessionQuery) {
  const stored = openStoredSession(query);
  const { config, read, session, framesPath } = stored;
  const workDir = join(config.stateDir, 'agreement');
  try {
    const inputs = [...read.inputs(session)];
    const log = storedLog(framesPath);
    if (log === undefined) throw new NotFoundError(`no recorded prices of ${session} at ${framesPath}`);
    const { difference, lacking } = await replayStored(query);
    const tapes = await sessionTapes(config, log, inputs, workDir);
    if (tapes.every(({ rows }) => rows.rows === 0))
      throw new NotFoundError(`no recorded prices of ${session} at ${framesPath}`);
    return {
      ...compare(config, tapes, session, read.entries({ session }), inputs),
      /** The engine, driven again, decided the same to the last byte of the journal. */
      isDecidedAlike: difference === null,
      lacking,
    };
  } finally {
    stored.close();
    rmSync(workDir, { recursive: true, force: true });
  }
}

function compare(
  config: Config,
  tapes: readonly SessionTape[],
  session: TradingDay,
  entries: readonly NamedEntry[],
  inputs: readonly JournaledInput[],
) {
  const { orders, calls, latencies } = sessionRecord(entries, inputs);
  const { calendar } = config;
  // Of the day from its first row on.
  const first = Math.min(...tapes.map(({ rows }) => rows.tsUs[0] ?? Infinity));
  const later = dayMoments(calendar, session).boundaries.filter(({ atUs }) => atUs > first);
  const phases = [{ atUs: first, phase: phaseAt(calendar, tsUs(first)) }, ...later];
  const compared = tapes.flatMap(({ contract, rows }) => {
    const itsCalls = calls.filter(({ order }) => order.contract === contract.orderCode);
    return compareFills(itsCalls, { rows, phases }, contract.spec);
  });
  const differences = compared.filter((each) => each !== 'alike');
  return {
    session,
    orders: orders.length,
    fills: { compared: compared.length, alike: compared.length - differences.length, differences },
    latency: { callMs: medianMs(latencies.calls), reportMs: medianMs(latencies.reports) },
  };
}

/** The day as its frames have it, of the contracts that the session got last. */
async function sessionTapes(
  config: Config,
  log: string,
  inputs: Iterable<JournaledInput>,
  workDir: string,
): Promise<readonly SessionTape[]> {
  rmSync(workDir, { recursive: true, force: true });
  const { stored } = await compileFrames(log, {
    dir: workDir,
    market: config,
    silence: minutes(5),
    skipBad: true,
    replace: true,
  });
  let contracts: readonly Contract[] = [];
  for (const input of inputs) if (input.kind === 'contracts') ({ contracts } = input);
  return stored.flatMap(({ path, meta: { symbol } }): SessionTape[] => {
    const contract =
      contracts.find(({ orderCode }) => orderCode === symbol) ??
      contracts.find(({ streamCode }) => streamCode === symbol);
    return contract === undefined ? [] : [{ contract, rows: readColumns(path) }];
  });
}

// Explains why an order was filled on paper otherwise than by the model. Two things are unmeasured: the moment, between sending and answer, at
// which a call reached the venue, and the quantity ahead in the queue. An explanation is proved: with the unknown at one of its ends the
// model gives the fill of paper, or its ends lie on both sides of it. All other differences are `unexplained`.

type DifferenceClause = 'latency' | 'queue' | 'latency and queue' | 'between' | 'unexplained';

export const CLAUSE_WORDS: Readonly<Record<DifferenceClause, string>> = {
  latency:
    'filled the same if the call arrives earlier or later between its sending and its answer, or is canceled on its way: the latency of the model',
  queue: 'filled the same with another quantity ahead of it: the queue of the model',
  'latency and queue': 'filled the same with another moment of arrival and another quantity ahead',
  between:
    'filled less favourably than with nobody ahead and more than with everybody ahead: the queue of the model',
  unexplained: 'neither the moment of arrival nor the queue explains it',
};

export type FillTotal = Pick<ModelFill, 'qty' | 'tickValue'>;

export type FillDifference = Exclude<ReturnType<typeof compareFills>[number], 'alike'>;

interface Variant {
  readonly guess: Guess;
  readonly fill: ModelFill | undefined;
}

/** Random arrivals tried for an order whose calls may each have had their own. */
const ARRIVAL_DRAWS = 3_000;
const MIDDLE = 0.5;
const NOTHING: FillTotal = { qty: 0, tickValue: 0 };

/** Default of the model: arrival in the middle, behind the quantity that was there. */
export const BEST_GUESS: Guess = { place: MIDDLE, change: MIDDLE, queue: 'queue' };

const QUEUES = ['queue', 'touch', 'through'] as const;

/** Shares of the way from sending to answer. */
export const ENDS_AND_MIDDLE = [0, MIDDLE, 1] as const;

export const guesses = (place: readonly number[], change: readonly number[]): readonly Guess[] =>
  QUEUES.flatMap((queue) =>
    place.flatMap((each) => change.map((other) => ({ place: each, change: other, queue }))),
  );

function drawnGuesses(ways: ReadonlyMap<SessionCall, readonly number[]>): readonly Guess[] {
  const random = new Random(1);
  return Array.from({ length: ARRIVAL_DRAWS }, (_, draw) => {
    const drawn = [...ways].map(
      ([call, possible]) => [call, possible[random.below(possible.length)] ?? MIDDLE] as const,
    );
    return { ...BEST_GUESS, queue: QUEUES[draw % QUEUES.length] ?? 'queue', arrivals: new Map(drawn) };
  });
}

const isTimely = ({ place, change, arrivals }: Guess): boolean =>
  arrivals === undefined && place === MIDDLE && change === MIDDLE;

export function explainFill(paper: FillTotal, variants: readonly Variant[]): DifferenceClause {
  const same = variants.filter(({ fill = NOTHING }) => isSameFill(paper, fill)).map(({ guess }) => guess);
  if (same.some(({ queue }) => queue === 'queue')) return 'latency';
  if (same.some(isTimely)) return 'queue';
  if (same.length > 0) return 'latency and queue';
  return isBetween(paper, variants) ? 'between' : 'unexplained';
}

const isSameFill = (a: FillTotal, b: FillTotal): boolean => a.qty === b.qty && a.tickValue === b.tickValue;

const isWithin = (value: number, values: readonly number[]): boolean =>
  values.length > 0 && value >= Math.min(...values) && value <= Math.max(...values);

const average = ({ qty, tickValue }: FillTotal): number => tickValue / qty;

/** Quantity and average price both within the range of the variants. */
function isBetween(paper: FillTotal, variants: readonly Variant[]): boolean {
  const fills = variants.map(({ fill }) => fill ?? NOTHING);
  const prices = fills.filter(({ qty }) => qty > 0).map(average);
  const qtys = fills.map(({ qty }) => qty);
  return (paper.qty === 0 || isWithin(average(paper), prices)) && isWithin(paper.qty, qtys);
}

/** `alike`, or the difference, of each order that either side filled. */
function compareFills(calls: readonly SessionCall[], market: MarketOfDay, spec: ContractSpec) {
  const tickMoney = spec.hundredthsPerTick * spec.moneyPerHundredth;
  const tickPoints = pointsOf(spec, priceTicks(1));
  const best = modelFills(calls, market, BEST_GUESS);
  const placed = calls.filter(({ does }) => does === 'place').map(({ order }) => order);
  const filled = placed.filter((order) => order.filledQty > 0 || best.has(order));
  const paperOf = ({ filledQty: qty, filledValue }: SessionOrder): FillTotal => ({
    qty,
    tickValue: filledValue / tickMoney,
  });
  const modelOf = (order: SessionOrder): FillTotal => best.get(order) ?? NOTHING;
  const isAlike = (order: SessionOrder): boolean => isSameFill(paperOf(order), modelOf(order));
  const open = filled.filter((order) => !isAlike(order));
  const explained = explainAll(open, paperOf, calls, market);
  return filled.map((order) => {
    const clause = explained.get(order);
    if (clause === undefined) return 'alike';
    /** Empty where the model filled nothing. */
    const filledBy = [...(best.get(order)?.clauses ?? [])].map(clauseText).join('; ');
    const { qty, tickValue } = modelOf(order);
    return { order, tickPoints, paper: paperOf(order), backtest: { qty, tickValue }, clause, filledBy };
  });
}

/** Tries the ends and the middle of each interval first; for orders left unexplained, every change of the market inside it. */
function explainAll(
  orders: readonly SessionOrder[],
  paperOf: (order: SessionOrder) => FillTotal,
  calls: readonly SessionCall[],
  market: MarketOfDay,
): ReadonlyMap<SessionOrder, DifferenceClause> {
  const explained = new Map<SessionOrder, DifferenceClause>();
  // Prices and answers come from one venue to one process: no price was later than the slowest answer.
  const streamBehindUs = Math.max(0, ...calls.map(({ sentUs, answeredUs }) => answeredUs - sentUs));
  const explain = (some: readonly SessionOrder[], over: MarketOfDay, tried: readonly Guess[]): void => {
    const wanted = new Set(some);
    const theirs = calls.filter(({ order }) => wanted.has(order));
    const variants = tried.map((guess) => ({ guess, fills: modelFills(theirs, over, guess) }));
    for (const order of some) {
      const its = variants.map(({ guess, fills }) => ({ guess, fill: fills.get(order) }));
      const clause = explainFill(paperOf(order), its);
      if (clause !== 'unexplained' || !explained.has(order)) explained.set(order, clause);
    }
  };
  if (orders.length > 0) explain(orders, market, guesses(ENDS_AND_MIDDLE, ENDS_AND_MIDDLE));
  const isOpen = (order: SessionOrder): boolean =>
    explained.get(order) === 'unexplained' || explained.get(order) === 'between';
  for (const order of orders.filter(isOpen)) {
    const theirs = calls.filter((call) => call.order === order);
    const near = marketNear(theirs, market);
    const ways = new Map(
      theirs.map((call) => [
        call,
        [...waysAtRows(call, near.rows, streamBehindUs), ...waysPastCancel(call, theirs, streamBehindUs)],
      ]),
    );
    const waysOf = (isPlace: boolean): readonly number[] =>
      theirs.flatMap((call) => ((call.does === 'place') === isPlace ? (ways.get(call) ?? []) : []));
    const oneByOne = [...guesses(waysOf(true), ENDS_AND_MIDDLE), ...guesses(ENDS_AND_MIDDLE, waysOf(false))];
    explain([order], near, oneByOne);
    if (isOpen(order)) explain([order], near, drawnGuesses(ways));
  }
  return explained;
}

// The fill model over the calls of the session: the same orders at the same moments, over the same recording.

/** Unmeasured quantities: arrival as a share of the time from sending to answer, and the quantity ahead in the queue. */
export interface Guess {
  readonly place: number;
  readonly change: number;
  readonly queue: QueueModel;
  /** Shares of single calls, where each has its own. */
  readonly arrivals?: ReadonlyMap<SessionCall, number>;
}

interface ModelFill {
  qty: number;
  /** Quantity times price in ticks, summed. */
  tickValue: number;
  readonly clauses: Set<FillClause>;
}

interface MarketOfDay {
  readonly rows: TickRows;
  readonly phases: readonly { readonly atUs: number; readonly phase: SessionPhase }[];
}

type SentOrder = ReturnType<typeof sentOrder>;

/** An order of the session in the exchange of the model. */
const sentOrder = (sent: SessionOrder) => ({
  sent,
  side: sent.side,
  triggerPrice: null,
  decidedUs: sent.decidedUs,
  price: sent.limitPrice,
  qty: sent.qty,
  leavesQty: sent.qty,
});

function change(exchange: TapeExchange<SentOrder>, order: SentOrder, price: number, qty: number): void {
  const isLess = price === order.price && qty < order.qty;
  if (!isLess) exchange.remove(order);
  order.leavesQty += qty - order.qty;
  order.qty = qty;
  order.price = price;
  if (isLess) exchange.decrease(order);
  else exchange.enter(order);
}

/** By order; an order without an entry was not filled. */
export function modelFills(
  calls: readonly SessionCall[],
  { rows, phases }: MarketOfDay,
  guess: Guess,
): ReadonlyMap<SessionOrder, Readonly<ModelFill>> {
  const filled = new Map<SessionOrder, ModelFill>();
  const placed = new Map<SessionOrder, SentOrder>();
  const exchange = new TapeExchange<SentOrder>(
    rows,
    { on: 'ticks', queue: guess.queue, cancels: 'behind', slippageTicks: 0 },
    {
      fill: (order, price, qty, clause) => {
        const { sent } = order;
        order.leavesQty -= qty;
        const filling = getOrCreate(filled, sent, () => ({
          qty: 0,
          tickValue: 0,
          clauses: new Set<FillClause>(),
        }));
        filling.qty += qty;
        filling.tickValue += qty * price;
        filling.clauses.add(clause);
      },
    },
  );
  const carryOut = ({ does, order: sent, limitPrice, qty }: SessionCall): void => {
    const order = placed.get(sent);
    if (does === 'place') {
      const entered = sentOrder(sent);
      placed.set(sent, entered);
      return exchange.enter(entered);
    }
    if (order === undefined || order.leavesQty === 0) return;
    if (does === 'change') return change(exchange, order, limitPrice, qty);
    exchange.remove(order);
    order.leavesQty = 0;
  };
  const steps = [
    ...phases.map(({ atUs, phase }) => ({ atUs, run: () => exchange.setPhase(phase, atUs) })),
    ...arrivals(calls, guess).map(({ call, atUs }) => ({ atUs, run: () => carryOut(call) })),
  ].toSorted((a, b) => a.atUs - b.atUs);
  let next = 0;
  for (let row = 0; row < rows.rows; row += 1) {
    const atUs = rows.tsUs[row] ?? 0;
    for (let step = steps[next]; step !== undefined && step.atUs <= atUs; step = steps[next]) {
      next += 1;
      step.run();
    }
    exchange.row(row);
  }
  return filled;
}

/** No call of an order overtakes the one before it; but a cancel takes back what has not reached the exchange yet. */
function arrivals(calls: readonly SessionCall[], guess: Guess) {
  const last = new Map<SessionOrder, number>();
  const takenBack = new Set<SessionOrder>();
  const all = calls.map((call) => {
    const { does, order, sentUs, answeredUs } = call;
    const way = guess.arrivals?.get(call) ?? (does === 'place' ? guess.place : guess.change);
    const ownUs = sentUs + (answeredUs - sentUs) * way;
    const beforeUs = last.get(order);
    const atUs = Math.max(ownUs, beforeUs ?? 0);
    if (does === 'cancel' && beforeUs !== undefined && ownUs < beforeUs) takenBack.add(order);
    last.set(order, atUs);
    return { call, atUs };
  });
  return all.filter(({ call }) => !takenBack.has(call.order));
}

/** After the last answer: a fill may be reported until then. */
const REPORT_WAIT_MAX = seconds(30);

/** The stretch of the day in which the calls of one order were on their way. */
function marketNear(calls: readonly SessionCall[], { rows, phases }: MarketOfDay): MarketOfDay {
  const fromUs = Math.min(...calls.map(({ sentUs }) => sentUs));
  const toUs = Math.max(...calls.map(({ answeredUs }) => answeredUs)) + REPORT_WAIT_MAX;
  const from = Math.max(0, firstRowAt(rows, fromUs) - 1);
  const to = firstRowAt(rows, toUs);
  const phase = phases.findLast(({ atUs }) => atUs <= fromUs)?.phase ?? 'closed';
  const beginUs = rows.tsUs[from] ?? fromUs;
  return {
    rows: rowsBetween(rows, from, to),
    phases: [{ atUs: beginUs, phase }, ...phases.filter(({ atUs }) => atUs > fromUs && atUs <= toUs)],
  };
}

/** The call arrives just before each row until its answer, which the price stream may show `streamBehindUs` later. */
function waysAtRows(
  { sentUs, answeredUs }: SessionCall,
  rows: TickRows,
  streamBehindUs: number,
): readonly number[] {
  const span = answeredUs - sentUs;
  if (span <= 0) return [0];
  const ways = new Set<number>([0, 1]);
  for (let row = firstRowAt(rows, sentUs); row < rows.rows; row += 1) {
    const atUs = rows.tsUs[row] ?? Infinity;
    if (atUs > answeredUs + streamBehindUs) break;
    ways.add((atUs - sentUs) / span);
  }
  return [...ways];
}

/** An order that was canceled soon after its answer may not have reached the exchange by then. */
function waysPastCancel(
  { does, order, sentUs, answeredUs }: SessionCall,
  calls: readonly SessionCall[],
  behindUs: number,
): readonly number[] {
  const cancel = calls.find((call) => call.order === order && call.does === 'cancel');
  const isSoon = cancel !== undefined && cancel.sentUs <= answeredUs + behindUs;
  if (does !== 'place' || !isSoon || answeredUs === sentUs) return [];
  return [(cancel.answeredUs + 1 - sentUs) / (answeredUs - sentUs)];
}
