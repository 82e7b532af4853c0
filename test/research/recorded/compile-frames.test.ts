/** Frames into columns: the book of each moment, who crossed it, and what was missed. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import {
  compileFrames,
  type FrameOptions,
  type FrameReport,
} from '../../../src/research/recorded/compile-frames.ts';
import { archiveRecordings } from '../../../src/daemon/program/archive-recordings.ts';
import { momentOf, tradingDay } from '../../../src/domain/civil-date.ts';
import type { Contract } from '../../../src/domain/contract.ts';
import { orderCode, streamCode } from '../../../src/domain/ids.ts';
import {
  instrumentIndex,
  minutes,
  priceHundredths,
  priceTicks,
  qty,
  seq,
  tsUs,
  US_PER_HOUR,
  US_PER_SECOND,
} from '../../../src/domain/units.ts';
import { ticksPath } from '../../../src/recording/columns/catalogue.ts';
import { readColumns } from '../../../src/recording/columns/tick-file.ts';
import { frameLogPath, noteOf, openFrameLog, readFrameBatches } from '../../../src/recording/frame-log.ts';
import { encodeBook, encodeTrade } from '../../../src/wire/stream/data-frame.ts';
import { MARKET_CALENDAR } from '../../support/market-calendar.ts';
import { contract as listed } from '../../support/strategy-fixtures.ts';
import { tempDir } from '../../support/temp-dir.ts';

const DAY = tradingDay('2026-03-04');
const CODE = 'VN30F2603';
const NINE = momentOf(DAY, 9 * US_PER_HOUR, 420);
const contract: Contract = {
  index: instrumentIndex(0),
  orderCode: orderCode(CODE),
  streamCode: streamCode(CODE),
  expiry: tradingDay('2026-03-19'),
  spec: listed(0).spec,
};
const contracts = { VN30: listed(0).spec };

const level = (price: number, size: number) => [{ price: priceTicks(price), qty: qty(size) }];
const bid = (price: number, size: number): string => encodeBook('bid', contract, level(price, size));
const ask = (price: number, size: number): string => encodeBook('ask', contract, level(price, size));
const trade = (price: number, size: number, totalVolume: number): string =>
  encodeTrade(contract, { price: priceTicks(price), qty: qty(size), totalVolume }, priceHundredths(195_000));

/** A frame a second from ten past nine on. */
function recorded(texts: readonly string[], dir = tempDir(), day = DAY): string {
  const log = openFrameLog(dir, day);
  for (const [i, text] of texts.entries()) {
    log.append([{ seq: seq(i + 1), tsUs: tsUs(NINE + (600 + i) * US_PER_SECOND), text }]);
  }
  log.close();
  return log.path;
}

async function compiled(
  file: string,
  options: Partial<FrameOptions> = {},
): Promise<{
  readonly report: FrameReport;
  readonly rows: readonly string[];
  readonly badLines: readonly string[];
}> {
  const dir = options.dir ?? tempDir();
  const badLines: string[] = [];
  const report = await compileFrames(
    file,
    {
      dir,
      market: { calendar: MARKET_CALENDAR, contracts },
      silence: minutes(5),
      skipBad: false,
      replace: false,
      ...options,
    },
    { progress: () => undefined, bad: ({ line, reason }) => badLines.push(`${line}: ${reason}`) },
  );
  return { report, badLines, rows: report.stored.length === 0 ? [] : rowsOf(dir) };
}

const touch = (prices: Int32Array | undefined, sizes: Int32Array | undefined, i: number): string =>
  sizes?.[i] === 0 ? '-' : `${prices?.[i]}x${sizes?.[i]}`;

/** `600 s: 19500 x2 buy [19499x5 | 19500x3]`. */
function rowsOf(dir: string): readonly string[] {
  const { rows, tsUs: at, priceTicks: price, qty: size, side, book } = readColumns(ticksPath(dir, CODE, DAY));
  return Array.from({ length: rows }, (_, i) => {
    const who = ['sell', '-', 'buy'][side[i]! + 1];
    const bids = touch(book?.bidPrice[0], book?.bidQty[0], i);
    const asks = touch(book?.askPrice[0], book?.askQty[0], i);
    return `${(at[i]! - NINE) / US_PER_SECOND} s: ${price[i]} x${size[i]} ${who} [${bids} | ${asks}]`;
  });
}

