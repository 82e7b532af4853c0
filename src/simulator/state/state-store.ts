/**
 * State of the simulated broker: one SQLite file, one writer. The content of an answer is committed before
 * the answer leaves, so that killing the process loses no answer.
 *
 * `synchronous=NORMAL` is a choice, not an oversight. In WAL mode a commit has then reached the operating system, which a
 * kill -9 cannot take back, and the file is never torn; only a power cut may take the last commits. The daemon's journal, which
 * guards real money, pays for FULL. A simulator that syncs the disk for every order, quote and second of prices would be the
 * slowest part of a test against it, and a power cut that takes a paper order with it costs nobody anything.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Database, type Statement } from '../../sqlite/database.ts';
import { type TsUs, tsUs } from '../../domain/units.ts';
import type { Venue, VenueState } from '../../venue/venue.ts';
import type { OrderState } from '../../venue/orders/venue-order.ts';
import type { TriggerOrder } from '../../venue/triggers/trigger.ts';

interface StateOptions {
  /** Null keeps everything in memory. */
  readonly dir: string | null;
  readonly fresh: boolean;
}

/** A kind of document and the type it is written with; the file is ours, so it is read back as that. */
export interface StateKind<T> {
  readonly name: string;
  /** Only for the type checker. */
  readonly written?: T;
}

const FILE = 'simulator.sqlite';
const VERSION = 3;
const WAL_BYTES_MAX = 16 * 1024 * 1024;
const SCHEMA = `
  CREATE TABLE documents (kind TEXT NOT NULL, id TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (kind, id)) WITHOUT ROWID;
  CREATE TABLE counters (name TEXT NOT NULL, day TEXT NOT NULL, value INTEGER NOT NULL, PRIMARY KEY (name, day)) WITHOUT ROWID;
`;

export class StateStore {
  readonly #database: Database;
  readonly #put: Statement;
  readonly #remove: Statement;
  readonly #removeAll: Statement;
  readonly #get: Statement;
  readonly #all: Statement;
  readonly #count: Statement;
  readonly #counted: Statement;

  private constructor(database: Database) {
    this.#database = database;
    this.#put = database.prepare('INSERT OR REPLACE INTO documents (kind, id, body) VALUES (?, ?, ?)');
    this.#remove = database.prepare('DELETE FROM documents WHERE kind = ? AND id = ?');
    this.#removeAll = database.prepare('DELETE FROM documents WHERE kind = ?');
    this.#get = database.prepare('SELECT body FROM documents WHERE kind = ? AND id = ?').pluck();
    this.#all = database.prepare('SELECT body FROM documents WHERE kind = ? ORDER BY id').pluck();
    this.#count = database
      .prepare(
        'INSERT INTO counters (name, day, value) VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET value = value + 1 RETURNING value',
      )
      .pluck();
    this.#counted = database.prepare('SELECT value FROM counters WHERE name = ? AND day = ?').pluck();
  }

  static open(options: StateOptions): StateStore {
    const path = options.dir === null ? ':memory:' : join(options.dir, FILE);
    if (options.dir !== null) {
      mkdirSync(options.dir, { recursive: true });
      if (options.fresh) for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
    }
    const database = new Database(path);
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = NORMAL');
    database.pragma(`journal_size_limit = ${WAL_BYTES_MAX}`);
    prepareSchema(database, path);
    return new StateStore(database);
  }

  put<T>(kind: StateKind<T>, id: string, body: T): void {
    this.#put.run(kind.name, id, JSON.stringify(body));
  }

  remove(kind: StateKind<unknown>, id: string): void {
    this.#remove.run(kind.name, id);
  }

  removeAll(kind: StateKind<unknown>): void {
    this.#removeAll.run(kind.name);
  }

  get<T>(kind: StateKind<T>, id: string): T | undefined {
    const body = this.#get.get(kind.name, id);
    if (typeof body !== 'string') return undefined;
    const document: T = JSON.parse(body);
    return document;
  }

  /** Every document of a kind, in the order of their ids as text. */
  all<T>(kind: StateKind<T>): T[] {
    return this.#all.all(kind.name).map((body): T => JSON.parse(String(body)));
  }

  count(name: string, day: string): number {
    return Number(this.#count.get(name, day));
  }

  counted(name: string, day: string): number {
    return Number(this.#counted.get(name, day) ?? 0);
  }

  /** All writes of `work` in one commit, or none of them. */
  commit(work: () => void): void {
    this.#database.transaction(work)();
  }

  close(): void {
    this.#database.close();
  }
}

function prepareSchema(database: Database, path: string): void {
  const version = Number(database.pragma('user_version', { simple: true }));
  if (version === VERSION) return;
  if (version !== 0) {
    database.close();
    throw new Error(
      `simulator state ${path}: expected version ${VERSION}, was ${version}: another Tickwright wrote it and nothing was changed; ` +
        'go on with that one, or forget the simulated account with --fresh',
    );
  }
  database.transaction(() => {
    database.exec(SCHEMA);
    database.pragma(`user_version = ${VERSION}`);
  })();
}

type Head = Omit<VenueState, 'orders' | 'triggers'>;

const HEAD: StateKind<Head> = { name: 'venue' };
const ORDERS: StateKind<OrderState> = { name: 'order' };
const TRIGGERS: StateKind<TriggerOrder> = { name: 'trigger' };

/** The venue's memory in the state store. Each order has a row of its own, and only changed rows are written. */
export class VenueMemory {
  readonly #store: StateStore;
  /** Orders whose row is out of date. */
  readonly #dirty = new Set<string>();
  readonly #dirtyTriggers = new Set<string>();
  /** Undefined until the first commit, which writes every row. */
  #day: string | undefined;

  constructor(store: StateStore) {
    this.#store = store;
  }

  load(): VenueState | undefined {
    const head = this.#store.get(HEAD, 'head');
    if (head === undefined) return undefined;
    const orders = this.#store.all(ORDERS).toSorted(byNumber);
    const triggers = this.#store.all(TRIGGERS).toSorted(byNumber);
    return { ...head, orders, triggers };
  }

  /** Market time of the last commit, when there was one. */
  leftOffUs(): TsUs | undefined {
    const head = this.#store.get(HEAD, 'head');
    return head === undefined ? undefined : tsUs(head.atUs);
  }

  touch(orderNo: string): void {
    this.#dirty.add(orderNo);
  }

  touchTrigger(orderNo: string): void {
    this.#dirtyTriggers.add(orderNo);
  }

  /** One commit; a new day forgets the orders of the day before. */
  save(venue: Pick<Venue, 'day' | 'exportState'>): void {
    const newDay = this.#day !== venue.day;
    // A commit writes the changed orders, not all of the day.
    const { orders, triggers, ...head } = venue.exportState(newDay ? undefined : this.#dirty);
    this.#store.commit(() => {
      this.#store.put(HEAD, 'head', head);
      for (const kind of newDay ? [ORDERS, TRIGGERS] : []) this.#store.removeAll(kind);
      for (const row of orders) this.#store.put(ORDERS, row.orderNo, row);
      for (const row of triggers) {
        if (newDay || this.#dirtyTriggers.has(row.orderNo)) this.#store.put(TRIGGERS, row.orderNo, row);
      }
    });
    this.#day = head.day;
    this.#dirty.clear();
    this.#dirtyTriggers.clear();
  }
}

const byNumber = (a: { readonly orderNo: string }, b: { readonly orderNo: string }): number =>
  Number(a.orderNo) - Number(b.orderNo);
