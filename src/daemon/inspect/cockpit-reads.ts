/** Reads for the page that take longer than a heartbeat may wait: days of the journal, the story of an order, recorded prices. */
import { closing } from '../../domain/failure.ts';
import type { Config } from '../../config/config.ts';
import { type TradingDay, tradingDay } from '../../domain/civil-date.ts';
import { avgPoints, type Contract, shownCode } from '../../domain/contract.ts';
import { toMs } from '../../domain/units.ts';
import type { EntryKind } from '../../engine/ports/journal-entry.ts';
import { type JournalReader, type StoredEntry } from '../../journal/journal-reader.ts';
import type {
  CockpitBar,
  CockpitEntry,
  CockpitPrices,
  CockpitResults,
  FillMark,
  JournalDays,
  JournalPage,
  OrderStory,
} from '../../operator/cockpit/cockpit-model.ts';
import type { JournalQuery } from '../../operator/cockpit/cockpit-server.ts';
import { FOLDED_KINDS, sessionResult } from '../../journal/fold-session.ts';
import { frameLogPath, readFrameBatches } from '../../recording/frame-log.ts';
import { decodeServerFrame } from '../../wire/stream/server-frame.ts';
import {
  entriesOfOrder,
  inSession,
  journalRow,
  openJournal,
  readOrders,
  wordsOf,
} from '../../host/state/read-state.ts';
import { dayText } from './day-report.ts';
import { PriceBoard } from '../edge/price-board.ts';
import { OPERATOR, type StrategyNames } from '../../domain/ids.ts';
import { cockpitEntry, createNaming, type Naming } from '../../operator/entry-line.ts';

export interface JournalLocation {
  readonly calendar: Config['calendar'];
  readonly stateDir: string;
}

export interface PastPricesQuery {
  readonly frames: string;
  readonly day: TradingDay;
  readonly contracts: readonly Contract[];
  /** Frames of the day from this number on are known already; null: all are asked for. */
  readonly beforeSeq: number | null;
}

export interface PastPrices {
  readonly day: TradingDay;
  readonly bars: Readonly<Record<string, readonly CockpitBar[]>>;
  readonly last: CockpitPrices;
}

const PAGE_ROWS = 100;
const SCAN_ROWS = 1_000;
/** Rows scanned for one page: a search that finds little goes on with the next page. */
const SCANNED_MAX = 50_000;

export const journalDays = ({ stateDir }: JournalLocation): JournalDays =>
  closing(openJournal(stateDir), ({ read }) => {
    const archived = new Set(read.archives().map(({ session }) => session));
    const days = read.sessions().map(({ day }) => ({ day, isArchived: archived.has(day) }));
    return days.toReversed();
  });

/** Rows that the log leaves out are shown where their kind or their order is asked for. */
export function journalPage(location: JournalLocation, query: JournalQuery): JournalPage {
  return inSession(location.stateDir, query.day ?? undefined, (read, { day }, names) => {
    const naming = namingOf(location, names, read.contracts(day));
    const isWanted = wanted(query);
    const found: CockpitEntry[] = [];
    let before = query.before ?? Number.MAX_SAFE_INTEGER;
    for (let scanned = 0; scanned < SCANNED_MAX; scanned += SCAN_ROWS) {
      const rows = read.entries({
        session: day,
        before,
        last: SCAN_ROWS,
        ...(query.order === null ? {} : { clientOrderId: query.order }),
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a kind that is none has no rows
        ...(query.kind === null ? {} : { kinds: [query.kind as EntryKind] }),
      });
      for (const row of rows.toReversed()) {
        before = row.id;
        const entry = query.kind === null ? cockpitEntry(row, naming) : inWords(row, naming);
        if (isWanted(entry)) found.push(entry);
        if (found.length === PAGE_ROWS) return { entries: found, before };
      }
      if (rows.length < SCAN_ROWS) return { entries: found, before: null };
    }
    return { entries: found, before };
  });
}

function wanted({ search, kind, order }: JournalQuery): (entry: CockpitEntry) => boolean {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return (entry) => {
    if (entry.text === '' && kind === null && order === null) return false;
    if (words.length === 0) return true;
    const text = [entry.word, entry.text, entry.kind, entry.strategy, entry.order, entry.contract]
      .join(' ')
      .toLowerCase();
    return words.every((word) => text.includes(word));
  };
}

export function orderStory(
  location: JournalLocation,
  { order, day: session }: { readonly order: string; readonly day: string | null },
): OrderStory | null {
  return inSession(location.stateDir, session ?? undefined, (read, { day }, names) => {
    const all = entriesOfOrder(read, day, order);
    const [first] = all;
    if (first === undefined) return null;
    const contracts = read.contracts(day);
    const naming = namingOf(location, names, contracts);
    const row = readOrders(all, contracts).find(({ clientOrderId }) => clientOrderId === order);
    const summary =
      row === undefined
        ? 'a call, not an order'
        : `${row.strategy}: ${row.side} ${row.qty} ${row.orderCode}${row.limitPoints === null ? '' : ` at ${row.limitPoints}`}, ` +
          `${row.status.replaceAll('_', ' ')}, ${row.filledQty} filled${row.detail === '' ? '' : `: ${row.detail}`}`;
    const steps = all.map((each) => ({
      ...inWords(each, naming),
      detail: JSON.stringify(journalRow(each).body),
    }));
    return { id: order, summary: naming.named(summary, first.entry.tsUs), steps };
  });
}

