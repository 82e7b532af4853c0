/** The door itself: market events, reads, pace, phases, commands, days (failure cases, 4, 13, 20, 23, 24). */
import { describe, expect, it } from 'vitest';
import { tradingDay } from '../../src/domain/civil-date.ts';
import { instrumentIndex, priceHundredths, priceTicks, qty, seconds } from '../../src/domain/units.ts';
import { EngineRig, FIRST } from '../support/engine-rig.ts';
import { NEXT, timeOf, worth } from '../support/engine-world.ts';

const FRONT_INDEX = instrumentIndex(0);

const bids = (rig: EngineRig, levels: readonly [number, number][], side: 'bid' | 'ask' = 'bid'): EngineRig =>
  rig.post({
    kind: 'book_update',
    instrument: FRONT_INDEX,
    side,
    levels: levels.map(([price, contracts]) => ({ price: priceTicks(price), qty: qty(contracts) })),
  });

describe('the market', () => {
  it('24: a break in the chain of volumes is reported before the trade that shows it', () => {
    const seen: string[] = [];
    const rig = new EngineRig({
      strategies: [{ onTrade: ({ totalVolume }) => void seen.push(`trade ${totalVolume}`) }, {}],
    });
    rig.start().trade(13_000, 2).trade(13_000, 1, 5).trade(13_001);
    expect(rig.of('gap')).toMatchObject([{ missed: 5 }]);
    expect(rig.host.gaps).toMatchObject([{ expectedTotalVolume: 3, totalVolume: 8 }]);
    expect(seen).toEqual(['trade 2', 'trade 8', 'trade 9']);
    expect(rig.engine.snapshot().counts.gaps).toBe(1);
  });

  it('a duplicate trade reaches nobody', () => {
    const rig = new EngineRig().start().trade(13_000, 2);
    const tick = rig.host.trades.at(-1)!;
    rig.post({
      kind: 'trade',
      instrument: tick.instrument,
      price: tick.price,
      qty: tick.qty,
      totalVolume: tick.totalVolume,
    });
    expect(rig.host.trades).toHaveLength(1);
    expect(rig.engine.snapshot().counts.duplicates).toBe(1);
  });

  it('23: the book of before a disconnect is gone, and entries wait for prices by REST', () => {
    const rig = bids(new EngineRig().start(), [[12_990, 5], [12_980, 6]]); // prettier-ignore
    const { market } = rig.parts.state!;
    expect(market.isReferenceFresh).toBe(true);
    rig.stream('down');
    expect(market.of(FRONT_INDEX).book.last).toBeUndefined();
    expect(market.isLive).toBe(false);
    rig.reads.length = 0;
    rig.stream('live');
    expect(rig.reads).toContain('reference');
    expect(market.isReferenceFresh).toBe(false);
    bids(rig, [[12_970, 1]]);
    expect(market.of(FRONT_INDEX).book.last).toBeUndefined();
    expect(rig.host.books).toEqual([]);
    bids(rig, [[12_980, 1]], 'ask');
    expect(market.of(FRONT_INDEX).book.last?.bids).toHaveLength(1);
    expect(rig.host.books).toHaveLength(1);
    rig.reference();
    expect(market.isReferenceFresh).toBe(true);
    expect(rig.host.feeds.map(({ state }) => state)).toEqual(['live', 'down', 'live']);
  });

  it('20: the age of what is known of a contract grows with time', () => {
    const rig = new EngineRig().start().trade(13_000).pass(20).clock();
    expect(rig.now - rig.parts.state!.market.of(FRONT_INDEX).seenUs).toBe(20_000_000);
    expect(rig.parts.state!.market.of(instrumentIndex(1)).seenUs).toBe(-Infinity);
  });
});

