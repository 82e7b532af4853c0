import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { seq, tsUs } from '../../../src/domain/units.ts';
import {
  decodeServerFrame,
  type ServerFrame,
  readTimedFrame,
} from '../../../src/wire/stream/server-frame.ts';
import { CountedDrift } from '../support/counted-drift.ts';
import { LISTED } from '../support/listed-contracts.ts';

interface Golden {
  readonly name: string;
  readonly source: string;
  readonly frame: string;
  readonly decoded: unknown;
}

const GOLDEN_FILE = join(import.meta.dirname, '../../golden/wire/server-frames.json');
const GOLDEN = JSON.parse(readFileSync(GOLDEN_FILE, 'utf8')) as readonly Golden[];

const read = (text: string, drift = new CountedDrift()): ServerFrame =>
  decodeServerFrame(text, LISTED, seq(7), tsUs(9), drift);
const trade = (fields: object): string =>
  `s|21|${JSON.stringify({ symbol: 'VN30F2511', matchPrice: 1300, matchQtty: 1, totalVolume: 10, ...fields })}`;
const bid = (fields: object): string => `s|23|${JSON.stringify({ symbol: 'VN30F2511', ...fields })}`;
const summary = (fields: object): string =>
  `s|27|${JSON.stringify({ symbol: 'VN30F2511', open: 1300, high: 1310, low: 1290, avg: 1301.23, ...fields })}`;
const pathsOf = (frame: ServerFrame): string[] =>
  frame.kind === 'malformed' ? frame.issues.map(({ path }) => path) : [frame.kind];
const levelsOf = (frame: ServerFrame): unknown => {
  if (frame.kind !== 'market' || frame.event.kind !== 'book_update') return frame;
  return [frame.event.levels, frame.event.halves];
};

const level = (price: number, qty: number): unknown => ({ price, qty });

describe('a frame of the documents', () => {
  it.each(GOLDEN)('$name ($source)', ({ frame, decoded }) => {
    expect(read(frame)).toStrictEqual(decoded);
  });
});

describe('control frames', () => {
  it.each([['d|34|1'], ['d|99|{"a":1}'], ['d|'], ['d|0'], ['d|033|15'], ['d|3|3|15'], ['d|p']])(
    '%s is unknown and harmless',
    (text) => {
      expect(read(text)).toEqual({ kind: 'control', text });
    },
  );

  it.each([
    ['d|33|', 'heartbeat timeout'],
    ['d|33|soon', 'heartbeat timeout'],
    ['d|33|0', 'heartbeat timeout'],
    ['d|33|1e999', 'heartbeat timeout'],
    ['d|33|1e300', 'heartbeat timeout'],
    ['d|33|86400', 'heartbeat timeout'],
    ['d|33|1e-9', 'heartbeat timeout'],
    ['d|0|', 'auth result'],
    ['d|0|yes', 'auth result'],
    ['d|0|null', 'auth result.success'],
    ['d|0|{"success":"true"}', 'auth result.success'],
  ])('%s cannot be understood: %s', (text, path) => {
    expect(pathsOf(read(text))).toEqual([path]);
  });

  it.each([
    ['d|33|15|', { kind: 'heartbeat_timeout', seconds: 15 }],
    ['d|33| 7.5 ', { kind: 'heartbeat_timeout', seconds: 7.5 }],
    ['d|p|', { kind: 'pong' }],
    ['d|p|||x', { kind: 'pong' }],
    ['d|0|{"success":false,"error":null}', { kind: 'auth_result', success: false, code: '', message: '' }],
    ['d|0|{"success":false}', { kind: 'auth_result', success: false, code: '', message: '' }],
    [
      'd|0|{"success":false,"error":{"code":1,"message":"a|b"}}',
      { kind: 'auth_result', success: false, code: '1', message: 'a|b' },
    ],
  ])('%s is read all the same', (text, frame) => {
    expect(read(text)).toEqual(frame);
  });

  it('counts bare keys once they are read', () => {
    const drift = new CountedDrift();
    read('d|0|{success: true, error: null}', drift);
    expect(drift.seen).toEqual(['auth result: keys without quotes']);
  });
});

