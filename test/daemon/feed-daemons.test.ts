/** Two daemons in this process: one on the broker's stream, which publishes it, and one on paper that has the feed alone. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../src/host/system-clock.ts';
import { configuredFeed, type FeedAccess, readFeedTerms } from '../../src/host/cluster-access.ts';
import { codesOf, openFeedMarket } from '../../src/daemon/simulator/feed-market.ts';
import type { JournalEntry } from '../../src/engine/ports/journal-entry.ts';
import { seconds, seq, type TsUs, tsUs } from '../../src/domain/units.ts';
import { frameRecords, noteOf, readFrameBatches, readNote } from '../../src/recording/frame-log.ts';
import type { StampedFrame } from '../../src/wire/stream/server-frame.ts';
import { recordFeed } from '../../src/cluster/feed-reader.ts';
import { tempDir } from '../support/temp-dir.ts';
import { type NatsServer, natsServer, WITHOUT_NATS } from '../support/nats-server.ts';
import { Publishing } from '../cluster/feed-fixture.ts';
import { Story } from '../failure-cases/support/story.ts';
import type { Step } from '../failure-cases/support/scripted.ts';

beforeEach((context) => context.skip(WITHOUT_NATS !== null, WITHOUT_NATS ?? ''));

const BARS = (yaml: string): string => yaml.replace('{ steps: [] }', '{ steps: [], notes: bars }');
const READS = (yaml: string): string =>
  `${BARS(yaml)}cluster: { url: 'nats://127.0.0.1:1', feed: { role: read, name: prices } }\n`;

/** Far longer than a busy machine takes: no input of the reader comes before a frame that is on its way. */
const DELAY = seconds(5);

function access({ url }: NatsServer, role: FeedAccess['role']): FeedAccess {
  const feed = { role, name: 'prices', keepDays: 1, keepGigabytes: 0.1, delay: DELAY };
  const config = { mode: 'paper', cluster: { url, password: { environment: 'NONE' }, feed } } as const;
  const found = configuredFeed(config);
  if (found === undefined) throw new Error('the feed is configured');
  return found;
}

async function publishing(server: NatsServer, steps: readonly Step[]): Promise<Story> {
  const story = await Story.open(steps, { clock: systemClock }, BARS);
  onTestFinished(() => story.close());
  await story.start({ feed: access(server, 'publish') });
  return story;
}

/** On paper with an account of its own, whose market is the feed. */
async function reading(server: NatsServer, steps: readonly Step[]): Promise<Story> {
  const feed = access(server, 'read');
  const terms = await vi.waitFor(() => readFeedTerms(feed));
  const market = await openFeedMarket(terms, feed, tsUs(0), () => undefined);
  const story = await Story.open(steps, { clock: systemClock, market, ...codesOf(terms) }, READS);
  onTestFinished(() => story.close());
  await story.start({ delay: feed.delay });
  return story;
}

/** Decisions and what strategies saw, with their times; fills without: each daemon polls its book in its own time. */
const linesOf = (entries: readonly JournalEntry[]): readonly string[] =>
  entries.flatMap((entry) => {
    if (entry.kind === 'strategy_note') return [`${entry.tsUs} note ${entry.text}`];
    if (entry.kind === 'fill') return [`fill of ${entry.qty} for ${entry.value}`];
    if (entry.kind !== 'proposal') return [];
    return [`${entry.tsUs} ${JSON.stringify({ ...entry.proposal, clientOrderId: 'of each daemon' })}`];
  });

const fillsOf = (story: Story): number => story.entries.filter(({ kind }) => kind === 'fill').length;

