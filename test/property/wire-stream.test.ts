/** What one side writes, the other reads; and no text, however broken, makes a reader throw. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BookLevel } from '../../src/domain/ticks.ts';
import { priceHundredths, priceTicks, qty, seq, tsUs } from '../../src/domain/units.ts';
import {
  ALL_CHANNELS,
  decodeClientFrame,
  encodeAuth,
  encodeSubscribe,
  encodeUnsubscribe,
  HEARTBEAT_FRAME,
  isDataChannel,
  encodeAuthResult,
  encodeHeartbeatTimeout,
  PONG_FRAME,
  SERVER_BEAT_FRAME,
} from '../../src/wire/stream/control-frame.ts';
import {
  encodeBook,
  encodeBookChange,
  encodeSummary,
  encodeTrade,
} from '../../src/wire/stream/data-frame.ts';
import { decodeServerFrame, type ServerFrame } from '../../src/wire/stream/server-frame.ts';
import { SERVER_FRAMES } from '../fuzz/frame-seeds.ts';
import { FRONT, LISTED, NEXT } from '../wire/support/listed-contracts.ts';

const SEQ = seq(3);
const AT = tsUs(4);
const read = (text: string): ServerFrame => decodeServerFrame(text, LISTED, SEQ, AT);

const contracts = fc.constantFrom(FRONT, NEXT);
const prices = fc.integer({ min: 1, max: 30_000 }).map(priceTicks);
const sizes = fc.integer({ min: 1, max: 100_000 }).map(qty);
const hundredths = fc.integer({ min: 1, max: 300_000 }).map(priceHundredths);
const levels = fc.array(fc.record({ price: prices, qty: sizes }, { noNullPrototype: true }), {
  maxLength: 3,
});
const volumes = fc.integer({ min: 0, max: 10_000_000 });
const words = fc.stringMatching(/^[A-Z0-9]{1,12}$/);

const padded = (given: readonly BookLevel[]): (BookLevel | null)[] => [0, 1, 2].map((i) => given[i] ?? null);

describe('what the server writes is what the client reads', () => {
  it('trades', () => {
    fc.assert(
      fc.property(
        contracts,
        prices,
        sizes,
        volumes,
        hundredths,
        (contract, price, size, total, reference) => {
          const text = encodeTrade(contract, { price, qty: size, totalVolume: total }, reference);
          expect(read(text)).toStrictEqual({
            kind: 'market',
            event: {
              kind: 'trade',
              seq: SEQ,
              tsUs: AT,
              instrument: contract.index,
              price,
              qty: size,
              totalVolume: total,
            },
          });
        },
      ),
    );
  });

  it('both sides of the book: all levels are said, those that are gone too', () => {
    fc.assert(
      fc.property(contracts, levels, fc.constantFrom('bid', 'ask'), (contract, given, side) => {
        const text = encodeBook(side, contract, given);
        const head = { kind: 'book_update', seq: SEQ, tsUs: AT, instrument: contract.index, side };
        expect(read(text)).toStrictEqual({
          kind: 'market',
          event: { ...head, levels: padded(given), halves: null },
        });
      }),
    );
  });

  it('a partial update: what is the same is left out, and merging gives the whole', () => {
    fc.assert(
      fc.property(
        contracts,
        levels,
        levels,
        fc.constantFrom('bid', 'ask'),
        (contract, before, after, side) => {
          const text = encodeBookChange(side, contract, before, after);
          const frame = text === null ? null : read(text);
          const said =
            frame?.kind === 'market' && frame.event.kind === 'book_update' ? frame.event.levels : [];
          const merged = padded(before).map((level, i) => (said[i] === undefined ? level : said[i]));
          expect(merged).toStrictEqual(padded(after));
          expect(text === null).toBe(JSON.stringify(padded(before)) === JSON.stringify(padded(after)));
        },
      ),
    );
  });

  it('day summaries', () => {
    fc.assert(
      fc.property(contracts, prices, prices, prices, hundredths, (contract, open, high, low, average) => {
        const head = { kind: 'summary', seq: SEQ, tsUs: AT, instrument: contract.index };
        expect(read(encodeSummary(contract, { open, high, low, average }))).toStrictEqual({
          kind: 'market',
          event: { ...head, open, high, low, average },
        });
      }),
    );
  });

  it('control frames', () => {
    fc.assert(
      fc.property(
        fc.option(fc.record({ code: fc.string(), message: fc.string() })),
        fc.integer({ min: 1, max: 3_600 }),
        (error, timeout) => {
          expect(read(encodeAuthResult(error))).toStrictEqual({
            kind: 'auth_result',
            success: error === null,
            code: error?.code ?? '',
            message: error?.message ?? '',
          });
          expect(read(encodeHeartbeatTimeout(timeout))).toStrictEqual({
            kind: 'heartbeat_timeout',
            seconds: timeout,
          });
        },
      ),
    );
    expect(read(PONG_FRAME)).toEqual({ kind: 'pong' });
    expect(read(SERVER_BEAT_FRAME)).toEqual({ kind: 'control', text: SERVER_BEAT_FRAME });
  });
});

describe('what the client writes is what the server reads', () => {
  const channels = fc.subarray([...ALL_CHANNELS], { minLength: 1 });
  const codes = fc.array(words, { minLength: 1, maxLength: 5 });

  it('subscriptions', () => {
    fc.assert(
      fc.property(channels, codes, (asked, symbols) => {
        const said = {
          channels: asked.filter(isDataChannel),
          silent: asked.filter((channel) => !isDataChannel(channel)),
          codes: symbols,
        };
        expect(decodeClientFrame(encodeSubscribe(asked, symbols))).toEqual({ kind: 'subscribe', ...said });
        expect(decodeClientFrame(encodeUnsubscribe(asked, symbols))).toEqual({
          kind: 'unsubscribe',
          ...said,
        });
      }),
    );
  });

  it('tokens and heartbeats', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), (token) => {
        expect(decodeClientFrame(encodeAuth(token))).toEqual({ kind: 'auth', token });
      }),
    );
    expect(decodeClientFrame(HEARTBEAT_FRAME)).toEqual({ kind: 'heartbeat' });
  });
});

/** A part of a valid frame is cut out and something else put in its place. */
const mutated = fc
  .record({
    frame: fc.constantFrom(...SERVER_FRAMES),
    from: fc.nat(200),
    cut: fc.nat(20),
    noise: fc.oneof(fc.string(), fc.constantFrom('|', '{', '"', 'null', '1e999', '-0', '\u0000', '\n')),
  })
  .map(({ frame, from, cut, noise }) => {
    const at = from % (frame.length + 1);
    return frame.slice(0, at) + noise + frame.slice(at + cut);
  });

