/** The world of one seed: market, strategies, limits, and which faults strike how hard. */
import type { FailurePolicy, PolicySettings } from '../../src/domain/settings.ts';
import { seconds } from '../../src/domain/units.ts';
import { type AnswerFaults, TRUE_ANSWERS } from './answers.ts';
import type { DiskFaults } from './disk.ts';
import { Draws } from './draws.ts';
import type { NetworkFaults } from './network.ts';

/** Something that happens now and then. */
export const MISHAPS = [
  'kill',
  'clean_restart',
  'cut_stream',
  'network_down',
  'expire_token',
  'half_open',
  'restart_broker',
  'no_pongs',
  'lose_frame',
  'duplicate_frame',
  'reorder_frame',
  'late_answer',
  'server_error',
  'no_book',
  'too_many_requests',
  'hide_new_order',
  'vanish',
  'contradict_status',
  'fill_disk',
  'clock_ahead',
  'clock_behind',
  'broker_cancels',
  'foreign_order',
  'foreign_position',
  'forced_close',
  'standby',
  'day_passes',
  'engine_hangs',
  'engine_throws',
  'edit_strategies',
  'halt',
  'resume',
  'cancel_all',
  'flatten',
  'stop_strategy',
  'start_strategy',
  'reload',
] as const;
export type Mishap = (typeof MISHAPS)[number];

/** A fault that does not end with the others. */
export const LASTING = [
  'late_answers',
  'slow_disk',
  'duplicate_frame',
  'reorder_frame',
  'lose_frame',
  'network_down',
  'disk_full',
  'no_positions',
  'no_book',
  'no_tokens',
] as const;
export type Lasting = (typeof LASTING)[number];

export interface Plan {
  readonly seed: number;
  readonly marketSeed: number;
  /** From one look of the broker at its market to the next. */
  readonly marketMs: number;
  readonly startUs: number;
  readonly chaosSeconds: number;
  /** Mean wait between two mishaps, in seconds. */
  readonly everySeconds: number;
  readonly mishaps: ReadonlyMap<Mishap, number>;
  readonly network: NetworkFaults;
  readonly disk: DiskFaults;
  /** Longest way of a message between engine and main thread, in milliseconds. */
  readonly engineMs: number;
  /** The process may die as soon as an exit has left on the emergency file. */
  readonly diesOnEmergency: boolean;
  readonly strategies: readonly StrategyPlan[];
  /** Nothing may reach the broker. */
  readonly isDryRun: boolean;
  /** Ticks from entry to the stop of every position, or null without one. */
  readonly protectiveTicks: number | null;
  /** Days with auctions, the change of one of them during the faults; else trading never stops, at some midnights too. */
  readonly hasAuctions: boolean;
  readonly lasting: Lasting | null;
  /** Of every failure, or null without any. */
  readonly policies: PolicySettings | null;
  readonly accountPositionMax: number;
  readonly orderQtyMax: number;
  /** Open orders of one strategy, and of all. */
  readonly openOrdersMax: number;
  readonly accountOrdersMax: number;
  readonly ordersPerSecondMax: number;
  readonly ordersPerMinuteMax: number;
  /** Null: no limit. */
  readonly messagesPerMinuteMax: number | null;
  /** VND a day, of one strategy and of the account. */
  readonly dailyLossMax: number;
  readonly accountLossMax: number;
  /** Longest time without a stop. */
  readonly nakedSeconds: number;
  /** From the kill of a process to its next start, in seconds. */
  readonly restartSeconds: readonly [number, number];
  /** Of a network that is down. */
  readonly downSeconds: readonly [number, number];
  /** The clock of the daemon's machine is so far ahead of the broker's, throughout. */
  readonly aheadSeconds: number;
  /** Chance that the process dies at the moment at which it has answered a command. */
  readonly diesAtAnswer: number;
  /** The disk fills as an exit is to be written. */
  readonly fillsAtExit: boolean;
}

