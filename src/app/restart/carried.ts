/** What the last session leaves to the next: positions by strategy, orders that wait, their contracts, and latches. */
import type { Contract } from '../../domain/contract.ts';
import {
  instrumentIndex,
  type InstrumentIndex,
  OPERATOR_INDEX,
  type StrategyIndex,
} from '../../domain/units.ts';
import type { CarriedOrder, CarriedPosition, SessionStarted } from '../../engine/ports/engine-event.ts';
import { foldSession } from '../../journal/fold-session.ts';
import type { JournalReader, StoredEntry } from '../../journal/journal-reader.ts';
import { waitingConditions } from './waiting-conditions.ts';

export interface Carried {
  /** Contracts that are held, or waited for: the next session's table begins with them. */
  readonly contracts: readonly Contract[];
  readonly started: Pick<SessionStarted, 'carried' | 'carriedOrders' | 'latched' | 'latchedStrategies'>;
}

export const NOTHING_CARRIED: Carried = {
  contracts: [],
  started: { carried: [], latched: null, latchedStrategies: [] },
};

export function carriedFrom(
  read: JournalReader,
  session: string,
  strategyIndexOf: (name: string) => StrategyIndex,
): Carried {
  const stored = read.entries({ session });
  const held = foldSession(stored).flatMap(({ strategy, positions }) =>
    positions.map(({ instrument, position }) => ({ owner: strategyIndexOf(strategy), instrument, position })),
  );
  const waiting = waitingConditions(stored, strategyIndexOf);
  const listed = read.contracts(session);
  const contracts: Contract[] = [];
  const places = new Map<InstrumentIndex, InstrumentIndex>();
  for (const { instrument } of [...held, ...waiting]) {
    const contract = listed.find(({ index }) => index === instrument);
    if (places.has(instrument) || contract === undefined) continue;
    const index = instrumentIndex(contracts.length);
    places.set(instrument, index);
    contracts.push({ ...contract, index });
  }
  const carried = held.flatMap(({ owner, instrument, position }): readonly CarriedPosition[] => {
    const place = places.get(instrument);
    if (place === undefined) return [];
    return [{ strategy: owner, instrument: place, qty: position.qty, openValue: position.openValue }];
  });
  const carriedOrders = waiting.flatMap((each): readonly CarriedOrder[] => {
    const place = places.get(each.instrument);
    return place === undefined ? [] : [{ ...each, instrument: place }];
  });
  return { contracts, started: { carried, carriedOrders, ...latches(stored, strategyIndexOf) } };
}

function latches(
  stored: readonly StoredEntry[],
  strategyIndexOf: (name: string) => StrategyIndex,
): Pick<SessionStarted, 'latched' | 'latchedStrategies'> {
  let latched: string | null = null;
  const strategies = new Map<StrategyIndex, string>();
  for (const { entry, strategyName } of stored) {
    if (entry.kind !== 'latch') continue;
    if (strategyName === null) latched = entry.latched ? (latched ?? entry.reason) : null;
    else if (entry.latched) strategies.set(strategyIndexOf(strategyName), entry.reason);
    else strategies.delete(strategyIndexOf(strategyName));
  }
  strategies.delete(OPERATOR_INDEX);
  return { latched, latchedStrategies: [...strategies].map(([strategy, reason]) => ({ strategy, reason })) };
}
