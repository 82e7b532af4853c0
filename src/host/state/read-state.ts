/** Reads the journal for the commands that show it, by the folds of the report of the day, so that figures cannot disagree. */
import type { Config } from '../../config/config.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import { type Contract, formatPoints, avgPoints, shownCode } from '../../domain/contract.ts';
import { type PriceTicks, tsUs } from '../../domain/units.ts';
import { OPERATOR, shortOrderId, StrategyNames } from '../../domain/ids.ts';
import type { EntryOf, JournalEntry, Proposal } from '../../engine/ports/journal-entry.ts';
import { foldSession, type NamedEntry, type StrategyAccount } from '../../journal/fold-session.ts';
import { isJournalThere } from '../../journal/journal-database.ts';
import type { JournalCheck } from '../../journal/journal-chain.ts';
import {
  type JournalReader,
  type OpenedJournal,
  readJournal,
  type SessionRow,
  type StoredEntry,
} from '../../journal/journal-reader.ts';
import { frameLogPath } from '../../recording/frame-log.ts';
import { closing, errorText, NotFoundError } from '../../domain/failure.ts';
import { storedConfig } from '../strategy-files/own-strategies.ts';
import { runPlan } from '../run-plan.ts';
import { statePaths } from './state-paths.ts';
import { createNaming, lineOf, type Naming } from '../../operator/entry-line.ts';
import { oneLine } from '../../operator/terminal.ts';
import { formatNumber } from '../../text/numbers.ts';
import { getOrCreate } from '../../domain/lists.ts';
import type { Side } from '../../domain/order.ts';
import { denialText } from '../../engine/ports/denial.ts';

export interface StateQuery {
  readonly state: string;
  /** A trading day; absent: the latest one. */
  readonly session?: string;
  readonly strategy?: string;
  /** An order, by its id or the end of it that tables show. */
  readonly order?: string;
  /** This many of the newest rows; absent: all. */
  readonly last?: number;
}

export interface SessionHead {
  readonly session: string;
  /** Minutes by which the exchange is ahead of UTC; null when its configuration cannot be read any more. */
  readonly utcOffsetMinutes: number | null;
}

export interface StateView<Row> extends SessionHead {
  readonly rows: readonly Row[];
}

/** `isForPeople`: with the names of contracts. */
export const ordersView = (query: StateQuery, isForPeople = false): StateView<OrderRow> =>
  viewOf(query, (entries, contracts, { named }) => {
    const rows = readOrders(entries, contracts);
    if (!isForPeople) return rows;
    return rows.map((row) => ({ ...row, orderCode: named(row.orderCode, tsUs(row.tsUs)) }));
  });

export const positionsView = (query: StateQuery, isForPeople = false): StateView<PositionRow> =>
  viewOf(query, (entries, contracts, { named }) => {
    const rows = foldSession(entries).flatMap((account) => positionRows(account, contracts));
    const last = entries.at(-1);
    if (!isForPeople || last === undefined) return rows;
    return rows.map((row) => ({ ...row, orderCode: named(row.orderCode, last.entry.tsUs) }));
  });

export const pnlView = (query: StateQuery): StateView<PnlRow> =>
  viewOf(query, (entries) => foldSession(entries).map(pnlRow));

export const journalView = (
  query: StateQuery,
  kinds: readonly string[] | null,
): StateView<ReturnType<typeof journalRow>> =>
  viewOf(query, (entries) =>
    entries.filter(({ entry }) => kinds === null || kinds.includes(entry.kind)).map(journalRow),
  );

function viewOf<Row>(
  { state, session, strategy, order, last }: StateQuery,
  rowsOf: (entries: readonly StoredEntry[], contracts: readonly Contract[], naming: Naming) => readonly Row[],
): StateView<Row> {
  return inSession(state, session, (read, { day, configuration }, names) => {
    const calendar = configOf(configuration)?.calendar ?? null;
    const contracts = read.contracts(day);
    const naming = createNaming(names, { contracts: () => contracts, calendar, stateDir: state });
    const entries = order === undefined ? entriesOf(read, day, strategy) : entriesNamed(read, day, order);
    const rows = rowsOf(entries, contracts, naming);
    return {
      session: day,
      utcOffsetMinutes: calendar?.utcOffsetMinutes ?? null,
      rows: last === undefined ? rows : rows.slice(-last),
    };
  });
}