describe('reads', () => {
  it('are fast while anything of ours is open', () => {
    const rig = new EngineRig().start();
    rig.tempos.length = 0;
    const id = rig.submit(FIRST, 'buy', 1, 12_990);
    expect(rig.tempos).toEqual(['fast']);
    rig.accepted(id, '7').look([{ no: '7', price: 12_990, status: 'canceled' }]);
    expect(rig.tempos).toEqual(['fast', 'slow']);
  });

  it('come at once when a print touches our price, and are merged', () => {
    const rig = new EngineRig().start();
    rig.resting(FIRST, 'buy', 1, 12_990, '7');
    rig.resting(FIRST, 'sell', 1, 13_020, '8');
    rig.look([
      { no: '7', price: 12_990 },
      { no: '8', price: 13_020, side: 'sell' },
    ]);
    rig.reads.length = 0;
    rig.trade(13_000).trade(13_019).trade(12_991);
    expect(rig.reads).toEqual([]);
    rig.trade(12_990).trade(12_989).trade(13_020);
    expect(rig.reads).toEqual(['book']);
  });

  it('that began before a later print are made again', () => {
    const rig = new EngineRig().start();
    rig.resting(FIRST, 'buy', 1, 12_990, '7');
    rig.look([{ no: '7', price: 12_990 }]).pass(1);
    rig.reads.length = 0;
    rig
      .trade(12_990)
      .pass(1)
      .trade(12_990)
      .look([{ no: '7', price: 12_990 }], { ago: 1.5 });
    expect(rig.reads).toEqual(['book', 'book']);
  });

  it('that began before the engine did say nothing: its own follow', () => {
    const rig = new EngineRig();
    rig.session().boot(1).contracts().stream('live').reference();
    rig.book([{ no: '5', qty: 2 }], { ago: 4 }).positions(2, 4);
    rig.book([{ no: '5', qty: 2 }], { ago: 4 });
    expect(rig.of('order_adopted')).toEqual([]);
    rig.look([{ no: '5', qty: 2 }]);
    expect(rig.of('order_adopted')).toHaveLength(1);
  });

  it('leave the pace of the night when the market opens', () => {
    const rig = new EngineRig({ canWait: true, startUs: timeOf(8, 44) }).start();
    rig.account().conditions().pass(40).clock();
    rig.account().book().positions().look();
    rig.reads.length = 0;
    rig.pass(15 + 60).clock();
    // The list and the bands of before may be those of the day before.
    expect(rig.reads).toEqual(expect.arrayContaining(['contracts', 'positions', 'account', 'triggers']));
    rig.account().conditions().book().positions().look();
    rig.reads.length = 0;
    rig.pass(11).clock();
    expect(rig.reads.filter((what) => what === 'positions')).toHaveLength(1);
  });

  it('ask for a band again that the last read lacks, whose contract nobody enters meanwhile', () => {
    const rig = new EngineRig({ isReal: true }).start().account();
    const next = { instrument: NEXT.index, ceiling: priceTicks(13_910), floor: priceTicks(12_090) };
    const row = { ...next, reference: priceHundredths(130_000), lastPrice: null };
    rig.pass(1).post({ kind: 'reference', rows: [row] });
    rig.submit(FIRST, 'buy', 1, 13_000);
    expect(rig.of('denied').map(({ denial }) => denial.code)).toEqual(['band_unknown']);
    rig.reads.length = 0;
    rig.pass(20).clock();
    expect(rig.reads).toContain('reference');
    rig.reference().account().look().pass(1).positions().look().submit(FIRST, 'buy', 1, 13_000);
    expect(rig.places()).toHaveLength(1);
  });

  it('ask for the list and the bands again where the read at the open fails', () => {
    const rig = new EngineRig({ canWait: true, startUs: timeOf(8, 44) }).start();
    rig.pass(75).clock();
    rig.reads.length = 0;
    rig.post({ kind: 'read_failed', what: 'contracts', reason: 'HTTP 503' });
    expect(rig.reads).not.toContain('contracts');
    rig.pass(5).clock();
    expect(rig.reads).toContain('contracts');
    rig.contracts().reads.length = 0;
    rig.pass(60).clock();
    expect(rig.reads).not.toContain('contracts');
  });
});

describe('time', () => {
  it('asks to be woken for the next timer or phase', () => {
    const rig = new EngineRig({ startUs: timeOf(8, 47) }).contracts().session().boot(1);
    expect(rig.of('phase').map(({ phase }) => phase)).toEqual(['opening_auction']);
    expect(rig.wakeAt).toBe(rig.now + 10_000_000);
    rig.pass(13 * 60).clock();
    expect(rig.of('phase').map(({ phase }) => phase)).toEqual(['opening_auction', 'continuous']);
    expect(rig.host.phases.map(({ phase }) => phase)).toEqual(['continuous']);
  });

  it('fires due timers before the event that shows they are due', () => {
    const heard: string[] = [];
    const rig = new EngineRig({
      strategies: [{ onTimer: () => heard.push('timer'), onTrade: () => heard.push('trade') }, {}],
    }).start();
    rig.act(FIRST, () => rig.host.desk.setTimer(FIRST, seconds(2)));
    rig.pass(1).trade(13_000).pass(1).trade(13_000);
    expect(heard).toEqual(['trade', 'trade', 'timer', 'trade']);
  });

  it('an event that claims an earlier time happens now', () => {
    const rig = new EngineRig().start().pass(5).trade(13_000);
    const { tsUs } = rig.engine.snapshot();
    rig.pass(-3).trade(13_000);
    expect(rig.engine.snapshot().tsUs).toBe(tsUs);
  });
});

