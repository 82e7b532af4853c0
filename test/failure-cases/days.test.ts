/** Where days, contracts and sessions meet, over the real wire: the time of daemon and broker leaps from one moment to the next. */
import { describe, expect, it } from 'vitest';
import { type TradingDay, tradingDay } from '../../src/domain/civil-date.ts';
import { MARKET_CALENDAR } from '../support/market-calendar.ts';
import { Days, leapTo } from './support/days.ts';
import type { Step } from './support/scripted.ts';

const BUY: Step = { at: 13_001, do: 'buy', qty: 1, price: 13_010 };

const intraday = (yaml: string): string => yaml.replace('overnight: true', 'overnight: false');

it('a day that restarts keeps a position of its own, which is closed before its close', async () => {
  const days = new Days();
  const story = await days.begin('2026-11-20T10:00:00', [BUY], intraday);
  await story.buys(1);
  days.close('2026-11-20');
  expect(await story.reload([BUY])).toMatchObject({ ok: true });
  await story.until(() => story.daemon.sessionDay === '2026-11-23');
  days.close();
  expect(await story.reload([BUY])).toMatchObject({ ok: true });
  await story.until(() => story.daemon.sessionDay === '2026-11-20');
  await story.trading();
  story.print(13_002);
  await story.settled();
  expect(await story.truth()).toMatchObject({ net: 1, orders: [] });
  leapTo('2026-11-20T14:25:00');
  story.offer('buy', 13_000, 1);
  await story.until(async () => (await story.truth()).net === 0);
});

const RESTING: Step = { ...BUY, price: 12_950 };