/** Also a row that the log leaves out, such as a proposal with the strategy's reason: the same words as `tickwright journal`. */
const inWords = (row: StoredEntry, naming: Naming): CockpitEntry => ({
  ...cockpitEntry(row, naming),
  ...wordsOf(row.entry, naming),
});

/** Older days are in the reports. */
const DAYS_MAX = 260;
/** Of days that are over. */
const knownNets = new Map<string, number>();

/** The day that was asked for, or the latest, among the results of all days whose rows are still there. */
export const dayResults = (location: JournalLocation, session: string | null): CockpitResults =>
  inSession(location.stateDir, session ?? undefined, (read, { day }, names, journal) => {
    const contracts = read.contracts(day);
    const { named } = namingOf(location, names, contracts);
    const { curve, trades, net } = sessionResult(read.entries({ session: day, kinds: FOLDED_KINDS }));
    return {
      day,
      curve: curve.map(([at, value]) => [toMs(at), value]),
      trades: trades.toReversed().map(({ instrument, closedUs, entryValue, exitValue, qty, ...trade }) => {
        const spec = contracts[instrument]?.spec;
        const points = (value: number) => (spec === undefined ? null : avgPoints(spec, value, qty));
        return {
          ...trade,
          qty,
          atMs: toMs(closedUs),
          contract: named(shownCode(contracts, instrument), closedUs),
          entryPoints: points(entryValue),
          exitPoints: points(exitValue),
        };
      }),
      days: netsOf(journal, location.stateDir, { day, net }),
    };
  });

function netsOf(journal: JournalReader, stateDir: string, shown: DayNet): readonly DayNet[] {
  const gone = new Set(journal.archives().map(({ session }) => session));
  const sessions = journal.sessions().slice(-DAYS_MAX);
  const present = sessions.at(-1)?.day;
  return sessions.flatMap(({ day }) => {
    if (gone.has(day)) return [];
    const key = `${stateDir} ${day}`;
    const known = day === shown.day ? shown.net : knownNets.get(key);
    const net = known ?? sessionResult(journal.entries({ session: day, kinds: FOLDED_KINDS })).net;
    if (day !== present) knownNets.set(key, net);
    return [{ day, net }];
  });
}

type DayNet = CockpitResults['days'][number];

function fillMarks(
  location: JournalLocation,
  { day, contract }: { readonly day: string; readonly contract: string },
): readonly FillMark[] {
  return inSession(location.stateDir, day, (read) => {
    const listed = read.contracts(day).find(({ orderCode }) => orderCode === contract);
    if (listed === undefined) return [];
    const { spec, index } = listed;
    return read.entries({ session: day, kinds: ['fill'] }).flatMap(({ entry, strategyName }) => {
      if (entry.kind !== 'fill' || entry.instrument !== index) return [];
      const { tsUs, clientOrderId, side, qty, value } = entry;
      return {
        atMs: toMs(tsUs),
        order: clientOrderId,
        strategy: strategyName ?? OPERATOR,
        side,
        qty,
        points: avgPoints(spec, value, qty),
      };
    });
  });
}

/** Logs that are looked through: a contract trades on most days. */
const LOGS_MAX = 5;

/** Candles and last prices as recorded so far: of the day, or of the last one before it that has a trade. */
function pastPrices(location: JournalLocation, query: PastPricesQuery): PastPrices {
  const { frames, day, contracts, beforeSeq } = query;
  const byCode = new Map<string, Contract>(contracts.map((contract) => [contract.streamCode, contract]));
  const lookup = { byStreamCode: (code: string) => byCode.get(code) };
  const before = journalDays(location).flatMap((each) => (each.day < day ? tradingDay(each.day) : []));
  for (const each of [day, ...before].slice(0, LOGS_MAX)) {
    const board = new PriceBoard(() => contracts);
    const until = each === day ? (beforeSeq ?? Infinity) : Infinity;
    for (const batch of readFrameBatches(frameLogPath(frames, each)))
      for (const { text, seq, tsUs } of batch) {
        const frame = seq < until ? decodeServerFrame(text, lookup, seq, tsUs) : null;
        if (frame?.kind === 'market') board.take(frame.event);
      }
    const bars = Object.fromEntries(contracts.map((of) => [of.orderCode, board.bars(of)]));
    const last = board.since(0).prices;
    if (last.some((of) => of.last !== null)) return { day: each, bars, last };
  }
  return { day, bars: {}, last: [] };
}

const namingOf = (
  { calendar, stateDir }: JournalLocation,
  names: StrategyNames,
  contracts: readonly Contract[],
): Naming => createNaming(names, { contracts: () => contracts, calendar, stateDir });

export const READS = { journalDays, journalPage, orderStory, dayResults, fillMarks, pastPrices, dayText };