/** The configuration of a session; null where it cannot be read any more. */
export function configOf(configuration: string): Config | null {
  const loaded = storedConfig(configuration);
  return loaded.ok ? loaded.config : null;
}

/** Reads one session, which may be in an archive, next to the journal; undefined takes the latest. Throws `NotFoundError` without a journal or without this session in it. */
export function inSession<T>(
  stateDir: string,
  session: string | undefined,
  work: (read: JournalReader, found: SessionRow, names: StrategyNames, journal: JournalReader) => T,
  names = new StrategyNames(),
): T {
  return closing(openSession(stateDir, session, names), ({ read, found, journal }) =>
    work(read, found, names, journal),
  );
}

/** Checks that no row of the journal was changed, moved or lost. Throws `NotFoundError` without a journal. */
export const verifyJournal = (stateDir: string): JournalCheck =>
  closing(openJournal(stateDir), ({ check }) => check());

export function openJournal(stateDir: string, names = new StrategyNames()): OpenedJournal {
  const { journal } = statePaths(stateDir);
  if (isJournalThere(journal)) return readJournal(journal, names);
  throw new NotFoundError(
    `no journal at ${journal}: start the daemon first (tickwright paper), or name its state directory with --state`,
  );
}

function openSession(stateDir: string, session: string | undefined, names: StrategyNames) {
  const { frames } = statePaths(stateDir);
  const opened = openJournal(stateDir, names);
  const sessions = opened.read.sessions();
  const found = session === undefined ? sessions.at(-1) : sessions.find(({ day }) => day === session);
  if (found !== undefined)
    return {
      read: rowsOf(opened, found.day),
      found,
      journal: opened.read,
      frames,
      close: () => opened.close(),
    };
  opened.close();
  if (sessions.length === 0)
    throw new NotFoundError(`the journal in ${stateDir} has no session yet: start the daemon first`);
  const days = sessions.slice(-10).map(({ day }) => day);
  throw new NotFoundError(`no session ${session ?? ''} in ${stateDir}: there are ${days.join(', ')}`);
}

/** Throws `NotFoundError` where the archive of the session is. */
function rowsOf(opened: OpenedJournal, session: TradingDay): JournalReader {
  try {
    return opened.of(session);
  } catch (error) {
    opened.close();
    throw new NotFoundError(errorText(error));
  }
}

function entriesOf(read: JournalReader, session: string, strategy: string | undefined) {
  if (strategy === undefined) return read.entries({ session });
  const found = read.entries({ session, strategy });
  if (found.length > 0) return found;
  const names = new Set(read.entries({ session }).map(({ strategyName }) => strategyName ?? ''));
  const known = [...names].filter((name) => name !== '').join(', ');
  throw new NotFoundError(
    `no strategy ${strategy} in session ${session}: there ${known === '' ? 'is none' : `are ${known}`}`,
  );
}

/** Tables and lines show a part of an id; a shell takes `#` for the start of a comment, so the digits alone do too. */
export const isNamed = (id: string, shown: string): boolean =>
  id === shown || shortOrderId(id).replace('#', '') === shown.replace('#', '');

function entriesNamed(read: JournalReader, session: string, shown: string): readonly StoredEntry[] {
  const ids = readOrders(read.entries({ session }), []).map(({ clientOrderId }) => clientOrderId);
  const [id] = ids.filter((each) => isNamed(each, shown));
  if (id !== undefined) return entriesOfOrder(read, session, id);
  throw new NotFoundError(`no order ${shown} in session ${session}: tickwright orders lists them`);
}