describe('the channel', () => {
  it.each([['2'], ['211'], ['021'], ['21 '], [' 21'], ['1'], ['5'], ['']])('"%s" is not 21', (channel) => {
    expect(read(trade({}).replace('s|21|', `s|${channel}|`))).toEqual({ kind: 'ignored', channel });
  });

  it('is not parsed when it is ignored', () => {
    expect(read('s|25|no JSON at all')).toEqual({ kind: 'ignored', channel: '25' });
  });

  it.each([['s|'], ['s|21'], ['s'], ['x|21|{}'], [''], ['{}'], ['ping|1'], [' s|21|{}']])(
    '%j is no frame',
    (text) => {
      expect(pathsOf(read(text))).toEqual(['frame']);
    },
  );

  it.each([
    ['s|21|', 'payload'],
    ['s|21|{', 'payload'],
    ['s|21|null', 'payload'],
    ['s|21|{}', 'payload.symbol'],
    ['s|21|{"symbol":5}', 'payload.symbol'],
  ])('%s is malformed at %s', (text, path) => {
    expect(pathsOf(read(text))).toEqual([path]);
  });

  it('separates at the first two bars only', () => {
    expect(read(trade({ note: 'a|b||c' }))).toMatchObject({ kind: 'market' });
    expect(read(trade({ symbol: 'A|B' }))).toEqual({ kind: 'unknown_symbol', symbol: 'A|B' });
  });

  it.each(['VN30F2512', '', 'vn30f2511', '__proto__', 'constructor'])('knows no symbol %j', (symbol) => {
    for (const text of [trade({ symbol }), bid({ symbol }), summary({ symbol })]) {
      expect(read(text)).toEqual({ kind: 'unknown_symbol', symbol });
    }
  });
});

describe('a trade', () => {
  it.each([
    ['numbers as texts', { matchPrice: '1300.1', matchQtty: '2', totalVolume: '12' }, 3],
    ['scientific texts', { matchPrice: '1.3001E3', matchQtty: '2e0', totalVolume: '1.2E1' }, 3],
    ['no change, no percent', { matchPrice: 1300.1, matchQtty: 2, totalVolume: 12 }, 0],
    ['fields nobody knows', { matchPrice: 1300.1, matchQtty: 2, totalVolume: 12, x: {}, change: 'n/a' }, 0],
    ['binary fractions', { matchPrice: 1300.1000000000001, matchQtty: 2, totalVolume: 12 }, 0],
  ])('is read with %s', (_what, fields, drifts) => {
    const drift = new CountedDrift();
    const event = { kind: 'trade', seq: 7, tsUs: 9, instrument: 0, price: 13_001, qty: 2, totalVolume: 12 };
    expect(read(trade(fields), drift)).toStrictEqual({ kind: 'market', event });
    expect(drift.seen).toHaveLength(drifts);
  });

  it('counts what it tolerates by field', () => {
    const drift = new CountedDrift();
    read(trade({ matchQtty: '2' }), drift);
    expect(drift.seen).toEqual(['trade.matchQtty: number as text']);
  });

  it.each([
    [{ matchPrice: 1300.05 }, ['trade.matchPrice']],
    [{ matchPrice: 0 }, ['trade.matchPrice']],
    [{ matchPrice: null }, ['trade.matchPrice']],
    [{ matchPrice: 'MTL' }, ['trade.matchPrice']],
    [{ matchPrice: '1,300.5' }, ['trade.matchPrice']],
    [{ matchPrice: 1e300 }, ['trade.matchPrice']],
    [{ matchPrice: 1e8 }, ['trade.matchPrice']],
    [{ matchPrice: undefined }, ['trade.matchPrice']],
    [{ matchQtty: 0 }, ['trade.matchQtty']],
    [{ matchQtty: 1.5 }, ['trade.matchQtty']],
    // 32 bits of a recording would show it as another number.
    [{ matchQtty: 2_147_483_648 }, ['trade.matchQtty']],
    [{ totalVolume: -1 }, ['trade.totalVolume']],
    [{ totalVolume: undefined }, ['trade.totalVolume']],
    [
      { matchPrice: 'x', matchQtty: 'y', totalVolume: 'z' },
      ['trade.matchPrice', 'trade.matchQtty', 'trade.totalVolume'],
    ],
  ])('is malformed with %j', (fields, paths) => {
    expect(pathsOf(read(trade(fields)))).toEqual(paths);
  });

  it('says what was expected and what it was', () => {
    expect(read(trade({ matchPrice: 1300.05 }))).toEqual({
      kind: 'malformed',
      issues: [
        { path: 'trade.matchPrice', expected: 'a price on the grid of 0.1 points', received: '1300.05' },
      ],
    });
  });
});

