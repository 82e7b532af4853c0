/**
 * The session's contract table. A contract keeps its index for the whole session, also when it leaves the list: events,
 * orders and the journal name it by that number, and a replay must find the same one.
 */
import { assert } from '../../domain/assert.ts';
import type { Contract, ContractSpec } from '../../domain/contract.ts';
import { instrumentIndex } from '../../domain/units.ts';
import type { ContractQuote } from '../../domain/broker-order.ts';
import type { TradingCalendar } from '../../domain/calendar.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import { contractMonthOf, expiryOf } from '../../domain/contract-code.ts';
import { type OrderCode, streamCode } from '../../domain/ids.ts';
import type { ListedContract } from '../../wire/rest/market-reads.ts';

export class BrokerContracts {
  #contracts: Contract[] = [];
  readonly #byStreamCode = new Map<string, Contract>();
  readonly #byOrderCode = new Map<string, Contract>();
  /** Contracts listed now, by expiry: those to subscribe. */
  listed: readonly Contract[] = [];

  get contracts(): readonly Contract[] {
    return this.#contracts;
  }

  byStreamCode(code: string): Contract | undefined {
    return this.#byStreamCode.get(code);
  }

  byOrderCode(code: string): Contract | undefined {
    return this.#byOrderCode.get(code);
  }

  /** Takes over the table of a session that goes on after a restart, or begins an empty one. */
  reset(contracts: readonly Contract[]): void {
    assert(
      contracts.every(({ index }, position) => index === position),
      'contracts are in the table in the order of their index',
    );
    this.#contracts = [...contracts];
    this.listed = this.#contracts;
    this.#reindex();
  }

  update(resolved: readonly ResolvedContract[]): void {
    const listed = resolved.map((row) => {
      const index = this.#byOrderCode.get(row.orderCode)?.index ?? instrumentIndex(this.#contracts.length);
      const contract: Contract = { index, ...row };
      this.#contracts[index] = contract;
      this.#byOrderCode.set(row.orderCode, contract);
      return contract;
    });
    this.listed = listed;
    this.#reindex();
  }

  #reindex(): void {
    this.#byStreamCode.clear();
    this.#byOrderCode.clear();
    for (const contract of this.#contracts) {
      this.#byStreamCode.set(contract.streamCode, contract);
      this.#byOrderCode.set(contract.orderCode, contract);
    }
    // A code that moved to another contract belongs to the one that is listed.
    for (const contract of this.listed) this.#byStreamCode.set(contract.streamCode, contract);
  }
}

export type ResolvedContract = Omit<Contract, 'index'>;

export interface ResolveOptions {
  /** Undefined for a contract that is not traded here. */
  readonly specOf: (code: OrderCode) => ContractSpec | undefined;
  readonly calendar: TradingCalendar;
}

/**
 * Joins the contract list (the stream's codes) with the price board (order codes, expiry). They are the same by default; where they differ,
 * expiry or month pairs them (rulings, 4). Unjoined contracts are not traded. `listed` is undefined when the list could not be read: then
 * the board alone decides (notes, 6).
 */
export function resolveContracts(
  listed: readonly ListedContract[] | undefined,
  quotes: readonly ContractQuote[],
  { specOf, calendar }: ResolveOptions,
) {
  const expiryIn = (code: string): TradingDay | undefined => {
    const month = contractMonthOf(code);
    return month === undefined ? undefined : expiryOf(calendar, month);
  };
  const rows = quotes.flatMap((quote) => {
    const spec = specOf(quote.orderCode);
    const expiry = quote.expiry ?? expiryIn(quote.orderCode);
    return spec === undefined || expiry === undefined ? [] : [{ orderCode: quote.orderCode, expiry, spec }];
  });
  // A row that comes twice has two partners, and would take its contract off the list.
  const known = uniqueBy(rows, (row) => row.orderCode);
  const notOurs = new Set(quotes.map(({ orderCode }): string => orderCode));
  for (const { orderCode } of known) notOurs.delete(orderCode);
  const entries = listed ?? known.map(({ orderCode, expiry }) => ({ code: orderCode, expiry }));
  const left = uniqueBy(entries, ({ code }) => code)
    .filter(({ code }) => !notOurs.has(code))
    .map(({ code, expiry }) => ({ code, month: monthKey(code), expiry: expiry ?? expiryIn(code) }));
  const contracts: ResolvedContract[] = [];
  // The same code first, then the same month, then an expiry that only one on either side has.
  const isSame: readonly ((row: KnownContract, code: StreamEntry) => boolean)[] = [
    (row, entry) => entry.code === row.orderCode,
    (row, entry) => entry.month !== undefined && entry.month === monthKey(row.orderCode),
    (row, entry) => entry.expiry === row.expiry,
  ];
  for (const matches of isSame) {
    const pairs = onlyPairs(
      known.filter((row) => !contracts.some((done) => done.orderCode === row.orderCode)),
      left,
      matches,
    );
    for (const { row, entry } of pairs) {
      left.splice(left.indexOf(entry), 1);
      contracts.push({ ...row, streamCode: streamCode(entry.code) });
    }
  }
  contracts.sort((a, b) => compare(a.expiry, b.expiry) || compare(a.orderCode, b.orderCode));
  /** `orphans`: stream codes without an order code; nothing can be ordered there. */
  return { contracts, orphans: left.map(({ code }) => code) };
}

type KnownContract = Omit<ResolvedContract, 'streamCode'>;

interface StreamEntry {
  readonly code: string;
  readonly month: string | undefined;
  readonly expiry: TradingDay | undefined;
}

/** Pairs in which neither side has a second partner. */
function onlyPairs(
  rows: readonly KnownContract[],
  entries: readonly StreamEntry[],
  matches: (row: KnownContract, entry: StreamEntry) => boolean,
): readonly { readonly row: KnownContract; readonly entry: StreamEntry }[] {
  return rows.flatMap((row) => {
    const partners = entries.filter((entry) => matches(row, entry));
    const entry = partners[0];
    if (entry === undefined || partners.length > 1) return [];
    return rows.filter((other) => matches(other, entry)).length === 1 ? [{ row, entry }] : [];
  });
}

const uniqueBy = <T>(rows: readonly T[], keyOf: (row: T) => string): readonly T[] => [
  ...new Map(rows.map((row) => [keyOf(row), row])).values(),
];

function monthKey(code: string): string | undefined {
  const month = contractMonthOf(code);
  return month === undefined ? undefined : `${month.underlying} ${month.year}-${month.month}`;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
