/** Ids of orders as a person reads them: what is shown names the order, whatever its start was stamped with. */
import { expect, it } from 'vitest';
import { shortOrderId } from '../../src/domain/ids.ts';
import { remedyOf } from '../../src/operator/remedies.ts';

it.each([
  'H.123456abcdef012326030400012000007',
  'H.123456abcdef012326030400012A0000Z',
  'H.12345600012000001',
])('a remedy names %s whole', (id) => {
  const alert = {
    severity: 'critical',
    code: 'order_presumed_absent',
    text: `${shortOrderId(id)} buy 1 at 1931.0: not in the broker's book; it counts as open (${id})`,
  } as const;
  const remedy = remedyOf(alert, (text) => `tickwright ${text}`);
  expect(remedy).toContain(` ${id} `);
});

it('an id is as short behind 999,999', () => {
  expect(shortOrderId('H.123456abcdef012326030400012999999')).toBe('#12999999');
  expect(shortOrderId('H.123456abcdef012326030400012A0000B')).toBe('#12A0000B');
});