const STORY = [
  bid(19_499, 5),
  ask(19_501, 3),
  trade(19_501, 2, 10),
  trade(19_499, 1, 11),
  trade(19_500, 1, 12),
];

it('keeps every change of the book, and shows who crossed it', async () => {
  const { report, rows } = await compiled(recorded(STORY));
  expect(rows).toEqual([
    '600 s: 0 x0 - [19499x5 | -]',
    '601 s: 0 x0 - [19499x5 | 19501x3]',
    '602 s: 19501 x2 buy [19499x5 | 19501x3]',
    '603 s: 19499 x1 sell [19499x5 | 19501x3]',
    '604 s: 19500 x1 - [19499x5 | 19501x3]',
  ]);
  expect(report).toMatchObject({
    rows: 5,
    badRows: 0,
    damage: null,
    counts: { trades: 3, books: 2, others: 0, duplicates: 0 },
    stored: [
      { outcome: 'written', meta: { depth: 3, sides: 'touch', tickSize: '0.1', trades: 3, volume: 4 } },
    ],
  });
});

const at = (second: number): number => NINE + second * US_PER_SECOND;

it('has a gap where the stream was cut, also by the end of a process, and none where prices were stale', async () => {
  const log = openFrameLog(tempDir(), DAY);
  const records = [
    'live',
    trade(19_501, 2, 10),
    'down',
    'live',
    trade(19_502, 1, 11),
    'stale',
    'live',
    'live',
  ];
  for (const [i, text] of records.entries()) {
    const head = { seq: seq(i + 1), tsUs: tsUs(at(600 + i)) };
    const isState = text === 'live' || text === 'down' || text === 'stale';
    log.append([isState ? noteOf({ ...head, kind: 'stream', state: text, reason: '' }) : { ...head, text }]);
  }
  log.close();
  const { report } = await compiled(log.path, { silence: minutes(0) });
  expect(report).toMatchObject({ badRows: 0, counts: { trades: 2, books: 0, others: 0, duplicates: 0 } });
  expect(report.stored[0]?.meta.gaps.filter(({ kind }) => kind === 'cut')).toEqual([
    { fromUs: at(602), toUs: at(603), kind: 'cut', qty: null },
    { fromUs: at(604), toUs: at(607), kind: 'cut', qty: null },
  ]);
});

it('proves by the chain of volumes what was missed, and trusts no book over it', async () => {
  const { report, rows } = await compiled(recorded([...STORY, trade(19_502, 1, 12), trade(19_502, 1, 20)]));
  expect(rows.at(-1)).toBe('606 s: 19502 x1 - [- | -]');
  expect(report.counts).toEqual({ trades: 4, books: 2, others: 0, duplicates: 1 });
  expect(report.stored[0]?.meta.gaps).toEqual(
    expect.arrayContaining([
      { fromUs: at(0), toUs: at(600), kind: 'silence', qty: null },
      { fromUs: at(604), toUs: at(606), kind: 'missed', qty: 7 },
    ]),
  );
});

const JUNK = [
  's|21|{"symbol":"VN30F2603","matchPrice":1950.15}',
  's|21|{"symbol":"FPT","matchPrice":1}',
  'x',
];

it('reports each frame that cannot be read, and takes the others when it is asked to', async () => {
  const file = recorded([...STORY, ...JUNK, 's|99|{}', 'd|p|||']);
  const none = await compiled(file);
  expect([none.report.badRows, none.report.stored]).toEqual([3, []]);
  expect(none.badLines).toEqual([
    expect.stringMatching(/^6: .*matchPrice: expected a price on the grid of 0\.1 points, was 1950\.15/),
    '7: expected a contract of the configured market, was "FPT"',
    expect.stringMatching(/^8: frame: expected a frame that begins with d\| or s\|/),
  ]);
  const some = await compiled(file, { skipBad: true });
  expect(some.rows).toHaveLength(5);
  expect(some.report.counts.others).toBe(2);
  expect(some.report.stored[0]?.meta.badRows).toBe(3);
});

it('takes no frame twice: of a log that was put behind itself the second copy is bad rows', async () => {
  const file = recorded(STORY);
  appendFileSync(file, readFileSync(file));
  const none = await compiled(file);
  expect([none.report.badRows, none.report.stored]).toEqual([5, []]);
  expect(none.badLines[0]).toBe('6: expected a frame after number 5, was 1 again');
  const once = await compiled(file, { skipBad: true });
  expect(once.rows).toEqual((await compiled(recorded(STORY))).rows);
});