/** All rows about an order, oldest first: with changes that risk denied, and orders that it sent or brought. */
export function entriesOfOrder(read: JournalReader, session: string, id: string): readonly StoredEntry[] {
  const own = read.entries({ session, clientOrderId: id });
  // A change that risk denied has an id of its own.
  const denied = own.flatMap(({ entry }) => {
    if (entry.kind !== 'proposal' || entry.proposal.do === 'submit') return [];
    const calls = read.entries({ session, clientOrderId: entry.proposal.callId });
    return calls.filter((each) => each.entry.kind === 'denied');
  });
  const children = read
    .entries({ session, kinds: ['order_adopted', 'order_waiting'] })
    .filter(
      ({ entry }) =>
        (entry.kind === 'order_adopted' || entry.kind === 'order_waiting') && entry.parent === id,
    );
  return own.length === 0 ? [] : [...own, ...denied, ...children].toSorted((a, b) => a.id - b.id);
}

export type PositionRow = ReturnType<typeof positionRows>[number];

const positionRows = ({ strategy, positions }: StrategyAccount, contracts: readonly Contract[]) =>
  positions.map(({ instrument, position }) => {
    const contract = contracts[instrument];
    const { qty, openValue, realised } = position;
    return {
      strategy,
      orderCode: shownCode(contracts, instrument),
      qty,
      /** Average price of the open quantity, in points. */
      avgPoints: contract === undefined ? null : avgPoints(contract.spec, openValue, qty),
      openValue,
      realised,
    };
  });

export type PnlRow = ReturnType<typeof pnlRow>;

/** `net`: realised less fees and tax, without open profit. */
export function pnlRow(account: StrategyAccount) {
  const { strategy, orders, fills, filledQty, rejected, refusedChanges, realised, fee, tax } = account;
  let denied = 0;
  for (const count of account.denials.values()) denied += count;
  const net = realised - fee - tax;
  return { strategy, orders, fills, filledQty, denied, rejected, refusedChanges, realised, fee, tax, net };
}

export function journalRow({ id, strategyName, entry }: StoredEntry) {
  const { cause: _cause, tsUs, strategy: _strategy, kind, ...body } = entry;
  return { id, tsUs, strategy: strategyName, kind, body };
}

/** Names a session with the configuration and the overrides that it was run with. */
export interface SessionQuery {
  readonly config: Config;
  /** The recorded day that it traded, or null. */
  readonly tape: string | null;
  readonly stateDir: string | null;
  /** A trading day; undefined: the latest one. */
  readonly session: string | undefined;
}

export type StoredSession = ReturnType<typeof openStoredSession>;

/** Throws `NotFoundError` without a journal or without this session in it. */
export function openStoredSession({ config: configured, tape, stateDir, session }: SessionQuery) {
  const { config } = runPlan(configured, { replay: tape, speed: null, stateDir });
  const names = new StrategyNames(config.strategies.map(({ id }) => id));
  const { read, found, frames, close } = openSession(config.stateDir, session, names);
  const framesPath = frameLogPath(frames, found.day);
  return { config, names, read, session: found.day, framesPath, close };
}

// The journal in words: as the log says it, and in few words where the log leaves an entry out.

/** `time`: to the second, of the exchange. */
export const journalLines = (query: StateQuery, kinds: readonly string[] | null) =>
  viewOf(query, (entries, _, naming) =>
    entries
      .filter(({ entry }) => kinds === null || kinds.includes(entry.kind))
      // Words are made for the rows that are shown.
      .slice(query.last === undefined ? 0 : -query.last)
      .map(({ id, entry, strategyName }) => ({
        id,
        time: naming.time(entry.tsUs),
        strategy: strategyName ?? 'system',
        ...wordsOf(entry, naming),
      })),
  );

export function wordsOf(entry: JournalEntry, naming: Naming) {
  const line = lineOf(entry, naming);
  const { word, text } = line ?? { word: spaced(entry.kind), text: quietText(entry, naming) };
  return { word, text: oneLine(naming.named(text, entry.tsUs)) };
}

/** Text of entries that the log leaves out. */
function quietText(entry: JournalEntry, naming: Naming): string {
  const { kind } = entry;
  if (kind === 'proposal') return proposalText(entry.proposal, naming);
  if (kind === 'policy_acted') return entry.text;
  if (kind === 'equity_peak') return `${formatNumber(entry.value)} VND`;
  if (kind === 'outcome')
    return `${shortOrderId(entry.clientOrderId)} ${entry.call}: ${spaced(entry.outcome.status)}`;
  if (kind !== 'order_status') return '';
  const { clientOrderId, from, to, detail } = entry;
  return `${shortOrderId(clientOrderId)} ${spaced(from)} to ${spaced(to)}${detail === '' ? '' : `: ${detail}`}`;
}

