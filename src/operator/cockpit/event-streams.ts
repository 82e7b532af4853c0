/**
 * Server-sent events of the cockpit. Each stream pulls: rows from the journal by its own cursor, the latest state and prices, and only
 * while its reader takes them. So a slow one holds no memory, and nothing is lost or doubled between past and present.
 */
import type { ServerResponse } from 'node:http';
import type { Clock } from '../../domain/clock.ts';
import { minutes, seconds, type TsUs } from '../../domain/units.ts';
import type {
  CockpitBeat,
  CockpitEntry,
  CockpitRole,
  CockpitState,
  ContractPrices,
} from './cockpit-model.ts';
import { randomBytes } from 'node:crypto';

/** State without the code that the server adds. */
export type CockpitFacts = Omit<CockpitState, 'confirm'>;

/** Prices by contract with a number that rises with each change. */
export interface PriceSource {
  since(version: number): { readonly version: number; readonly prices: readonly ContractPrices[] };
}

/** Rows of the journal, in order. */
export interface EntrySource {
  after(seq: number, max: number): readonly CockpitEntry[];
  /** Where a stream begins that knows nothing: some rows before the last. */
  recent(rows: number): number;
  /** Session day of a row; undefined where the journal has no such row. */
  dayOf(seq: number): string | undefined;
}

export interface StreamsOptions {
  readonly clock: Clock;
  /** Also while the engine hangs. */
  readonly facts: () => CockpitFacts;
  readonly marketMs: () => number;
  readonly prices: PriceSource;
  readonly entries: EntrySource;
  /** Takes secrets out of each text of a value. */
  readonly hide: (value: object) => object;
  readonly onSlow: (source: string) => void;
  readonly onFailure: (error: unknown) => void;
}

/** 30 times a second. */
const FRAME_MS = 34;
const STATE_MS = 250;
const BEAT_MS = 1_000;
const ROWS_MAX = 200;
/** Rows that a new page begins with. */
const RECENT_ROWS = 100;
/** A reader that has taken nothing for this long is let go. */
const BLOCKED_MAX = seconds(10);
export const STREAMS_MAX: Readonly<Record<CockpitRole, number>> = { steer: 8, look: 8 };

interface Reader {
  readonly raw: ServerResponse;
  readonly source: string;
  readonly role: CockpitRole;
  /** Whether its session lasts. */
  readonly isAllowed: () => boolean;
  seq: number;
  stateVersion: number;
  priceVersion: number;
  beats: number;
  blockedUs: TsUs | null;
}

const LAST_ID = /^(\d{4}-\d{2}-\d{2})?-(\d{1,15})$/;

export class EventStreams {
  readonly #options: StreamsOptions;
  readonly #readers = new Set<Reader>();
  readonly #confirm: ConfirmCode;
  #timers: readonly NodeJS.Timeout[] = [];
  /** As they were sent last. */
  #facts = '';
  #code = '';
  #state = '';
  #stateVersion = 0;
  #beats = 0;
  /** The part of the journal that was rendered last: readers that are up to date share it. */
  #part: { readonly after: number; readonly seq: number; readonly text: string } | null = null;

  constructor(options: StreamsOptions) {
    this.#options = options;
    this.#confirm = new ConfirmCode(options.clock);
  }

  get count(): number {
    return this.#readers.size;
  }

  /** Whether a page that shows the present state sent it. */
  isConfirmed(code: unknown): boolean {
    return this.#confirm.is(code);
  }

  /** For a page without a stream. */
  state(): string {
    return this.#withCode(this.#options.facts());
  }

