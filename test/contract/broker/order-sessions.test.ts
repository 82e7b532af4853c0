/** What the phases of the exchange's day allow (market rules, 3), over bare HTTP: entry, change and cancel. */
import { describe, expect, it } from 'vitest';
import { seconds } from '../../../src/domain/units.ts';
import { type BareClient, firstRow, rowsOf } from './support/bare-client.ts';
import { openMarketAt, order, placed } from './support/market.ts';

const DAY = '2026-03-04';
const spanOf = (from: string, to: string) =>
  seconds((Date.parse(`${DAY}T${to}Z`) - Date.parse(`${DAY}T${from}Z`)) / 1_000);

const inDay = async (client: BareClient) => rowsOf(await client.call('in-day'));

describe('an order that was placed', () => {
  it.each([
    // placed at, now, then the codes of: a new order, a change, a cancel; and what the book says may be done
    ['08:45:00', '08:45:00', '1', '-6026', '-6026', '00'],
    ['08:45:00', '08:59:59', '1', '-6026', '-6026', '00'],
    ['08:45:00', '09:00:00', '1', '1', '1', '11'],
    ['11:29:00', '11:29:59', '1', '1', '1', '11'],
    ['11:29:00', '11:30:00', '-6022', '-6026', '-6026', '00'],
    ['11:29:00', '12:59:59', '-6022', '-6026', '-6026', '00'],
    ['11:29:00', '13:00:00', '1', '1', '1', '11'],
    ['14:29:00', '14:29:59', '1', '1', '1', '11'],
    ['14:29:00', '14:30:00', '1', '-6026', '-6026', '00'],
    ['14:29:00', '14:44:59', '1', '-6026', '-6026', '00'],
    ['14:29:00', '14:45:01', '-6022', '-6015', '-6014', '00'],
  ])('at %s, at %s: a new one %s, changed %s, canceled %s', async (from, to, entry, changed, gone, flags) => {
    const { alice, front, time } = await openMarketAt(`${DAY} ${from}`);
    const orderNo = await placed(alice, 'B', front, 1_290, 1);
    time.advance(spanOf(from, to));
    const [row] = await inDay(alice);
    expect([row?.['isCancel'], row?.['isAmend']]).toEqual(flags.split(''));
    expect((await order(alice, 'B', front, 1_280, 1)).json['rc']).toBe(entry);
    const change = { orderNo, nprice: 1_291, nvol: 1, refId: 'H.c' };
    expect((await alice.call('change', change)).json['rc']).toBe(changed);
    expect((await alice.call('cancel', { orderNo })).json['rc']).toBe(gone);
  });

  it('ends with the day when it has not filled', async () => {
    const { alice, front, time } = await openMarketAt(`${DAY} 14:29:00`);
    await placed(alice, 'B', front, 1_290, 1);
    time.advance(spanOf('14:29:00', '14:45:01'));
    expect(await inDay(alice)).toMatchObject([{ status: 'PWX', matchVolume: 0 }]);
  });

  it('is not in the book of the next day', async () => {
    const { alice, front, time } = await openMarketAt(`${DAY} 14:44:00`);
    await placed(alice, 'B', front, 1_290, 1);
    time.advance(seconds(18 * 3_600 + 120));
    await alice.logIn();
    expect(await inDay(alice)).toEqual([]);
    expect(firstRow(await order(alice, 'B', front, 1_290, 1))).toMatchObject({ orderNo: '1' });
  });
});

const openSlowMarketAt = (clock: string) =>
  openMarketAt(`${DAY} ${clock}`, { rules: { gatewayDelay: seconds(1) } });

describe('a command that comes too late', () => {
  it('a new order in the break: it ends, with the reason', async () => {
    const { alice, front, time } = await openSlowMarketAt('11:29:59');
    time.advance(seconds(0.5));
    await placed(alice, 'B', front, 1_290, 1);
    time.advance(seconds(1));
    const ended = { status: 'PWX', matchVolume: 0, info: 'Market is closed' };
    expect(await inDay(alice)).toMatchObject([ended]);
  });

  it.each([
    ['cancel', {}],
    ['change', { nprice: 1_291, nvol: 1, refId: 'H.c' }],
  ])('a %s in the closing auction: the order stays as it was, with the reason', async (name, values) => {
    const { alice, front, time } = await openSlowMarketAt('14:29:50');
    const orderNo = await placed(alice, 'B', front, 1_290, 1);
    time.advance(seconds(9.5));
    expect((await alice.call(name, { orderNo, ...values })).json['rc']).toBe('1');
    time.advance(seconds(1));
    const stays = {
      status: 'P',
      quote: 'Y',
      showPrice: '1290.0',
      info: 'Cancel or change not allowed in this session',
    };
    expect(await inDay(alice)).toMatchObject([stays]);
  });
});

describe('an auction', () => {
  it.each([
    ['opening', '08:50:00', '09:00:00'],
    ['closing', '14:35:00', '14:45:00'],
  ])('%s: nothing trades before its uncross, and all of it at one price', async (_name, from, uncross) => {
    const { alice, bob, front, time } = await openMarketAt(`${DAY} ${from}`);
    await placed(alice, 'B', front, 1_305, 3);
    await placed(alice, 'B', front, 1_301, 2);
    await placed(bob, 'S', front, 1_295, 4);
    time.advance(seconds(spanOf(from, uncross) / 1e6 - 1));
    expect((await inDay(alice)).map((row) => [row['status'], row['matchVolume']])).toEqual([
      ['P', 0],
      ['P', 0],
    ]);
    time.advance(seconds(1));
    const [first, second] = await inDay(alice);
    expect([first?.['matchVolume'], second?.['matchVolume']]).toEqual([3, 1]);
    const prices = [first, second, ...(await inDay(bob))].map((row) => row?.['matchPriceBQ']);
    expect(new Set(prices).size).toBe(1);
  });

  it('has its price where most can trade', async () => {
    const { alice, bob, front, time } = await openMarketAt(`${DAY} 08:50:00`);
    await placed(alice, 'B', front, 1_305, 1);
    await placed(alice, 'B', front, 1_303, 3);
    await placed(bob, 'S', front, 1_303, 4);
    await placed(bob, 'S', front, 1_304, 2);
    time.advance(seconds(600));
    const board = (await alice.call('derivatives')).json['data'] as Record<string, unknown>[];
    expect(board[0]).toMatchObject({ matchPrice: 1_303, totalVol: 4 });
  });
});
