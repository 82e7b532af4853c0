/**
 * Compares a recorded session with the backtest. First the decisions: the engine is driven through the session again and must send
 * the same orders. Second the fills: the fill model gets the same orders at the moments at which the session sent them, and each
 * fill that differs is explained or named.
 */
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { BacktestData, BacktestDay, DayTape } from '../backtest-plan.ts';
import { dayMoments } from '../run/run-day.ts';
import type { Config } from '../../config/config.ts';
import { NothingThere } from '../../domain/failure.ts';
import { phaseAt, type TradingCalendar } from '../../domain/calendar.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import type { Contract } from '../../domain/contract.ts';
import { minutes, type PriceHundredths, tsUs } from '../../domain/units.ts';
import type { JournaledInput } from '../../journal/compact-input.ts';
import type { NamedEntry } from '../../journal/fold-session.ts';
import { readColumns } from '../../recording/columns/tick-file.ts';
import { loadDefinitions } from '../../host/strategy-files/own-strategies.ts';
import { openStoredSession, type SessionQuery, type StoredSession } from '../../host/state/read-state.ts';
import { replaySession } from '../../host/state/replay-session.ts';
import { compileFrames } from '../recorded/compile-frames.ts';
import { medianMs, type SessionCall, type SessionOrder, sessionRecord } from '../recorded/session-orders.ts';
import {
  BEST_GUESS,
  clausesText,
  type DifferenceClause,
  drawnGuesses,
  ENDS_AND_MIDDLE,
  explainFill,
  type FillTotal,
  guesses,
  isSameFill,
} from './explain-fill.ts';
import { type Guess, marketNear, type MarketOfDay, modelFills, waysAtRows } from './model-fills.ts';

export interface FillDifference {
  readonly order: SessionOrder;
  readonly paper: FillTotal;
  readonly backtest: FillTotal;
  readonly clause: DifferenceClause;
  /** Clauses of the model's fills; empty where it filled nothing. */
  readonly filledBy: string;
}

export type SessionAgreement = Awaited<ReturnType<typeof compareSession>>;

/** Throws `NothingThere` without a journal, without this session in it, or without its frames. */
export async function compareSession(query: SessionQuery) {
  const stored = openStoredSession(query);
  const { config, read, session, framesPath } = stored;
  const workDir = join(config.stateDir, 'agreement');
  try {
    const inputs = [...read.inputs(session)];
    const data = await sessionDay(stored, inputs, workDir);
    if (data.rows === 0) throw new NothingThere(`no recorded prices of ${session} at ${framesPath}`);
    const definitionOf = await loadDefinitions(config.strategies);
    return {
      ...compare(config, data, session, read.entries({ session }), inputs),
      /** The engine, driven again, decided the same to the last byte of the journal. */
      isDecidedAlike:
        replaySession(stored, (spec) => ({ ...spec, definition: definitionOf(spec.strategy) })).difference ===
        null,
    };
  } finally {
    stored.close();
    rmSync(workDir, { recursive: true, force: true });
  }
}

function compare(
  config: Config,
  data: BacktestData,
  session: TradingDay,
  entries: readonly NamedEntry[],
  inputs: readonly JournaledInput[],
) {
  const { orders, calls, latencies } = sessionRecord(entries, inputs);
  const { calendar } = config;
  const phases = phasesOf(calendar, session, data);
  const compared = data.open(session).tapes.flatMap(({ contract, rows }) => {
    const itsCalls = calls.filter(({ order }) => order.contract === contract.orderCode);
    const { hundredthsPerTick, moneyPerHundredth } = contract.spec;
    return compareFills(itsCalls, { rows, phases }, hundredthsPerTick * moneyPerHundredth);
  });
  const differences = compared.filter((each) => each !== 'alike');
  return {
    session,
    orders: orders.length,
    fills: { compared: compared.length, alike: compared.length - differences.length, differences },
    latency: { callMs: medianMs(latencies.calls), reportMs: medianMs(latencies.reports) },
  };
}

