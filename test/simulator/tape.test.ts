import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { marketTimeAt } from '../../src/domain/clock.ts';
import { milliseconds, minutes, seconds, tsUs } from '../../src/domain/units.ts';
import type { MarketStep } from '../../src/simulator/start-simulator.ts';
import { BareStream } from '../contract/broker/support/bare-stream.ts';
import { firstRow, rowsOf } from '../contract/broker/support/bare-client.ts';
import { openMarket, order } from '../contract/broker/support/market.ts';
import { tempDir } from '../support/temp-dir.ts';

const TAPE = `Time,Price,Volume,Side
10:00:05,1300.4,7,M
10:00:03,1300.2,1,B
10:00:03,1300.3,2,M
10:00:00,1300.0,4,M
`;
const TIME = { speed: 60, originRealUs: null, originMarketUs: null } as const;

let dir: string;
let path: string;
beforeEach(() => {
  dir = tempDir();
  path = join(dir, '2026-03-04_vn30f2603.csv');
  writeFileSync(path, TAPE);
});

describe('a recorded day', () => {
  it('lists its own contract alone, in the form asked for', async () => {
    const market = { kind: 'tape', path, referencePoints: 1298.25 } as const;
    const coded = await openMarket({ market });
    expect([coded.front, coded.simulator.contracts]).toEqual(['41I1G3000', ['41I1G3000']]);
    const legacy = await openMarket({ market, codes: 'legacy' });
    expect(legacy.simulator.contracts).toEqual(['VN30F2603']);
    expect(firstRow(await legacy.alice.call('derivatives'))).toMatchObject({ refPrice: 1298.25 });
  });

  it('waits for its first subscriber, and loses nothing', async () => {
    const market = { kind: 'tape', path, referencePoints: null } as const;
    const { simulator, alice, time, front } = await openMarket({
      market,
      time: { ...TIME, start: 'first_subscriber' },
    });
    time.advance(minutes(10));
    const tap = await BareStream.authenticated(simulator.stream, alice.token);
    tap.send(`d|s|tk|tm|${front}`);
    await tap.settle();
    time.advance(seconds(1));
    await tap.settle();
    expect(
      tap
        .payloads('s|21|')
        .map((payload) => [payload['matchPrice'], payload['matchQtty'], payload['totalVolume']]),
    ).toEqual([
      [1300, 4, 4],
      [1300.3, 2, 6],
      [1300.2, 1, 7],
      [1300.4, 7, 14],
    ]);
    expect(simulator.clockMap()).toMatchObject({
      speed: 60,
      originMarketUs: Date.UTC(2026, 2, 4, 3) * 1_000,
    });
  });

  it('starts at its origin without anybody', async () => {
    const { simulator, alice, time } = await openMarket({
      market: { kind: 'tape', path, referencePoints: null },
      time: { ...TIME, start: 'origin' },
    });
    time.advance(seconds(1));
    expect(firstRow(await alice.call('derivatives'))).toMatchObject({
      totalVol: 14,
      matchPrice: 1300.4,
    });
    expect(simulator.marketNowUs()).toBe(Date.UTC(2026, 2, 4, 3, 1) * 1_000);
  });

  it('starts as in life for a daemon that may need long, and agrees with it on the time', async () => {
    const { simulator, time } = await openMarket({
      market: { kind: 'tape', path, referencePoints: null },
      time: { ...TIME, start: 'as_in_life' },
    });
    const from = simulator.marketNowUs();
    time.advance(seconds(20));
    expect(simulator.marketNowUs() - from).toBe(seconds(20));
    expect(marketTimeAt(simulator.clockMap(), time.nowUs())).toBe(simulator.marketNowUs());
    simulator.runTo(tsUs(from + seconds(50)));
    time.advance(seconds(1));
    expect(simulator.marketNowUs() - from, 'at speed 60 to there').toBe(seconds(50) + seconds(0.5));
  });

  it('runs to its next print and waits there for the daemon, which gets each step', async () => {
    const { simulator, alice, time, front } = await openMarket({
      market: { kind: 'tape', path, referencePoints: null },
      time: { ...TIME, start: 'origin' },
    });
    const from = simulator.marketNowUs();
    const tap = await BareStream.authenticated(simulator.stream, alice.token);
    tap.send(`d|s|tk|tm|${front}`);
    await tap.settle();
    const steps: MarketStep[] = [];
    simulator.onStep((step) => steps.push(step));
    simulator.runTo(tsUs(from));
    time.advance(milliseconds(200));
    expect(simulator.marketNowUs() - from).toBe(milliseconds(200));
    const next = tsUs(from + seconds(3));
    expect(steps.at(-1)?.nextUs).toBe(next);
    simulator.runTo(next);
    time.advance(seconds(1));
    // 2.8 s of the market took 47 ms; the rest ran as in life, and the last print is not due.
    expect(simulator.marketNowUs() - next).toBeLessThan(seconds(1));
    await tap.settle();
    expect(tap.payloads('s|21|')).toHaveLength(2);
    expect((steps.at(-1)?.sent ?? 0) - (steps[0]?.sent ?? 0)).toBe(2);
    simulator.runTo(null);
    time.advance(seconds(1));
    await tap.settle();
    expect(tap.payloads('s|21|')).toHaveLength(3);
  });

  it('goes on in the middle after a restart, and is not lived twice on one account', async () => {
    const options = {
      market: { kind: 'tape', path, referencePoints: null },
      stateDir: join(dir, 'state'),
      time: { ...TIME, speed: 1, start: 'origin' },
    } as const;
    const first = await openMarket(options);
    first.time.advance(seconds(4));
    await order(first.alice, 'B', first.front, 1300.1, 1);
    await first.close();

    const later = { ...options, time: { ...options.time, originMarketUs: first.simulator.marketNowUs() } };
    const second = await openMarket(later);
    expect(rowsOf(await second.alice.call('in-day'))).toHaveLength(1);
    second.time.advance(seconds(2));
    expect(firstRow(await second.alice.call('derivatives'))).toMatchObject({ totalVol: 14 });
    await second.close();

    await expect(openMarket(options)).rejects.toThrow(/start fresh or use another state directory/);
  });

  it('a clock that is behind the prices of a feed asks for no fresh account', async () => {
    const none = { begin: () => undefined, follow: () => undefined, take: () => undefined };
    const source = { ...none, isLive: true, nextDueUs: () => Infinity };
    const options = {
      market: { kind: 'feed', source, startPoints: 1_300 },
      stateDir: join(dir, 'state'),
    } as const;
    const first = await openMarket(options);
    first.time.advance(seconds(4));
    await first.close();
    await expect(openMarket(options)).rejects.toThrow(/set the clocks .* right \(NTP\), or wait until then$/);
  });

  it.each([
    ['2026-03-04_nobody.csv', TAPE, 'expected a contract code'],
    ['2026-03-05_vn30f2603.csv', 'Time,Price,Volume,Side\n', 'expected at least one print'],
  ])('that cannot be played stops the start: %s', async (name, text, message) => {
    writeFileSync(join(dir, name), text);
    const market = { kind: 'tape', path: join(dir, name), referencePoints: null } as const;
    await expect(openMarket({ market })).rejects.toThrow(message);
  });
});

