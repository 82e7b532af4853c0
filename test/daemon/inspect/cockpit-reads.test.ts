import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  dayResults,
  READS,
  journalDays,
  journalPage,
  orderStory,
} from '../../../src/daemon/inspect/cockpit-reads.ts';
import { type TradingDay, tradingDay } from '../../../src/domain/civil-date.ts';
import { clientOrderId, StrategyNames } from '../../../src/domain/ids.ts';
import {
  money,
  priceHundredths,
  priceTicks,
  qty,
  seq,
  strategyIndex,
  tsUs,
} from '../../../src/domain/units.ts';
import type { JournalEntry } from '../../../src/engine/ports/journal-entry.ts';
import { JournalStore } from '../../../src/journal/journal-store.ts';
import type { JournalQuery } from '../../../src/operator/cockpit/cockpit-server.ts';
import { openFrameLog } from '../../../src/recording/frame-log.ts';
import { encodeTrade } from '../../../src/wire/stream/data-frame.ts';
import { ENTRIES } from '../../operator/entries.ts';
import { contract } from '../../support/strategy-fixtures.ts';
import { MARKET_CALENDAR } from '../../support/market-calendar.ts';

const DAY = tradingDay('2026-03-04');
const FRONT = contract(0);
const ID = clientOrderId('H.0000010000000000000260304010000001');

let dir: string;
let store: JournalStore;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tickwright-cockpit-'));
  store = new JournalStore({
    path: join(dir, 'journal.db'),
    wallClock: { nowUs: () => tsUs(1) },
    timers: { after: () => () => undefined },
    names: new StrategyNames(['alpha', 'beta']),
    onFailure: (error) => {
      throw error;
    },
  });
  store.beginSession(DAY, tsUs(1), 'paper.yaml');
});

afterEach(() => {
  store.close();
  rmSync(dir, { recursive: true, force: true });
});

test('a day without a trade shows the candles and the last price of the day before', () => {
  const trade = (at: number, price: number) => ({
    seq: seq(at),
    tsUs: tsUs(Date.UTC(2026, 2, 3, 7, 45) * 1_000 + at),
    text: encodeTrade(
      FRONT,
      { price: priceTicks(price), qty: qty(2), totalVolume: at * 2 },
      priceHundredths(130_000),
    ),
  });
  const record = (day: TradingDay, ...prices: readonly number[]): void => {
    const log = openFrameLog(dir, day);
    log.append(prices.map((price, place) => trade(place + 1, price)));
    log.close();
  };
  const asked = { frames: dir, day: DAY, contracts: [FRONT], beforeSeq: null };
  const before = tradingDay('2026-03-03');
  store.beginSession(before, tsUs(0), 'paper.yaml');
  record(before, 13_000, 13_010);
  expect(READS.pastPrices(place(), asked)).toMatchObject({
    day: before,
    bars: { [FRONT.orderCode]: [[Date.UTC(2026, 2, 3, 7, 45), 1_300, 1_301, 1_300, 1_301, 4]] },
    last: [{ contract: FRONT.orderCode, last: [1_301, 2] }],
  });
  record(DAY, 13_100, 13_110);
  expect(READS.pastPrices(place(), asked)).toMatchObject({ day: DAY, last: [{ last: [1_311, 2] }] });
  expect(READS.pastPrices(place(), { ...asked, beforeSeq: 2 })).toMatchObject({
    last: [{ last: [1_310, 2] }],
  });
});

const place = () => ({ calendar: MARKET_CALENDAR, stateDir: dir });

const ask = (query: Partial<JournalQuery> = {}) =>
  journalPage(place(), { day: null, search: '', kind: null, order: null, before: null, ...query });

const head = (at: number) => ({ cause: seq(at), tsUs: tsUs(at * 1_000), strategy: strategyIndex(1) });

const note = (at: number, text: string): JournalEntry => ({ ...head(at), kind: 'strategy_note', text });

const status = (at: number, to: 'accepted' | 'filled'): JournalEntry => ({
  ...head(at),
  kind: 'order_status',
  clientOrderId: ID,
  orderNo: null,
  from: 'submitted',
  to,
  event: 'seen_working',
  detail: '',
});