it('takes all frames where numbers began again, as with a journal that was lost', async () => {
  const file = recorded(STORY);
  const log = openFrameLog(dirname(file), DAY);
  log.append([{ seq: seq(2), tsUs: tsUs(NINE + 700 * US_PER_SECOND), text: trade(19_501, 1, 13) }]);
  log.close();
  expect((await compiled(file)).rows).toHaveLength(6);
});

it('says how much a crash tore off, and reads a packed log as it is', async () => {
  const file = recorded(STORY);
  appendFileSync(file, '6 1772');
  const torn = await compiled(file);
  expect([torn.report.damage, torn.rows.length]).toEqual(['6 torn bytes at the end', 5]);
  const packed = `${tempDir()}/${DAY}.frames.gz`;
  writeFileSync(packed, gzipSync(readFileSync(recorded(STORY))));
  const again = await compiled(packed);
  expect(again.report.stored[0]?.meta.digest).toBe(torn.report.stored[0]?.meta.digest);
});

/** Folders of their own, on the day after the recorded one. */
const onNextDay = () => ({
  frames: tempDir(),
  data: tempDir(),
  today: tradingDay('2026-03-05'),
  market: { calendar: MARKET_CALENDAR, contracts },
  journal: null,
  isQuiet: true,
  retention: { backups: 1, journalDays: 30, framesDays: 365, framesGigabytes: 1 },
});

it('compiles and packs what is over, once, and again when the day went on', async () => {
  const recordings = onNextDay();
  const { frames, data } = recordings;
  recorded(STORY, frames);
  expect(await archiveRecordings({ ...recordings, today: DAY })).toEqual({
    done: [],
    failures: [],
    archived: [],
    damage: null,
    reports: [],
  });
  expect(await archiveRecordings(recordings)).toEqual({
    done: ['2026-03-04.frames is columns and packed: 5 rows of 1 contract, 3 gaps'],
    failures: [],
    archived: [],
    damage: null,
    reports: [],
  });
  expect(rowsOf(data)).toHaveLength(5);
  expect(await archiveRecordings(recordings)).toEqual({
    done: [],
    failures: [],
    archived: [],
    damage: null,
    reports: [],
  });
  const log = openFrameLog(frames, DAY);
  log.append([{ seq: seq(6), tsUs: tsUs(NINE + 700 * US_PER_SECOND), text: trade(19_501, 1, 13) }]);
  log.close();
  await archiveRecordings(recordings);
  expect(rowsOf(data)).toHaveLength(6);
  expect([...readFrameBatches(frameLogPath(frames, DAY))].flat()).toHaveLength(6);
});

it('leaves a packed day as it is where a copy has brought an older log of it, and says so', async () => {
  const recordings = onNextDay();
  const { frames, data } = recordings;
  const path = recorded(STORY, frames);
  const atNoon = readFileSync(path).subarray(0, 300);
  await archiveRecordings(recordings);
  const packed = readFileSync(`${path}.gz`);
  writeFileSync(path, atNoon);
  const { done, failures } = await archiveRecordings(recordings);
  expect([done, failures]).toEqual([
    [],
    [`${DAY}.frames: ${path}.gz has more of that day: move the log away`],
  ]);
  expect([rowsOf(data).length, readFileSync(`${path}.gz`)]).toEqual([5, packed]);
});

it('leaves a log that it cannot compile, says why, and goes on with the next', async () => {
  const [frames, data] = [tempDir(), tempDir()];
  const hopeless = Array.from({ length: 1_000 }, () => 'nothing');
  recorded(hopeless, frames, tradingDay('2026-03-03'));
  recorded(STORY, frames);
  const today = tradingDay('2026-03-05');
  const kept = await archiveRecordings({
    frames,
    data,
    today,
    market: { calendar: MARKET_CALENDAR, contracts },
    journal: null,
    isQuiet: true,
    retention: { backups: 1, journalDays: 30, framesDays: 365, framesGigabytes: 1 },
  });
  expect(kept.failures).toEqual([
    expect.stringMatching(/^2026-03-03\.frames: the first 1000 rows are all bad/),
  ]);
  expect(kept.done).toHaveLength(1);
  expect([...readFrameBatches(frameLogPath(frames, tradingDay('2026-03-03')))].flat()).toHaveLength(1_000);
});
