/** Reads the journal: for a restart, for the commands that show it, and for the hash that proves two runs equal. */
import type { Database } from '../sqlite/database.ts';
import { createHash } from 'node:crypto';
import type { TradingDay } from '../domain/civil-date.ts';
import type { Contract } from '../domain/contract.ts';
import type {
  Booted,
  CommandReceived,
  ContractsListed,
  SessionStarted,
  StrategiesConfigured,
} from '../engine/ports/engine-event.ts';
import type { EntryKind, HaltEntry, JournalEntry } from '../engine/ports/journal-entry.ts';
import { InputCodec, type JournaledInput, parseNamed, withStrategy } from './compact-input.ts';
import { checkJournal, type JournalCheck } from './journal-chain.ts';
import { checkArchives, openArchive } from './journal-copies.ts';
import { ACCOUNT_HALTS, type ArchivedSession, archivedSessions, openReadOnly } from './journal-database.ts';
import { StrategyNames } from '../domain/ids.ts';

export interface SessionRow {
  readonly day: TradingDay;
  readonly startedUs: number;
  readonly configuration: string;
}

interface InputRow {
  readonly seq: number;
  readonly tsUs: number;
  readonly kind: string;
  readonly body: string;
}

/** An entry with the name of its strategy; places of strategies are those of the reader's names. */
export interface StoredEntry {
  readonly id: number;
  readonly session: string;
  readonly strategyName: string | null;
  readonly order: string | null;
  readonly entry: JournalEntry;
}

interface EntryQuery {
  readonly session?: string;
  readonly kinds?: readonly EntryKind[];
  readonly strategy?: string;
  readonly clientOrderId?: string;
  readonly before?: number;
  /** At most this many, the newest ones; oldest first. */
  readonly last?: number;
}

interface EntryRow {
  readonly id: number;
  readonly session: string;
  readonly cause: number;
  readonly ts_us: number;
  readonly strategy: string | null;
  readonly kind: string;
  readonly client_order_id: string | null;
  readonly body: string;
}

/** They take some 10 ms. */
const PART_ENTRIES = 500;
const PAGE_INPUTS = 500;

export class JournalReader {
  readonly #database: Database;
  readonly #names: StrategyNames;
  #after: ReturnType<Database['prepare']> | undefined = undefined;

  constructor(database: Database, names: StrategyNames) {
    this.#database = database;
    this.#names = names;
  }

  sessions(): readonly SessionRow[] {
    return this.#database
      .prepare<[], SessionRow>(
        'SELECT day, started_ts_us AS startedUs, configuration FROM sessions ORDER BY started_ts_us',
      )
      .all();
  }