function write(...entries: readonly JournalEntry[]): void {
  for (const entry of entries) store.append(entry);
  store.flush();
}

test('pages go from the newest row to the oldest, without a gap or a double', () => {
  write(...Array.from({ length: 250 }, (_, i) => note(i + 1, `number ${i + 1}`)));
  const seen: number[] = [];
  for (let before: number | null = null, pages = 0; pages < 10; pages += 1) {
    const page = ask({ before });
    seen.push(...page.entries.map(({ seq: at }) => at));
    if (page.before === null) break;
    before = page.before;
  }
  expect(seen).toEqual(Array.from({ length: 250 }, (_, i) => 250 - i));
});

test('a search finds words of any row of the day, far back too', () => {
  write(note(1, 'the Needle'), ...Array.from({ length: 3_000 }, (_, i) => note(i + 2, `hay ${i}`)));
  expect(ask({ search: 'needle beta' }).entries).toMatchObject([{ seq: 1, strategy: 'beta' }]);
  expect(ask({ search: 'needle alpha' }).entries).toEqual([]);
  expect(ask({ kind: 'order_status' }).entries).toEqual([]);
  expect(ask({ kind: 'constructor' }).entries).toEqual([]);
  expect(ask({ kind: "x' OR 1=1 --" }).entries).toEqual([]);
});

test('the story of an order has its steps in their order, with all that the row says', () => {
  write(note(1, 'before'), status(2, 'accepted'), note(3, 'between'), status(4, 'filled'));
  const story = orderStory(place(), { order: ID, day: null });
  expect(story?.steps.map(({ cause }) => cause)).toEqual([2, 4]);
  expect(JSON.parse(story?.steps[1]?.detail ?? '')).toMatchObject({ to: 'filled' });
  expect(ask({ order: ID }).entries).toHaveLength(2);
  expect(orderStory(place(), { order: 'none', day: null })).toBeNull();
});

test('the story of an order has the reason of its proposal, in words', () => {
  const intent = {
    kind: 'limit',
    instrument: 0,
    side: 'buy',
    qty: 1,
    limitPrice: 12_950,
    reason: 'fast is 0.26 ticks from slow',
  };
  const proposal = { ...head(1), kind: 'proposal', proposal: { do: 'submit', clientOrderId: ID, intent } };
  const [entry] = [proposal] as unknown as JournalEntry[];
  write(entry!, status(2, 'accepted'));
  const [first] = orderStory(place(), { order: ID, day: null })?.steps ?? [];
  const text = expect.stringMatching(/^#\w+ buy 1 .*: fast is 0\.26 ticks from slow$/);
  expect(first).toMatchObject({ word: 'proposal', text });
  expect(ask({ kind: 'proposal' }).entries).toMatchObject([{ text }]);
  expect(ask().entries.map(({ kind }) => kind)).toEqual(['order_status']);
});

test('lists the days, and says which one it does not have', () => {
  write(note(1, 'x'));
  expect(journalDays(place())).toEqual([{ day: DAY, isArchived: false }]);
  expect(() => ask({ day: '2020-01-01' })).toThrow('no session 2020-01-01');
});

test('adds the result of each day, with the curve and the closed trades of one', () => {
  const fill = { ...ENTRIES.fill, strategy: strategyIndex(0) };
  write(fill, { ...fill, side: 'sell', value: money(130_620_000) });
  const next = tradingDay('2026-03-05');
  store.beginSession(next, tsUs(2), 'paper.yaml');
  const costs = 5_250 + 11_094;
  const days = [
    { day: DAY, net: 100_000 - 2 * costs },
    { day: next, net: 0 },
  ];
  expect(dayResults(place(), null)).toEqual({ day: next, days, curve: [], trades: [] });
  const first = dayResults(place(), DAY);
  expect(first.days).toEqual(days);
  expect(first.curve.map(([, net]) => net)).toEqual([-costs, 100_000 - 2 * costs]);
  expect(first.trades).toMatchObject([{ strategy: 'alpha', side: 'long', qty: 1, net: 100_000 - 2 * costs }]);
});