interface StrategyPlan {
  readonly id: string;
  readonly seed: number;
  readonly activity: number;
  readonly positionMax: number;
  readonly kinds: readonly string[];
  /** Lets small orders rest and enlarges them, rather than to place more. */
  readonly isPatient: boolean;
  /** Chance that an action throws, in parts of a thousand. */
  readonly faulty: number;
}

const KINDS = [
  ['limit'],
  ['limit', 'stop'],
  ['limit', 'stop', 'trailing_stop', 'bracket'],
  ['limit', 'bracket'],
] as const;
const LATENCIES = [
  [0.2, 3],
  [1, 50],
  [5, 900],
] as const;
/** Monday, 2026-03-09 10:00 in Vietnam. */
const START_US = Date.UTC(2026, 2, 9, 3) * 1_000;
/** The midnight after it, there. */
const MIDNIGHT_US = Date.UTC(2026, 2, 9, 17) * 1_000;

/** Time to trade before what a world is about happens. */
const LONG_SECONDS = 15;

/** Far from the seeds of worlds. */
const MORE_FROM = 2 ** 24;
const LIES_FROM = 2 ** 25;
const THEMES_FROM = 2 ** 26;
const DEATHS_FROM = 2 ** 27;

export interface PlanOptions {
  /** Shorter runs: more seeds in the same time. */
  readonly scale: number;
  /** Left out, whatever is drawn. */
  readonly without: readonly Mishap[];
  /** Every seed is one of kills. */
  readonly kills: boolean;
}

export function planOf(seed: number, draws: Draws, { scale, without, kills }: PlanOptions): Plan {
  /** Off in every second seed, else anything from rare to frequent. */
  const chance = (highest: number): number => (draws.chance(0.5) ? 0 : draws.skewed(highest / 100, highest));
  const weight = (): number => (draws.chance(0.6) ? 0 : 10 ** draws.between(-2.5, 0));
  const mishaps = new Map<Mishap, number>();
  for (const mishap of MISHAPS) {
    const drawn = weight();
    if (drawn > 0 && !without.includes(mishap)) mishaps.set(mishap, drawn);
  }
  // A process that dies again and again, often before it is up: what one start left is the next one's past.
  const isKilling = kills || draws.chance(0.15);
  if (isKilling) {
    mishaps.clear();
    mishaps.set('kill', 1);
  }
  // Draws of their own: the other worlds stay as they are.
  const more = new Draws(seed + MORE_FROM);
  // One who halts and resumes again and again, over a slow network that loses calls and answers, before books that come late or not at all.
  const isHalting = !isKilling && more.chance(0.2);
  if (isHalting) {
    mishaps.clear();
    const include = (mishap: Mishap, share: number): void => {
      if (!without.includes(mishap)) mishaps.set(mishap, share);
    };
    include('halt', 1);
    include('resume', 0.7);
    include('vanish', more.between(0, 0.5));
    include('no_book', more.between(0, 0.4));
    include('kill', more.between(0, 0.3));
    if (more.chance(0.3)) include('foreign_order', 0.2);
  }
  const hasNoBookLeft = isHalting && more.chance(0.25);
  // Large orders fill in parts.
  const size = more.chance(0.3) ? more.whole(3, 6) : 1;
  const isFaulty = draws.chance(0.1);
  const count = draws.whole(1, 3);
  const strategies = Array.from({ length: count }, (_, i): StrategyPlan => ({
    id: `random-${i + 1}`,
    seed: draws.whole(1, 2 ** 30),
    activity: draws.whole(50, 500),
    positionMax: size * draws.whole(1, 5),
    kinds: draws.pick(KINDS),
    isPatient: more.chance(0.2),
    faulty: isFaulty && draws.chance(0.5) ? draws.whole(1, 30) : 0,
  }));
  const chaosSeconds = draws.whole(10, 40) * scale;
  const hasAuctions = draws.chance(0.25);
  const isMidnight = hasAuctions || more.chance(0.3);
  const startUs = isMidnight
    ? MIDNIGHT_US - Math.round(draws.between(0.2, 0.9) * chaosSeconds * 1e6)
    : START_US + draws.whole(0, 3_600) * 1e6;
  const plan: Plan = {
    seed,
    marketSeed: draws.whole(1, 2 ** 30),
    marketMs: draws.whole(50, 500),
    startUs,
    chaosSeconds,
    everySeconds: isKilling ? draws.skewed(0.3, 3) : draws.skewed(0.4, 8),
    mishaps,
    network: {
      refused: chance(0.1),
      requestLost: chance(0.1),
      requestLate: chance(0.1) + (isHalting ? more.between(0, 0.3) : 0),
      requestLateMs: [10, 2_000],
      readLate: more.chance(0.4) ? more.between(0.05, 0.4) : 0,
      readLateMs: [20, 1_500],
      answerLost: chance(0.2) + (isHalting ? more.between(0, 0.3) : 0),
      answerLate: chance(0.2),
      answerLateMs: [1_000, 25_000],
      frameTwice: chance(0.1),
      resets: draws.unit(),
      latencyMs: isHalting ? [5, 900] : draws.pick(LATENCIES),
      answers: answersOf(new Draws(seed + LIES_FROM)),
    },
    disk: {
      full: chance(0.02) * (without.includes('fill_disk') ? 0 : 1),
      fullMs: [50, draws.skewed(500, 8_000)],
      slow: chance(0.1),
      slowMs: [1, draws.skewed(20, 800)],
      crashBefore: chance(0.03),
      crashAfter: chance(0.03),
    },
    engineMs: draws.skewed(0.1, 40),
    diesOnEmergency: false,
    strategies,
    isDryRun: draws.chance(0.04),
    protectiveTicks: draws.chance(0.3) ? draws.whole(3, 15) : null,
    hasAuctions,
    lasting: lastingOf(draws, hasNoBookLeft),
    policies: draws.chance(0.3) ? drawnPolicies(draws) : null,
    accountPositionMax: size * draws.whole(2, 8),
    orderQtyMax: size * draws.whole(1, 4),
    ...limitsOf(more),
    restartSeconds: draws.chance(0.7) ? [0.01, 1] : [1, 20],
    downSeconds: [0.5, 10],
    aheadSeconds: 0,
    diesAtAnswer: 0.25,
    fillsAtExit: false,
  };
  if (isKilling || isHalting) return plan;
  const deaths = new Draws(seed + DEATHS_FROM);
  if (!deaths.chance(0.36)) return themed(plan, new Draws(seed + THEMES_FROM), without);
  return deaths.pick([haltedAndKilled, fullAndKilled, takenBack] as const)(plan, deaths, without);
}

