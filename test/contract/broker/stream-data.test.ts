/** Subscriptions and what they bring (contract, 6.2 and 6.3; notes, 7), over a bare WebSocket. */
import { beforeAll, describe, expect, it } from 'vitest';
import { seconds } from '../../../src/domain/units.ts';
import { fieldDeviations, type Json, unknownNames, valuesAt } from './document/answer-check.ts';
import { ALL_CODES, CHANNELS, DATA_CHANNELS, subscribeFrame, unsubscribeFrame } from './document/stream.ts';
import { rowsOf } from './support/bare-client.ts';
import { BareStream } from './support/bare-stream.ts';
import { type Market, openMarket, openMarketAt, placed, trade, withStream } from './support/market.ts';

const listen = async ({ simulator, alice }: Market, codes: string, symbols: string): Promise<BareStream> => {
  const stream = await BareStream.authenticated(simulator.stream, alice.token);
  stream.send(subscribeFrame(codes, symbols));
  await stream.settle();
  return stream;
};

/** Levels on both sides, trades through some of them. */
async function liven(market: Market, symbol = market.front): Promise<void> {
  const { alice, bob } = market;
  for (const [at, price] of [1_298, 1_297, 1_296.5, 1_295].entries())
    await placed(bob, 'B', symbol, price, at + 1);
  for (const [at, price] of [1_302, 1_303, 1_304.5].entries()) await placed(bob, 'S', symbol, price, at + 2);
  await placed(alice, 'B', symbol, 1_303, 3);
  await placed(alice, 'S', symbol, 1_298, 1);
}

const idsOf = (stream: BareStream): string[] => [
  ...new Set(stream.dataFrames.map((frame) => frame.slice(0, frame.indexOf('|', 2) + 1))),
];

describe('the payloads', () => {
  let stream: BareStream;

  beforeAll(async () => {
    const market = await openMarket();
    stream = await listen(market, ALL_CODES, market.front);
    await liven(market);
    await stream.settle();
  });

  it.each(DATA_CHANNELS.flatMap(({ code, id, fields }) => fields.map((field) => ({ code, id, ...field }))))(
    'of $code ($id) have $path of type $types',
    ({ id, ...field }) => {
      const payloads = stream.payloads(id);
      expect(payloads.flatMap((payload) => valuesAt(payload, field.path)).length).toBeGreaterThan(0);
      expect(payloads.flatMap((payload) => fieldDeviations(payload, field))).toEqual([]);
    },
  );

  it.each(DATA_CHANNELS)('of $code have no name that is not documented', ({ id, fields }) => {
    expect(stream.payloads(id).flatMap((payload) => unknownNames(payload, fields))).toEqual([]);
    expect(stream.isTextOnly).toBe(true);
  });
});

describe('a channel', () => {
  it.each([...CHANNELS, { code: 'bp+fe', id: null }])(
    '$code brings $id and nothing else',
    async ({ code, id }) => {
      const market = await openMarket();
      const stream = await listen(market, code, market.front);
      await liven(market);
      await stream.settle();
      expect(idsOf(stream)).toEqual(id === null ? [] : [id]);
    },
  );

  it.each([
    [ALL_CODES, ['s|23|', 's|24|', 's|21|', 's|27|']],
    ['fe+op+mp+tm+bi+bp', ['s|23|', 's|24|', 's|21|', 's|27|']],
    ['tm+mp', ['s|21|', 's|27|']],
  ])('list %s brings those of its codes', async (codes, ids) => {
    const market = await openMarket();
    const stream = await listen(market, codes, market.front);
    await liven(market);
    await stream.settle();
    expect(idsOf(stream).toSorted((a, b) => a.localeCompare(b))).toEqual(
      ids.toSorted((a, b) => a.localeCompare(b)),
    );
  });
});