const spaced = (text: string): string => text.replaceAll('_', ' ');

function proposalText(proposal: Proposal, naming: Naming): string {
  switch (proposal.do) {
    case 'submit': {
      const { clientOrderId, intent } = proposal;
      const { code, points } = naming.contract(intent.instrument);
      const what = `${intent.side} ${intent.qty} ${code} at ${points(intent.limitPrice)}`;
      return `${shortOrderId(clientOrderId)} ${what}: ${intent.reason}`;
    }
    case 'modify': {
      const { change } = proposal;
      const to =
        change.kind === 'price'
          ? `the price ${change.limitPrice} ticks`
          : change.kind === 'qty'
            ? `${change.qty} in all`
            : `the trigger ${change.triggerPrice} ticks`;
      return `change of ${shortOrderId(change.clientOrderId)}: to ${to}`;
    }
    case 'cancel':
      return `cancel of ${shortOrderId(proposal.clientOrderId)}`;
  }
}

// Orders of a session from the journal: one row for each, in the order of their intents.

export interface OrderRow {
  readonly clientOrderId: string;
  readonly orderNo: string | null;
  /** Time of the intent or of the adoption. */
  readonly tsUs: number;
  readonly strategy: string;
  readonly orderCode: string;
  readonly side: Side;
  readonly qty: number;
  /** In points; null for an order without a price. */
  readonly limitPoints: string | null;
  readonly filledQty: number;
  /** Average price of the filled quantity, in points. */
  readonly avgPoints: number | null;
  /** The order's status, or `denied` when risk said no. */
  readonly status: string;
  /** Reason of the status; empty when there is none. */
  readonly detail: string;
}

type OrderDraft = { -readonly [K in keyof OrderRow]: OrderRow[K] };
type Priced = { readonly limitPrice: PriceTicks | null };

export function readOrders(
  entries: Iterable<NamedEntry>,
  contracts: readonly Contract[],
): readonly OrderRow[] {
  const book = new OrderRows(contracts);
  for (const { entry, strategyName } of entries) book.add(entry, strategyName ?? OPERATOR);
  return book.rows();
}

class OrderRows {
  readonly #contracts: readonly Contract[];
  readonly #rows = new Map<string, OrderDraft>();
  /** Proposed, neither placed nor denied yet: not shown as an order. */
  readonly #proposed = new Map<string, OrderDraft>();
  readonly #changes = new Map<string, Pick<OrderRow, 'qty' | 'limitPoints'>>();
  /** Of orders that this journal did not place: how it came to know them. */
  readonly #origins = new Map<string, string>();

  constructor(contracts: readonly Contract[]) {
    this.#contracts = contracts;
  }

  rows(): readonly OrderRow[] {
    return [...this.#rows.values()];
  }

  add(entry: JournalEntry, strategy: string): void {
    const { kind } = entry;
    if (kind === 'proposal') this.#ask(entry, strategy);
    else if (kind === 'denied') {
      // A denied modification has the id of its call, not of an order: the order stays as it is.
      const proposed = this.#proposed.get(entry.clientOrderId);
      const detail = denialText(entry.denial);
      if (proposed !== undefined) this.#rows.set(entry.clientOrderId, { ...proposed, detail });
    } else if (kind === 'place') this.#place(entry, strategy);
    else if (kind === 'order_adopted') this.#adopt(entry, strategy);
    else if (kind === 'order_waiting') this.#waiting(entry, strategy);
    else if (kind === 'modify') {
      const { clientOrderId, orderCode, qty, limitPrice } = entry.modify;
      this.#changes.set(clientOrderId, { qty, limitPoints: this.#points(orderCode, limitPrice) });
    } else if (kind === 'outcome') this.#outcome(entry);
    else if (kind === 'order_status') this.#status(entry);
    else if (kind === 'fill' || kind === 'fill_correction') this.#fill(entry);
  }

  #ask(entry: EntryOf<'proposal'>, strategy: string): void {
    const { proposal } = entry;
    if (proposal.do !== 'submit') return;
    const { intent, clientOrderId: id } = proposal;
    const orderCode = shownCode(this.#contracts, intent.instrument);
    this.#proposed.set(id, this.#row(id, entry, strategy, { ...intent, orderCode }, 'denied'));
  }

  #place(entry: EntryOf<'place'>, strategy: string): void {
    const { order } = entry;
    const id = order.clientOrderId;
    this.#proposed.delete(id);
    this.#rows.set(id, this.#row(id, entry, strategy, order, 'submitted'));
  }