describe.each(['a running daemon', 'a start'] as const)('a day that becomes a closure, read by %s', (how) => {
  it('names the order of it that may still rest, and the cause when it comes back', async () => {
    const days = new Days();
    const story = await days.begin('2026-11-20T10:00:00', [RESTING]);
    const change = async (...closures: string[]): Promise<void> => {
      days.close(...closures);
      if (how === 'a running daemon') return void (await story.reload([RESTING]));
      await story.stop();
      story.launch();
    };
    story.print(13_001);
    await story.until(async () => (await story.known()).orders[0]?.orderNo === '5');
    await change('2026-11-20');
    await story.until(() => story.daemon.sessionDay === '2026-11-23');
    expect(story.texts('closed_day_orders')).toEqual([
      expect.stringMatching(/^2026-11-20 is no session .*no\. 5: #01000001 buy 1 \S+ at 1295\.0; .*halt/),
    ]);
    await change();
    await story.until(() => story.daemon.sessionDay === '2026-11-20');
    expect(story.texts('session_restarted').join()).toMatch(/^the calendar has 2026-11-20 again/);
    await story.until(async () => (await story.known()).orders.length === 1);
  });
});

it('a day on which the exchange is closed against our calendar makes no mismatch of the fees of the day before', async () => {
  const closures = new Set<TradingDay>();
  const calendar = { ...MARKET_CALENDAR, closures };
  const story = await new Days().begin('2026-11-10T10:00:00', [BUY], undefined, { calendar });
  await story.buys(1);
  leapTo('2026-11-10T14:50:00');
  closures.add(tradingDay('2026-11-11'));
  leapTo('2026-11-11T09:02:00');
  await story.until(async () => {
    const view = await story.view();
    return view?.tradingDay === '2026-11-11' && view.money.comparedUs !== null;
  });
  expect((await story.view())?.money.state).toBe('agreed');
  expect((await story.view())?.halted).toBeNull();
});

it('a cancel-all that the broker refuses is not called done when its day becomes a closure', async () => {
  const days = new Days();
  const story = await days.begin('2026-11-20T10:00:00', [RESTING]);
  story.print(13_001);
  await story.until(async () => (await story.known()).orders[0]?.orderNo === '5');
  story.fault({ name: 'refuse_for_now', operation: 'cancel', times: 1_000 });
  const { message } = await story.ask('cancel-all');
  expect(message).toContain('1 of 1 open order not ended yet');
  days.close('2026-11-20');
  await story.reload([RESTING]);
  await story.until(() => story.daemon.sessionDay === '2026-11-23');
  await story.view();
  expect(story.texts('cancel_all_ended')).toEqual([
    '2026-11-20 was over before each open order had ended: compare the broker’s own list',
  ]);
  await story.ask('halt');
  await story.until(() => story.daemon.haltEnforcer.progress.text.includes('still open: 5'));
});

it('an order that rests over a pause is known after it, also where the market file names no break', async () => {
  const days = new Days((yaml) => yaml.replace(/.*phase: break.*\n/, ''));
  const story = await days.begin('2026-11-20T11:29:00', [RESTING]);
  story.print(13_001);
  await story.until(async () => (await story.known()).orders[0]?.orderNo === '5');
  // It has reached the exchange: one that is on its way in a pause is refused.
  await story.until(() => story.simulator.orders().some(({ canCancel }) => canCancel));
  leapTo('2026-11-20T11:30:05');
  await story.until(async () => (await story.view())?.phase !== 'continuous');
  leapTo('2026-11-20T11:45:00');
  await story.settled();
  expect(await story.known()).toEqual(await story.truth());
  expect((await story.truth()).orders).toHaveLength(1);
  const { message } = await story.ask('stop-strategy', { strategy: 'script' });
  expect(message).toContain('nothing fills in the break, and cancels are sent after it');
});

it.each(['EROFS', 'SQLITE_IOERR_FSYNC', 'EACCES'])(
  'a disk that fails at midnight (%s) ends no daemon',
  async (code) => {
    const story = await new Days().begin('2026-11-18T10:00:00', []);
    const { journal } = story.daemon;
    const begin = journal.beginSession.bind(journal);
    journal.beginSession = () => {
      journal.beginSession = begin;
      throw Object.assign(new Error('the disk does not take it'), { code });
    };
    leapTo('2026-11-19T00:00:05');
    await story.until(() => story.alerts().includes('no_room'));
    expect(story.texts('no_room').join()).toMatch(/takes no writes \(the disk does not take it\)/);
  },
);

it('a front month that leaves the list before its last day is named, as its strategy keeps it', async () => {
  const story = await new Days().begin('2026-11-10T10:00:00', []);
  story.fault({ name: 'roll_contract' });
  story.daemon.command({ name: 'rollover', reason: 'the story' });
  await story.until(() => story.alerts().includes('symbol_unresolved'));
  expect(story.texts('symbol_unresolved')).toEqual([
    expect.stringMatching(/^VN30F1M: .* lacks 41I1GB000, which expires on 2026-11-19: script keeps it/),
  ]);
});

it('a list that lacks a contract once is read again, and its prices come again', async () => {
  const story = await new Days().begin('2026-11-10T10:00:00', [RESTING]);
  const { rest } = story.daemon.edge;
  const quotes = rest.quotes.bind(rest);
  rest.quotes = async (read) => {
    rest.quotes = quotes;
    const board = await quotes(read);
    return board.ok ? { ...board, value: board.value.slice(1) } : board;
  };
  await story.ask('rollover');
  await story.until(() => story.alerts().includes('symbol_unresolved'));
  leapTo('2026-11-10T10:02:00');
  await story.until(() => story.daemon.edge.table.listed[0]?.orderCode === '41I1GB000');
  await story.until(async () => {
    // A print before the subscription is there reaches nobody.
    story.print(13_001);
    return (await story.truth()).orders.length === 1;
  });
  expect(story.daemon.edge.table.listed[0]?.orderCode).toBe('41I1GB000');
});

it('says of a strategy that is stopped in an auction that its entry cannot be canceled there', async () => {
  const story = await new Days().begin('2026-11-20T14:29:00', [RESTING], (yaml) =>
    yaml.replace('collarPercent: 5', 'collarPercent: 5, auctionEntries: true'),
  );
  story.print(13_001);
  await story.until(() => story.simulator.orders().some(({ canCancel }) => canCancel));
  leapTo('2026-11-20T14:30:05');
  await story.until(async () => (await story.view())?.phase === 'closing_auction');
  const { message } = await story.ask('stop-strategy', { strategy: 'script' });
  expect(message).toContain('no cancel is taken in the closing auction');
  await story.until(() => story.alerts().includes('strategy_stopped'));
  expect(story.texts('strategy_stopped').join()).toContain(
    'its entries (1) stay in the auction and may fill',
  );
  expect((await story.truth()).orders).toHaveLength(1);
});

it.each([
  ['tick: 0.1', 'tick: 0.2'],
  ['pointValue: 100000', 'pointValue: 200000'],
])(
  'a market file with %s changed to %s opens no second part of a day, and the next day',
  async (from, to) => {
    const days = new Days();
    const story = await days.begin('2026-11-17T10:00:00', [BUY]);
    await story.buys(1);
    await story.stop();
    days.edit((yaml) => yaml.replace(from, to));
    story.launch();
    await story.until(() => story.alerts().includes('terms_changed'));
    expect(story.texts('terms_changed').join()).toContain(
      'another tick or pointValue of VN30 than 41I1GB000',
    );
    expect(story.daemon.sessionDay).toBeUndefined();
    await story.stop();
    leapTo('2026-11-18T09:30:00');
    await story.start();
    expect((await story.known()).net).toBe(1);
  },
);
