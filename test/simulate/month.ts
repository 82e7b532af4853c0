/**
 * A month of one process in virtual time: every day has its sessions, tokens and cut streams, some of them a rollover or a holiday. After
 * each day the world is measured, once its garbage is gone.
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { queryObjects } from 'node:v8';
import { verifyJournal } from '../../src/host/state/read-state.ts';
import { EngineThread } from '../../src/host/engine-thread.ts';
import { TradingSession } from '../../src/daemon/session/trading-session.ts';
import { isSession } from '../../src/domain/calendar.ts';
import { addDays, momentOf, type TradingDay } from '../../src/domain/civil-date.ts';
import { seconds, US_PER_DAY, US_PER_HOUR, US_PER_MINUTE } from '../../src/domain/units.ts';
import type { Config } from '../../src/config/config.ts';
import { Engine } from '../../src/engine/engine.ts';
import { Draws } from './draws.ts';
import { type Plan, QUIET } from './plan.ts';
import { World } from './world.ts';

export interface MonthOptions {
  readonly seed: number;
  readonly firstDay: TradingDay;
  /** Days of the calendar. */
  readonly days: number;
  readonly disconnects: number;
  /** Of continuous trading in each half of the day. */
  readonly minutes: number;
  readonly onDay: (measured: MeasuredDay) => void;
}

/** What is alive once the garbage is gone. */
export interface Alive {
  readonly engines: number;
  readonly engineThreads: number;
  readonly sessions: number;
}

export interface MeasuredDay extends Alive, Tally {
  readonly day: TradingDay;
  readonly isTrading: boolean;
  readonly heapBytes: number;
  /** Open files of this process. */
  readonly files: number;
  /** Timers and messages still to come. */
  readonly timers: number;
  readonly sockets: number;
  readonly journalBytes: number;
}

export interface Month {
  readonly days: readonly MeasuredDay[];
  readonly starts: number;
  readonly violations: readonly string[];
  readonly story: string;
  readonly journal: ReturnType<typeof verifyJournal>;
}

/** The day begins here, in local time: the session of the new day is open, the market is quiet. */
const MEASURED_AT_US = 5 * US_PER_HOUR;
const MEMORY_DIR = '/dev/shm';

const TRACE_LINES = 60;
const DAY_SECONDS = US_PER_DAY / 1e6;
const UTC_OFFSET_MINUTES = 420;
/** Continuous trading begins here. */
const OPEN_US = 9 * US_PER_HOUR;

/** Since the first start. */
interface Tally {
  fills: number;
  tokens: number;
  cuts: number;
}

export async function liveMonth(options: MonthOptions): Promise<Month> {
  const root = mkdtempSync(
    join(statSync(MEMORY_DIR, { throwIfNoEntry: false }) ? MEMORY_DIR : tmpdir(), 'tickwright-soak-'),
  );
  const draws = new Draws(options.seed);
  const world = new World({
    plan: steadyPlan(options.seed, momentOf(options.firstDay, MEASURED_AT_US, UTC_OFFSET_MINUTES), draws),
    draws,
    root,
    configure: (config) => exchangeHours(config, options.minutes),
  });
  try {
    const days = await live(world, options);
    return {
      days,
      starts: world.starts,
      violations: world.checks.violations,
      story: world.trace.last(TRACE_LINES),
      journal: verifyJournal(world.paths.dir),
    };
  } finally {
    world.checks.close();
    world.close();
    rmSync(root, { recursive: true, force: true });
  }
}

async function live(world: World, options: MonthOptions): Promise<readonly MeasuredDay[]> {
  const days: MeasuredDay[] = [];
  const tally: Tally = { fills: 0, tokens: 0, cuts: 0 };
  world.simulator.brokerage.onEvent((event) => {
    if (event.kind === 'fill') tally.fills += 1;
  });
  world.start();
  // After the start, which is an event of its own.
  world.after(0.001, () => world.operate(({ edge }) => edge.tokens.onChange(() => (tally.tokens += 1))));
  armDisconnects(world, options, tally);
  for (let i = 0; i < options.days && !world.checks.hasFailed; i += 1) {
    await world.run(DAY_SECONDS);
    world.checks.forgetFinished();
    world.trace.forget(TRACE_LINES);
    const day = measured(world, addDays(options.firstDay, i), tally);
    days.push(day);
    options.onDay(day);
  }
  return days;
}

