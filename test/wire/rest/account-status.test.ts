import { describe, expect, it } from 'vitest';
import { accountStatus } from '../../../src/wire/rest/account-status.ts';
import { ACCOUNT_ROW } from '../support/broker-facts.ts';
import { CountedDrift } from '../support/counted-drift.ts';
import { goldenAnswer } from '../support/golden.ts';

const GOLDEN = goldenAnswer('account-status');
const DATA = GOLDEN['data'] as Record<string, number>;
const ACCOUNT_READ = {
  cash: 230_745_319,
  netAssetValue: 230_213_019,
  initialMargin: 49_047_300,
  requiredMargin: 49_579_600,
  buyingPower: 110_420_400,
  profit: -500_000,
  uncollected: 32_300,
  fee: 10_500,
  tax: 21_800,
  withdrawable: 150_000_000,
  usageBps: 2_479,
};
const read = (fields: object, drift = new CountedDrift()) =>
  accountStatus.decodeResponse({ ...GOLDEN, data: { ...DATA, ...fields } }, drift);

it('is written with every key of the notes, and read', () => {
  const drift = new CountedDrift();
  expect(accountStatus.encodeResponse(ACCOUNT_ROW)).toStrictEqual(GOLDEN);
  expect(accountStatus.decodeResponse(GOLDEN, drift)).toStrictEqual({ ok: true, value: ACCOUNT_READ });
  expect(drift.seen).toEqual([]);
});

describe('is read', () => {
  it.each([
    ['scientific texts', { cash: '2.30745319E8' }, {}],
    ['fractions of a unit', { cash: 230_745_319.4 }, {}],
    ['assets for nav', { nav: null }, {}],
    ['neither: by their identity', { nav: null, assets: undefined }, {}],
    ['no percentage: by its identity', { tyle: '' }, { usageBps: 2_479 }],
    [
      'no collateral and nothing required',
      { tyle: null, collateral: 0, mr: 0 },
      { usageBps: 0, requiredMargin: 0 },
    ],
    ['a negative profit as text', { vm: '-500000' }, {}],
  ])('with %s', (_what, fields, differs) => {
    expect(read(fields)).toMatchObject({ ok: true, value: { ...ACCOUNT_READ, ...differs } });
  });

  it('with fields missing: counted; 0 where it is only shown, unknown where it is compared', () => {
    const drift = new CountedDrift();
    expect(read({ tax: '', feeHNX: null, im: undefined }, drift)).toMatchObject({
      ok: true,
      value: { tax: null, fee: null, initialMargin: 0, withdrawable: 150_000_000 },
    });
    expect(drift.seen.filter((line) => line.endsWith(': missing')).toSorted()).toEqual([
      'account-status.feeHNX: missing',
      'account-status.im: missing',
      'account-status.tax: missing',
    ]);
  });

  it('from a list of one', () => {
    expect(accountStatus.decodeResponse({ ...GOLDEN, data: [DATA] }, new CountedDrift())).toStrictEqual({
      ok: true,
      value: ACCOUNT_READ,
    });
  });
});

describe('is not read', () => {
  it.each([
    [{ cash: null }],
    [{ vm: '' }],
    [{ avaiColla: undefined }],
    [{ nav: 1e17 }],
    [{ tyle: null, mr: null }],
    [{ tyle: null, collateral: 0 }],
  ])('with %j', (fields) => {
    expect(read(fields).ok).toBe(false);
  });

  it.each([[null], [[]], [undefined], ['text'], [5]])('from data %j', (data) => {
    expect(accountStatus.decodeResponse({ ...GOLDEN, data }, new CountedDrift()).ok).toBe(false);
  });
});
