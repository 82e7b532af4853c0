/** GET /khronos/v1/account/status (contract, 4.2; the fields of `data` from the notes, section 5). */
import { type accountData, accountStatusAnswer } from '../answers/account-answers.ts';
import { z } from 'zod';
import type { BrokerAccount } from '../../domain/broker-order.ts';
import { notParsed, type Parsed, parsed } from '../../domain/parsed.ts';
import { type Money, money } from '../../domain/units.ts';
import type { DriftCounter } from '../drift.ts';
import { decodeData, type Envelope, refused, succeeded } from './envelope.ts';
import { looseMoney, looseNumber, neededMoney, noteTextNumbers, parseWith } from './lenient.ts';
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

function encodeData(account: AccountRow): z.output<typeof accountData> {
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
  cash: neededMoney,
  nav: looseMoney,
  assets: looseMoney,
  collateral: looseMoney,
  im: looseMoney,
  mr: looseMoney,
  vm: neededMoney,
  avaiColla: neededMoney,
  others: looseMoney,
  tax: looseMoney,
  feeCTCK: looseMoney,
  feeHNX: looseMoney,
  feePos: looseMoney,
  tyle: looseNumber,
});

const NUMBERS = Object.keys(data.shape);
const NONE = money(0);

export const accountStatus = {
  name: 'account-status',
  asks: accountQuery,
  answers: accountStatusAnswer,
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
    return accountOf(read.value, drift);
  },
} as const;

/** What is shown and not decided by may be missing: 0 then, and counted. How much of the margin is used may not. */
function accountOf(account: z.output<typeof data>, drift: DriftCounter): Parsed<BrokerAccount> {
  const usagePercent = usagePercentOf(account);
  if (usagePercent === undefined) return notParsed('account-status.data.tyle', 'a percentage', account.tyle);
  const shown = (key: ShownMoney): Money => {
    const value = account[key];
    if (value === undefined) drift.count(`account-status.${key}`, 'missing');
    return value ?? NONE;
  };
  const { cash, vm } = account;
  const others = shown('others');
  return parsed({
    cash,
    netAssetValue: account.nav ?? account.assets ?? money(cash + vm - others),
    initialMargin: shown('im'),
    requiredMargin: shown('mr'),
    buyingPower: account.avaiColla,
    profit: vm,
    uncollected: others,
    fee: money(shown('feeCTCK') + shown('feeHNX') + shown('feePos')),
    tax: shown('tax'),
    usageBps: Math.round(usagePercent * 100),
  });
}

type ShownMoney = 'im' | 'mr' | 'others' | 'feeCTCK' | 'feeHNX' | 'feePos' | 'tax';

/** As said, else by its identity: mr / collateral (notes, section 5). */
function usagePercentOf({ tyle, mr, collateral }: z.output<typeof data>): number | undefined {
  if (tyle !== undefined) return tyle;
  if (mr === undefined || collateral === undefined) return undefined;
  if (collateral > 0) return (mr / collateral) * 100;
  return mr === 0 ? 0 : undefined;
}
