/** What a take-profit sends is a limit order at its price: where the market turns before it fills, it protects nothing. */
import { expect, it } from 'vitest';
import { guarded } from '../support/small-broker.ts';
import { acceptWaiting, bracketBuy, exitHalf, waits } from '../support/trigger-rows.ts';
import { type RowFacts, traded } from '../../support/engine-facts.ts';
import { FIRST } from '../../support/engine-rig.ts';

it('leaves a position to the stop of the engine when it has triggered and does not fill', () => {
  const { rig } = guarded();
  const id = rig.ask(FIRST, bracketBuy(13_000, 12_950, 13_080));
  rig.accepted(id, '5').pass(1);
  const bought = { no: '5', ref: id, ...traded(13_000, 2) } as const;
  const sent = { no: '9', side: 'sell', qty: 2, price: 13_080, source: 'system' } as const;
  const show = (rows: readonly RowFacts[]) => rig.book(rows).positions(2).look(rows);
  show([bought]);
  rig.pass(1).conditions([exitHalf('a', 12_950), exitHalf('b', 13_080)]);
  show([bought]);
  const gone = exitHalf('a', 12_950, { status: 'canceled' });
  const triggered = exitHalf('b', 13_080, { status: 'activated', children: ['9'] });
  rig.pass(1).conditions([gone, triggered]);
  show([bought, sent]);
  const [stop] = rig.waiting.flatMap((each) =>
    each.call === 'place' && each.order.trigger?.kind === 'stop' ? [each.order] : [],
  );
  expect(stop?.qty).toBe(2);
  acceptWaiting(rig, stop!.clientOrderId, 'c');
  for (let i = 0; i < 5; i += 1) {
    rig.pass(1).conditions([gone, triggered, waits({ key: 'c', qty: 2, trigger: 12_900, limit: 12_880 })]);
    show([bought, sent]);
  }
  expect(rig.waiting.filter(({ call }) => call === 'cancel')).toEqual([]);
  expect(rig.statusOf(stop!.clientOrderId)).toBe('pending_trigger');
});