/** A world of one concern: what seldom meets in worlds that draw everything meets here often. */
const THEMES = ['guarded', 'cramped', 'blind', 'night', 'losing'] as const;

function themed(plan: Plan, draws: Draws, without: readonly Mishap[]): Plan {
  if (draws.chance(0.4))
    return draws.pick([overtaken, enlarged, bracketed, asDrawn, asDrawn] as const)(plan, draws, without);
  const only = (shares: Shares): ReadonlyMap<Mishap, number> => chosenOf(shares, without);
  const awake = { ...plan, isDryRun: false };
  switch (draws.pick(THEMES)) {
    // Positions under stops of the engine's, which shrink and grow.
    case 'guarded':
      return {
        ...awake,
        mishaps: only({ kill: 0.2, cut_stream: 0.3, network_down: 0.1, cancel_all: 0.1 }),
        strategies: all(plan, () => ({ kinds: ['limit'], positionMax: draws.whole(3, 8) })),
        protectiveTicks: draws.whole(8, 25),
        policies: null,
        orderQtyMax: draws.whole(2, 5),
        accountPositionMax: 24,
      };
    // Exits leave while the journal takes no row, and the process dies before it does.
    case 'cramped':
      return {
        ...awake,
        mishaps: only({ fill_disk: 1, kill: 0.5, resume: 0.8, flatten: 0.1 }),
        everySeconds: draws.skewed(0.5, 2),
        disk: { ...plan.disk, full: 0.01, fullMs: [200, 6_000] },
        diesOnEmergency: true,
        policies: draws.chance(0.5) ? { ...drawnPolicies(draws), diskFull: 'flatten' } : null,
        protectiveTicks: draws.chance(0.7) ? draws.whole(3, 15) : null,
        strategies: all(plan, () => ({ positionMax: draws.whole(2, 6) })),
      };
    // One book cannot be read, while brackets fill and bring their exits.
    case 'blind': {
      const positionMax = draws.whole(1, 3);
      return {
        ...awake,
        mishaps: only({ no_book: 1, hide_new_order: 0.2, late_answer: 0.1 }),
        everySeconds: draws.skewed(2, 8),
        strategies: all(plan, () => ({
          kinds: ['limit', 'bracket'],
          activity: draws.whole(300, 900),
          positionMax,
        })),
        orderQtyMax: positionMax + 1,
        ...FAR_LIMITS,
        protectiveTicks: null,
      };
    }
    // Large orders that have filled in part, over a midnight without a night, which may come to us first.
    case 'night': {
      const chaosSeconds = Math.max(plan.chaosSeconds, LONG_SECONDS);
      const isAhead = draws.chance(0.7);
      const before = draws.between(0.6, 0.9);
      return {
        ...awake,
        chaosSeconds,
        startUs: MIDNIGHT_US - Math.round(before * chaosSeconds * 1e6),
        aheadSeconds: isAhead ? draws.between(1, 6) : 0,
        hasAuctions: false,
        mishaps: only(isAhead ? { cut_stream: 1 } : { kill: 0.2, cut_stream: 0.2, late_answer: 0.1 }),
        everySeconds: draws.between(3, 10),
        network: { ...QUIET },
        marketMs: draws.whole(50, 200),
        strategies: all(plan, () => ({
          kinds: ['limit'],
          activity: draws.whole(200, 500),
          positionMax: 96,
        })),
        orderQtyMax: 24,
        ...FAR_LIMITS,
        accountPositionMax: 300,
        openOrdersMax: 8,
        accountOrdersMax: 50,
        protectiveTicks: null,
      };
    }
    // The account's limit is the one that is reached.
    case 'losing':
      return {
        ...awake,
        mishaps: only({ kill: 0.2, cut_stream: 0.2, resume: 0.2 }),
        strategies: all(plan, () => ({ activity: draws.whole(400, 900), positionMax: 12 })),
        orderQtyMax: draws.whole(2, 6),
        accountPositionMax: 60,
        dailyLossMax: 2_000_000_000,
        accountLossMax: draws.whole(8, 120) * 10_000,
      };
  }
}

