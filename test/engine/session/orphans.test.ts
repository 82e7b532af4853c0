/** Positions whose strategy is stopped follow `risk.onOrphan`, and are alerted once. */
import { expect, it } from 'vitest';
import type { RiskSettings } from '../../../src/domain/settings.ts';
import { EngineRig, FIRST } from '../../support/engine-rig.ts';

/** The first strategy is long two, and is stopped. */
function stopped(onOrphan?: NonNullable<RiskSettings['onOrphan']>): EngineRig {
  const risk = onOrphan === undefined ? {} : { risk: { onOrphan } };
  const rig = new EngineRig({ isReal: true, qtyMax: 4, ...risk }).start().account();
  const id = rig.resting(FIRST, 'buy', 2, 13_000, '1');
  const filled = [{ no: '1', ref: id, qty: 2, filled: 2, price: 13_000, status: 'matched' }] as const;
  rig.look(filled).pass(1).positions(2).look(filled).trade(13_000);
  expect(rig.position(FIRST)).toBe(2);
  return rig.command({ name: 'stop_strategy', strategy: FIRST, reason: 'test' });
}

const orphans = (rig: EngineRig): string[] =>
  rig.of('alert').flatMap(({ code, text }) => (code === 'orphan_position' ? [text] : []));

it('flatten: it is closed', () => {
  const rig = stopped('flatten');
  rig.pass(1).positions(2);
  expect(orphans(rig)).toHaveLength(1);
  expect(rig.places().slice(1)).toMatchObject([{ side: 'sell', qty: 2, purpose: 'reduce' }]);
});

it('is said to have no stop once the trigger book was read, and not before', () => {
  const rig = stopped();
  expect(orphans(rig)).toEqual([expect.stringContaining('is not read yet')]);
  for (let scan = 0; scan < 2; scan += 1) rig.pass(1).conditions();
  expect(orphans(rig).slice(1)).toEqual([expect.stringContaining('without a stop at the broker')]);
});
