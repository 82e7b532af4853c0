/** The last session's positions by strategy, waiting orders, their contracts and its halts of strategies, as the next session begins with them. */
import type { TradingDay } from '../../domain/civil-date.ts';
import type { Contract } from '../../domain/contract.ts';
import type { ClientOrderId } from '../../domain/ids.ts';
import type { OrderStatus } from '../../domain/order.ts';
import type { StrategyNames } from '../../domain/strategy-names.ts';
import {
  instrumentIndex,
  type InstrumentIndex,
  OPERATOR_INDEX,
  type StrategyIndex,
} from '../../domain/units.ts';
import type {
  CarriedOrder,
  CarriedPosition,
  EarlierOrder,
  SessionStarted,
} from '../../engine/ports/engine-event.ts';
import type { EntryKind, Proposal } from '../../engine/ports/journal-entry.ts';
import { foldSession } from '../../journal/fold-session.ts';
import type { JournalReader, StoredEntry } from '../../journal/journal-reader.ts';
import { earlierOrders, isUnfinished } from './earlier-orders.ts';

export interface CarriedOver {
  /** Contracts of positions and waiting orders: the next session's table begins with them. */
  readonly contracts: readonly Contract[];
  readonly started: Pick<
    SessionStarted,
    | 'follows'
    | 'carriedOver'
    | 'carriedOverOrders'
    | 'earlierOrders'
    | 'haltedStrategies'
    | 'stoppedStrategies'
    | 'equityPeak'
    | 'lossReached'
  >;
}

export const NOTHING_CARRIED_OVER: CarriedOver = {
  contracts: [],
  started: { carriedOver: [], haltedStrategies: [] },
};

/** The last session before `day` that an engine was told of: a day without a token or a network has nothing to leave. */
export const lastStarted = (read: JournalReader, day: TradingDay): TradingDay | undefined =>
  read
    .sessions()
    .findLast((session) => session.day !== day && read.seqsOf(session.day, 'session_started').length > 0)
    ?.day;

export function carryOver(read: JournalReader, session: TradingDay, names: StrategyNames): CarriedOver {
  const stored = read.entries({ session, kinds: CARRYING_KINDS });
  const held = foldSession(stored).flatMap(({ strategy, positions }) =>
    positions.map(({ instrument, position }) => ({ owner: names.indexOf(strategy), instrument, position })),
  );
  const waiting = waitingOrders(stored);
  const listed = read.contracts(session);
  const started = read.firstInput(session, 'session_started');
  const earlier = earlierOrders(stored, started?.kind === 'session_started' ? started : undefined, listed);
  const contracts: Contract[] = [];
  const places = new Map<InstrumentIndex, InstrumentIndex>();
  for (const { instrument } of [...held, ...waiting, ...earlier]) {
    const contract = listed.find(({ index }) => index === instrument);
    if (places.has(instrument) || contract === undefined) continue;
    const index = instrumentIndex(contracts.length);
    places.set(instrument, index);
    contracts.push({ ...contract, index });
  }
  const carriedOver = held.flatMap(({ owner, instrument, position }): readonly CarriedPosition[] => {
    const place = places.get(instrument);
    if (place === undefined) return [];
    return [{ strategy: owner, instrument: place, qty: position.qty, openValue: position.openValue }];
  });
  const carriedOverOrders = waiting.flatMap((each): readonly CarriedOrder[] => {
    const place = places.get(each.instrument);
    return place === undefined ? [] : [{ ...each, instrument: place }];
  });
  const leftOrders = earlier.flatMap((each): readonly EarlierOrder[] => {
    const place = places.get(each.instrument);
    if (place === undefined) return [];
    const isProtective = each.orderNo === null && isSystems(read, session, each.clientOrderId);
    return [{ ...each, isProtective, instrument: place }];
  });
  const haltedStrategies = halts(stored);
  const stoppedStrategies = lastingStops(stored);
  const lossReached = hiddenLoss(stored);
  const carried = {
    follows: session,
    carriedOver,
    carriedOverOrders,
    earlierOrders: leftOrders,
    haltedStrategies,
    stoppedStrategies,
    ...(lossReached === null ? {} : { lossReached }),
  };
  const peak = stored.findLast(({ entry }) => entry.kind === 'equity_peak')?.entry;
  return {
    contracts,
    started: peak?.kind === 'equity_peak' ? { ...carried, equityPeak: peak.value } : carried,
  };
}