/** Each strategy with a change of its own, without faults and patience. */
const all = (plan: Plan, change: () => Partial<StrategyPlan>): readonly StrategyPlan[] =>
  plan.strategies.map((each) => ({ ...each, faulty: 0, isPatient: false, ...change() }));

const asDrawn = (plan: Plan): Plan => plan;

/** By day, over a network and a disk without faults. */
const calm = (plan: Plan, draws: Draws): Plan => ({
  ...plan,
  startUs: START_US + draws.whole(0, 3_600) * 1e6,
  hasAuctions: false,
  network: { ...QUIET },
  disk: { ...plan.disk, full: 0, slow: 0, crashBefore: 0, crashAfter: 0 },
  isDryRun: false,
});

const FAR_LIMITS = {
  dailyLossMax: 2_000_000_000,
  accountLossMax: 2_000_000_000,
  openOrdersMax: 20,
  accountPositionMax: 60,
  ordersPerSecondMax: 50,
  ordersPerMinuteMax: 3_000,
};

/** Stops that are placed while a read of their book is on its way, reach it before the read, and get no answer. */
const overtaken = (plan: Plan, draws: Draws): Plan => ({
  ...calm(plan, draws),
  chaosSeconds: Math.max(plan.chaosSeconds, LONG_SECONDS),
  mishaps: new Map(),
  network: {
    ...QUIET,
    readLate: draws.between(0.4, 0.9),
    answerLost: draws.between(0.1, 0.3),
    latencyMs: LATENCIES[1],
  },
  strategies: all(plan, () => ({
    kinds: ['stop'],
    activity: draws.whole(200, 500),
    positionMax: 8,
  })),
  protectiveTicks: null,
  openOrdersMax: 20,
  accountPositionMax: 24,
});

