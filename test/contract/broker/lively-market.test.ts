/**
 * The same tables over a market that lives by itself: every frame of minutes of trading in all contracts, and the price
 * board with it. Prices are on the grid as they are printed, and frames and board agree.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { seconds } from '../../../src/domain/units.ts';
import { fieldDeviations, type Json, unknownNames } from './document/answer-check.ts';
import { operationNamed } from './document/operations.ts';
import { ALL_CODES, DATA_CHANNELS, subscribeFrame } from './document/stream.ts';
import { rowsOf } from './support/bare-client.ts';
import { BareStream } from './support/bare-stream.ts';
import { type Market, openMarketAt, withStream } from './support/market.ts';

const HALF_A_MINUTE = 30;

/** As JSON prints them: on the grid of 0.1, and averages and changes with two decimals. */
const ON_GRID = /^\d+(\.\d)?$/;
const TWO_DECIMALS = /^-?\d+(\.\d{1,2})?$/;

const PRICES =
  /"(?:match|bid|offer)Price(?:\d\d)?":([^,}]+)|"(?:high|low|open|ceilPrice|floorPrice)":([^,}]+)/g;
const AVERAGES = /"(?:change|changePercent|refPrice)":([^,}]+)/g;

const numbersOf = (text: string, names: RegExp): string[] =>
  [...text.matchAll(names)].map(([, first, second]) => first ?? second ?? '');

let market: Market;
let stream: BareStream;
let boards: readonly Json[];
let boardText = '';

beforeAll(async () => {
  const synthetic = { kind: 'synthetic', seed: 11, startPoints: 1_300 } as const;
  // The uncross of the opening auction, and what follows it.
  market = await openMarketAt('2026-03-04 08:59:55', {
    market: synthetic,
    ...withStream({ bookFrames: 'full' }),
  });
  const { simulator, alice, time } = market;
  stream = await BareStream.authenticated(simulator.stream, alice.token);
  stream.send(subscribeFrame(ALL_CODES, simulator.contracts.join(',')));
  await stream.settle();
  for (let passed = 0; passed < HALF_A_MINUTE; passed += 5) {
    time.advance(seconds(5));
    await stream.settle();
  }
  const answer = await alice.call('derivatives');
  boards = rowsOf(answer);
  boardText = answer.text;
});

const tradesOf = (symbol: unknown): Json[] =>
  stream.payloads('s|21|').filter((row) => row['symbol'] === symbol);

describe('the frames', () => {
  it.each(DATA_CHANNELS)('of $code are as documented, all of them', ({ id, fields }) => {
    const payloads = stream.payloads(id);
    expect(payloads.length).toBeGreaterThan(20);
    expect(payloads.flatMap((row) => fields.flatMap((field) => fieldDeviations(row, field)))).toEqual([]);
    expect(payloads.flatMap((row) => unknownNames(row, fields))).toEqual([]);
  });

  it('come of every contract', () => {
    const symbols = new Set(stream.payloads('s|23|').map(({ symbol }) => symbol));
    expect(symbols).toEqual(new Set(market.simulator.contracts));
  });

  it('have prices on the grid, as they are printed', () => {
    const text = stream.dataFrames.join('\n') + boardText;
    expect(numbersOf(text, PRICES).length).toBeGreaterThan(1_000);
    expect(numbersOf(text, PRICES).filter((number) => !ON_GRID.test(number))).toEqual([]);
    expect(numbersOf(text, AVERAGES).filter((number) => !TWO_DECIMALS.test(number))).toEqual([]);
  });

  it('have levels in order, bids below offers, and nothing behind nothing', () => {
    const wrong: Json[] = [];
    for (const [id, side, sign] of [
      ['s|23|', 'bid', -1],
      ['s|24|', 'offer', 1],
    ] as const) {
      for (const row of stream.payloads(id)) {
        const levels = ['01', '02', '03'].map((at) => [
          Number(row[`${side}Price${at}`]),
          Number(row[`${side}Qtty${at}`]),
        ]);
        levels.forEach(([price = 0, volume = 0], at) => {
          const [before = price - sign, volumeBefore = 1] = levels[at - 1] ?? [];
          const isInOrder = volume === 0 ? price === 0 : volumeBefore > 0 && (price - before) * sign > 0;
          if (!isInOrder) wrong.push(row);
        });
      }
    }
    expect(wrong).toEqual([]);
  });

  it('have an unbroken chain of total volumes, in each contract, from the auction on', () => {
    for (const symbol of market.simulator.contracts) {
      let total = 0;
      for (const row of tradesOf(symbol)) {
        total += Number(row['matchQtty']);
        expect(row['totalVolume']).toBe(total);
      }
    }
    expect(tradesOf(market.front).length).toBeGreaterThan(20);
  });
});

describe('the board', () => {
  it('is as documented', () => {
    const { answers } = operationNamed('derivatives');
    const answer = { data: boards };
    expect(answers.flatMap((field) => fieldDeviations(answer, field))).toEqual([]);
    expect(unknownNames(answer, answers)).toEqual([]);
  });

  it('is what the frames say: last match, volume, day, levels', () => {
    for (const board of boards) {
      const of = (id: string): Json | undefined =>
        stream.payloads(id).findLast((row) => row['symbol'] === board['symbol']);
      const trades = tradesOf(board['symbol']);
      const prices = trades.map((row) => Number(row['matchPrice']));
      const { totalVolume, ...trade } = of('s|21|') ?? {};
      expect(board).toMatchObject({ ...trade, totalVol: totalVolume });
      expect(board).toMatchObject({ open: prices[0], high: Math.max(...prices), low: Math.min(...prices) });
      expect(board).toMatchObject({ ...of('s|23|'), ...of('s|24|') });
      const value = trades.reduce(
        (sum, row) => sum + Number(row['matchPrice']) * Number(row['matchQtty']),
        0,
      );
      const { avg = NaN, ...day } = (of('s|27|') ?? {}) as Record<string, number>;
      expect(board).toMatchObject(day);
      expect(avg).toBe(Math.round((value / Number(totalVolume)) * 100) / 100);
    }
  });
});