const REAL_DAY = join(import.meta.dirname, '../../../shared/data/vn30f/ticks/2026-03-04_vn30f2603.csv.gz');

it('a real day is played to its last print, and its account adds up to the VND', async (context) => {
  context.skip(!existsSync(REAL_DAY), 'the shared data is not there');
  const market = { kind: 'tape', path: REAL_DAY, referencePoints: null } as const;
  const { simulator, alice, time, front } = await openMarket({ market, time: { ...TIME, start: 'origin' } });
  for (let minute = 1; minute <= 360; minute += 1) {
    time.advance(seconds(1));
    const price = Number(firstRow(await alice.call('derivatives'))['matchPrice']);
    const wish = { side: minute % 2 === 0 ? 'B' : 'S', symbol: front, price, volume: 3 } as const;
    await alice.call('place', { ...wish, refId: `H.${minute}` });
  }
  const volumes = gunzipSync(readFileSync(REAL_DAY))
    .toString()
    .split('\n')
    .slice(1)
    .map((line) => Number(line.split(',')[2] ?? 0));
  expect(firstRow(await alice.call('derivatives'))).toMatchObject({
    matchPrice: 1956,
    totalVol: volumes.reduce((sum, volume) => sum + volume, 0),
  });

  // What a client can compute from the book alone.
  const orders = rowsOf(await alice.call('in-day', { pageSize: '1000' }));
  const signed = (name: string): number =>
    orders.reduce((sum, order) => sum + (order['side'] === 'B' ? 1 : -1) * Number(order[name]), 0);
  const traded = orders.filter((order) => Number(order['matchVolume']) > 0);
  const fee = traded.reduce((sum, order) => sum + 5_250 * Number(order['matchVolume']), 0);
  const tax = traded.reduce(
    (sum, order) => sum + Math.round((Number(order['matchValue']) * 0.001 * 0.17) / 2),
    0,
  );
  expect(traded.length).toBeGreaterThan(100);
  const status = (await alice.call('account-status')).json['data'] as Record<string, unknown>;
  expect(status).toMatchObject({
    cash: 1_000_000_000,
    vm: signed('matchVolume') * 195_600_000 - signed('matchValue'),
    others: fee + tax,
    tax,
  });
  expect(simulator.positions().map(({ net }) => net)).toEqual([signed('matchVolume')]);
});
