/**
 * A session of the journal driven through the engine again: the same orders, denials and fills as the journal has, or the
 * first difference (house plan, section 3: the determinism contract).
 */
import { createHash } from 'node:crypto';
import type { Config } from '../../config/config.ts';
import { OPERATOR_INDEX, strategyIndex, type StrategyIndex } from '../../domain/units.ts';
import { Engine } from '../../engine/engine.ts';
import type { JournalEntry } from '../../engine/ports/journal-entry.ts';
import type { Outbound } from '../../engine/ports/outbound.ts';
import { createStrategyHost } from '../../strategy/index.ts';
import { definitionOf } from '../host/catalog.ts';
import { sessionPast } from '../restart/replay-steps.ts';
import { openStoredSession, type SessionQuery, type StoredSession } from './read-state.ts';

export interface ReplayDifference {
  /** Place in the session's one sequence. */
  readonly seq: number;
  /** What the journal holds there, and what the replay decided; null for nothing. */
  readonly journal: string | null;
  readonly replay: string | null;
}

export interface SessionReplay {
  readonly session: string;
  /** Inputs and frames. */
  readonly events: number;
  /** Starts of the daemon within the session. */
  readonly starts: number;
  /** Facts compared, in order. */
  readonly facts: number;
  /** SHA-256 over the facts of each, without wall time. */
  readonly journalHash: string;
  readonly replayHash: string;
  readonly difference: ReplayDifference | null;
}

/** Throws `NothingThere` without a journal or without this session in it. */
export function replayStored(query: SessionQuery): SessionReplay {
  const stored = openStoredSession(query);
  try {
    return replaySession(stored);
  } finally {
    stored.close();
  }
}

/** Facts of the main thread, such as alerts of the edges, come from no event and are left out. */
const OWN_CAUSE = 0;

export function replaySession({ config, read, session, framesPath }: StoredSession): SessionReplay {
  const recorded = read
    .entries({ session })
    .filter(({ entry }) => entry.cause !== OWN_CAUSE)
    .map(({ entry, strategyName }) => factOf(entry, strategyName));
  const replayed: Fact[] = [];
  const nameOf = (index: StrategyIndex | null): string | null =>
    index === null ? null : (config.strategies[index]?.id ?? 'operator');
  const engine = engineFor(config, (entry) => replayed.push(factOf(entry, nameOf(entry.strategy))));
  const strategyIndexOf = (name: string): StrategyIndex => {
    const index = config.strategies.findIndex(({ id }) => id === name);
    return index === -1 ? OPERATOR_INDEX : strategyIndex(index);
  };
  const past = sessionPast({ read, session, framesPath, strategyIndexOf });
  let starts = 0;
  let events = 0;
  for (const { event } of past.steps()) {
    events += 1;
    if (event.kind === 'booted') starts += 1;
    engine.process(event);
  }
  return {
    session,
    events,
    starts,
    facts: Math.max(recorded.length, replayed.length),
    journalHash: hashOf(recorded),
    replayHash: hashOf(replayed),
    difference: firstDifference(recorded, replayed),
  };
}

interface Fact {
  readonly seq: number;
  readonly text: string;
}

function factOf(entry: JournalEntry, name: string | null): Fact {
  const { cause, tsUs, kind } = entry;
  const body = { ...entry, cause: null, strategy: null, kind: null, tsUs: null };
  return { seq: cause, text: `${tsUs} ${name ?? 'house'} ${kind} ${JSON.stringify(body, sortedKeys)}` };
}

/** The order in which a build writes the fields of a fact is no part of it. */
function sortedKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function firstDifference(journal: readonly Fact[], replay: readonly Fact[]): ReplayDifference | null {
  for (let i = 0; i < Math.max(journal.length, replay.length); i += 1) {
    const there = journal[i];
    const here = replay[i];
    if (there?.seq === here?.seq && there?.text === here?.text) continue;
    const seq = Math.min(there?.seq ?? Infinity, here?.seq ?? Infinity);
    return {
      seq,
      journal: there?.seq === seq ? there.text : null,
      replay: here?.seq === seq ? here.text : null,
    };
  }
  return null;
}

function hashOf(facts: readonly Fact[]): string {
  const hash = createHash('sha256');
  for (const { seq, text } of facts) hash.update(`${seq} ${text}\n`);
  return hash.digest('hex');
}

const nothing = (): void => undefined;

function engineFor(
  { engine: settings, calendar, costs, strategies }: Config,
  append: (entry: JournalEntry) => void,
): Engine {
  const outbound: Outbound = {
    gateway: { submit: nothing, modify: nothing, cancel: nothing },
    reports: { read: nothing, bookTempo: nothing },
    journal: { append },
    alarm: { wakeAt: nothing },
  };
  const instances = strategies.map(({ id, strategy, params }, i) => ({
    index: strategyIndex(i),
    id,
    definition: definitionOf(strategy),
    params,
  }));
  const currentStrategy = new Int32Array(1);
  return new Engine({
    settings,
    calendar,
    costs,
    outbound,
    host: createStrategyHost({ instances, currentStrategy }),
  });
}
