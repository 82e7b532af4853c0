/** Answers of the broker that are not so: rows of a book that repeat, shrink, change places or turn round, and lists that come empty. */
import { isRecord } from '../../src/domain/parsed.ts';
import type { OperationName } from '../../src/wire/rest/operations.ts';
import type { Draws } from './draws.ts';

/** Chances of each answer. */
export interface AnswerFaults {
  /** Rows in another order. */
  shuffled: number;
  /** A row comes twice. */
  repeated: number;
  /** The list comes in two pages, and the second begins with the last row of the first. */
  overlapping: number;
  /** A row shows fewer matched contracts than the one before. */
  shrunk: number;
  /** A row of ours shows the other side. */
  flipped: number;
  /** The list is empty, and the answer a success. */
  emptyBook: number;
  emptyPositions: number;
}

export const TRUE_ANSWERS: AnswerFaults = {
  shuffled: 0,
  repeated: 0,
  overlapping: 0,
  shrunk: 0,
  flipped: 0,
  emptyBook: 0,
  emptyPositions: 0,
};

type Rows = readonly Readonly<Record<string, unknown>>[];

const BOOKS: ReadonlySet<OperationName> = new Set<OperationName>(['in-day', 'conditions']);
const OWN_ID = 'H.';

/** `page` is that of the request, counted from 1. */
export interface AskedList {
  readonly operation: OperationName;
  readonly page: number;
}

export class Answers {
  readonly #draws: Draws;
  readonly #faults: AnswerFaults;
  readonly #onLie: (what: keyof AnswerFaults) => void;
  /** The rest of a list whose first page was served. */
  readonly #rest = new Map<OperationName, Rows>();

  constructor(draws: Draws, faults: AnswerFaults, onLie: (what: keyof AnswerFaults) => void) {
    this.#draws = draws;
    this.#faults = faults;
    this.#onLie = onLie;
  }

  /** The text of an answer to a read, as it reaches the daemon. */
  given({ operation, page }: AskedList, text: string): string {
    const isBook = BOOKS.has(operation);
    if (!isBook && operation !== 'positions') return text;
    const answer: unknown = JSON.parse(text);
    if (!isRecord(answer) || !Array.isArray(answer['data']) || String(answer['rc']) !== '1') return text;
    const rows = answer['data'].filter(isRecord);
    const shown = isBook ? this.#book(operation, page, rows) : this.#positions(rows);
    return shown === rows ? text : JSON.stringify({ ...answer, data: shown });
  }

  #positions(rows: Rows): Rows {
    return this.#strikes('emptyPositions', rows.length > 0) ? [] : rows;
  }

  #book(operation: OperationName, page: number, rows: Rows): Rows {
    const rest = this.#rest.get(operation);
    this.#rest.delete(operation);
    if (page > 1) return rest ?? rows;
    if (this.#strikes('emptyBook', rows.length > 0)) return [];
    let shown = this.#terms(operation, rows);
    if (this.#strikes('shuffled', shown.length > 1)) shown = this.#shuffled(shown);
    if (this.#strikes('repeated', shown.length > 0)) shown = [...shown, this.#draws.pick(asTuple(shown))];
    // A client asks for the next page after a round number of rows.
    const cut = shown.length - (shown.length % PAGE_ROWS) - (shown.length % PAGE_ROWS === 0 ? PAGE_ROWS : 0);
    if (!this.#strikes('overlapping', cut > 0)) return shown;
    this.#rest.set(operation, shown.slice(cut - 1));
    return shown.slice(0, cut);
  }

  #terms(operation: OperationName, rows: Rows): Rows {
    if (operation !== 'in-day') return rows;
    let shown = rows;
    const matched = rows.filter((row) => Number(row['matchVolume']) > 0);
    if (this.#strikes('shrunk', matched.length > 0)) {
      const chosen = this.#draws.pick(asTuple(matched));
      const matchVolume = this.#draws.whole(0, Number(chosen['matchVolume']) - 1);
      shown = shown.map((row) => (row === chosen ? { ...row, matchVolume, matchValue: '0' } : row));
    }
    const own = shown.filter((row) => String(row['refId']).startsWith(OWN_ID));
    if (this.#strikes('flipped', own.length > 0)) {
      const chosen = this.#draws.pick(asTuple(own));
      shown = shown.map((row) => (row === chosen ? { ...row, side: row['side'] === 'B' ? 'S' : 'B' } : row));
    }
    return shown;
  }

  #shuffled(rows: Rows): Rows {
    return rows
      .map((row) => ({ row, place: this.#draws.unit() }))
      .toSorted((a, b) => a.place - b.place)
      .map(({ row }) => row);
  }

  #strikes(fault: keyof AnswerFaults, isPossible: boolean): boolean {
    if (!isPossible || !this.#draws.chance(this.#faults[fault])) return false;
    this.#onLie(fault);
    return true;
  }
}

/** A server's own limit is a multiple of this. */
const PAGE_ROWS = 5;

function asTuple<T>(list: readonly T[]): readonly [T, ...T[]] {
  const [first, ...rest] = list;
  if (first === undefined) throw new Error('expected at least one');
  return [first, ...rest];
}
