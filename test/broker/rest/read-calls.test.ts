import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { seconds } from '../../../src/domain/units.ts';
import { envelope, HTML, RestWorld } from '../support/rest-world.ts';

const READ = { priority: 'book' } as const;

let world: RestWorld;

beforeEach(async () => {
  world = await RestWorld.start();
});

afterEach(() => world.close());

describe('a read', () => {
  it('is tried again, twice at most, with a wait in between', async () => {
    world.server.handle((exchange) => exchange.reply(502, HTML));
    const read = world.rest.positions(READ);
    for (const wait of [0.25, 1]) {
      await world.failedRead();
      world.timers.advance(seconds(wait));
    }
    expect(await read).toEqual({ ok: false, kind: 'unanswered', reason: 'HTTP 502' });
    expect(world.server.exchanges).toHaveLength(3);
  });

  it('brings what the second try brought, and when that began', async () => {
    const starts: number[] = [];
    world.server.handle((exchange) => {
      if (world.server.exchanges.length === 1) exchange.socket.destroy();
      else exchange.reply(200, envelope([{ symbol: 'VN30F2601', net: -2 }]));
    });
    const read = world.rest.positions({ ...READ, onStart: () => starts.push(world.timers.nowUs()) });
    await world.failedRead();
    world.timers.advance(seconds(0.25));
    expect(await read).toMatchObject({ ok: true, value: [{ orderCode: 'VN30F2601', qty: -2 }] });
    expect(starts[1]! - starts[0]!).toBe(seconds(0.25));
  });

  it.each([
    ['a refusal', 200, envelope([], '-1', 'no'), 'refused'],
    ['401', 401, {}, 'token_refused'],
  ])('is not tried again after %s', async (_, status, body, kind) => {
    world.server.handle((exchange) => exchange.reply(status, body));
    expect(await world.rest.account(READ)).toMatchObject({ ok: false, kind });
    expect(world.server.exchanges).toHaveLength(1);
  });

  it.each([401, 403])(
    'answered with %i casts doubt on the token, and any other answer none',
    async (status) => {
      world.server.handle((exchange) => exchange.reply(status, {}));
      await world.rest.positions(READ);
      expect(world.tokens).toMatchObject({ doubted: ['token-1 positions'], rejected: [], proven: [] });
      world.server.handle((exchange) => exchange.reply(200, envelope([])));
      await world.rest.positions(READ);
      expect(world.tokens).toMatchObject({ doubted: ['token-1 positions'], proven: ['token-1'] });
    },
  );

  it('asks for nothing without a token', async () => {
    world.tokens.set(undefined);
    expect(await world.rest.quotes(READ)).toMatchObject({ ok: false, kind: 'no_token' });
    expect(world.server.exchanges).toEqual([]);
    expect(world.signals).toEqual([]);
  });

  it('slows everything down after 429, as long as the service asks for', async () => {
    world.server.handle((exchange) => exchange.reply(429, {}, { 'retry-after': '7' }));
    const read = world.rest.contracts(READ);
    await world.failedRead();
    expect(world.signals[0]).toMatchObject({ kind: 'slowed_down' });
    world.server.handle((exchange) => exchange.reply(200, { data: [{ symbol: 'VN30F2601' }] }));
    world.timers.advance(seconds(6));
    expect(world.server.exchanges).toHaveLength(1);
    world.timers.advance(seconds(2));
    expect(await read).toMatchObject({ ok: true, value: [{ code: 'VN30F2601' }] });
  });

  it('measures the skew of the clocks by the way', async () => {
    const date = new Date(world.timers.nowUs() / 1000 - 20_000).toUTCString();
    world.server.handle((exchange) => exchange.reply(200, envelope([]), { date }));
    await world.rest.positions(READ);
    expect(world.sink.events).toMatchObject([{ kind: 'clock_skew', skewUs: seconds(19.5) }]);
  });
});

const row = (orderNo: number): object => ({
  orderNo,
  pk_orderNo: `${7_000_000 + orderNo}`,
  side: 'S',
  symbol: 'VN30F2601',
  volume: 3,
  showPrice: '1300.5',
  matchVolume: 1,
  status: 'PM',
  isCancel: '1',
  isAmend: '1',
});

describe('the book', () => {
  it('with a row that cannot be read is no evidence, and says so', async () => {
    world.server.handle((exchange) => exchange.reply(200, envelope([row(1), { ...row(2), volume: 'many' }])));
    expect(await world.rest.inDayBook(READ)).toMatchObject({ complete: false, orders: [{ orderNo: '1' }] });
    const rows = [row(1), { ...row(2), volume: 'many' }].map((each) => ({
      ...each,
      soPrice: 1296.5,
      orderType: 'SU',
      status: '0',
    }));
    world.server.handle((exchange) => exchange.reply(200, envelope(rows)));
    expect(await world.rest.conditions.book(READ)).toMatchObject({
      complete: false,
      reason: '1 rows are unreadable',
      orders: [{ orderKey: '7000001' }],
    });
    expect(world.signals).toMatchObject([
      { kind: 'read_failed', operation: 'in-day', willRetry: false },
      { kind: 'read_failed', operation: 'conditions', willRetry: false },
    ]);
  });

  it('begins with the first page', async () => {
    let starts = 0;
    world.server.handle((exchange) => {
      const page = Number(exchange.url.searchParams.get('pageNo'));
      exchange.reply(200, envelope(page === 1 ? [1, 2, 3, 4, 5].map(row) : []));
    });
    await world.rest.inDayBook({ ...READ, onStart: () => (starts += 1) });
    expect([starts, world.server.exchanges.length]).toEqual([1, 2]);
  });
});

it('closed positions are all there or none', async () => {
  const rows = Array.from({ length: 5 }, (_, i) => ({
    symbol: `VN30F${i}`,
    side: 'B',
    closeVM: i,
    closePosition: '1/1',
  }));
  world.server.handle((exchange) => {
    const isFirst = exchange.url.searchParams.get('pageNo') === '1';
    exchange.reply(200, isFirst ? envelope(rows) : envelope([], '-1', 'no'));
  });
  const read = await world.rest.accounts.closedPositions(null, READ);
  expect(read).toMatchObject({ ok: false, reason: expect.stringContaining('page 2') });
});
