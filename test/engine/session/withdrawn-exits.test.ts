/** A broker withdraws the exits of a bracket where its account holds nothing in the contract (`venue/triggers`). */
import { describe, expect, it } from 'vitest';
import { traded } from '../../support/engine-facts.ts';
import { EngineRig, FIRST, SECOND } from '../../support/engine-rig.ts';
import { FRONT, worth } from '../../support/engine-world.ts';
import { bracketBuy, exitHalf } from '../support/trigger-rows.ts';

const exits = (status: 'pending' | 'canceled') => [
  exitHalf('a', 12_950, { status }),
  exitHalf('b', 13_080, { status }),
];
/** Contracts that the second strategy sells beside the bracket; stops that were placed for the first one since. */
const withdrawn = (sold: number) => {
  const rig = new EngineRig({ isReal: true, canWait: true }).start();
  rig.account().conditions().trade(13_000);
  const bracket = rig.ask(FIRST, bracketBuy(13_000, 12_950, 13_080));
  rig.accepted(bracket, '5').pass(1);
  const bought = {
    no: '5',
    ref: bracket,
    ...traded(13_000, 2),
  } as const;
  const held = (): void => void rig.positions(sold === 2 ? {} : { [FRONT.orderCode]: 2 - sold });
  rig.book([bought]).positions(2).pass(1).conditions(exits('pending')).book([bought]);
  if (sold > 0) rig.submit(SECOND, 'sell', sold, 13_000);
  const ref = rig.places().at(-1)?.clientOrderId ?? bracket;
  if (sold > 0) rig.accepted(ref, '6');
  const value = worth(13_000, sold);
  const also =
    sold === 0
      ? []
      : [{ no: '6', ref, side: 'sell', qty: sold, filled: sold, value, status: 'matched' } as const];
  // The trigger book is read before the fill that emptied the account.
  rig
    .pass(1)
    .conditions(exits('canceled'))
    .look([bought, ...also]);
  held();
  for (let i = 0; i < 5; i += 1) {
    rig
      .pass(2)
      .conditions(exits('canceled'))
      .book([bought, ...also]);
    held();
  }
  return rig;
};
const stops = (rig: EngineRig) =>
  rig.waiting.flatMap((sent) => {
    if (sent.call !== 'place' || sent.order.trigger?.kind !== 'stop') return [];
    return [[sent.order.side, sent.order.qty, sent.order.trigger.triggerPrice]];
  });

describe('exits of a bracket that the broker withdraws', () => {
  it('because its account is flat come back as a stop: the position of the strategy is there still', () => {
    const rig = withdrawn(2);
    expect(rig.position(FIRST)).toBe(2);
    expect(stops(rig)).toEqual([['sell', 2, 12_950]]);
    expect(rig.alerts()).toContain('exits_missing');
  });

  it('for a person, or for reasons of its own, stay away', () => {
    expect(stops(withdrawn(0))).toEqual([]);
  });
});