/** Small orders grow while their changes are on the way, up to the limit of their strategy. */
const enlarged = (plan: Plan, draws: Draws): Plan => ({
  ...calm(plan, draws),
  mishaps: new Map(),
  network: { ...QUIET, requestLate: draws.between(0.1, 0.4), latencyMs: LATENCIES[1] },
  strategies: all(plan, () => ({
    kinds: ['limit'],
    activity: draws.whole(100, 400),
    isPatient: true,
    positionMax: draws.whole(3, 8),
  })),
  orderQtyMax: draws.whole(2, 5),
  ...FAR_LIMITS,
  protectiveTicks: null,
});

/** Positions under the two exits of a bracket, while somebody halts and resumes. */
const bracketed = (plan: Plan, draws: Draws, without: readonly Mishap[]): Plan => ({
  ...calm(plan, draws),
  mishaps: chosenOf({ halt: 1, resume: 0.8, kill: 0.1 }, without),
  everySeconds: draws.between(4, 8),
  network: { ...QUIET, latencyMs: LATENCIES[1] },
  strategies: all(plan, () => ({
    kinds: ['bracket'],
    activity: draws.whole(5, 40),
    positionMax: draws.whole(2, 6),
  })),
  orderQtyMax: draws.whole(1, 3),
  protectiveTicks: null,
});

type Shares = Partial<Record<Mishap, number>>;

function chosenOf(shares: Shares, without: readonly Mishap[]): ReadonlyMap<Mishap, number> {
  const chosen = new Map<Mishap, number>();
  for (const each of MISHAPS)
    if (shares[each] !== undefined && !without.includes(each)) chosen.set(each, shares[each]);
  return chosen;
}

/** Orders are late or not shown at once, somebody halts, and the process dies as it says so. */
const haltedAndKilled = (plan: Plan, draws: Draws, without: readonly Mishap[]): Plan => ({
  ...calm(plan, draws),
  // By day: what fills over midnight unseen is booked by the broker's position, whoever ordered it.
  mishaps: chosenOf({ vanish: 1, halt: draws.between(0.3, 0.6), resume: 0.8 }, without),
  everySeconds: draws.between(0.3, 0.8),
  network: { ...QUIET, requestLate: draws.between(0, 0.1) },
  strategies: all(plan, () => ({ activity: 500 })),
  restartSeconds: [0.01, 0.3],
  diesAtAnswer: 0.4,
});

/** The disk fills as an exit is to be written, and the process dies before or after there is room. */
const fullAndKilled = (plan: Plan, draws: Draws, without: readonly Mishap[]): Plan => ({
  ...calm(plan, draws),
  mishaps: chosenOf({ kill: 1, fill_disk: 1, resume: 0.5 }, without),
  everySeconds: draws.between(0.4, 1.2),
  strategies: all(plan, () => ({
    kinds: ['limit'],
    activity: 500,
  })),
  restartSeconds: [0.01, 0.3],
  fillsAtExit: true,
  // The trigger book does not distinguish two stops of the same terms.
  protectiveTicks: null,
  ...FAR_LIMITS,
});

/**
 * Entries rest, and a failure or a person takes them back: where cancels get lost they have to be asked for again, and over a midnight a
 * strategy that a person has stopped stays stopped.
 */
