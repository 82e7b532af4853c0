/** The customers of the simulated broker, as the options give them. Money is whole VND. */
import type { LoanPackages } from '../../domain/broker-order.ts';
import type { Side } from '../../domain/order.ts';
import type { SubAccountType } from '../../wire/rest/profile.ts';

export interface AccountSettings {
  readonly apiKey: string;
  /** The code that the broker's app would show. */
  readonly otp: string;
  /** `105C` and six characters. */
  readonly custodyCode: string;
  readonly name: string;
  /** At most one is a derivative account: it trades, and its money is margin. */
  readonly subAccounts: readonly SubAccountSettings[];
}

export interface SubAccountSettings {
  readonly accountNo: string;
  readonly type: SubAccountType;
  /** Cash at the very start; afterwards the stored state counts. */
  readonly cash: number;
  readonly isActive: boolean;
  readonly isDefault: boolean;
  /** Shares and orders of stock are of normal and margin accounts. */
  readonly stocks: readonly StockSettings[];
  readonly stockOrders: readonly StockOrderSettings[];
  /** Packages of a margin account. */
  readonly packages: LoanPackages;
}

/** Prices in VND a share. */
export interface StockSettings {
  readonly symbol: string;
  readonly qty: number;
  readonly averagePrice: number;
  readonly marketPrice: number;
}

/** An order of stock that waits: there is no operation to place one, and one to cancel it. */
export interface StockOrderSettings {
  readonly orderId: string;
  readonly symbol: string;
  readonly side: Side;
  readonly qty: number;
  readonly price: number;
}

export interface StartCash {
  readonly normal: number;
  readonly margin: number;
  readonly derivative: number;
}

/** The last six characters of a custody code identify the customer. */
const TAIL_LENGTH = 6;
const NUMBER_HEADS: Readonly<Record<Exclude<SubAccountType, 'DERIVATIVE'>, string>> = {
  NORMAL: '0001',
  MARGIN: '0002',
};

/** Default number of a sub-account (notes, 2). */
export const subAccountNo = (custodyCode: string, type: SubAccountType): string =>
  type === 'DERIVATIVE' ? `${custodyCode}A` : NUMBER_HEADS[type] + custodyCode.slice(-TAIL_LENGTH);

/** One sub-account of each type, with nothing but money. */
export function threeSubAccounts(custodyCode: string, cash: StartCash): readonly SubAccountSettings[] {
  return [
    plain(custodyCode, 'NORMAL', cash.normal),
    plain(custodyCode, 'MARGIN', cash.margin),
    plain(custodyCode, 'DERIVATIVE', cash.derivative),
  ];
}

const plain = (custodyCode: string, type: SubAccountType, cash: number): SubAccountSettings => ({
  accountNo: subAccountNo(custodyCode, type),
  type,
  cash,
  isActive: true,
  isDefault: type === 'NORMAL',
  stocks: [],
  stockOrders: [],
  packages: { packages: [], tiered: [] },
});

export const derivativeOf = ({ subAccounts }: AccountSettings): SubAccountSettings | undefined =>
  subAccounts.find(({ type }) => type === 'DERIVATIVE');
