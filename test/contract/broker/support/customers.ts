/** Three customers: Alice with shares, waiting orders of stock and loan packages, Bob to trade with, Carol poor. */
import { money } from '../../../../src/domain/units.ts';
import {
  type AccountSettings,
  type SubAccountSettings,
  threeSubAccounts,
} from '../../../../src/simulator/simulator-options.ts';

const customer = (
  name: string,
  custodyCode: string,
  otp: string,
  derivative: number,
  furnish: (account: SubAccountSettings) => SubAccountSettings = (account) => account,
): AccountSettings => ({
  apiKey: `key-of-${name.toLowerCase()}`,
  otp,
  custodyCode,
  name,
  subAccounts: threeSubAccounts(custodyCode, { normal: 900_000_000, margin: 50_000_000, derivative }).map(
    furnish,
  ),
});

/** Numbers of the stock side: four digits and the tail of the custody code. */
export const NORMAL = '0001ALICE1';
export const MARGIN = '0002ALICE1';

const furnish = (account: SubAccountSettings): SubAccountSettings => {
  if (account.accountNo === NORMAL) {
    return {
      ...account,
      stocks: [{ symbol: 'FPT', qty: 1_000, averagePrice: 98_500, marketPrice: 101_200 }],
      stockOrders: [
        { orderId: 'S1', symbol: 'VCB', side: 'buy', qty: 100, price: 60_000 },
        { orderId: 'S2', symbol: 'FPT', side: 'sell', qty: 300, price: 105_000 },
      ],
    };
  }
  if (account.accountNo !== MARGIN) return account;
  return {
    ...account,
    packages: {
      packages: [
        { id: 7, name: 'Margin Plus', code: 'MP7', subscriptionFee: money(50_000), status: 'ACTIVE' },
      ],
      tiered: [{ id: 3, name: 'T+3', firstRate: 0.1, status: 'ACTIVE' }],
    },
  };
};

export const ALICE = customer('Alice', '105CALICE1', '111111', 1_000_000_000, furnish);
export const BOB = customer('Bob', '105CBOBBY1', '222222', 1_000_000_000);
export const CAROL = customer('Carol', '105CCAROL1', '333333', 30_000_000);

/** Enough to order in each case of a long table. */
const RICH = 500_000_000_000;

export const rich = (accounts: readonly SubAccountSettings[]): readonly SubAccountSettings[] =>
  accounts.map((account) => ({ ...account, cash: RICH }));
