/** Between two reads of the account its buying power is used once, however orders grow meanwhile. */
import { expect, it } from 'vitest';
import { qty } from '../../src/domain/units.ts';
import { EngineRig, FIRST } from '../support/engine-rig.ts';

/** One contract at 1,300.0 needs 22,100,000; four fifths of this are enough for two. */
const ENOUGH_FOR_TWO = 2 * 27_625_000;

it('two increases do not use the same money', () => {
  const rig = new EngineRig({ isReal: true })
    .start()
    .account(10 * ENOUGH_FOR_TWO)
    .trade(13_000);
  const one = rig.resting(FIRST, 'buy', 1, 13_000, '1');
  const other = rig.resting(FIRST, 'buy', 1, 12_999, '2');
  const rows = (first: number) => [
    { no: '1', ref: one, qty: first, price: 13_000 },
    { no: '2', ref: other, qty: 1, price: 12_999 },
  ];
  // The figure holds both as they are, and leaves enough for two more.
  rig.look(rows(1)).pass(1).account(ENOUGH_FOR_TWO).pass(1);
  const enlarge = (id: typeof one) => rig.modify(FIRST, { kind: 'qty', clientOrderId: id, qty: qty(3) });
  enlarge(one);
  rig.look(rows(3)).pass(1);
  expect(rig.statusOf(one)).toBe('accepted');
  enlarge(other);
  expect(rig.of('denied').map(({ denial }) => denial.code)).toEqual(['margin']);
  // The next figure holds the first increase; what it leaves is free again.
  rig.account(ENOUGH_FOR_TWO).pass(1);
  enlarge(other);
  expect(rig.sent.filter(({ call }) => call === 'modify')).toHaveLength(2);
});