  #adopt(entry: EntryOf<'order_adopted'>, strategy: string): void {
    const { clientOrderId: id, order, parent } = entry;
    const row = this.#row(id, entry, strategy, order, 'accepted');
    row.orderNo = order.orderNo;
    row.detail = parent === undefined ? NOT_OURS : `sent by ${parent}`;
    this.#origins.set(id, row.detail);
    this.#rows.set(id, row);
  }

  /** An order that was placed today has its row; exits of a bracket, orders of earlier days and those of others have none yet. */
  #waiting(entry: EntryOf<'order_waiting'>, strategy: string): void {
    const { clientOrderId: id, row: terms, parent } = entry;
    const row = getOrCreate(this.#rows, id, () => {
      const own = strategy === OPERATOR ? NOT_OURS : 'placed on an earlier day';
      const detail = parent === null ? own : `brought by ${parent}`;
      this.#origins.set(id, detail);
      return { ...this.#row(id, entry, strategy, terms, 'pending_trigger'), detail };
    });
    row.orderNo = terms.orderNo;
  }

  #row(
    clientOrderId: string,
    { tsUs }: JournalEntry,
    strategy: string,
    { orderCode, side, qty, limitPrice }: Pick<OrderRow, 'orderCode' | 'side' | 'qty'> & Priced,
    status: string,
  ): OrderDraft {
    const limitPoints = this.#points(orderCode, limitPrice);
    return { ...EMPTY, clientOrderId, tsUs, strategy, orderCode, side, qty, limitPoints, status };
  }

  #outcome({ clientOrderId, call, outcome }: EntryOf<'outcome'>): void {
    const row = this.#rows.get(clientOrderId);
    if (row === undefined) return;
    const change = this.#changes.get(clientOrderId);
    if (call === 'modify' && outcome.status === 'accepted' && change !== undefined)
      Object.assign(row, change);
    if (outcome.status === 'rejected')
      row.detail = oneLine(`${call} rejected ${outcome.code}: ${outcome.text}`);
    if (outcome.status === 'accepted') row.orderNo = outcome.orderNo;
  }

  #status(entry: EntryOf<'order_status'>): void {
    const row = this.#rows.get(entry.clientOrderId);
    if (row === undefined) return;
    row.status = entry.to;
    row.orderNo = entry.orderNo ?? row.orderNo;
    if (entry.detail !== '') row.detail = oneLine(entry.detail);
    // A change that was refused before is no reason of this end.
    else if (entry.to === 'filled' || entry.to === 'canceled')
      row.detail = this.#origins.get(row.clientOrderId) ?? '';
  }

  #fill(entry: EntryOf<'fill' | 'fill_correction'>): void {
    const row = this.#rows.get(entry.clientOrderId);
    if (row === undefined) return;
    if (entry.kind === 'fill') row.filledQty = entry.cumQty;
    const spec = this.#contracts[entry.instrument]?.spec;
    if (spec === undefined || row.filledQty === 0) return;
    row.avgPoints = avgPoints(spec, entry.cumValue, row.filledQty);
  }

  #points(orderCode: string, price: PriceTicks | null): string | null {
    const contract = this.#contracts.find((each) => each.orderCode === orderCode);
    return contract === undefined || price === null ? null : formatPoints(contract.spec, price);
  }
}

const NOT_OURS = 'adopted: not placed by this journal';
const EMPTY = { orderNo: null, filledQty: 0, avgPoints: null, detail: '' } as const;
