/** Place, change, cancel: what is sent, what is understood of it, what is answered. */
import { assert, describe, expect, it } from 'vitest';
import { brokerOrderKey, brokerOrderNo, orderCode } from '../../../src/domain/ids.ts';
import { issuesText } from '../../../src/domain/parsed.ts';
import { priceTicks, qty } from '../../../src/domain/units.ts';
import { cancelOrder, changeOrder, placeOrder } from '../../../src/wire/rest/order-calls.ts';
import { ACCOUNT, SUB_ACCOUNT } from '../support/broker-facts.ts';
import { goldenAnswer } from '../support/golden.ts';
import { VN30 } from '../support/listed-contracts.ts';

const REF = 'H.1234561731400000000';
const body = (content: unknown) => ({ params: {}, query: {}, body: content });
const order = { orderNo: brokerOrderNo('17'), orderKey: brokerOrderKey('7625320') };
const contract = { orderCode: orderCode('VN30F2511'), spec: VN30 };

const PLACE = {
  accountId: ACCOUNT,
  subAccountId: SUB_ACCOUNT,
  side: 'B',
  symbol: 'VN30F2511',
  price: 1198.7,
  volume: 2,
  orderType: '0',
  refId: REF,
};
const PLACED = {
  accountId: ACCOUNT,
  subAccountId: SUB_ACCOUNT,
  side: 'buy',
  symbol: 'VN30F2511',
  points: 1198.7,
  volume: 2,
  terms: { kind: 'regular' },
  refId: REF,
};

describe('what is understood', () => {
  it.each([
    ['numbers as texts', { price: '1198.7', volume: '2' }, {}],
    ['scientific numbers', { price: '1.1987E3', volume: 2 }, {}],
    ['fields nobody knows', { advance: '', pin: null, type: 'I', cmd: '', '__proto__ ': 1 }, {}],
    ['no order type', { orderType: null }, {}],
    ['an empty order type', { orderType: '' }, {}],
    [
      'stop-loss and take-profit',
      { orderType: 'SLP=1190,1210.5' },
      { terms: { kind: 'bracket', stopLossPoints: 1190, takeProfitPoints: 1210.5 } },
    ],
    ['a leg', { orderType: ' ABI = 41I1FC000 ' }, { terms: { kind: 'arbitrage', leg: '41I1FC000' } }],
    ['half a bracket', { orderType: 'SLP=1190' }, { terms: { kind: 'unreadable', text: 'SLP=1190' } }],
    ['a type nobody knows', { orderType: 'MTL' }, { terms: { kind: 'unreadable', text: 'MTL' } }],
    ['no reference', { refId: null }, { refId: '' }],
    ['a price off the grid: the venue refuses it', { price: 1198.75 }, { points: 1198.75 }],
    ['a fraction of a contract: the venue refuses it', { volume: 1.5 }, { volume: 1.5 }],
  ])('of a place with %s', (_what, fields, differs) => {
    expect(placeOrder.decodeRequest(body({ ...PLACE, ...fields }))).toStrictEqual({
      ok: true,
      value: { ...PLACED, ...differs },
    });
  });
});

it('refuses a place in words: what was expected, field by field, and that nothing came', () => {
  const refused = placeOrder.decodeRequest(body({ side: 'X', price: 'abc' }));
  assert(!refused.ok, 'it lacks an account');
  const text = issuesText(refused.issues);
  expect(text).toContain('body.accountId: expected a text, was nothing');
  expect(text).toContain('body.side: expected "B" or "S", was "X"');
  expect(text).toContain('body.price: expected a number, was "abc"');
});

describe('what is answered', () => {
  const placed = {
    ...order,
    ...contract,
    refId: REF,
    subAccountId: SUB_ACCOUNT,
    side: 'buy',
    qty: qty(2),
    limitPrice: priceTicks(11_987),
    time: '15:52:48',
  } as const;

  it('to a place', () => {
    expect(placeOrder.encodeResponse({ ...placed, status: 'queued' })).toStrictEqual(goldenAnswer('place'));
  });

  it.each([
    ['queued', 'G'],
    ['resting', 'Y'],
    ['matched', 'G'],
    ['canceled', 'G'],
  ] as const)('to a place that is %s by then: P and %s', (status, quote) => {
    expect(placeOrder.encodeResponse({ ...placed, status })).toMatchObject({
      data: [{ status: 'P', quote }],
    });
  });

  it('to a change and a cancel', () => {
    const changed = { ...order, qty: qty(2), limitPrice: priceTicks(11_988), spec: VN30 };
    expect(changeOrder.encodeResponse(changed)).toStrictEqual(goldenAnswer('change'));
    expect(cancelOrder.encodeResponse({ ...order, time: '15:53:02' })).toStrictEqual(goldenAnswer('cancel'));
  });

  it('with a refusal', () => {
    expect(placeOrder.encodeRefusal(-6035, 'Price outside ceiling and floor')).toStrictEqual(
      goldenAnswer('refused'),
    );
    const changeCmd = { ...goldenAnswer('refused'), cmd: 'Web.changeOrder' };
    expect(changeOrder.encodeRefusal(-6035, 'Price outside ceiling and floor')).toStrictEqual(changeCmd);
    expect(cancelOrder.encodeRefusal(-6035, 'Price outside ceiling and floor')).toStrictEqual(changeCmd);
  });
});