test('a paper daemon on the feed makes the journal of the daemon on the stream', async () => {
  const server = await natsServer();
  const steps: readonly Step[] = [
    { at: 13_000, do: 'buy', qty: 2, price: 13_020 },
    { at: 13_005, do: 'sell', qty: 1, price: 12_990 },
    { at: 13_006, do: 'sell', qty: 1, price: 12_990 },
  ];
  const live = await publishing(server, steps);
  live.offer('sell', 13_010, 50);
  live.offer('buy', 12_995, 50);
  const paper = await reading(server, steps);
  const both = [live, paper];
  for (const [at, price] of [13_000, 13_005, 13_006].entries()) {
    live.print(price);
    for (const story of both)
      await story.until(async () => fillsOf(story) === at + 1 && (await story.hasReadPositions()));
  }
  expect(linesOf(paper.entries)).toEqual(linesOf(live.entries));
  expect(linesOf(live.entries).length).toBeGreaterThan(6);
});

test('the paper daemon follows what happens to the stream of the other, and to the server', async () => {
  const server = await natsServer();
  const live = await publishing(server, []);
  live.offer('sell', 13_010, 50);
  live.offer('buy', 12_995, 50);
  const paper = await reading(server, []);
  const states = async (): Promise<readonly unknown[]> =>
    Promise.all([live, paper].map(async (story) => (await story.view())?.stream));
  live.fault({ name: 'close_stream', code: 1006 });
  await paper.until(() => paper.alerts().includes('stream_up'));
  expect(live.alerts()).toContain('stream_up');
  await paper.until(async () => (await states()).every((state) => state === 'live'));
  const attempts = (): number => paper.daemon.edge.stream.status().attempts;
  // Not after the cut: each attempt is twice as far, and the trade is on its way for as long as the paper daemon is delayed.
  const before = attempts();
  await server.kill();
  const cuts = (): number => paper.alerts().filter((code) => code === 'stream_down').length;
  await paper.until(() => cuts() === 2);
  await paper.until(() => attempts() > before);
  expect((await states())[1], 'nobody says that prices come').toBe('down');
  expect(live.alerts().filter((code) => code === 'stream_down')).toHaveLength(1);
  live.print(13_001);
  await server.start();
  await paper.until(async () => (await states()).every((state) => state === 'live'));
  live.print(13_002);
  await live.until(() => live.notes().length === 1);
  await paper.until(() => paper.notes().length === 1);
  // The trade of meanwhile is not lost: it comes late.
  expect(paper.notes()).toEqual(live.notes());
  expect(live.alerts()).not.toContain('feed_not_published');
});

test('the feed of a daemon that has stopped is not live: for who reads it, and for who comes later, of today or of tomorrow', async () => {
  const server = await natsServer();
  const live = await publishing(server, []);
  live.offer('sell', 13_010, 50);
  const feed = access(server, 'read');
  const terms = await vi.waitFor(() => readFeedTerms(feed));
  const log: string[] = [];
  const market = async (from: TsUs) =>
    (await openFeedMarket(terms, feed, from, (text) => log.push(text))).source;
  const reader = await market(tsUs(0));
  expect(reader.isLive).toBe(true);
  await live.stop();
  await vi.waitFor(() => expect(log.at(-1)).toBe('the feed is down: publisher: its daemon has stopped'));
  for (const from of [tsUs(0), tsUs(4_000_000_000_000_000)]) expect((await market(from)).isLive).toBe(false);
});

test('a book is empty after the stream of the publisher was cut: its levels may be gone', async () => {
  const server = await natsServer();
  const live = await publishing(server, []);
  live.offer('sell', 13_010, 50);
  live.offer('buy', 12_995, 50);
  live.print(13_001);
  const feed = access(server, 'read');
  const terms = await vi.waitFor(() => readFeedTerms(feed));
  const { source } = await openFeedMarket(terms, feed, tsUs(0), () => undefined);
  const asks: number[] = [];
  const drain = (): void => {
    for (let print = source.take(tsUs(0)); print !== undefined; print = source.take(tsUs(0)))
      asks.push(print.book?.asks.length ?? -1);
  };
  let cuts = 0;
  source.follow({ onMore: drain, onCut: () => (cuts += 1) });
  drain();
  await live.until(() => asks.at(-1) === 1);
  live.fault({ name: 'close_stream', code: 1006 });
  await live.until(() => cuts > 0);
  const before = asks.length;
  live.print(13_002);
  await live.until(() => asks.length > before);
  expect(asks[before]).toBe(0);
});

