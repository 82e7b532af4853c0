/** GET /khronos/v1/account/status (contract, 4.2; the fields of `data` from the notes, section 5). */
import { z } from 'zod';
import type { BrokerAccount } from '../../domain/broker-order.ts';
import { type Parsed, parsed } from '../../domain/parsed.ts';
import { type Money, money } from '../../domain/units.ts';
import type { DriftCounter } from '../drift.ts';
import { decodeData, type Envelope, refused, succeeded } from './envelope.ts';
import { looseNumber, neededNumber, noteTextNumbers, parseWith } from './lenient.ts';
import { accountQuery, type AccountParameters } from './open-positions.ts';
import { queryRequest, type RawRequest, type WireRequest } from './request.ts';

const CMD = 'Web.Portfolio.AccountStatus';

/** The account as the simulator knows it; whole money. */
export interface AccountRow {
  readonly cash: Money;
  readonly collateral: Money;
  readonly netAssetValue: Money;
  readonly initialMargin: Money;
  readonly dayProfit: Money;
  readonly deliveryMargin: Money;
  readonly requiredMargin: Money;
  readonly buyingPower: Money;
  readonly usageBps: number;
  readonly uncollected: Money;
  readonly brokerFee: Money;
  readonly exchangeFee: Money;
  readonly clearingFee: Money;
  readonly tax: Money;
  readonly withdrawable: Money;
  readonly topUp: Money;
  /** Profit of the open positions. */
  readonly openProfit: Money;
}

function encodeData(account: AccountRow): object {
  return {
    cash: account.cash,
    stock: 0,
    collateral: account.collateral,
    type: 'CA_NHAN',
    net: account.netAssetValue,
    tyle: account.usageBps / 100,
    im: account.initialMargin,
    vm: account.dayProfit,
    dm: account.deliveryMargin,
    mr: account.requiredMargin,
    avaiCash: account.withdrawable,
    avaiColla: account.buyingPower,
    vmunpay: account.dayProfit,
    info: '',
    color: account.topUp > 0 ? 'RED' : 'GREEN',
    vm_eod: 0,
    others: account.uncollected,
    tax: account.tax,
    feeCTCK: account.brokerFee,
    feeHNX: account.exchangeFee,
    cashWithdraw: 0,
    tienbosung: account.topUp,
    cashavaiwithdraw: account.withdrawable,
    assets: account.netAssetValue,
    nav: account.netAssetValue,
    cashOut: 0,
    unrelizeVM: account.openProfit,
    feePos: account.clearingFee,
    feeMan: 0,
    product: 'FU',
    status: '1',
    debt: 0,
    w1: 0,
    w2: 0,
    limit: 0,
    package: '',
  };
}

const data = z.looseObject({
  cash: neededNumber,
  net: looseNumber,
  nav: looseNumber,
  assets: looseNumber,
  im: looseNumber,
  mr: looseNumber,
  vm: neededNumber,
  avaiColla: neededNumber,
  others: looseNumber,
  tax: looseNumber,
  feeCTCK: looseNumber,
  feeHNX: looseNumber,
  feePos: looseNumber,
  tyle: looseNumber,
});

const NUMBERS = Object.keys(data.shape);
const whole = (value: number | undefined): Money => money(Math.round(value ?? 0));

export const accountStatus = {
  name: 'account-status',
  method: 'GET',
  path: '/khronos/v1/account/status',
  encodeRequest: ({ accountId, subAccountId }: AccountParameters): WireRequest =>
    queryRequest({ accountId, subAccountId, getType: '0' }),
  decodeRequest: (raw: RawRequest): Parsed<AccountParameters> => parseWith(accountQuery, raw.query, 'query'),
  encodeResponse: (account: AccountRow): Envelope => succeeded(CMD, encodeData(account)),
  encodeRefusal: (code: number, text: string): Envelope => refused(CMD, code, text),
  decodeResponse: (json: unknown, drift: DriftCounter): Parsed<BrokerAccount> => {
    const answered = decodeData(json, 'account-status', drift);
    if (!answered.ok) return answered;
    // An object by the contract; a list of one has been seen elsewhere in the service.
    const raw: unknown = Array.isArray(answered.value) ? answered.value[0] : answered.value;
    const read = parseWith(data, raw, 'account-status.data');
    if (!read.ok) return read;
    noteTextNumbers(drift, 'account-status', raw, NUMBERS);
    const account = read.value;
    return parsed({
      cash: whole(account.cash),
      netAssetValue: whole(account.nav ?? account.assets ?? account.net),
      initialMargin: whole(account.im),
      requiredMargin: whole(account.mr),
      buyingPower: whole(account.avaiColla),
      profit: whole(account.vm),
      uncollected: whole(account.others),
      fee: whole((account.feeCTCK ?? 0) + (account.feeHNX ?? 0) + (account.feePos ?? 0)),
      tax: whole(account.tax),
      usageBps: Math.round((account.tyle ?? 0) * 100),
    });
  },
} as const;
