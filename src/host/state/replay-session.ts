/** `tickwright replay`: drives the engine through a session again and finds the journal's orders, denials and fills, or a difference. */
import { createHash } from 'node:crypto';
import type { Config } from '../../config/config.ts';
import type { EngineSettings } from '../../domain/settings.ts';
import type { StrategyIndex } from '../../domain/units.ts';
import { Engine } from '../../engine/engine.ts';
import { type JournalEntry, NO_EVENT } from '../../engine/ports/journal-entry.ts';
import type { StrategyHost } from '../../engine/ports/strategy-port.ts';
import { createStrategyHost, type StrategyInstance } from '../../strategy/index.ts';
import { loadDefinitions, sortedKeys } from '../strategy-files/own-strategies.ts';
import { SessionPast } from '../session-past.ts';
import type { StrategyInstanceSpec } from '../worker-protocol.ts';
import { sessionStrategies, versionStarts } from './session-strategies.ts';
import { openStoredSession, type SessionQuery, type StoredSession } from './read-state.ts';

/** Throws `NotFoundError` without a journal or without this session in it. */
export async function replayStored(query: SessionQuery): Promise<SessionReplay> {
  const stored = openStoredSession(query);
  try {
    const definitionOf = await loadDefinitions(stored.config.strategies);
    return replaySession(stored, (spec) => ({ ...spec, definition: definitionOf(spec.strategy) }));
  } finally {
    stored.close();
  }
}

/** Rows caused by the code of a strategy, or by its run; its proposals are in the journal, whichever version runs. */
const OF_ITS_CODE: ReadonlySet<JournalEntry['kind']> = new Set([
  'strategy_started',
  'strategy_note',
  'strategy_stopped',
  'strategy_fault',
  'alert',
]);

export type SessionReplay = ReturnType<typeof replaySession>;

export function replaySession(
  { config, names, read, session, framesPath }: StoredSession,
  codeOf: (spec: StrategyInstanceSpec) => StrategyInstance,
) {
  for (const name of read.strategies(session)) names.indexOf(name);
  const lists = read.strategyLists(session);
  const strategies = sessionStrategies(config, names, lists);
  const boots = new Set<number>(read.seqsOf(session, 'booted'));
  // Versions that a start brings decide from that start on, which comes right before their list.
  const versionsSince = versionStarts(lists, strategies, names).map((since) =>
    boots.has(since - 1) ? since - 1 : since,
  );
  const isOfEarlier = ({ kind, strategy, cause }: JournalEntry): boolean =>
    strategy !== null && OF_ITS_CODE.has(kind) && (versionsSince[strategy] ?? 0) > cause;
  const fromSeq = read.replayedFrom(session);
  // Entries of the main thread, such as alerts of the edge, have no event.
  const recorded = read
    .entries({ session })
    .filter(({ entry }) => entry.cause !== NO_EVENT && entry.cause >= fromSeq && !isOfEarlier(entry))
    .map(({ entry, strategyName }) => comparedEntry(entry, strategyName));
  const replayed: ComparedEntry[] = [];
  const nameOf = (index: StrategyIndex | null): string | null =>
    index === null ? null : names.nameOf(index);
  const host = createStrategyHost({
    instances: strategies.instances.map(codeOf),
    currentStrategy: new Int32Array(2),
  });
  const engine = engineFor(config, strategies.settings, host, (entry) => {
    if (!isOfEarlier(entry)) replayed.push(comparedEntry(entry, nameOf(entry.strategy)));
  });
  const past = new SessionPast({ read, session, framesPath, fromSeq, versionsSince, decidedUntil: null });
  let starts = 0;
  let events = 0;
  let isReplay = false;
  past.read(({ event, decisions, olderVersions }) => {
    events += 1;
    if (event.kind === 'booted') starts += 1;
    // An earlier version of a strategy cannot decide again: the journal does.
    if (olderVersions.length > 0) engine.replay(event, decisions, olderVersions);
    else if (isReplay) engine.endReplay();
    if (olderVersions.length === 0) engine.process(event);
    isReplay = olderVersions.length > 0;
  });
  return {
    session,
    /** Inputs and frames. */
    events,
    /** Prices or inputs that are not there any more, in words, or null: a difference may come from them. */
    lacking: past.lacking(),
    /** Starts of the daemon within the session. */
    starts,
    /** Entries compared, in order. */
    facts: Math.max(recorded.length, replayed.length),
    /** SHA-256 over the entries of each, without wall time. */
    journalHash: hashOf(recorded),
    replayHash: hashOf(replayed),
    difference: firstDifference(recorded, replayed),
  };
}

type ComparedEntry = ReturnType<typeof comparedEntry>;

/** Two builds may write the fields of an entry in another order. */
function comparedEntry(entry: JournalEntry, name: string | null) {
  const { cause, tsUs, kind } = entry;
  const body = { ...entry, cause: null, strategy: null, kind: null, tsUs: null };
  return { seq: cause, text: `${tsUs} ${name ?? 'system'} ${kind} ${JSON.stringify(body, sortedKeys)}` };
}

/** Entry of the journal and entry of the replay; null where one has none. */
function firstDifference(journal: readonly ComparedEntry[], replay: readonly ComparedEntry[]) {
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

function hashOf(facts: readonly ComparedEntry[]): string {
  const hash = createHash('sha256');
  for (const { seq, text } of facts) hash.update(`${seq} ${text}\n`);
  return hash.digest('hex');
}

const nothing = (): void => undefined;

/** Its calls go nowhere. */
function engineFor(
  { calendar, costs }: Config,
  settings: EngineSettings,
  host: StrategyHost,
  append: (entry: JournalEntry) => void,
): Engine {
  const outbound = {
    gateway: { submit: nothing, modify: nothing, cancel: nothing },
    reports: { read: nothing, pollPace: nothing },
    journal: { append },
    alarm: { wakeAt: nothing },
  };
  return new Engine({ settings, calendar, costs, outbound, host });
}
