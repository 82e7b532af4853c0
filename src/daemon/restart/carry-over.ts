/** The last session's positions by strategy, waiting orders, their contracts and its halts of strategies, as the next session begins with them. */
import { assert } from '../../domain/assert.ts';
import { addDays, type TradingDay } from '../../domain/civil-date.ts';
import type { Contract } from '../../domain/contract.ts';
import {
  type InstrumentIndex,
  instrumentIndex,
  type Money,
  money,
  OPERATOR_INDEX,
  type StrategyIndex,
} from '../../domain/units.ts';
import type {
  CarriedPosition,
  Command,
  HaltCode,
  HaltReason,
  OrderOwner,
  SessionStarted,
} from '../../engine/ports/engine-event.ts';
import { MintedLog } from '../../engine/state/client-order-ids.ts';
import { type EntryKind, type JournalEntry, NO_EVENT } from '../../engine/ports/journal-entry.ts';
import {
  FOLDED_KINDS,
  type NamedEntry,
  SessionAccounts,
  type StrategyAccount,
} from '../../journal/fold-session.ts';
import type { JournalReader } from '../../journal/journal-reader.ts';
import { OrderTracker } from './order-tracker.ts';
import { OPERATOR, type StrategyNames } from '../../domain/ids.ts';
import { callIdOf } from '../../engine/state/event-context.ts';

interface Successor {
  readonly isHalted?: boolean;
  /** Its contract table so far. */
  readonly into?: readonly Contract[];
}

export interface CarriedOver {
  /** Why entries stay off in the next session, whatever its books say; null when nothing of the last one asks for that. */
  readonly halted: HaltReason | null;
  /** Contracts of positions and waiting orders: the next session's table begins with them. */
  readonly contracts: readonly Contract[];
  /** About orders: a person was answered, and no engine has read them; the next one carries them out. */
  readonly commands: readonly Command[];
  readonly started: Pick<
    SessionStarted,
    | 'follows'
    | 'isRestarted'
    | 'earned'
    | 'carriedOver'
    | 'carriedOrders'
    | 'minted'
    | 'haltedStrategies'
    | 'stoppedStrategies'
    | 'equityPeak'
    | 'lossReached'
    | 'unclosed'
  >;
}

export const NOTHING_CARRIED_OVER: CarriedOver = {
  halted: null,
  contracts: [],
  commands: [],
  started: { carriedOver: [], haltedStrategies: [] },
};

/** The session of `day` goes on where it was; else it begins, or restarts with the state of another session that ran since. */
export function continuesSession(read: JournalReader, day: TradingDay): boolean {
  if (read.startOf(day) === undefined) return false;
  const last = read.lastDecided(null);
  if (last === undefined || last === day) return true;
  // A kill may fall between the start and the first decision.
  return !read.hasBegun(day) && read.lastBoot(day) > read.lastBoot(last);
}

/** A start reads the last two; one more for a session that begins and is lost again. */
const SESSIONS_NEEDED = 3;

/** Sessions older than this many days whose rows no start reads any more. */
export function archivable(read: JournalReader, today: TradingDay, days: number): readonly TradingDay[] {
  const sessions = read.sessions().filter(({ day }) => read.archiveOf(day) === undefined);
  const started = sessions.filter(({ day }) => read.hasBegun(day));
  const needed = new Set<string>(started.slice(-SESSIONS_NEEDED).map(({ day }) => day));
  const halt = read.lastHalt();
  if (halt !== null) needed.add(halt.session);
  // From the session that began before `today`: a clock that is years ahead makes nothing old.
  const oldest = addDays(read.lastDecided(today) ?? today, -days);
  return sessions.map(({ day }) => day).filter((day) => day < oldest && !needed.has(day));
}

/** Follows the state that a session leaves while its entries come: as they are journaled, or as a later process reads them. */
export class SessionTracker {
  readonly #accounts = new SessionAccounts();
  orders = new OrderTracker();
  readonly #minted = new MintedLog();
  readonly #unclosed = new UnclosedOwners();
  /** Halts, stops and peaks: few a day. */
  readonly #rare: JournalEntry[] = [];
  #unreadOnOrders: readonly Command[] = [];
  /** Entries of an earlier process that are still to be read; null when there are none. */
  #past: Iterable<readonly NamedEntry[]> | null;
  #later: NamedEntry[] = [];
  /** Another session has newer state of orders and halts before this input. */
  #fromSeq: number;

  constructor(past: Iterable<readonly NamedEntry[]> | null = null, fromSeq = 0) {
    this.#past = past;
    this.#fromSeq = fromSeq;
  }

