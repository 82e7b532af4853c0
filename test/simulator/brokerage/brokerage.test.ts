import { describe, expect, it } from 'vitest';
import { accountId, clientOrderId } from '../../../src/domain/ids.ts';
import { milliseconds, minutes, priceTicks, seconds } from '../../../src/domain/units.ts';
import { Brokerage, isMarketMessage } from '../../../src/simulator/brokerage/brokerage.ts';
import { DEFAULT_OPTIONS, VN30_FUTURE } from '../../../src/simulator/simulator-options.ts';
import { StateStore, VenueMemory } from '../../../src/simulator/state/state-store.ts';
import { MarketClock } from '../../../src/simulator/time/market-clock.ts';
import type { MarketMessage } from '../../../src/venue/venue-event.ts';
import type { MarketOptions } from '../../../src/venue/venue-options.ts';
import { MORNING, VirtualTimers } from '../../broker/support/virtual-timers.ts';

const ACCOUNT = accountId('105C000001');
const SYNTHETIC: MarketOptions = { kind: 'synthetic', seed: 7, startPrice: priceTicks(13_000) };

interface Setup {
  readonly store?: StateStore;
  readonly market?: MarketOptions;
  readonly speed?: number;
  readonly held?: boolean;
}

function open({
  store = StateStore.open({ dir: null, fresh: false }),
  market = SYNTHETIC,
  speed = 1,
  held = false,
}: Setup = {}) {
  const time = new VirtualTimers(MORNING);
  const map = { originRealUs: MORNING, originMarketUs: MORNING, speed };
  const clock = new MarketClock(time, map, held);
  const messages: MarketMessage[] = [];
  const brokerage = new Brokerage({
    memory: new VenueMemory(store),
    market: clock,
    clock: time,
    timers: time,
    prints: null,
    venue: {
      calendar: DEFAULT_OPTIONS.calendar,
      costs: DEFAULT_OPTIONS.costs,
      spec: VN30_FUTURE,
      accounts: [{ accountId: ACCOUNT, subAccountId: `${ACCOUNT}A`, cash: 1_000_000_000 }],
      market,
      codes: 'coded',
      rules: { gatewayDelay: milliseconds(0) },
    },
  });
  brokerage.onEvent((event) => isMarketMessage(event) && messages.push(event));
  brokerage.wake();
  return { brokerage, time, clock, store, messages };
}

describe('the market on its timer', () => {
  it('lives by itself, and every contract ticks within 10 s', () => {
    const { brokerage, time, messages } = open();
    const codes = brokerage.boards().map(({ contract }) => contract.orderCode);
    expect(codes).toHaveLength(4);
    for (let span = 0; span < 12; span += 1) {
      messages.length = 0;
      time.advance(seconds(10));
      for (const code of codes) {
        expect(messages.filter((message) => message.orderCode === code).length, code).toBeGreaterThan(0);
      }
    }
  });

  it('says the same however often its timer runs', () => {
    const [slow, fast] = [open(), open()];
    slow.time.advance(seconds(30));
    for (let step = 0; step < 300; step += 1) {
      fast.time.advance(milliseconds(100));
      fast.brokerage.boards();
    }
    expect(fast.messages).toEqual(slow.messages);
  });

  it('pauses while market time is held', () => {
    const { brokerage, time, clock, messages } = open({ held: true });
    time.advance(minutes(120));
    expect(messages.filter(({ tsUs }) => tsUs > MORNING)).toEqual([]);
    expect(brokerage.nowUs()).toBe(MORNING);
    clock.release();
    brokerage.wake();
    time.advance(seconds(10));
    expect(messages.filter(({ tsUs }) => tsUs > MORNING).length).toBeGreaterThan(0);
    expect(brokerage.nowUs()).toBe(MORNING + 10_000_000);
  });

  it('does not live through the sleep of the machine, but keeps its orders', () => {
    const { brokerage, time, messages } = open();
    time.advance(seconds(5));
    const [board] = brokerage.boards();
    const code = board?.contract.orderCode;
    if (code === undefined || board === undefined) throw new Error('no contract');
    const placed = brokerage.act((venue) =>
      venue.place({
        accountId: ACCOUNT,
        orderCode: code,
        side: 'buy',
        limitPrice: board.band.floor,
        qty: 1,
        refId: clientOrderId('H.1'),
      }),
    );
    expect(placed.status).toBe('accepted');
    messages.length = 0;
    time.jump(minutes(180));
    expect(brokerage.orders(ACCOUNT).map(({ status }) => status)).toEqual(['resting']);
    expect(messages.filter(({ kind }) => kind === 'trade')).toEqual([]);
    time.advance(seconds(10));
    expect(messages.filter(({ kind }) => kind === 'trade').length).toBeGreaterThan(0);
  });

  it('lives through midnight by itself: volumes begin again at zero', () => {
    const { brokerage, time, messages } = open();
    const front = brokerage.boards()[0]?.contract.orderCode;
    time.advance(seconds(60));
    time.jump(minutes(14 * 60 - 2));
    time.advance(minutes(2));
    const volumes = messages.flatMap((message) =>
      message.kind === 'trade' && message.orderCode === front ? [message.totalVolume] : [],
    );
    const resets = volumes.filter((volume, at) => volume < (volumes[at - 1] ?? 0));
    expect(resets).toHaveLength(1);
  });

  it('stops its timer when it is closed', () => {
    const { brokerage, time } = open();
    brokerage.close();
    expect(time.pending).toBe(0);
  });
});

const prices = (brokerage: Brokerage) =>
  brokerage.boards().map(({ lastPrice, totalVolume }) => [lastPrice, totalVolume]);

describe('the memory of the market', () => {
  it('is written at once for orders, and within a second for prices', () => {
    const first = open();
    first.time.advance(seconds(20));
    const before = prices(first.brokerage);
    const second = open({ store: first.store });
    expect(prices(second.brokerage)).toEqual(before);
  });
});
