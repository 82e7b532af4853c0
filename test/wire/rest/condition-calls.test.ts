/** Orders that wait for a price: place, change, cancel. */
import { describe, expect, it } from 'vitest';
import { brokerOrderKey, brokerOrderNo, clientOrderId, orderCode } from '../../../src/domain/ids.ts';
import { priceTicks, qty } from '../../../src/domain/units.ts';
import { conditionBook } from '../../../src/wire/rest/condition-book.ts';
import { cancelCondition, changeCondition, placeCondition } from '../../../src/wire/rest/condition-calls.ts';
import { ACCOUNT, SUB_ACCOUNT } from '../support/broker-facts.ts';
import { CONDITION } from '../support/condition-facts.ts';
import { goldenAnswer } from '../support/golden.ts';
import { VN30 } from '../support/listed-contracts.ts';

const REF = 'H.1234561731400000000';
const body = (content: unknown) => ({ params: {}, query: {}, body: content });
const accounts = { accountId: ACCOUNT, subAccountId: SUB_ACCOUNT };

const ORDER = {
  ...accounts,
  callId: clientOrderId(REF),
  orderCode: orderCode('VN30F2511'),
  side: 'sell',
  qty: qty(2),
  limitPrice: priceTicks(11_950),
  spec: VN30,
} as const;
const STOP = {
  accountId: ACCOUNT,
  subAccountId: SUB_ACCOUNT,
  side: 'S',
  symbol: 'VN30F2511',
  price: 1195,
  volume: 2,
  orderType: 'SOU',
  soPrice: 1196.5,
  callbackPoint: 0,
  activationPrice: 0,
  refId: REF,
};
const TRAILING = { ...STOP, orderType: 'TSO', soPrice: 1210, callbackPoint: 1.5, activationPrice: 1210 };
const ASKED = {
  ...accounts,
  side: 'sell',
  symbol: 'VN30F2511',
  points: 1195,
  volume: 2,
  refId: REF,
  trigger: { kind: 'stop', points: 1196.5, when: 'at_or_below' },
};

describe('a conditional place', () => {
  it.each([
    [
      'stop',
      { kind: 'stop', triggerPrice: priceTicks(11_965), triggerWhen: 'at_or_below' },
      STOP,
      ASKED.trigger,
    ],
    [
      'stop above',
      { kind: 'stop', triggerPrice: priceTicks(11_965), triggerWhen: 'at_or_above' },
      { ...STOP, orderType: 'SOL' },
      { ...ASKED.trigger, when: 'at_or_above' },
    ],
    [
      'trailing stop',
      { kind: 'trailing_stop', activationPrice: priceTicks(12_100), trailingOffset: 15 },
      TRAILING,
      { kind: 'trailing_stop', activationPoints: 1210, offsetPoints: 1.5 },
    ],
  ] as const)('of a %s has the names and types of the contract', (_kind, trigger, sent, understood) => {
    expect([placeCondition.method, placeCondition.path]).toEqual([
      'POST',
      '/khronos/v1/order/condition/place',
    ]);
    expect(placeCondition.encodeRequest({ ...ORDER, trigger })).toStrictEqual({ query: {}, body: sent });
    expect(placeCondition.decodeRequest(body(sent))).toStrictEqual({
      ok: true,
      value: { ...ASKED, trigger: understood },
    });
  });

  it.each([
    ['numbers as texts', { price: '1195', volume: '2', soPrice: '1.1965E3' }, {}],
    ['nothing where the kind needs nothing', { callbackPoint: null, activationPrice: '' }, {}],
    ['no reference', { refId: undefined }, { refId: '' }],
    ['a code in small letters', { orderType: ' sou ' }, {}],
    ['fields nobody knows', { advance: 1, pin: 'F' }, {}],
  ])('is understood with %s', (_what, fields, differs) => {
    expect(placeCondition.decodeRequest(body({ ...STOP, ...fields }))).toStrictEqual({
      ok: true,
      value: { ...ASKED, ...differs },
    });
  });

  it.each([
    [{ orderType: 'SL' }, 'body.orderType'],
    [{ orderType: null }, 'body.orderType'],
    [{ soPrice: null }, 'body.soPrice'],
    [{ orderType: 'TSO', callbackPoint: null, activationPrice: 1 }, 'body.callbackPoint'],
    [{ orderType: 'TSO', callbackPoint: 1, activationPrice: '' }, 'body.activationPrice'],
    [{ side: 'L' }, 'body.side'],
    [{ symbol: '' }, 'body.symbol'],
    [{ price: 'x' }, 'body.price'],
  ])('is not understood with %o', (fields, path) => {
    expect(placeCondition.decodeRequest(body({ ...STOP, ...fields }))).toMatchObject({
      ok: false,
      issues: [{ path }],
    });
  });

  it('is answered as the documents show it', () => {
    const answer = placeCondition.encodeResponse({ ...CONDITION, ...ORDER, time: '09:15:00' });
    expect(answer).toStrictEqual(goldenAnswer('condition-place'));
  });
});

