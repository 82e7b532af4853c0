import type { EngineEvent } from '../../src/engine/ports/engine-event.ts';
import type { JournalEntry } from '../../src/engine/ports/journal-entry.ts';
import { DECIDING_KINDS, eventDecisions } from '../../src/engine/replay/decisions.ts';
import type { StrategyIndex } from '../../src/domain/units.ts';
import type { EngineRig } from './engine-rig.ts';

const DECIDING: ReadonlySet<JournalEntry['kind']> = new Set(DECIDING_KINDS);

/** Replays another rig's inputs on this one, as a restart does: it reads no other kinds of `keptEntries`, which its journal kept. `earlier`: edited since. */
export function replay(
  onto: EngineRig,
  inputs: readonly EngineEvent[],
  keptEntries: readonly JournalEntry[],
  earlier: readonly StrategyIndex[] = [],
): void {
  let lastOfBoot = 0;
  const durable = new Map<number, boolean>();
  // The tail of each boot: events after the last one that an entry of that boot names.
  const boots: EngineEvent[][] = [[]];
  for (const event of inputs) {
    if (event.kind === 'booted' && boots.at(-1)?.length !== 0) boots.push([]);
    boots.at(-1)?.push(event);
  }
  for (const events of boots) {
    const seqs = new Set<number>(events.map((event) => event.seq));
    lastOfBoot = Math.max(0, ...keptEntries.filter(({ cause }) => seqs.has(cause)).map(({ cause }) => cause));
    for (const event of events) durable.set(event.seq, event.seq <= lastOfBoot);
  }
  for (const event of inputs) {
    const caused = keptEntries.filter(({ cause, kind }) => cause === event.seq && DECIDING.has(kind));
    onto.replay(event, durable.get(event.seq) === true ? eventDecisions(caused) : null, earlier);
  }
  onto.engine.endReplay();
}