function takenBack(plan: Plan, draws: Draws, without: readonly Mishap[]): Plan {
  const isNight = draws.chance(0.5);
  const lost = isNight || draws.chance(0.5) ? 0 : draws.between(0.1, 0.4);
  const chaosSeconds = Math.max(plan.chaosSeconds, LONG_SECONDS);
  return {
    ...plan,
    chaosSeconds,
    startUs: isNight
      ? MIDNIGHT_US - Math.round(draws.between(0.5, 0.8) * chaosSeconds * 1e6)
      : START_US + draws.whole(0, 3_600) * 1e6,
    hasAuctions: false,
    mishaps: chosenOf(
      isNight
        ? { stop_strategy: 0.3, kill: 0.1, cut_stream: 0.1 }
        : { stop_strategy: 0.2, network_down: 1, no_book: 0.2 },
      without,
    ),
    everySeconds: isNight ? draws.between(1, 4) : draws.between(3, 8),
    downSeconds: [2, 12],
    network: { ...QUIET, requestLost: lost, answerLost: lost / 2 },
    disk: { ...plan.disk, full: 0, slow: 0, crashBefore: 0, crashAfter: 0 },
    strategies: all(plan, () => ({
      kinds: ['limit'],
      activity: draws.whole(100, 300),
      isPatient: true,
      positionMax: 20,
    })),
    policies: isNight ? null : TAKING_BACK,
    marketMs: draws.whole(50, 150),
    protectiveTicks: null,
    lasting: null,
    ...FAR_LIMITS,
    isDryRun: false,
  };
}

const TAKING_BACK: PolicySettings = {
  ...policiesOf(1, () => 'cancel_orders'),
  nakedPosition: 'hold',
};

/** Nothing is lost or late. */
export const QUIET: NetworkFaults = {
  refused: 0,
  requestLost: 0,
  requestLate: 0,
  requestLateMs: [10, 2_000],
  readLate: 0,
  readLateMs: [20, 1_500],
  answerLost: 0,
  answerLate: 0,
  answerLateMs: [1_000, 25_000],
  frameTwice: 0,
  resets: 0,
  latencyMs: LATENCIES[0],
  answers: TRUE_ANSWERS,
};

function lastingOf(draws: Draws, hasNoBook: boolean): Lasting | null {
  const drawn = draws.chance(0.2) ? draws.pick(LASTING) : null;
  return hasNoBook ? 'no_book' : drawn;
}

type Limits = Pick<
  Plan,
  | 'openOrdersMax'
  | 'accountOrdersMax'
  | 'ordersPerSecondMax'
  | 'ordersPerMinuteMax'
  | 'messagesPerMinuteMax'
  | 'dailyLossMax'
  | 'accountLossMax'
  | 'nakedSeconds'
>;

/** Mostly far away. */
function limitsOf(draws: Draws): Limits {
  const near = (chance: number, from: number, to: number, far: number): number =>
    draws.chance(chance) ? draws.whole(from, to) : far;
  return {
    openOrdersMax: near(0.25, 1, 4, 8),
    accountOrdersMax: near(0.2, 2, 6, 50),
    ordersPerSecondMax: near(0.25, 1, 4, 50),
    ordersPerMinuteMax: near(0.2, 5, 40, 3_000),
    messagesPerMinuteMax: draws.chance(0.1) ? draws.whole(10, 80) : null,
    dailyLossMax: near(0.2, 5, 200, 200_000) * 10_000,
    accountLossMax: near(0.15, 20, 400, 200_000) * 10_000,
    nakedSeconds: draws.whole(3, 10),
  };
}

/** In every second world the books are right. */
function answersOf(draws: Draws): AnswerFaults {
  if (draws.chance(0.5)) return { ...TRUE_ANSWERS };
  const chance = (highest: number): number => (draws.chance(0.4) ? 0 : draws.between(highest / 4, highest));
  return {
    shuffled: chance(0.5),
    repeated: chance(0.2),
    overlapping: chance(0.3),
    shrunk: chance(0.5),
    flipped: chance(0.2),
    emptyBook: chance(0.2),
    emptyPositions: chance(0.05),
  };
}

function policiesOf(afterSeconds: number, policy: () => FailurePolicy): PolicySettings {
  return {
    after: seconds(afterSeconds),
    nakedPosition: policy(),
    tokenDead: policy(),
    streamDead: policy(),
    staleData: policy(),
    unprovenPosition: policy(),
    journalFailure: policy(),
    diskFull: policy(),
    clockJump: policy(),
  };
}

const drawnPolicies = (draws: Draws): PolicySettings =>
  policiesOf(draws.whole(1, 10), () => draws.pick(['hold', 'cancel_orders', 'flatten'] as const));