/** The engine asked for it, not the strategy: of stops, the protective ones. */
const isSystems = (read: JournalReader, session: TradingDay, clientOrderId: ClientOrderId): boolean =>
  read
    .entries({ session, clientOrderId, kinds: ['proposal'] })
    .some(({ entry }) => entry.kind === 'proposal' && entry.by === 'system' && isStop(entry.proposal));

const isStop = (proposal: Proposal): boolean => proposal.do === 'submit' && proposal.intent.kind === 'stop';

/** All other entries leave nothing to the next session. */
const CARRYING_KINDS: readonly EntryKind[] = [
  'place',
  'modify',
  'outcome',
  'order_status',
  'order_adopted',
  'order_waiting',
  'fill',
  'fill_correction',
  'position_event',
  'position_agreed',
  'halt',
  'command',
  'strategy_stopped',
  'equity_peak',
];

function halts(stored: readonly StoredEntry[]): NonNullable<SessionStarted['haltedStrategies']> {
  const strategies = new Map<StrategyIndex, string>();
  for (const { entry } of stored) {
    if (entry.kind !== 'halt' || entry.strategy === null) continue;
    if (entry.halted) strategies.set(entry.strategy, entry.reason);
    else strategies.delete(entry.strategy);
  }
  strategies.delete(OPERATOR_INDEX);
  return [...strategies].map(([strategy, reason]) => ({ strategy, reason }));
}

/** The loss limit that the engine journaled while the account was halted for another reason, or null. */
function hiddenLoss(stored: readonly StoredEntry[]): string | null {
  let shown: string | null = null;
  let hidden: string | null = null;
  for (const { entry } of stored) {
    // Rows of the main thread have the cause 0; the engine's own follow them.
    if (entry.kind !== 'halt' || entry.strategy !== null || entry.cause === 0) continue;
    if (!entry.halted) shown = hidden = null;
    else if (shown === null) shown = entry.reason;
    else if (entry.reason !== shown) hidden = entry.reason;
  }
  return hidden;
}

/** Strategies that the operator stopped and has not started since. */
function lastingStops(stored: readonly StoredEntry[]): NonNullable<SessionStarted['stoppedStrategies']> {
  const stops = new Map<StrategyIndex, string>();
  for (const { entry } of stored) {
    if (entry.kind === 'strategy_stopped' && entry.isLasting === true && entry.strategy !== null)
      stops.set(entry.strategy, entry.reason);
    else if (entry.kind === 'command' && entry.command.name === 'start_strategy')
      stops.delete(entry.command.strategy);
  }
  stops.delete(OPERATOR_INDEX);
  return [...stops].map(([strategy, reason]) => ({ strategy, reason }));
}

/** Orders that still waited at the broker when a session ended, as its journal knew them last. */
export function waitingOrders(stored: readonly StoredEntry[]): readonly CarriedOrder[] {
  const known = new Map<ClientOrderId, CarriedOrder>();
  const statuses = new Map<ClientOrderId, OrderStatus>();
  for (const { entry } of stored) {
    if (entry.kind === 'order_status') statuses.set(entry.clientOrderId, entry.to);
    if (entry.kind !== 'order_waiting') continue;
    const { clientOrderId, parent, purpose, isProtective = false, placedTrigger, instrument, row } = entry;
    const strategy = entry.strategy ?? OPERATOR_INDEX;
    known.set(clientOrderId, {
      clientOrderId,
      parent,
      purpose,
      isProtective,
      ...(placedTrigger === undefined ? {} : { placedTrigger }),
      instrument,
      row,
      strategy,
    });
  }
  return [...known.values()].filter(({ clientOrderId }) =>
    isUnfinished(statuses.get(clientOrderId) ?? 'submitted'),
  );
}