describe('a conditional change', () => {
  const CHANGE = {
    accountId: ACCOUNT,
    pkOrderNo: '7625321',
    refId: REF,
    soPrice: 1196.5,
    type: '',
    cmd: 'Web.Order.ChangeCondition',
  };

  it('goes by the key and moves the trigger', () => {
    expect([changeCondition.method, changeCondition.path]).toEqual([
      'POST',
      '/khronos/v2/order/condition/change',
    ]);
    expect(
      changeCondition.encodeRequest({
        accountId: ACCOUNT,
        orderKey: brokerOrderKey('7625321'),
        callId: clientOrderId(REF),
        triggerPrice: priceTicks(11_965),
        spec: VN30,
      }),
    ).toStrictEqual({ query: {}, body: CHANGE });
    const asked = { accountId: ACCOUNT, orderKey: '7625321', refId: REF, triggerPoints: 1196.5 };
    expect(changeCondition.decodeRequest(body(CHANGE))).toStrictEqual({ ok: true, value: asked });
    expect(
      changeCondition.decodeRequest(body({ ...CHANGE, pkOrderNo: 7_625_321, type: null, soPrice: '1196.5' })),
    ).toStrictEqual({ ok: true, value: asked });
  });

  it.each([
    [{ pkOrderNo: '' }, 'body.pkOrderNo'],
    [{ soPrice: null }, 'body.soPrice'],
    [{ accountId: null }, 'body.accountId'],
  ])('is not understood with %o', (fields, path) => {
    expect(changeCondition.decodeRequest(body({ ...CHANGE, ...fields }))).toMatchObject({
      ok: false,
      issues: [{ path }],
    });
  });

  it('is answered in texts', () => {
    const triggerPrice = priceTicks(11_965);
    expect(changeCondition.encodeResponse({ ...CONDITION, ...ORDER, triggerPrice })).toStrictEqual(
      goldenAnswer('condition-change'),
    );
  });
});

describe('a conditional cancel', () => {
  it('goes by the key under the name of a number, and is answered with an empty list', () => {
    const sent = { accountId: ACCOUNT, orderNo: '7625321', subAccountId: SUB_ACCOUNT };
    expect([cancelCondition.method, cancelCondition.path]).toEqual([
      'POST',
      '/khronos/v1/order/condition/cancel',
    ]);
    expect(cancelCondition.encodeRequest({ ...accounts, orderKey: CONDITION.orderKey })).toStrictEqual({
      query: {},
      body: sent,
    });
    expect(cancelCondition.decodeRequest(body({ ...sent, subAccountId: null }))).toStrictEqual({
      ok: true,
      value: { accountId: ACCOUNT, subAccountId: '', orderKey: '7625321' },
    });
    expect(cancelCondition.decodeRequest(body({ accountId: ACCOUNT }))).toMatchObject({ ok: false });
    expect(cancelCondition.encodeResponse()).toStrictEqual(goldenAnswer('condition-cancel'));
  });

  it.each([placeCondition, changeCondition, cancelCondition, conditionBook])(
    'and $name are refused in the envelope',
    ({ encodeRefusal }) => {
      expect(encodeRefusal(-6014, 'Cannot be cancelled')).toMatchObject({
        rc: '-6014',
        rs: 'Cannot be cancelled',
        data: [],
      });
    },
  );
});

it('order numbers of a place answer are numbers, as the contract shows them', () => {
  const orderNo = brokerOrderNo('12');
  expect(placeCondition.encodeResponse({ ...CONDITION, ...ORDER, orderNo, time: '' }).data).toMatchObject([
    { orderNo: 12 },
  ]);
});
