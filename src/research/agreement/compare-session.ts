/**
 * Compares a recorded session with the backtest. First the decisions: the engine is driven through the session again and must send
 * the same orders. Second the fills: the fill model gets the same orders at the moments at which the session sent them, and each
 * fill that differs is explained or named.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DayTape } from '../backtest-plan.ts';
import { dayMoments } from '../run/run-day.ts';
import type { Config } from '../../config/config.ts';
import { NothingThere } from '../../domain/failure.ts';
import { phaseAt, type TradingCalendar } from '../../domain/calendar.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import type { Contract } from '../../domain/contract.ts';
import { minutes, tsUs } from '../../domain/units.ts';
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
    const tapes = await sessionTapes(stored, inputs, workDir);
    if (tapes.every(({ rows }) => rows.rows === 0))
      throw new NothingThere(`no recorded prices of ${session} at ${framesPath}`);
    const definitionOf = await loadDefinitions(config.strategies);
    return {
      ...compare(config, tapes, session, read.entries({ session }), inputs),
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
  tapes: readonly DayTape[],
  session: TradingDay,
  entries: readonly NamedEntry[],
  inputs: readonly JournaledInput[],
) {
  const { orders, calls, latencies } = sessionRecord(entries, inputs);
  const { calendar } = config;
  const phases = phasesOf(calendar, session, tapes);
  const compared = tapes.flatMap(({ contract, rows }) => {
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
function phasesOf(
  calendar: TradingCalendar,
  day: TradingDay,
  tapes: readonly DayTape[],
): MarketOfDay['phases'] {
  const first = Math.min(...tapes.map(({ rows }) => rows.tsUs[0] ?? Infinity));
  const { boundaries } = dayMoments(calendar, day);
  return [
    { atUs: first, phase: phaseAt(calendar, tsUs(first)) },
    ...boundaries.filter(({ atUs }) => atUs > first),
  ];
}

/** The day as its frames have it, of the contracts that the session got last. */
async function sessionTapes(
  { config, framesPath }: StoredSession,
  inputs: Iterable<JournaledInput>,
  workDir: string,
): Promise<readonly DayTape[]> {
  rmSync(workDir, { recursive: true, force: true });
  const { stored } = await compileFrames(framesPath, {
    dir: workDir,
    market: config,
    silence: minutes(5),
    skipBad: true,
    replace: true,
  });
  let contracts: readonly Contract[] = [];
  for (const input of inputs) if (input.kind === 'contracts') ({ contracts } = input);
  return stored.flatMap(({ path, meta: { symbol } }): DayTape[] => {
    const contract =
      contracts.find(({ orderCode }) => orderCode === symbol) ??
      contracts.find(({ streamCode }) => streamCode === symbol);
    return contract === undefined ? [] : [{ contract, rows: readColumns(path) }];
  });
}
