/** Fills as steps of cumulative figures: counted once, corrected apart, charged once an order (failure cases, 17, 18). */
import { describe, expect, it } from 'vitest';
import { priceTicks, qty } from '../../src/domain/units.ts';
import { orderCosts } from '../../src/domain/costs.ts';
import { earlierOrder, type RowFacts, traded } from '../support/engine-facts.ts';
import { EngineRig, FIRST } from '../support/engine-rig.ts';
import { COSTS, DAY, timeOf, worth } from '../support/engine-world.ts';

const matched = (filled: number, value?: number, quality: 'exact' | 'average' = 'exact'): RowFacts => {
  const facts: RowFacts = { no: '7', qty: 3, filled, status: filled === 0 ? 'resting' : 'matched', quality };
  return value === undefined ? facts : { ...facts, value };
};

function resting(): EngineRig {
  const rig = new EngineRig().start();
  rig.resting(FIRST, 'buy', 3, 13_000, '7');
  return rig;
}

const costsOf = (filledQty: number, filledValue: number) =>
  orderCosts(COSTS, DAY, { side: 'buy', filledQty, filledValue });

const shownFills = (rig: EngineRig) => rig.of('fill').map(({ qty, value, quality }) => [qty, value, quality]);

describe('a fill', () => {
  it('17: read twice counts once', () => {
    const rig = resting();
    for (let i = 0; i < 3; i += 1) rig.look([matched(1, worth(12_990))]);
    expect(shownFills(rig)).toHaveLength(1);
    expect(rig.host.updates.at(-1)?.update).toMatchObject({ lastFilledQty: 1, leavesQty: 2 });
  });

  it('18: never goes back: an older scan changes nothing, a newer one that shows less is alerted', () => {
    const rig = resting();
    rig.look([matched(2, worth(12_990, 2))]).book([matched(1, worth(12_990))], { ago: 0.9 });
    expect(rig.alerts()).toEqual([]);
    rig.look([matched(1, worth(12_990))]).look([matched(1, worth(12_990))]);
    expect(rig.position(FIRST)).toBe(2);
    expect(rig.alerts()).toEqual(['cumulative_decreased']);
  });

  it('18: an incomplete walk is taken for what it shows', () => {
    const rig = resting();
    rig.look([matched(1, worth(12_990))], { complete: false });
    expect(rig.position(FIRST)).toBe(1);
  });

  it('is charged by the order: how often we poll changes nothing', () => {
    const often = resting();
    for (const filled of [1, 2, 3]) often.look([matched(filled, worth(12_997, filled))]);
    const once = resting();
    once.look([matched(3, worth(12_997, 3))]);
    const costs = costsOf(3, worth(12_997, 3));
    for (const rig of [often, once]) {
      const charged = rig
        .of('fill')
        .reduce((sum, { fee, tax }) => ({ fee: sum.fee + fee, tax: sum.tax + tax }), {
          fee: 0,
          tax: 0,
        });
      expect(charged).toEqual(costs);
      expect(rig.engine.snapshot()).toMatchObject({ fee: costs.fee, tax: costs.tax });
    }
    expect(often.engine.snapshot().dayPnl).toBe(once.engine.snapshot().dayPnl);
  });
});

describe('a fill without its value', () => {
  it('is estimated at the last print no worse than the limit', () => {
    const rig = resting();
    rig.trade(12_980).look([matched(1)]);
    expect(shownFills(rig)).toEqual([[1, worth(12_980), 'estimated']]);
    const worse = resting();
    worse.trade(13_020).look([matched(1)]);
    expect(shownFills(worse), 'a buy never costs more than its limit').toEqual([
      [1, worth(13_000), 'estimated'],
    ]);
  });

  it('is estimated at the reference price before the first print: an exit in an auction rests at the edge of the band', () => {
    const edge = priceTicks(12_090);
    const rig = new EngineRig({ startUs: timeOf(8, 50) });
    const exit = earlierOrder('H.1', { side: 'sell', qty: qty(1), limitPrice: edge });
    rig.contracts().session({ isRestarted: true, carriedOrders: [exit] }, [{ strategy: FIRST, qty: 1 }]);
    rig.boot(2).stream('live').reference(130_004);
    rig.look([{ no: '7', ref: exit.clientOrderId, side: 'sell', price: edge, filled: 1, status: 'matched' }]);
    expect(shownFills(rig)).toEqual([[1, worth(13_000), 'estimated']]);
  });

  it('is corrected by an event of its own when its value comes, with its tax', () => {
    const rig = resting();
    rig
      .trade(12_980)
      .look([matched(1)])
      .look([matched(1, worth(12_970))]);
    expect(rig.of('fill_correction')).toMatchObject([
      { value: worth(-10), cumValue: worth(12_970), quality: 'exact' },
    ]);
    const { tax } = costsOf(1, worth(12_970));
    expect(rig.engine.snapshot().tax).toBe(tax);
  });

  it('profits by what the correction says', () => {
    const rig = resting();
    rig.trade(13_000).look([matched(1)]);
    const before = rig.engine.snapshot().dayPnl;
    rig.look([matched(1, worth(12_990))]);
    const { tax: taxBefore } = costsOf(1, worth(13_000));
    const { tax: taxAfter } = costsOf(1, worth(12_990));
    expect(rig.engine.snapshot().dayPnl - before).toBe(worth(10) + taxBefore - taxAfter);
  });

  it('a worse figure never replaces a better one', () => {
    const rig = resting();
    rig
      .look([matched(1, worth(12_990))])
      .look([matched(1, worth(12_991), 'average')])
      .look([matched(1)]);
    expect(rig.of('fill_correction')).toEqual([]);
  });

  it('when the estimate was above the true total, the step is booked and the rest corrected', () => {
    const rig = resting();
    rig
      .trade(13_000)
      .look([matched(2)])
      .look([matched(3, worth(13_000))]);
    const booked = rig.of('fill').reduce((sum, { value }) => sum + value, 0);
    const corrected = rig.of('fill_correction').reduce((sum, { value }) => sum + value, 0);
    expect(booked + corrected).toBe(worth(13_000));
    expect(rig.position(FIRST)).toBe(3);
  });
});

describe('profit of the day', () => {
  it('counts a carried position from the reference price', () => {
    const rig = new EngineRig();
    rig
      .session({}, [{ strategy: FIRST, qty: 2, price: 12_500 }])
      .boot(1)
      .contracts();
    expect(rig.engine.snapshot().dayPnl, 'no price is known').toBe(0);
    rig.stream('live').reference(130_000);
    expect(rig.engine.snapshot().dayPnl).toBe(0);
    rig.trade(13_010);
    expect(rig.engine.snapshot().dayPnl).toBe(worth(10, 2));
    expect(rig.engine.snapshot().strategies[0]?.positions[0]).toMatchObject({ qty: 2, open: worth(510, 2) });
  });

  it('is realised + open - costs', () => {
    const rig = resting();
    rig.look([matched(3, worth(13_000, 3))]);
    const out = rig.resting(FIRST, 'sell', 1, 13_020, '8');
    const sold: RowFacts = { no: '8', ref: out, side: 'sell', price: 13_020, ...traded(13_020) };
    rig.look([matched(3, worth(13_000, 3)), sold]).trade(13_010);
    const buy = costsOf(3, worth(13_000, 3));
    const sell = costsOf(1, worth(13_020));
    const costs = buy.fee + buy.tax + sell.fee + sell.tax;
    expect(rig.engine.snapshot().dayPnl).toBe(worth(20) + worth(10, 2) - costs);
  });
});