  #inputRows(session: string, kind: JournaledInput['kind'] | null = null): IterableIterator<InputRow> {
    // Written out and unlikely: else SQLite reads the whole session rather than the index of rare kinds.
    const ofKind = kind === null ? '' : `AND unlikely(kind = '${kind}')`;
    return this.#database
      .prepare<[string], InputRow>(
        `SELECT seq, ts_us AS tsUs, kind, body FROM inputs WHERE session = ? ${ofKind} ORDER BY seq`,
      )
      .iterate(session);
  }

  archives(): readonly ArchivedSession[] {
    return archivedSessions(this.#database);
  }

  /** Undefined for a session whose rows are in this file. */
  archiveOf(session: string): ArchivedSession | undefined {
    return this.archives().find((each) => each.session === session);
  }

  archivedWithRows(): readonly ArchivedSession[] {
    const hasRows = this.#database
      .prepare<[string, string], number>(
        'SELECT EXISTS (SELECT 1 FROM entries WHERE session = ?) OR EXISTS (SELECT 1 FROM inputs WHERE session = ?)',
      )
      .pluck();
    return this.archives().filter(({ session }) => hasRows.get(session, session) === 1);
  }

  *inputs(session: string): Generator<JournaledInput> {
    const codec = new InputCodec(this.#names);
    // Rows that come many at once, and as lists, take a third less time.
    const page = this.#database
      .prepare<[string, number], [number, number, string, string]>(
        `SELECT seq, ts_us, kind, body FROM inputs WHERE session = ? AND seq > ? ORDER BY seq LIMIT ${PAGE_INPUTS}`,
      )
      .raw();
    for (let last = -1; ;) {
      const rows = page.all(session, last);
      if (rows.length === 0) return;
      for (const [seq, tsUs, kind, body] of rows) {
        const input = codec.decode(kind, body);
        input['seq'] = seq;
        input['tsUs'] = tsUs;
        input['kind'] = kind;
        last = seq;
        yield storedAs<JournaledInput>(input);
      }
    }
  }

  /** Last contract table of a session; empty when it had none. */
  contracts(session: string): readonly Contract[] {
    return [...this.#inputsOf<ContractsListed>(session, 'contracts')].at(-1)?.contracts ?? [];
  }

  strategies(session: string): readonly string[] {
    return this.#column<string>(
      'SELECT DISTINCT strategy FROM entries WHERE session = ? AND strategy IS NOT NULL',
      session,
    );
  }

  strategyLists(session: string): readonly StrategiesConfigured[] {
    return [...this.#inputsOf<StrategiesConfigured>(session, 'strategies')];
  }

  commands(session: string): readonly CommandReceived[] {
    return [...this.#inputsOf<CommandReceived>(session, 'command')];
  }

  /** Inputs of one kind, whole: a row may hold only the differences from the row of its kind before. */
  *#inputsOf<Input extends JournaledInput>(session: string, of: Input['kind']): Generator<Input> {
    const codec = new InputCodec(this.#names);
    for (const { seq, tsUs, kind, body } of this.#inputRows(session, of))
      yield storedAs<Input>({ seq, tsUs, kind, ...codec.decode(kind, body) });
  }

  seqsOf(session: string, kind: JournaledInput['kind']): readonly number[] {
    return [...this.#inputRows(session, kind)].map(({ seq }) => seq);
  }

  /** The engine processed the beginning of the session: a kill may fall between, and leaves a session that holds nothing. */
  hasBegun(session: string): boolean {
    const [began] = this.seqsOf(session, 'session_started');
    if (began === undefined) return false;
    const decided = 'SELECT 1 FROM entries WHERE session = ? AND cause >= ? LIMIT 1';
    return this.#value(decided, session, began) !== undefined;
  }

  lastInput<Input extends JournaledInput>(session: string, kind: Input['kind'], untilUs = Infinity) {
    return [...this.#inputsOf<Input>(session, kind)].findLast(({ tsUs }) => tsUs <= untilUs);
  }

  /** Number of the last engine of a session; each start of one counts on. */
  lastBoot(session: string): number {
    return [...this.#inputsOf<Booted>(session, 'booted')].at(-1)?.boot ?? 0;
  }

  /** How the session began; the last time where it restarted. */
  startOf(session: string): SessionStarted | undefined {
    return [...this.#inputsOf<SessionStarted>(session, 'session_started')].at(-1);
  }

  /** Number of the first input that an engine replays; 0 unless the session restarted. */
  replayedFrom(session: string): number {
    const begins = this.seqsOf(session, 'session_started');
    const last = begins.at(-1);
    if (begins.length < 2 || last === undefined) return 0;
    // The contracts that its positions are in come first.
    return this.seqsOf(session, 'contracts').findLast((at) => at < last) ?? last;
  }

  /** The session that has begun, other than `except`, in which an engine decided last: a clock that was set takes days out of their order. */
  lastDecided(except: string | null): TradingDay | undefined {
    return this.#value(
      `SELECT session FROM entries WHERE session IS NOT ? AND cause > 0 AND EXISTS (SELECT 1 FROM inputs
         WHERE inputs.session = entries.session AND seq <= cause AND unlikely(kind = 'session_started'))
       ORDER BY id DESC LIMIT 1`,
      except,
    );
  }

  counter(name: string, day: string): number {
    return this.#value('SELECT value FROM counters WHERE name = ? AND day = ?', name, day) ?? 0;
  }

  /** The days a counter was ever touched on, oldest first. */
  counterDays(name: string): readonly string[] {
    return this.#column('SELECT day FROM counters WHERE name = ? ORDER BY day', name);
  }

  lastSeq(session: string): number {
    return this.#value('SELECT max(seq) FROM inputs WHERE session = ?', session) ?? 0;
  }

  entries(query: EntryQuery = {}): readonly StoredEntry[] {
    const where: string[] = [];
    const values: (string | number)[] = [];
    const add = (condition: string, ...given: (string | number)[]): void => {
      where.push(condition);
      values.push(...given);
    };
    if (query.session !== undefined) add('session = ?', query.session);
    if (query.strategy !== undefined) add('strategy = ?', query.strategy);
    if (query.clientOrderId !== undefined) add('client_order_id = ?', query.clientOrderId);
    if (query.before !== undefined) add('id < ?', query.before);
    if (query.kinds !== undefined) {
      add(`kind IN (${query.kinds.map(() => '?').join(', ')})`, ...query.kinds);
    }
    const limit = query.last === undefined ? '' : ` LIMIT ${Math.max(0, Math.trunc(query.last))}`;
    const rows = this.#database
      .prepare<(string | number)[], EntryRow>(
        `SELECT * FROM entries ${where.length === 0 ? '' : `WHERE ${where.join(' AND ')}`} ORDER BY id DESC${limit}`,
      )
      .all(...values);
    return rows.toReversed().map((row) => storedEntry(row, this.#names));
  }

  /** At most `max` entries after row `id`, of all sessions, oldest first. */
  entriesAfter(id: number, max: number): readonly StoredEntry[] {
    // Asked many times a second.
    this.#after ??= this.#database.prepare('SELECT * FROM entries WHERE id > ? ORDER BY id LIMIT ?');
    const rows = this.#after.all([id, max]) as EntryRow[]; // oxlint-disable-line typescript/no-unsafe-type-assertion -- rows of that table
    return rows.map((row) => storedEntry(row, this.#names));
  }

  sessionOfEntry(id: number): string | undefined {
    return this.#value('SELECT session FROM entries WHERE id = ?', id);
  }

  /** Row of the newest entry; 0 without one. */
  lastEntry(): number {
    return this.#value('SELECT max(id) FROM entries') ?? 0;
  }

  /** The entries that a session has now, some at a time, oldest first: between two parts the caller's thread may go on. */
  entryParts(session: string, kinds: readonly EntryKind[]): Generator<readonly StoredEntry[]> {
    const bounds = this.#database
      .prepare<[string], { first: number | null; last: number | null }>(
        'SELECT min(id) AS first, max(id) AS last FROM entries WHERE session = ?',
      )
      .get(session);
    return this.#partsOf(session, kinds, bounds?.first ?? 1, bounds?.last ?? 0);
  }

  *#partsOf(
    session: string,
    kinds: readonly EntryKind[],
    first: number,
    last: number,
  ): Generator<readonly StoredEntry[]> {
    const ofKinds = kinds.map(() => '?').join(', ');
    // By their numbers alone: the index of sessions would be sorted again for each part.
    const part = this.#database.prepare<(string | number)[], EntryRow>(
      `SELECT * FROM entries WHERE id BETWEEN ? AND ? AND +session = ? AND +kind IN (${ofKinds}) ORDER BY id`,
    );
    for (let from = first; from <= last; from += PART_ENTRIES) {
      const rows = part.all(from, Math.min(last, from + PART_ENTRIES - 1), session, ...kinds);
      yield rows.map((row) => storedEntry(row, this.#names));
    }
  }

  /** The events that have entries in a session; some more than once. */
  causes(session: string): readonly number[] {
    return this.#column('SELECT cause FROM entries WHERE session = ?', session);
  }

  /** Checks the file, and each row against the row before it. */
  check(): JournalCheck {
    return checkJournal(this.#database);
  }

  /** The account's last `halt` row of any session, and of the time between sessions; null when there is none. */
  lastHalt(): (HaltEntry & { readonly session: string }) | null {
    const row = this.#database
      .prepare<[], EntryRow>(`SELECT * FROM entries WHERE ${ACCOUNT_HALTS} ORDER BY id DESC LIMIT 1`)
      .get();
    if (row === undefined) return null;
    const { entry } = storedEntry(row, this.#names);
    return entry.kind === 'halt' ? { ...entry, session: row.session } : null;
  }

  /** The first column of the first row; undefined where there is none, or it is null. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- names what the column is
  #value<T>(sql: string, ...values: (string | number | null)[]): T | undefined {
    const statement = this.#database.prepare<unknown[], T | null>(sql).pluck();
    return statement.get(...values) ?? undefined;
  }

  #column<T>(sql: string, ...values: string[]): T[] {
    return this.#database
      .prepare<unknown[], T>(sql)
      .pluck()
      .all(...values);
  }

  /** Hash over the canonical rows of a session in order, without wall time (rulings, 33). */
  hash(session: string): string {
    const hash = createHash('sha256');
    for (const row of this.#inputRows(session))
      hash.update(`${row.seq}|${row.tsUs}|${row.kind}|${row.body}\n`);
    const entries = this.#database.prepare<[string], EntryRow>(
      'SELECT * FROM entries WHERE session = ? ORDER BY id',
    );
    for (const row of entries.iterate(session)) {
      hash.update(`${row.cause}|${row.ts_us}|${row.strategy ?? ''}|${row.kind}|${row.body}\n`);
    }
    return hash.digest('hex');
  }
}

function storedEntry(row: EntryRow, names: StrategyNames): StoredEntry {
  const strategy = row.strategy === null ? null : names.indexOf(row.strategy);
  const { kind } = row;
  const body = parseNamed(kind, row.body, names);
  const head = { kind, cause: row.cause, tsUs: row.ts_us, strategy };
  return {
    id: row.id,
    session: row.session,
    strategyName: row.strategy,
    order: row.client_order_id,
    entry: storedAs<JournalEntry>({ ...head, ...withStrategy(body, kind, strategy) }),
  };
}

/** Rows were checked by the types when this program wrote them; the format guards against other writers. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- names what the row is
function storedAs<T>(row: object): T {
  return row as T; // oxlint-disable-line typescript/no-unsafe-type-assertion -- written by this room alone
}

export type OpenedJournal = ReturnType<typeof readJournal>;

/** Opens a journal to read, while a daemon runs or after it. Throws when there is none at `path`. */
export function readJournal(path: string, names = new StrategyNames()) {
  const database = openReadOnly(path);
  const read = new JournalReader(database, names);
  let archive: Database | undefined = undefined;
  return {
    read,

    /** Rows of a session, perhaps of its archive, until the next is asked for; as of this moment until `close`. Throws without the archive. */
    of: (session: string): JournalReader => {
      if (!database.inTransaction) database.exec('BEGIN');
      const archived = read.archiveOf(session);
      if (archived === undefined) return read;
      archive?.close();
      archive = openArchive(path, archived);
      return new JournalReader(archive, names);
    },
    check: () => {
      const { sessions, faults } = read.check();
      return { sessions, faults: [...faults, ...checkArchives(path, database)] };
    },
    close: () => {
      archive?.close();
      database.close();
    },
  };
}
