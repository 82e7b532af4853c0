import { foldSession, type NamedEntry, type StrategyAccount } from '../../src/journal/fold-session.ts';

/** Folds the rows of several sessions as one: positions carried over from one to the next count once. */
export const foldSessions = (entries: Iterable<NamedEntry>): readonly StrategyAccount[] =>
  foldSession(
    [...entries].filter(({ entry }) => entry.kind !== 'position_event' || entry.event !== 'carried_over'),
  );