describe('the trades', () => {
  it('are one frame each, with a chain of total volumes and the change against the reference', async () => {
    const market = await openMarket();
    const { alice, front } = market;
    const stream = await listen(market, 'tm', front);
    await liven(market);
    await stream.settle();
    const [board] = rowsOf(await alice.call('derivatives'));
    const reference = Number(board?.['refPrice']);
    const trades = stream.payloads('s|21|');
    expect(trades.map(({ matchPrice, matchQtty }) => [matchPrice, matchQtty])).toEqual([
      [1_302, 2],
      [1_303, 1],
      [1_298, 1],
    ]);
    let total = 0;
    for (const row of trades) {
      total += Number(row['matchQtty']);
      const price = Number(row['matchPrice']);
      expect(row).toMatchObject({
        symbol: front,
        totalVolume: total,
        change: Number((price - reference).toFixed(2)),
        changePercent: Number(((price / reference - 1) * 100).toFixed(2)),
      });
    }
    expect(board).toMatchObject({ totalVol: total, matchPrice: 1_298 });
  });

  it('of an auction come at its uncross', async () => {
    const market = await openMarketAt('2026-03-04 08:59:50');
    const stream = await listen(market, 'tm', market.front);
    await trade(market, market.front, 1_300, 2);
    await stream.settle();
    expect(stream.payloads('s|21|')).toEqual([]);
    market.time.advance(seconds(10));
    await stream.settle();
    expect(stream.payloads('s|21|')).toMatchObject([{ matchPrice: 1_300, matchQtty: 2, totalVolume: 2 }]);
  });
});

describe('the book', () => {
  it('is there as soon as it is subscribed, best level first, and follows every change', async () => {
    const market = await openMarket();
    const { bob, front } = market;
    await liven(market);
    const stream = await listen(market, 'bi+op', front);
    const best = { bidPrice01: 1_297, bidQtty01: 2, bidPrice02: 1_296.5, bidQtty02: 3, bidPrice03: 1_295 };
    expect(stream.payloads('s|23|')).toMatchObject([{ symbol: front, ...best, bidQtty03: 4 }]);
    const offers = { offerPrice01: 1_303, offerQtty01: 2, offerPrice02: 1_304.5, offerQtty02: 4 };
    expect(stream.payloads('s|24|')).toMatchObject([{ symbol: front, ...offers }]);
    await placed(bob, 'B', front, 1_297.5, 7);
    await stream.settle();
    expect(stream.payloads('s|23|').at(-1)).toMatchObject({
      bidPrice01: 1_297.5,
      bidQtty01: 7,
      bidPrice02: 1_297,
    });
    const frames = stream.dataFrames.length;
    await placed(bob, 'B', front, 1_280, 1);
    await stream.settle();
    expect(stream.dataFrames, 'below the third level nothing changes').toHaveLength(frames);
  });

  it.each(['full', 'changes'] as const)(
    'merged frame by frame is the board, with %s frames',
    async (bookFrames) => {
      const market = await openMarket(withStream({ bookFrames }));
      const { alice, front } = market;
      const stream = await listen(market, 'bi+op', front);
      await liven(market);
      const orderNo = await placed(alice, 'B', front, 1_299, 1);
      await alice.call('cancel', { orderNo });
      await stream.settle();
      const merged = Object.assign({}, ...stream.payloads('s|23|'), ...stream.payloads('s|24|')) as Json;
      const [board] = rowsOf(await alice.call('derivatives'));
      expect(board).toMatchObject(merged);
      expect(Object.keys(merged)).toHaveLength(13);
      const partial = stream.payloads('s|23|').filter((payload) => Object.keys(payload).length < 7);
      expect(partial.length > 0).toBe(bookFrames === 'changes');
    },
  );

  it('says of a level that is gone that it is nothing', async () => {
    const market = await openMarket();
    const { alice, front } = market;
    const stream = await listen(market, 'bi', front);
    const orderNo = await placed(alice, 'B', front, 1_299, 1);
    await alice.call('cancel', { orderNo });
    await stream.settle();
    expect(stream.payloads('s|23|').at(-1)).toMatchObject({ bidPrice01: 0, bidQtty01: 0 });
  });
});

describe('the summary', () => {
  it('has open, high, low and average of the session in points', async () => {
    const market = await openMarket();
    for (const price of [1_300, 1_310, 1_295]) await trade(market, market.front, price, 1);
    await trade(market, market.front, 1_305, 1);
    const stream = await listen(market, 'mp', market.front);
    const summary = { symbol: market.front, open: 1_300, high: 1_310, low: 1_295, avg: 1_302.5 };
    expect(stream.payloads('s|27|')).toEqual([summary]);
  });
});

const symbolsOf = (stream: BareStream): unknown[] => stream.payloads('s|21|').map(({ symbol }) => symbol);
async function tradeAll(market: Market, stream: BareStream): Promise<void> {
  for (const symbol of market.simulator.contracts.slice(0, 3)) await trade(market, symbol, 1_300, 1);
  await stream.settle();
}