  /** Reads the rows of an earlier process in parts: heartbeats and calls go on in between. */
  async readPast(): Promise<void> {
    for (const part of this.#past ?? []) {
      for (const each of part) this.#take(each);
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    this.#past = null;
    for (const each of this.#later.splice(0)) this.#take(each);
  }

  /** Forgets orders and halts that were there: the session restarts with those of another. */
  begin({
    carriedOrders = [],
    isRestarted = false,
    isEndless = false,
    minted = [],
  }: Pick<SessionStarted, 'carriedOrders' | 'isRestarted' | 'isEndless' | 'minted'>): void {
    this.#minted.carryOver(minted);
    this.orders = new OrderTracker();
    this.#rare.length = 0;
    this.#unclosed.owners.clear();
    this.orders.begin(carriedOrders, isRestarted, isEndless);
  }

  /** All that an earlier process wrote is read. */
  get isRead(): boolean {
    return this.#past === null;
  }

  readonly add = (named: NamedEntry): void => {
    if (this.#past === null) this.#take(named);
    else this.#later.push(named);
  };

  #take(named: NamedEntry): void {
    const { entry } = named;
    this.#accounts.add(named);
    if (entry.kind === 'proposal') this.#minted.add(callIdOf(entry.proposal));
    if (entry.cause < this.#fromSeq) return;
    this.#fromSeq = 0;
    this.orders.add(entry);
    this.#unclosed.add(named, this.#accounts, this.orders);
    if (RARE_KINDS.has(entry.kind)) this.#rare.push(entry);
  }

  /** Commands that no engine has read: the answer to a person holds on the day after too. */
  takeUnread(read: JournalReader, session: TradingDay): void {
    const decided = read.causes(session).reduce((last, cause) => Math.max(last, cause), 0);
    const unread = read.commands(session).filter(({ seq }) => seq > decided);
    this.#unreadOnOrders = unread.map(({ command }) => command).filter(isForNextDay);
    for (const { by, command, seq: cause, tsUs } of unread) {
      const head = { cause, tsUs, strategy: null } as const;
      this.add({ strategyName: null, entry: { ...head, kind: 'command', by, command } });
      if (!('strategy' in command) || typeof command.strategy !== 'number') continue;
      const { name, reason, strategy } = command;
      if (name === 'stop_strategy' && by === 'operator')
        this.#rare.push({ ...head, kind: 'strategy_stopped', strategy, reason, isLasting: true });
      if (name === 'halt' || name === 'resume')
        this.#rare.push({ ...head, kind: 'halt', strategy, halted: name === 'halt', reason });
    }
  }

  get accounts(): readonly StrategyAccount[] {
    assert(this.#past === null, 'a session is left when all of it was read');
    return this.#accounts.view();
  }

  /** `listed`: the last contract table of the session. */
  carriedOver(
    session: TradingDay,
    listed: readonly Contract[],
    names: StrategyNames,
    { isHalted = true, into = [] }: Successor = {},
  ): CarriedOver {
    const held = this.accounts.flatMap(({ strategy, positions }) =>
      positions.map(({ instrument, position }) => ({ owner: names.indexOf(strategy), instrument, position })),
    );
    const orders = this.orders.carriedOver(listed);
    const contracts = [...into];
    const newIndexes = new Map<InstrumentIndex, InstrumentIndex>();
    for (const { instrument } of [...held, ...orders]) {
      if (newIndexes.has(instrument)) continue;
      const contract = listed.find(({ index }) => index === instrument);
      if (contract === undefined) continue;
      const known = contracts.find(({ orderCode }) => orderCode === contract.orderCode);
      const index = known?.index ?? instrumentIndex(contracts.length);
      newIndexes.set(instrument, index);
      if (known === undefined) contracts.push({ ...contract, index });
    }
    const reindexed = <T extends { readonly instrument: InstrumentIndex }>(each: T): readonly T[] => {
      const index = newIndexes.get(each.instrument);
      return index === undefined ? [] : [{ ...each, instrument: index }];
    };
    const carriedOver = held.map(({ owner, instrument, position: { qty, openValue } }): CarriedPosition => ({
      strategy: owner,
      instrument,
      qty,
      openValue,
    }));
    const lossReached = hiddenLossLimit(this.#rare);
    const equityPeak = equityPeakOf(this.#rare, isHalted);
    return {
      halted: hasPositionMismatch(this.#rare)
        ? {
            reason: `positions differed from the broker's in the session of ${session}, and nobody has resumed`,
          }
        : null,
      contracts,
      commands: this.#unreadOnOrders,
      started: {
        follows: session,
        carriedOver: carriedOver.flatMap(reindexed),
        carriedOrders: orders.flatMap(reindexed),
        minted: this.#minted.all,
        haltedStrategies: haltedStrategies(this.#rare),
        stoppedStrategies: lastingStops(this.#rare),
        ...(this.#unclosed.owners.size === 0 ? {} : { unclosed: reasonsOf(this.#unclosed.owners) }),
        ...(lossReached === null ? {} : { lossReached }),
        ...(equityPeak === null ? {} : { equityPeak }),
      },
    };
  }
}

/** Owners that a person or a policy wanted flat, and that hold or may still enter: an engine forgets that with its day. */
class UnclosedOwners {
  readonly owners = new Map<StrategyIndex, string>();
  readonly #traders = new Map<StrategyIndex, string>();

  add({ entry, strategyName }: NamedEntry, accounts: SessionAccounts, orders: OrderTracker): void {
    const owner = entry.strategy ?? OPERATOR_INDEX;
    this.#traders.set(owner, strategyName ?? OPERATOR);
    const isOpen = (each: StrategyIndex): boolean =>
      this.#holds(each, accounts) || (each !== OPERATOR_INDEX && orders.mayEnter(each));
    if (this.owners.has(owner) && !isOpen(owner)) this.owners.delete(owner);
    if (entry.kind === 'command' && entry.command.name === 'flatten')
      this.#flatten(entry.command.strategy, entry.command.reason, isOpen);
    else if (entry.kind === 'policy_acted' && entry.policy === 'flatten')
      this.#flatten(entry.strategy, entry.text, isOpen);
  }

  #flatten(strategy: StrategyIndex | null, reason: string, isOpen: (owner: StrategyIndex) => boolean): void {
    for (const owner of strategy === null ? this.#traders.keys() : [strategy])
      if (isOpen(owner)) this.owners.set(owner, reason);
  }

  #holds(owner: StrategyIndex, accounts: SessionAccounts): boolean {
    const name = this.#traders.get(owner);
    return accounts.view().some(({ strategy, positions }) => strategy === name && positions.length > 0);
  }
}

/** Tracks a session that goes on in this process. */
export function trackPast(read: JournalReader, session: TradingDay): SessionTracker {
  const tracker = new SessionTracker(read.entryParts(session, CARRIED), read.replayedFrom(session));
  const started = read.startOf(session);
  if (started !== undefined) tracker.begin(started);
  return tracker;
}

/**
 * `unjournaled`: orders that left in the session when no row could be written. Its books are gone: only the known state of the orders
 * explains a difference of positions, or leaves it to a person.
 */
export function carryOver(
  read: JournalReader,
  session: TradingDay,
  names: StrategyNames,
  successor: Successor = {},
  unjournaled: readonly OrderOwner[] = [],
): CarriedOver {
  const tracker = new SessionTracker(null, read.replayedFrom(session));
  const started = read.startOf(session);
  if (started !== undefined) tracker.begin(started);
  // Where the journal has rows of them all the same, those follow.
  for (const { order } of unjournaled) if (order !== undefined) tracker.orders.place(order);
  for (const each of read.entries({ session, kinds: CARRIED })) tracker.add(each);
  tracker.takeUnread(read, session);
  return tracker.carriedOver(session, read.contracts(session), names, successor);
}

/** For a `day` that has begun before: with what it has earned, and the orders that it had then, which its book may still show. */
export function restartDay(
  left: CarriedOver,
  read: JournalReader,
  day: TradingDay,
  names: StrategyNames,
): CarriedOver {
  const { follows, carriedOrders = [] } = left.started;
  if (follows === undefined || read.startOf(day) === undefined) return left;
  const orders = new OrderTracker();
  const minted = new MintedLog();
  minted.carryOver(left.started.minted ?? []);
  minted.carryOver(read.startOf(day)?.minted ?? []);
  const rows = [day, follows].flatMap((session) => read.entries({ session, kinds: ON_ORDERS }));
  for (const { session, entry } of rows.toSorted((a, b) => a.id - b.id)) {
    if (entry.kind === 'proposal') minted.add(callIdOf(entry.proposal));
    if (session === day || PROGRESS.has(entry.kind)) orders.add(entry);
  }
  const known = new Set(carriedOrders.map(({ clientOrderId }) => clientOrderId));
  const own = orders
    .carriedOver(read.contracts(day))
    .filter(({ clientOrderId, row }) => row === undefined && !known.has(clientOrderId));
  const started = {
    ...left.started,
    isRestarted: true,
    earned: earnedSince(read, day, follows, names),
    carriedOrders: [...carriedOrders, ...own],
    minted: minted.all,
  };
  return { ...left, started };
}

/** Earned by owner since the first row of `day`. */
function earnedSince(
  read: JournalReader,
  day: TradingDay,
  follows: TradingDay,
  names: StrategyNames,
): NonNullable<SessionStarted['earned']> {
  const earned = new Map<string, number>();
  let from = Infinity;
  for (const session of [day, follows]) {
    const accounts = new SessionAccounts();
    for (const row of read.entries({ session, kinds: FOLDED_KINDS })) {
      const net = accounts.add(row);
      if (session === day) from = Math.min(from, row.id);
      const owner = row.strategyName ?? OPERATOR;
      if (row.id >= from && net !== 0) earned.set(owner, (earned.get(owner) ?? 0) + net);
    }
  }
  return [...earned].map(([owner, net]) => ({ strategy: names.indexOf(owner), net: money(net) }));
}

/** Only the books of the new day show that an order lives, so that answer is not carried over. */
const isForNextDay = (command: Command): boolean =>
  command.name === 'cancel_all' ||
  command.name === 'cancel_order' ||
  (command.name === 'resolve_order' && command.as === 'absent');

const RARE_KINDS: ReadonlySet<EntryKind> = new Set<EntryKind>([
  'halt',
  'command',
  'strategy_stopped',
  'equity_peak',
  'policy_acted',
  'position_mismatch',
  'alert',
]);

/** How an order goes on, whichever session made it. */
const PROGRESS: ReadonlySet<EntryKind> = new Set<EntryKind>([
  'modify',
  'outcome',
  'order_status',
  'fill',
  'fill_correction',
]);
const ON_ORDERS: readonly EntryKind[] = [...PROGRESS, 'proposal', 'place', 'order_adopted', 'order_waiting'];

/** All other entries leave nothing to the next session. */
const CARRIED: readonly EntryKind[] = [...RARE_KINDS, ...ON_ORDERS, 'position_event', 'position_agreed'];

const reasonsOf = (reasons: ReadonlyMap<StrategyIndex, string>): NonNullable<SessionStarted['unclosed']> =>
  [...reasons].map(([strategy, reason]) => ({ strategy, reason }));

function haltedStrategies(entries: readonly JournalEntry[]): NonNullable<SessionStarted['haltedStrategies']> {
  const strategies = new Map<StrategyIndex, string>();
  for (const entry of entries) {
    if (entry.kind !== 'halt' || entry.strategy === null) continue;
    if (entry.halted) strategies.set(entry.strategy, entry.reason);
    else strategies.delete(entry.strategy);
  }
  strategies.delete(OPERATOR_INDEX);
  return reasonsOf(strategies);
}

/** Null where a person has accepted the fall from it, and no engine was there to measure again. */
function equityPeakOf(entries: readonly JournalEntry[], isHalted: boolean): Money | null {
  let peak: Money | null = null;
  /** The halt that a person has to answer; null without one. */
  let shown: HaltCode | 'command' | null = null;
  for (const entry of entries) {
    if (entry.kind === 'equity_peak') peak = entry.value;
    if (entry.kind !== 'halt' || entry.strategy !== null) continue;
    if (!entry.halted && shown === 'drawdown') peak = null;
    shown = entry.halted ? (shown ?? entry.code ?? 'command') : null;
  }
  return !isHalted && shown === 'drawdown' ? null : peak;
}

/** A difference waits for a person, also where it is gone: the engine that waits for that forgets it with its day. */
function hasPositionMismatch(entries: readonly JournalEntry[]): boolean {
  let isOpen = false;
  for (const entry of entries)
    if (entry.kind === 'position_mismatch') isOpen = true;
    else if (entry.kind === 'command' && entry.command.name === 'resume')
      isOpen &&= typeof entry.command.strategy === 'number';
    else if (entry.kind === 'alert' && entry.code === 'position_unsettled') isOpen = true;
    else if (entry.kind === 'alert' && entry.code === 'positions_agree') isOpen = false;
  return isOpen;
}

/** The loss limit that the engine journaled while the account was halted for another reason, or null. */
function hiddenLossLimit(entries: readonly JournalEntry[]): string | null {
  let shown: string | null = null;
  let hidden: string | null = null;
  for (const entry of entries) {
    // The engine's own follow those of the main thread.
    if (entry.kind !== 'halt' || entry.strategy !== null || entry.cause === NO_EVENT) continue;
    if (!entry.halted) shown = hidden = null;
    else if (shown === null) shown = entry.reason;
    else if (entry.code === 'entries_halted' && entry.reason !== shown) hidden = entry.reason;
  }
  return hidden;
}

function lastingStops(entries: readonly JournalEntry[]): NonNullable<SessionStarted['stoppedStrategies']> {
  const stops = new Map<StrategyIndex, string>();
  for (const entry of entries) {
    if (entry.kind === 'strategy_stopped' && entry.isLasting === true && entry.strategy !== null)
      stops.set(entry.strategy, entry.reason);
    else if (entry.kind === 'command' && entry.command.name === 'start_strategy')
      stops.delete(entry.command.strategy);
  }
  stops.delete(OPERATOR_INDEX);
  return reasonsOf(stops);
}