describe('one side of the book', () => {
  it.each([
    ['one level', { bidPrice02: 1300, bidQtty02: 5 }, [undefined, level(13_000, 5), undefined]],
    ['null for both', { bidPrice01: null, bidQtty01: null }, [null, undefined, undefined]],
    ['0 for both', { bidPrice01: 0, bidQtty01: 0 }, [null, undefined, undefined]],
    ['0 for the quantity', { bidPrice01: 1300, bidQtty01: 0 }, [null, undefined, undefined]],
    ['null for the price', { bidPrice01: null, bidQtty01: 5 }, [null, undefined, undefined]],
    ['null for the quantity alone', { bidQtty03: null }, [undefined, undefined, null]],
    ['0 for the price alone', { bidPrice03: 0 }, [undefined, undefined, null]],
    ['texts', { bidPrice01: '1300.2', bidQtty01: '5' }, [level(13_002, 5), undefined, undefined]],
    ['the other side only', { offerPrice01: 1300, offerQtty01: 5 }, [undefined, undefined, undefined]],
  ])('with %s', (_what, fields, levels) => {
    expect(levelsOf(read(bid(fields)))).toStrictEqual([levels, null]);
  });

  it('counts a tolerated field once', () => {
    const drift = new CountedDrift();
    read(bid({ bidPrice01: '1300.2', bidQtty01: 5 }), drift);
    expect(drift.seen).toEqual(['bid.bidPrice01: number as text']);
  });

  it('with halves: what is left out keeps its value', () => {
    const drift = new CountedDrift();
    const text = bid({ bidQtty01: 4, bidPrice02: 1299.9, bidPrice03: 1299.8, bidQtty03: 2 });
    expect(levelsOf(read(text, drift))).toStrictEqual([
      [undefined, undefined, level(12_998, 2)],
      [
        { level: 0, price: undefined, qty: 4 },
        { level: 1, price: 12_999, qty: undefined },
      ],
    ]);
    expect(drift.seen).toEqual(['bid.bidPrice01: half a level', 'bid.bidPrice02: half a level']);
  });

  it.each([
    [{ bidPrice01: 1300.01, bidQtty01: 5 }, ['bid.bidPrice01']],
    [{ bidPrice01: -1, bidQtty01: 5 }, ['bid.bidPrice01']],
    [{ bidPrice01: 'ATO', bidQtty01: 5 }, ['bid.bidPrice01']],
    [{ bidPrice01: 1300, bidQtty01: -5 }, ['bid.bidQtty01']],
    [{ bidPrice01: 1300, bidQtty01: 0.5 }, ['bid.bidQtty01']],
    [{ bidQtty02: 'many' }, ['bid.bidQtty02']],
    [{ bidPrice01: 1300.01, bidQtty01: {} }, ['bid.bidQtty01', 'bid.bidPrice01']],
  ])('is malformed with %j', (fields, paths) => {
    expect(pathsOf(read(bid(fields)))).toEqual(paths);
  });
});

describe('a day summary', () => {
  it.each([
    [{ avg: 1301.236 }, 130_124],
    [{ avg: '1301.23' }, 130_123],
    [{ avg: 1300 }, 130_000],
  ])('rounds the average to the nearest hundredth: %j', (fields, average) => {
    expect(read(summary(fields))).toMatchObject({ kind: 'market', event: { kind: 'summary', average } });
  });

  it.each([[{ open: 0 }], [{ high: null }], [{ low: undefined }], [{ avg: '' }], [{ avg: 0 }]])(
    'that says nothing is ignored: %j',
    (fields) => {
      const drift = new CountedDrift();
      expect(read(summary(fields), drift)).toEqual({ kind: 'ignored', channel: '27' });
      expect(drift.seen.at(-1)).toBe(`summary.${Object.keys(fields)[0]}: nothing`);
    },
  );

  it.each([
    [{ open: 'x' }, 'summary.open'],
    [{ low: -1 }, 'summary.low'],
    [{ avg: 1e300 }, 'summary.avg'],
  ])('is malformed with %j', (fields, path) => {
    expect(pathsOf(read(summary(fields)))).toEqual([path]);
  });
});

it('a time of receipt far ahead is none: no engine could add to it', () => {
  const text = 's|21|{}@9007199254740991';
  expect(readTimedFrame(text)).toEqual({ text, receivedUs: null });
});
