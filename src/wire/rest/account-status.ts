/** GET /khronos/v1/account/status (contract, 4.2; notes, 5). */
import type { z } from 'zod';
import type { BrokerAccount } from '../../domain/broker-order.ts';
import { notParsed, type ParseResult, parsed } from '../../domain/parsed.ts';
import { type Money, money } from '../../domain/units.ts';
import type { DriftCounter } from '../drift.ts';
import { decodeData, type Envelope, refusalOf, succeeded } from './envelope.ts';
import { looseMoney, looseNumber, looseText, neededMoney, parseWith } from './lenient.ts';
import { field, get, message, number, queryOf, text, vnd } from './wire-message.ts';
import { type Accounts, FIELDS } from './trade-fields.ts';

const CMD = 'Web.Portfolio.AccountStatus';
const WHERE = 'account-status';

/** `getType` undefined leaves it out. */
export const accountQuery = (getType?: string) =>
  message<Accounts>()({
    accountId: FIELDS.accountId,
    subAccountId: FIELDS.looseSubAccountId,
    getType: field(text, () => getType, looseText),
  });

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
  readonly openProfit: Money;
}

const data = message<AccountRow>()({
  cash: field(vnd, (row) => row.cash, neededMoney),
  // Stock as collateral.
  stock: field(vnd, () => 0),
  collateral: field(vnd, (row) => row.collateral, looseMoney),
  // CA_NHAN: individual.
  type: field(text, () => 'CA_NHAN'),
  // YES: positions in one contract are netted.
  net: field(text, () => 'YES'),
  // Usage of margin, percent: mr / collateral.
  tyle: field(text, (row) => String(row.usageBps / 100), looseNumber),
  im: field(vnd, (row) => row.initialMargin, looseMoney),
  vm: field(vnd, (row) => row.dayProfit, neededMoney),
  // Delivery margin.
  dm: field(vnd, (row) => row.deliveryMargin),
  mr: field(vnd, (row) => row.requiredMargin, looseMoney),
  avaiCash: field(vnd, (row) => row.withdrawable),
  avaiColla: field(vnd, (row) => row.buyingPower, neededMoney),
  vmunpay: field(vnd, (row) => row.dayProfit),
  info: field(text, () => ''),
  color: field(text, (row) => (row.topUp > 0 ? 'RED' : 'GREEN')),
  // Profit at the end of the day before, VND.
  vm_eod: field(text, () => '0'),
  others: field(vnd, (row) => row.uncollected, looseMoney),
  tax: field(vnd, (row) => row.tax, looseMoney),
  feeCTCK: field(vnd, (row) => row.brokerFee, looseMoney),
  feeHNX: field(vnd, (row) => row.exchangeFee, looseMoney),
  cashWithdraw: field(vnd, (row) => row.withdrawable, looseMoney),
  tienbosung: field(vnd, (row) => row.topUp),
  cashavaiwithdraw: field(vnd, (row) => row.withdrawable),
  assets: field(vnd, (row) => row.netAssetValue, looseMoney),
  nav: field(vnd, (row) => row.netAssetValue, looseMoney),
  // Taken out.
  cashOut: field(vnd, () => 0),
  unrelizeVM: field(vnd, (row) => row.openProfit),
  feePos: field(vnd, (row) => row.clearingFee, looseMoney),
  // Management fee.
  feeMan: field(vnd, () => 0),
  product: field(text, () => 'FU'),
  status: field(text, () => '1'),
  // Debt, VND.
  debt: field(text, () => '0'),
  w1: field(number, () => 0),
  w2: field(number, () => 0),
  limit: field(number, () => 0),
  package: field(text, () => ''),
});

type Data = z.output<typeof data.reader>;

/** Fields of `getType=1` (rulings, 15): those that are amounts of cash. */
const MONEY = [
  'cash',
  'stock',
  'collateral',
  'avaiCash',
  'avaiColla',
  'cashWithdraw',
  'cashavaiwithdraw',
  'cashOut',
  'debt',
];

const request = accountQuery('0');
const query = request.reader.transform(({ getType, ...rest }) => ({
  ...rest,
  fields: getType.trim() === '1' ? ('money' as const) : ('all' as const),
}));

export const accountStatus = {
  ...get('account-status', '/khronos/v1/account/status'),
  ...queryOf(request, query),
  encodeResponse: (account: AccountRow, fields: 'all' | 'money' = 'all'): Envelope => {
    const row = Object.entries(data.encode(account));
    return succeeded(CMD, Object.fromEntries(row.filter(([key]) => fields === 'all' || MONEY.includes(key))));
  },
  encodeRefusal: refusalOf(CMD),
  decodeResponse: (json: unknown, drift: DriftCounter): ParseResult<BrokerAccount> => {
    const answered = decodeData(json, WHERE, drift);
    if (!answered.ok) return answered;
    // An object by the contract; a list of one has been seen elsewhere in the service.
    const raw: unknown = Array.isArray(answered.value) ? answered.value[0] : answered.value;
    const read = parseWith(data.reader, raw, `${WHERE}.data`);
    if (!read.ok) return read;
    data.noteTexts(drift, WHERE, raw);
    return accountOf(read.value, drift);
  },
} as const;

type MoneyField = 'im' | 'mr' | 'others' | 'feeCTCK' | 'feeHNX' | 'feePos' | 'tax' | 'cashWithdraw';

function sumOf(parts: readonly (Money | null)[]): Money | null {
  let sum = 0;
  for (const part of parts) {
    if (part === null) return null;
    sum += part;
  }
  return money(sum);
}

/** Missing fields are counted; those for display are 0 then. The usage of the margin decides and may not be missing. */
function accountOf(account: Data, drift: DriftCounter): ParseResult<BrokerAccount> {
  const usagePercent = usagePercentOf(account);
  if (usagePercent === undefined) return notParsed(`${WHERE}.data.tyle`, 'a percentage', account.tyle);
  const received = (key: MoneyField): Money | null => {
    const value = account[key];
    if (value === undefined) drift.count(`${WHERE}.${key}`, 'missing');
    return value ?? null;
  };
  const shown = (key: MoneyField): Money => received(key) ?? money(0);
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
    fee: sumOf([received('feeCTCK'), received('feeHNX'), received('feePos')]),
    tax: received('tax'),
    withdrawable: received('cashWithdraw'),
    usageBps: Math.round(usagePercent * 100),
  });
}

/** The field `tyle`, else mr / collateral, which defines it (notes, 5). */
function usagePercentOf({ tyle, mr, collateral }: Data): number | undefined {
  if (tyle !== undefined) return tyle;
  if (mr === undefined || collateral === undefined) return undefined;
  if (collateral > 0) return (mr / collateral) * 100;
  return mr === 0 ? 0 : undefined;
}
