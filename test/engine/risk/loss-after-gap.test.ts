/** Prices that nobody saw: after a disconnect or a restart the loss is measured at the price that the broker shows. */
import { expect, it } from 'vitest';
import type { TradeTick } from '../../../src/domain/ticks.ts';
import { money, priceHundredths, priceTicks } from '../../../src/domain/units.ts';
import { EngineRig, FIRST, type RigOptions } from '../../support/engine-rig.ts';
import { FRONT, SETTINGS, worth } from '../../support/engine-world.ts';

const LIMIT = worth(100);
const seats = SETTINGS.strategies.map((each) => ({
  ...each,
  overnight: true,
  risk: { ...each.risk, dailyLossMax: money(LIMIT) },
}));

/** Long 1 from 13,000, which is the last trade. */
function long(options: RigOptions = {}): EngineRig {
  const rig = new EngineRig({ seats, ...options }).start().account().trade(13_000);
  const ref = rig.resting(FIRST, 'buy', 1, 13_000, '1');
  const filled = { no: '1', ref, filled: 1, value: worth(13_000), status: 'matched' } as const;
  return rig.look([filled]).pass(1).positions(1).look([filled]);
}

const shown = (rig: EngineRig, price: number) =>
  rig.post({
    kind: 'reference',
    rows: [
      {
        instrument: FRONT.index,
        ceiling: priceTicks(13_910),
        floor: priceTicks(12_090),
        reference: priceHundredths(130_000),
        lastPrice: priceTicks(price),
      },
    ],
  });

const halted = (rig: EngineRig) => rig.of('halt').filter((each) => each.halted && each.strategy === FIRST);

it.each([
  ['a disconnect', (rig: EngineRig) => rig.stream('down').pass(60).stream('live')],
  ['a restart', (rig: EngineRig) => rig.pass(60).boot(2).stream('live')],
])('a limit that was reached during %s halts before the next trade', (_, gap) => {
  const rig = long();
  shown(gap(rig), 12_899);
  expect(halted(rig)).toHaveLength(1);
});

it('a price outside of the band of the day is no loss, reaches no strategy, and is alerted once', () => {
  const prices: number[] = [];
  const listener = { onTrade: ({ price }: TradeTick) => void prices.push(price) };
  const rig = long({ policies: {}, strategies: [listener, {}] }).trade(13_001);
  prices.length = 0;
  rig.trade(1_300).trade(12_089).trade(13_911).trade(12_999);
  expect([prices, halted(rig), rig.of('gap')]).toEqual([[12_999], [], []]);
  expect(rig.engine.snapshot().strategies[0]?.positions[0]?.open).toBe(-worth(1));
  const texts = rig.of('alert').flatMap(({ code, text }) => (code === 'price_outside_band' ? [text] : []));
  expect(texts).toEqual([expect.stringMatching(/came at 130\.0, outside of the band of the day/)]);
});

it('a trade at the floor of the day is one', () => {
  const rig = long({ policies: {} }).trade(12_090);
  expect([halted(rig).length, rig.of('alert').map(({ code }) => code)]).toEqual([
    1,
    expect.not.arrayContaining(['price_outside_band']),
  ]);
});

it('a trade since then counts, and what the broker showed before the gap does not', () => {
  const rig = shown(long(), 12_899);
  expect(halted(rig), 'a trade is newer').toEqual([]);
  rig.stream('down').pass(60).stream('live');
  expect(halted(rig)).toEqual([]);
  shown(rig, 12_950).trade(12_990);
  expect(rig.engine.snapshot().strategies[0]?.positions[0]?.open).toBe(-worth(10));
});