  canOpen(role: CockpitRole): boolean {
    return [...this.#readers].filter((reader) => reader.role === role).length < STREAMS_MAX[role];
  }

  /** The head is written. `lastId` is that of `Last-Event-ID`. */
  open(raw: ServerResponse, who: Pick<Reader, 'source' | 'role' | 'isAllowed'>, lastId: string): void {
    const start = this.#resumeAt(lastId);
    const nothingYet = { stateVersion: 0, priceVersion: 0, beats: 0, blockedUs: null };
    const reader: Reader = { ...who, ...nothingYet, raw, seq: start.seq };
    this.#readers.add(reader);
    raw.on('close', () => this.#drop(reader));
    raw.on('error', () => this.#drop(reader));
    raw.on('drain', () => {
      reader.blockedUs = null;
      this.#serve(reader);
    });
    if (start.lost !== null) {
      this.#write(reader, frame('reset', JSON.stringify({ reason: start.lost })));
    }
    this.#write(reader, this.#beat());
    this.#start();
    this.#serve(reader);
    this.#ask();
  }

  close(): void {
    for (const { raw } of this.#readers) raw.destroy();
    this.#readers.clear();
    this.#stop();
  }

  /** Behind the row that the page has, or at the recent past. */
  #resumeAt(lastId: string): { readonly seq: number; readonly lost: string | null } {
    const { entries } = this.#options;
    if (lastId === '') return { seq: entries.recent(RECENT_ROWS), lost: null };
    const [, day = '', number = ''] = LAST_ID.exec(lastId) ?? [];
    const seq = Number(number);
    if (number !== '' && (seq === 0 || entries.dayOf(seq) === day)) return { seq, lost: null };
    return {
      seq: entries.recent(RECENT_ROWS),
      lost: 'the journal has no such row: the page restarts with the last rows',
    };
  }

  #start(): void {
    if (this.#timers.length > 0) return;
    this.#timers = [
      setInterval(() => this.#serveAll(), FRAME_MS),
      setInterval(() => this.#ask(), STATE_MS),
      setInterval(() => this.#poll(), BEAT_MS),
    ];
  }

  #stop(): void {
    for (const timer of this.#timers) clearInterval(timer);
    this.#timers = [];
    this.#part = null;
  }

  #drop(reader: Reader): void {
    this.#readers.delete(reader);
    if (this.#readers.size === 0) this.#stop();
  }

  /** Builds the state again where something in it changed. */
  #ask(): void {
    try {
      const present = this.#options.facts();
      const facts = JSON.stringify(present);
      const code = this.#confirm.current();
      if (facts !== this.#facts || code !== this.#code) {
        this.#facts = facts;
        this.#code = code;
        this.#state = frame('state', this.#withCode(present));
        this.#stateVersion += 1;
      }
    } catch (error) {
      this.#options.onFailure(error);
    }
  }

  #withCode(facts: CockpitFacts): string {
    return JSON.stringify({ ...this.#options.hide(facts), confirm: this.#confirm.current() });
  }

  /** Lets go of readers whose session is over, and of those that take nothing. */
  #poll(): void {
    const now = this.#options.clock.nowUs();
    this.#beats += 1;
    for (const reader of this.#readers) {
      const isStuck = reader.blockedUs !== null && now - reader.blockedUs > BLOCKED_MAX;
      if (isStuck) this.#options.onSlow(reader.source);
      if (isStuck || !reader.isAllowed()) reader.raw.destroy();
    }
    this.#serveAll();
  }

  #serveAll(): void {
    for (const reader of this.#readers) this.#serve(reader);
  }

  #serve(reader: Reader): void {
    try {
      this.#serveState(reader);
      this.#serveEntries(reader);
      this.#servePrices(reader);
      if (reader.beats === this.#beats || reader.blockedUs !== null) return;
      reader.beats = this.#beats;
      this.#write(reader, this.#beat());
    } catch (error) {
      reader.raw.destroy();
      this.#options.onFailure(error);
    }
  }

  #serveState(reader: Reader): void {
    if (reader.blockedUs !== null || reader.stateVersion === this.#stateVersion) return;
    reader.stateVersion = this.#stateVersion;
    this.#write(reader, this.#state);
  }

  /** One part a turn: a long past leaves the thread to others in between. */
  #serveEntries(reader: Reader): void {
    if (reader.blockedUs !== null) return;
    const part = this.#partAfter(reader.seq);
    if (part.text === '') return;
    reader.seq = part.seq;
    this.#write(reader, part.text);
  }

  #partAfter(after: number): { readonly seq: number; readonly text: string } {
    if (this.#part?.after === after && this.#part.text !== '') return this.#part;
    const rows = this.#options.entries.after(after, ROWS_MAX);
    const text = rows.map((row) => frame('entry', JSON.stringify(this.#options.hide(row)), row.id)).join('');
    this.#part = { after, seq: rows.at(-1)?.seq ?? after, text };
    return this.#part;
  }

  #servePrices(reader: Reader): void {
    if (reader.blockedUs !== null) return;
    const { version, prices } = this.#options.prices.since(reader.priceVersion);
    if (prices.length === 0) return;
    reader.priceVersion = version;
    this.#write(reader, frame('price', JSON.stringify(prices)));
  }

  #beat(): string {
    const beat: CockpitBeat = { marketMs: this.#options.marketMs() };
    return frame('beat', JSON.stringify(beat));
  }

  #write(reader: Reader, text: string): void {
    const isTaken = reader.raw.write(text);
    if (!isTaken) reader.blockedUs ??= this.#options.clock.nowUs();
  }
}

/** JSON has no line breaks of its own. */
const frame = (event: string, data: string, id?: string): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`;

// The code that a dangerous command repeats: a request that was made without the page's present state does nothing.

const LIFE = minutes(1);

const draw = (): string => randomBytes(6).toString('base64url');

class ConfirmCode {
  readonly #clock: Clock;
  #code = draw();
  #before = '';
  #drawnUs: TsUs;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#drawnUs = clock.nowUs();
  }

  current(): string {
    const now = this.#clock.nowUs();
    const ageUs = now - this.#drawnUs;
    if (ageUs < LIFE) return this.#code;
    this.#before = ageUs < 2 * LIFE ? this.#code : '';
    this.#code = draw();
    this.#drawnUs = now;
    return this.#code;
  }

  is(code: unknown): boolean {
    const current = this.current();
    return typeof code === 'string' && code !== '' && (code === current || code === this.#before);
  }
}