describe('commands', () => {
  it('are journaled; a halt lasts until a person resumes, over a restart too', () => {
    const rig = new EngineRig().start().command({ name: 'halt', reason: 'lunch' });
    rig.boot(2);
    expect(rig.engine.snapshot().halted).toBe('lunch');
    rig.command({ name: 'resume', reason: 'back' });
    expect(rig.engine.snapshot().halted).toBeNull();
    expect(rig.of('command').map(({ command }) => command.name)).toEqual(['halt', 'resume']);
    expect(rig.of('halt').map(({ halted, reason }) => [halted, reason])).toEqual([
      [true, 'lunch'],
      [false, 'back'],
    ]);
  });

  it('a journal that cannot be written freezes entries', () => {
    const rig = new EngineRig().start().post({ kind: 'journal_failed', reason: 'disk full' });
    expect(rig.engine.snapshot().halted).toContain('disk full');
    expect(rig.alerts()).toEqual(['journal_failed']);
  });

  it('and is news where a person has turned them off already', () => {
    const rig = new EngineRig().start().command({ name: 'halt', reason: 'lunch' });
    rig.post({ kind: 'journal_failed', reason: 'disk full' });
    expect([rig.engine.snapshot().halted, rig.alerts()]).toEqual(['lunch', ['journal_failed']]);
  });
});

describe('the day', () => {
  const tomorrow = tradingDay('2026-03-05');

  it('ends orders by a complete walk well after the close', () => {
    const rig = new EngineRig({ startUs: timeOf(14, 0) }).start();
    const id = rig.resting(FIRST, 'buy', 2, 12_990, '7');
    rig.pass(46 * 60).clock();
    rig.book([{ no: '7', qty: 2, price: 12_990 }]);
    expect(rig.statusOf(id), 'the last auction may still be booked').toBe('accepted');
    rig.pass(60).book([{ no: '7', qty: 2, price: 12_990 }]);
    expect(rig.statusOf(id), 'its report may be late').toBe('accepted');
    rig
      .pass(5 * 60)
      .book([{ no: '7', qty: 2, price: 12_990, filled: 1, value: worth(12_990), status: 'matched' }]);
    expect(rig.statusOf(id)).toBe('expired');
    expect(rig.position(FIRST)).toBe(1);
  });

  it('ends no order by a row that says matched and shows nothing of it', () => {
    const rig = new EngineRig({ startUs: timeOf(14, 0) }).start();
    const id = rig.resting(FIRST, 'buy', 2, 12_990, '7');
    const row = { no: '7', qty: 2, price: 12_990, status: 'matched' } as const;
    rig.pass(47 * 60).clock();
    rig.book([row]);
    expect(rig.statusOf(id)).toBe('accepted');
    rig.look([{ ...row, filled: 2, value: worth(12_990, 2) }]);
    expect([rig.statusOf(id), rig.position(FIRST)]).toEqual(['filled', 2]);
  });

  it('leaves what it did not prove unproven, and the next day begins with new numbers', () => {
    const rig = new EngineRig({ startUs: timeOf(14, 0) }).start();
    const id = rig.submit(FIRST, 'buy', 2, 12_990);
    rig.unknown(id);
    rig.pass(18 * 3600).session({ tradingDay: tomorrow }, [{ strategy: FIRST, qty: 1, price: 12_990 }]);
    expect(rig.statusOf(id)).toBe('expired_unproven');
    expect(rig.engine.snapshot()).toMatchObject({ tradingDay: tomorrow, orders: [] });
    expect(rig.engine.snapshot().unproven, 'until positions explain it').not.toBeNull();
    expect(rig.position(FIRST)).toBe(1);
    expect(rig.of('position_event')).toMatchObject([{ event: 'carried_over', qty: 1, value: worth(12_990) }]);
    rig.look([{ no: '7', qty: 1 }]);
    expect(rig.of('order_adopted'), 'before it opens the book may be of the day before').toEqual([]);
    rig.pass(3600).book([{ no: '7', qty: 1 }]);
    expect(rig.of('order_adopted').map(({ clientOrderId }) => clientOrderId)).toEqual(['A.2026-03-05.7']);
  });
});

it('alerts the end of a lost stream, once', () => {
  const rig = new EngineRig().start();
  rig.stream('down').stream('live').stream('live');
  expect(rig.alerts()).toEqual(['stream_down', 'stream_up']);
});

it('an order does not end with its day while the clock of the broker says that trading goes on', () => {
  const rig = new EngineRig({ startUs: timeOf(14, 44) }).start();
  const ref = rig.resting(FIRST, 'buy', 1, 12_900, '1');
  const row = { no: '1', ref, price: 12_900 } as const;
  rig.post({ kind: 'clock_skew', skewUs: 3_600_000_000, roundTrip: seconds(0) });
  rig.now = timeOf(14, 46);
  rig.clock().look([row]).pass(300).look([row]);
  expect(rig.statusOf(ref)).toBe('accepted');
  rig
    .post({ kind: 'clock_skew', skewUs: 0, roundTrip: seconds(0) })
    .pass(300)
    .look([row]);
  expect(rig.statusOf(ref)).toBe('expired');
});