const frameAt = (number: number, text: string): StampedFrame => ({
  seq: seq(number),
  tsUs: tsUs(number),
  text,
});
const streamNote = (number: number, state: 'live' | 'down'): StampedFrame =>
  noteOf({ kind: 'stream', seq: seq(number), tsUs: tsUs(number), state, reason: 'a story' });

test('a reader that comes later gives its venue no level from before a cut of the publisher', async () => {
  const server = await natsServer();
  const feed = access(server, 'read');
  const publisher = new Publishing({ url: server.url }, { name: feed.name });
  const bid = 's|23|{"symbol":"VN30F2601","bidPrice01":1299,"bidQtty01":5}';
  const ask = 's|24|{"symbol":"VN30F2601","offerPrice01":1301,"offerQtty01":5}';
  publisher.take([frameAt(1, bid), frameAt(2, ask)]);
  publisher.take([streamNote(3, 'down'), streamNote(4, 'live'), frameAt(5, bid), frameAt(6, ask)]);
  await publisher.publisher.close();
  const terms = { orderCode: 'VN30F2601', streamCode: 'VN30F2601', reference: 130_000 };
  const { source } = await openFeedMarket(terms, feed, tsUs(0), () => undefined);
  const books: string[] = [];
  for (let print = source.take(tsUs(0)); print !== undefined; print = source.take(tsUs(0)))
    books.push(`${print.book?.bids.length}/${print.book?.asks.length}`);
  expect(books).toEqual(['0/0', '1/1', '0/0', '1/1']);
});

test('nothing that a secret or an account could be read from crosses the server', async () => {
  const server = await natsServer();
  const live = await publishing(server, [{ at: 13_000, do: 'buy', price: 13_020 }]);
  live.offer('sell', 13_010, 50);
  live.print(13_000);
  await live.until(() => live.entries.some(({ kind }) => kind === 'fill'));
  await live.stop();
  const cluster = await access(server, 'read').open();
  const { state } = await cluster.jsm.streams.info('TICKWRIGHT_FEED_prices');
  let text = '';
  for (let number = state.first_seq; number <= state.last_seq; number += 1) {
    const message = await cluster.jsm.streams.getMessage('TICKWRIGHT_FEED_prices', { seq: number });
    const headers = (message?.header.keys() ?? []).map((key) => `${key}: ${message?.header.get(key)}`);
    text += `${message?.subject} ${headers.join(' ')} ${message?.string()}\n`;
  }
  await cluster.close();
  const { custodyCode, subAccountId, apiKey, otp } = live.simulator;
  expect(text).toContain('matchPrice');
  expect(text).toContain('Tickwright-Terms');
  for (const secret of [custodyCode, custodyCode.slice(-6), subAccountId, apiKey, otp, 'eyJ', 'H.0000'])
    expect(text).not.toContain(secret);
});

test('a recording that is made of the feed has the prices of the daemon, byte for byte', async () => {
  const server = await natsServer();
  const live = await publishing(server, []);
  live.offer('sell', 13_010, 50);
  for (const price of [13_000, 13_001, 13_002]) live.print(price);
  await live.until(() => live.notes().length > 0);
  await live.stop();
  const dir = tempDir();
  const days = await recordFeed(access(server, 'read'), dir, 420);
  const [name = ''] = readdirSync(live.paths.frames);
  const frames = [...readFrameBatches(join(live.paths.frames, name))].flat();
  const prices = frames.filter((frame) => readNote(frame) === undefined);
  expect(readFileSync(join(dir, name))).toEqual(frameRecords(prices));
  expect([...days.keys()].map((day) => `${day}.frames`)).toEqual([name]);
  await expect(recordFeed(access(server, 'read'), dir, 420)).rejects.toThrow('is there already');
});
