/** A resume after a loss: what was lost until then is accepted, what follows is measured from there (rulings, 37). */
import { expect, it } from 'vitest';
import { priceHundredths, priceTicks } from '../../src/domain/units.ts';
import { EngineRig, FIRST, SECOND } from '../support/engine-rig.ts';
import { replay } from '../support/engine-replay.ts';
import { DAY, FRONT } from '../support/engine-world.ts';

const LOSS = 2_100; // ticks, for one contract 21,000,000
const resume = { name: 'resume', reason: 'seen' } as const;

/** FIRST holds one contract bought at 13,000; the limit of a strategy is 20,000,000, of the account 50,000,000. */
function holding(contracts = 1): EngineRig {
  const rig = new EngineRig({ isReal: true }).start().account();
  const id = rig.submit(FIRST, 'buy', contracts, 13_000);
  rig.accepted(id, '1').pass(1);
  return rig.book([
    {
      no: '1',
      ref: id,
      qty: contracts,
      filled: contracts,
      value: contracts * 130_000_000,
      status: 'matched',
    },
  ]);
}

const latches = (rig: EngineRig) => rig.of('latch').map(({ strategy, latched }) => [strategy, latched]);

it('does not latch again for the loss that a person has seen, and does for as much again', () => {
  const rig = holding();
  rig.trade(13_000 - LOSS);
  expect(latches(rig)).toEqual([[FIRST, true]]);
  rig
    .command(resume)
    .pass(1)
    .trade(13_000 - LOSS - 1)
    .clock();
  expect(latches(rig)).toEqual([
    [FIRST, true],
    [FIRST, false],
  ]);
  expect(rig.alerts()).toContain('loss_accepted');
  rig.trade(13_000 - LOSS - 1_999);
  expect(latches(rig)).toHaveLength(2);
  rig.trade(13_000 - LOSS - 2_000);
  expect(latches(rig).at(-1)).toEqual([FIRST, true]);
});

it('gives the account its whole limit again as well, and leaves limits that were not reached as they are', () => {
  const rig = holding(3);
  rig.trade(13_000 - 1_700);
  expect(latches(rig)).toEqual([
    [null, true],
    [FIRST, true],
  ]);
  rig
    .command(resume)
    .trade(13_000 - 1_701)
    .clock();
  expect(latches(rig).slice(2)).toEqual([
    [null, false],
    [FIRST, false],
  ]);
  expect(rig.of('alert').filter(({ code }) => code === 'loss_accepted')).toMatchObject([
    { strategy: null },
    { strategy: FIRST },
  ]);
  expect(rig.of('latch').some(({ strategy }) => strategy === SECOND)).toBe(false);
});

it('a resume for another reason gives nothing more to lose', () => {
  const rig = holding();
  rig.trade(13_000 - 1_500);
  rig.command({ name: 'halt', reason: 'lunch' }).command(resume);
  expect(rig.alerts()).not.toContain('loss_accepted');
  rig.trade(13_000 - LOSS);
  expect(latches(rig).at(-1)).toEqual([FIRST, true]);
});

it('the rule of entries measures from there as well, also after a restart', () => {
  const rig = holding();
  rig.trade(13_000 - LOSS).command(resume);
  const again = new EngineRig({ isReal: true });
  replay(again, rig.inputs, rig.entries);
  for (const each of [rig, again]) {
    each.pass(1).reference().account().book().positions({ VN30F2603: 1 }).pass(1).book();
    expect(each.engine.snapshot().strategies[0]!.latched).toBeNull();
  }
});

it('latches at once when the prices that are read show that what was carried has lost too much', () => {
  const rig = new EngineRig({ isReal: true });
  rig.session(DAY, [{ strategy: FIRST, qty: 10, openValue: 1_300_000_000 }]);
  rig.boot(1).contracts().stream('live').pass(1).clock();
  expect(latches(rig), 'no price is known').toEqual([]);
  const band = {
    ceiling: priceTicks(13_910),
    floor: priceTicks(12_090),
    reference: priceHundredths(130_000),
  };
  const read = (lastPrice: number): EngineRig =>
    rig.post({
      kind: 'reference',
      rows: [{ instrument: FRONT.index, ...band, lastPrice: priceTicks(lastPrice) }],
    });
  read(13_000 - 199);
  expect(latches(rig)).toEqual([]);
  read(13_000 - 200);
  expect(latches(rig)).toEqual([[FIRST, true]]);
});