describe('symbols', () => {
  it.each([
    ['joined by a comma', (a: string, b: string) => `d|s|tk|tm|${a},${b}`],
    ['with blanks', (a: string, b: string) => `d|s|tk|tm |${a}, ${b} `],
    ['in two frames', (a: string, b: string) => `d|s|tk|tm|${a}\nd|s|tk|tm|${b}`],
  ])('may be several: %s', async (_how, frames) => {
    const market = await openMarket();
    const { simulator, alice, front, next } = market;
    const stream = await BareStream.authenticated(simulator.stream, alice.token);
    for (const frame of frames(front, next).split('\n')) stream.send(frame);
    await stream.settle();
    await tradeAll(market, stream);
    expect(symbolsOf(stream)).toEqual([front, next]);
  });

  it('end with an unsubscription: of one symbol, of one channel', async () => {
    const market = await openMarket();
    const { front, next } = market;
    const stream = await listen(market, 'tm+mp', `${front},${next}`);
    stream.send(unsubscribeFrame('tm', front));
    stream.send(unsubscribeFrame('mp', `${front},${next}`));
    await stream.settle();
    await tradeAll(market, stream);
    expect([symbolsOf(stream), idsOf(stream)]).toEqual([[next], ['s|21|']]);
    stream.send(subscribeFrame('tm', front));
    await stream.settle();
    await tradeAll(market, stream);
    expect(symbolsOf(stream)).toEqual([next, front, next]);
  });

  it('count once, however often they are subscribed', async () => {
    const market = await openMarket();
    const stream = await listen(market, 'tm', market.front);
    stream.send(subscribeFrame('tm', market.front));
    await stream.settle();
    await tradeAll(market, stream);
    expect(symbolsOf(stream)).toEqual([market.front]);
  });

  it('are those of the contract list, where it has codes of its own', async () => {
    const market = await openMarket({ streamCodes: 'internal' });
    const { alice, front } = market;
    const code = rowsOf(await alice.call('contracts'))[0]?.['symbol'] as string;
    expect(code).not.toBe(front);
    const stream = await listen(market, 'tm', `${code},${front}`);
    await tradeAll(market, stream);
    expect(symbolsOf(stream)).toEqual([code]);
  });

  it('roll: after its last day the old code is silent and the new one speaks', async () => {
    const market = await openMarketAt('2026-03-19 14:29:00');
    const { alice, front, next, time } = market;
    await trade(market, front, 1_300, 1);
    time.advance(seconds(18 * 3_600 + 40 * 60));
    for (const client of [alice, market.bob]) await client.logIn();
    const [first] = rowsOf(await alice.call('contracts'));
    expect(first).toMatchObject({ symbol: next });
    const stream = await listen(market, ALL_CODES, `${front},${next}`);
    await trade(market, next, 1_300, 1);
    await stream.settle();
    expect(new Set(stream.dataFrames.map((frame) => (JSON.parse(frame.slice(5)) as Json)['symbol']))).toEqual(
      new Set([next]),
    );
  });
});

it('payloads are printed over several lines where the service does so: one frame all the same', async () => {
  const market = await openMarket(withStream({ payloads: 'live' }));
  const stream = await listen(market, ALL_CODES, market.front);
  await liven(market);
  await stream.settle();
  for (const frame of stream.dataFrames) expect(frame.split('\n').length).toBeGreaterThan(3);
  expect(stream.payloads('s|21|')).toHaveLength(3);
});

describe('a subscription outside sessions', () => {
  it.each(['2026-03-04 07:30:00', '2026-03-04 12:00:00', '2026-03-04 20:00:00', '2026-03-07 10:00:00'])(
    'brings nothing: %s',
    async (moment) => {
      const market = await openMarketAt(moment);
      const stream = await listen(market, ALL_CODES, market.front);
      expect(stream.dataFrames).toEqual([]);
    },
  );

  it('brings data with the next session, without another word', async () => {
    const market = await openMarketAt('2026-03-04 12:59:59');
    const stream = await listen(market, ALL_CODES, market.front);
    market.time.advance(seconds(2));
    await liven(market);
    await stream.settle();
    expect(idsOf(stream).toSorted()).toEqual(['s|21|', 's|23|', 's|24|', 's|27|']);
  });
});
