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
import { medianMs, sessionRecord } from '../recorded/session-orders.ts';
import { compareFills } from './explain-fill.ts';
import type { MarketOfDay } from './model-fills.ts';

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