/** Phases of the day from its first row on. */
function phasesOf(calendar: TradingCalendar, day: TradingDay, data: BacktestData): MarketOfDay['phases'] {
  const first = Math.min(...data.open(day).tapes.map(({ rows }) => rows.tsUs[0] ?? Infinity));
  const { boundaries } = dayMoments(calendar, day);
  return [
    { atUs: first, phase: phaseAt(calendar, tsUs(first)) },
    ...boundaries.filter(({ atUs }) => atUs > first),
  ];
}

function compareFills(calls: readonly SessionCall[], market: MarketOfDay, tickMoney: number) {
  const best = modelFills(calls, market, BEST_GUESS);
  const placed = calls.filter(({ does }) => does === 'place').map(({ order }) => order);
  const filled = placed.filter((order) => order.filledQty > 0 || best.has(order));
  const paperOf = ({ filledQty: qty, filledValue }: SessionOrder): FillTotal => ({
    qty,
    tickValue: filledValue / tickMoney,
  });
  const modelOf = (order: SessionOrder): FillTotal => best.get(order) ?? { qty: 0, tickValue: 0 };
  const isAlike = (order: SessionOrder): boolean => isSameFill(paperOf(order), modelOf(order));
  const open = filled.filter((order) => !isAlike(order));
  const explained = explainAll(open, paperOf, calls, market);
  return filled.map((order) => {
    const clause = explained.get(order);
    if (clause === undefined) return 'alike';
    const filledBy = clausesText(best.get(order)?.clauses ?? []);
    const { qty, tickValue } = modelOf(order);
    return { order, paper: paperOf(order), backtest: { qty, tickValue }, clause, filledBy };
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
    const ways = new Map(theirs.map((call) => [call, waysAtRows(call, near.rows, streamBehindUs)]));
    const waysOf = (isPlace: boolean): readonly number[] =>
      theirs.flatMap((call) => ((call.does === 'place') === isPlace ? (ways.get(call) ?? []) : []));
    const oneByOne = [...guesses(waysOf(true), ENDS_AND_MIDDLE), ...guesses(ENDS_AND_MIDDLE, waysOf(false))];
    explain([order], near, oneByOne);
    if (isOpen(order)) explain([order], near, drawnGuesses(ways, DRAWS));
  }
  return explained;
}

/** Random arrivals tried for an order whose calls may each have had their own. */
const DRAWS = 3_000;

/** The day as its frames have it, with the contracts and reference prices that the session got last. */
async function sessionDay(
  { config, session: day, framesPath }: StoredSession,
  inputs: Iterable<JournaledInput>,
  workDir: string,
): Promise<BacktestData> {
  rmSync(workDir, { recursive: true, force: true });
  const { stored } = await compileFrames(framesPath, {
    dir: workDir,
    market: config,
    silence: minutes(5),
    skipBad: true,
    replace: true,
  });
  let contracts: readonly Contract[] = [];
  const references = new Map<Contract, PriceHundredths>();
  for (const input of inputs) {
    if (input.kind === 'contracts') ({ contracts } = input);
    if (input.kind !== 'reference') continue;
    for (const { instrument, reference } of input.rows) {
      const contract = contracts.find(({ index }) => index === instrument);
      if (contract !== undefined) references.set(contract, reference);
    }
  }
  const tapes = stored.flatMap(({ path, meta: { symbol } }): DayTape[] => {
    const contract =
      contracts.find(({ orderCode }) => orderCode === symbol) ??
      contracts.find(({ streamCode }) => streamCode === symbol);
    return contract === undefined ? [] : [{ contract, rows: readColumns(path) }];
  });
  const opened: BacktestDay = { day, contracts, references, guessed: new Set(), tapes, notices: [] };
  return {
    digest: createHash('sha256').update(framesPath).digest('hex'),
    days: [day],
    rows: tapes.reduce((sum, { rows }) => sum + rows.rows, 0),
    open: () => opened,
  };
}