/** Each count collects the garbage first. */
export const alive = (): Alive => ({
  engines: queryObjects(Engine, { format: 'count' }),
  engineThreads: queryObjects(EngineThread, { format: 'count' }),
  sessions: queryObjects(TradingSession, { format: 'count' }),
});

function measured(world: World, day: TradingDay, tally: Tally): MeasuredDay {
  return {
    day,
    isTrading: isSession(world.config.calendar, day),
    ...alive(),
    ...tally,
    heapBytes: process.memoryUsage().heapUsed,
    files: readdirSync('/proc/self/fd').length,
    timers: world.time.waiting(),
    sockets: world.network.openSockets,
    journalBytes: statSync(world.paths.journal).size,
  };
}

/** Half of them while trading goes on, where they can do most harm; the others at any hour. */
function armDisconnects(world: World, { days, disconnects, minutes }: MonthOptions, tally: Tally): void {
  const draws = world.draws.fork();
  const openSeconds = (OPEN_US - MEASURED_AT_US) / 1e6;
  for (let i = 0; i < disconnects; i += 1) {
    const day = draws.whole(0, days - 1) * DAY_SECONDS;
    const inDay =
      i % 2 === 0 ? draws.between(0, DAY_SECONDS) : openSeconds + draws.between(0, 2 * minutes * 60);
    world.after(day + inDay, () => {
      tally.cuts += 1;
      world.network.cutAll();
    });
  }
}

/** Nothing fails but what the month is about. */
export function steadyPlan(seed: number, startUs: number, draws: Draws): Plan {
  return {
    seed,
    marketSeed: draws.whole(1, 2 ** 30),
    marketMs: 5,
    startUs,
    chaosSeconds: 400 * 86_400,
    everySeconds: 1,
    mishaps: new Map(),
    network: { ...QUIET, latencyMs: [1, 50] },
    disk: { full: 0, fullMs: [1, 1], slow: 0, slowMs: [1, 1], crashBefore: 0, crashAfter: 0 },
    engineMs: 1,
    diesOnEmergency: false,
    strategies: [
      {
        id: 'random-1',
        seed: draws.whole(1, 2 ** 30),
        activity: 100,
        positionMax: 4,
        kinds: ['limit', 'stop', 'bracket'],
        isPatient: false,
        faulty: 0,
      },
      {
        id: 'random-2',
        seed: draws.whole(1, 2 ** 30),
        activity: 100,
        positionMax: 4,
        kinds: ['limit', 'trailing_stop'],
        isPatient: false,
        faulty: 0,
      },
    ],
    isDryRun: false,
    protectiveTicks: null,
    hasAuctions: false,
    lasting: null,
    policies: null,
    accountPositionMax: 6,
    orderQtyMax: 2,
    openOrdersMax: 8,
    accountOrdersMax: 50,
    ordersPerSecondMax: 50,
    ordersPerMinuteMax: 3_000,
    messagesPerMinuteMax: null,
    dailyLossMax: 2_000_000_000,
    accountLossMax: 2_000_000_000,
    nakedSeconds: 30,
    restartSeconds: [1, 10],
    downSeconds: [0.5, 10],
    aheadSeconds: 0,
    diesAtAnswer: 0,
    fillsAtExit: false,
  };
}

const at = (hour: number, minute: number): number => hour * US_PER_HOUR + minute * US_PER_MINUTE;

/** The days and phases of the exchange, the open near `hour`, with shorter phases: a month would take hours. */
export function exchangeHours(config: Config, minutes: number, hour = 9): Config {
  return {
    ...config,
    engine: {
      ...config.engine,
      poll: {
        ...config.engine.poll,
        bookFast: seconds(2),
        bookSlow: seconds(60),
        positions: seconds(30),
        account: seconds(60),
      },
    },
    calendar: {
      ...config.exchangeCalendar,
      phases: [
        { phase: 'opening_auction', fromUs: at(hour - 1, 58), toUs: at(hour, 0) },
        { phase: 'continuous', fromUs: at(hour, 0), toUs: at(hour, minutes) },
        { phase: 'break', fromUs: at(hour, minutes), toUs: at(hour, minutes + 2) },
        { phase: 'continuous', fromUs: at(hour, minutes + 2), toUs: at(hour, 2 * minutes + 2) },
        { phase: 'closing_auction', fromUs: at(hour, 2 * minutes + 2), toUs: at(hour, 2 * minutes + 4) },
      ],
    },
  };
}
