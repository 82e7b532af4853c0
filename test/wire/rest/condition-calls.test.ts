/** Orders that wait for a price: what place, change and cancel are answered. */
import { expect, it } from 'vitest';
import { clientOrderId, orderCode } from '../../../src/domain/ids.ts';
import { priceTicks, qty } from '../../../src/domain/units.ts';
import { conditionBook } from '../../../src/wire/rest/condition-book.ts';
import { cancelCondition, changeCondition, placeCondition } from '../../../src/wire/rest/condition-calls.ts';
import { ACCOUNT, SUB_ACCOUNT } from '../support/broker-facts.ts';
import { CONDITION } from '../support/condition-facts.ts';
import { goldenAnswer } from '../support/golden.ts';
import { VN30 } from '../support/listed-contracts.ts';

const ORDER = {
  accountId: ACCOUNT,
  subAccountId: SUB_ACCOUNT,
  callId: clientOrderId('H.1234561731400000000'),
  orderCode: orderCode('VN30F2511'),
  side: 'sell',
  qty: qty(2),
  limitPrice: priceTicks(11_950),
  spec: VN30,
} as const;

it('a conditional place is answered as the documents show it', () => {
  const answer = placeCondition.encodeResponse({ ...CONDITION, ...ORDER, time: '09:15:00' });
  expect(answer).toStrictEqual(goldenAnswer('condition-place'));
});

it('a conditional change is answered in texts', () => {
  const triggerPrice = priceTicks(11_965);
  expect(changeCondition.encodeResponse({ ...CONDITION, ...ORDER, triggerPrice })).toStrictEqual(
    goldenAnswer('condition-change'),
  );
});

it('a conditional cancel is answered with an empty list', () => {
  expect(cancelCondition.encodeResponse()).toStrictEqual(goldenAnswer('condition-cancel'));
});

it.each([placeCondition, changeCondition, cancelCondition, conditionBook])(
  '$name is refused in the envelope',
  ({ encodeRefusal }) => {
    expect(encodeRefusal(-6014, 'Cannot be cancelled')).toMatchObject({
      rc: '-6014',
      rs: 'Cannot be cancelled',
      data: [],
    });
  },
);
