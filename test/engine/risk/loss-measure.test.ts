/** A resume after a loss: what was lost until then is accepted, what follows is measured from there (rulings, 37). */
import { expect, it } from 'vitest';
import { instrumentIndex, money, priceHundredths, priceTicks, qty } from '../../../src/domain/units.ts';
import { EngineRig, FIRST, SECOND } from '../../support/engine-rig.ts';
import { replay } from '../../support/engine-replay.ts';
import { FRONT, NEXT } from '../../support/engine-world.ts';

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

const halts = (rig: EngineRig) => rig.of('halt').map(({ strategy, halted }) => [strategy, halted]);

it('does not halt again for the loss that a person has seen, and does for as much again', () => {
  const rig = holding();
  rig.trade(13_000 - LOSS);
  expect(halts(rig)).toEqual([[FIRST, true]]);
  rig
    .command(resume)
    .pass(1)
    .trade(13_000 - LOSS - 1)
    .clock();
  expect(halts(rig)).toEqual([
    [FIRST, true],
    [FIRST, false],
  ]);
  expect(rig.alerts()).toContain('loss_accepted');
  rig.trade(13_000 - LOSS - 1_999);
  expect(halts(rig)).toHaveLength(2);
  rig.trade(13_000 - LOSS - 2_000);
  expect(halts(rig).at(-1)).toEqual([FIRST, true]);
  expect(rig.of('halt').at(-1)?.reason).toContain('20,000,000 since the resume (day: -41,016,300)');
});

it('gives the account its whole limit again as well, and leaves limits that were not reached as they are', () => {
  const rig = holding(3);
  rig.trade(13_000 - 1_700);
  expect(halts(rig)).toEqual([
    [null, true],
    [FIRST, true],
  ]);
  rig
    .command(resume)
    .trade(13_000 - 1_701)
    .clock();
  expect(halts(rig).slice(2)).toEqual([
    [null, false],
    [FIRST, false],
  ]);
  expect(rig.of('alert').filter(({ code }) => code === 'loss_accepted')).toMatchObject([
    { strategy: null },
    { strategy: FIRST },
  ]);
  const base = rig.of('alert').findLast(({ code }) => code === 'loss_accepted');
  expect(base?.loss, 'the report of the day reads it').toBeGreaterThan(0);
  expect(rig.of('halt').some(({ strategy }) => strategy === SECOND)).toBe(false);
});

it('a resume of the account ends no halt of a strategy, nor one of a strategy that of the account', () => {
  const rig = holding(3);
  rig.trade(13_000 - 1_700);
  const halted = () => {
    const view = rig.engine.snapshot();
    return [view.halted !== null, view.strategies.map((each) => each.halted !== null)];
  };
  expect(halted()).toEqual([true, [true, false]]);
  rig
    .command({ ...resume, strategy: SECOND })
    .trade(13_000 - 1_701)
    .clock();
  expect(halted()).toEqual([true, [true, false]]);
  rig
    .command({ ...resume, strategy: null })
    .trade(13_000 - 1_702)
    .clock();
  expect(halted()).toEqual([false, [true, false]]);
  const again = new EngineRig({ isReal: true });
  replay(again, rig.inputs, rig.entries);
  expect(again.engine.snapshot().strategies.map((each) => each.halted !== null)).toEqual([true, false]);
  rig
    .command({ ...resume, strategy: FIRST })
    .trade(13_000 - 1_703)
    .clock();
  expect(halted()).toEqual([false, [false, false]]);
});

it('a loss limit that a strategy reaches while a person has halted it is shown by the resume, and takes one of its own', () => {
  const rig = holding();
  rig.command({ name: 'halt', strategy: FIRST, reason: 'flatten' }).trade(13_000 - LOSS);
  rig.command({ ...resume, strategy: FIRST }).trade(13_000 - LOSS - 1);
  expect(rig.engine.snapshot().strategies[0]?.halted).toContain('its loss of the day');
  rig.command({ ...resume, strategy: FIRST }).trade(13_000 - LOSS - 2);
  expect(rig.engine.snapshot().strategies[0]?.halted).toBeNull();
});

it('the rule of entries measures from there as well, also after a restart', () => {
  const rig = holding();
  rig.trade(13_000 - LOSS).command(resume);
  const again = new EngineRig({ isReal: true });
  replay(again, rig.inputs, rig.entries);
  for (const each of [rig, again]) {
    each.pass(1).reference().account().book().positions(1).look();
    expect(each.engine.snapshot().strategies[0]!.halted).toBeNull();
  }
});

it('alerts what was carried over and is not measured, as the broker shows no reference price', () => {
  const rig = new EngineRig({ isReal: true });
  rig
    .session({}, [{ strategy: FIRST, qty: 1 }])
    .boot(1)
    .contracts()
    .stream('live');
  const row = { instrument: NEXT.index, ceiling: priceTicks(13_910), floor: priceTicks(12_090) };
  const rows = [{ ...row, reference: priceHundredths(130_000), lastPrice: null }];
  rig.post({ kind: 'reference', rows }).trade(13_000).trade(10_000).account();
  expect(halts(rig)).toEqual([]);
  for (let poll = 0; poll < 5; poll += 1) rig.pass(21).clock().account();
  expect(rig.alerts().filter((code) => code === 'loss_unmeasured')).toHaveLength(1);
  rig.reference();
  expect(halts(rig)).toEqual([[FIRST, true]]);
});

function restarted(net: number): EngineRig {
  const rig = new EngineRig({ isReal: true });
  rig.session({ isRestarted: true, earned: [{ strategy: FIRST, net: money(net) }] }, [
    { strategy: FIRST, qty: 1 },
  ]);
  return rig.boot(2).contracts().stream('live').reference();
}

it('counts what the day had lost before it restarted, and no gain of then', () => {
  expect(halts(restarted(-18_000_000).trade(12_801))).toEqual([]);
  expect(halts(restarted(-18_000_000).trade(12_800))).toEqual([[FIRST, true]]);
  expect(halts(restarted(18_000_000).trade(11_000))).toEqual([[FIRST, true]]);
});

it('halts at once when the prices that are read show that what was carried has lost too much', () => {
  const rig = new EngineRig({ isReal: true });
  rig.session({}, [{ strategy: FIRST, qty: 10 }]);
  rig.boot(1).contracts().stream('live').pass(1).clock();
  expect(halts(rig), 'no price is known').toEqual([]);
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
  expect(halts(rig)).toEqual([]);
  read(13_000 - 200);
  expect(halts(rig)).toEqual([[FIRST, true]]);
});

/** The first strategy carries these from 13,000, by contract. */
function carrying(front: number, next: number): EngineRig {
  const rig = new EngineRig({ isReal: true });
  const carried = [front, next].map((held, at) => ({
    strategy: FIRST,
    instrument: instrumentIndex(at),
    qty: held,
  }));
  const held = carried.filter(({ qty: contracts }) => contracts !== 0);
  return rig.session({}, held).boot(1);
}

let volume = 0;
function trade(rig: EngineRig, at: number, price: number): void {
  volume += 1;
  const instrument = instrumentIndex(at);
  rig.post({ kind: 'trade', instrument, price: priceTicks(price), qty: qty(1), totalVolume: volume });
}

it('counts a position from the moment its contract is listed', () => {
  const rig = carrying(0, 3).contracts([FRONT]).stream('live').reference().look().account();
  trade(rig, 1, 12_000);
  expect(halts(rig), 'nobody knows what a tick of it is worth').toEqual([]);
  rig.contracts([FRONT, NEXT]).clock();
  expect(halts(rig)).toEqual([[FIRST, true]]);
});