const FIELDS =
  `matchPrice matchQtty totalVolume bidPrice01 bidQtty01 bidPrice03 offerPrice02 offerQtty02 offerQtty03
  open high low avg __proto__`.split(/\s+/);

/** Right in form, with any JSON where a number belongs. */
const oddPayload = fc
  .record({
    channel: fc.constantFrom('21', '23', '24', '27'),
    payload: fc.dictionary(
      fc.constantFrom(...FIELDS),
      fc.oneof(fc.double(), fc.integer(), fc.jsonValue(), fc.constantFrom('1', '1e5', '', ' ', '1e400')),
    ),
  })
  .map(({ channel, payload }) => `s|${channel}|${JSON.stringify({ ...payload, symbol: FRONT.streamCode })}`);

const isWhole = (frame: ServerFrame): boolean => {
  if (frame.kind === 'malformed')
    return frame.issues.every(({ path, expected }) => path !== '' && expected !== '');
  if (frame.kind !== 'market') return true;
  const { event } = frame;
  if (event.kind === 'trade') return event.price > 0 && event.qty > 0;
  if (event.kind === 'summary') return Math.min(event.open, event.high, event.low, event.average) > 0;
  return event.levels.every((level) => !level || (level.price > 0 && level.qty > 0));
};

it('no text makes the reader of server frames throw, and what comes out is whole', () => {
  const texts = fc.oneof(fc.string({ unit: 'binary' }), mutated, oddPayload);
  fc.assert(
    fc.property(texts, (text) => {
      expect(isWhole(read(text))).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});
