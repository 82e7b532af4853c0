/** What is written of money, shares and loans (contract, 2.8 to 2.10, 4.5 and 4.6; further keys from the notes, section 5). */
import { z } from 'zod';
import { number, rows, text, vnd, whole } from './fields.ts';

export const depositAnswer = rows(z.strictObject({ transactionId: text('32 hexadecimal digits.') }));
export const withdrawAnswer = rows(z.never());

export const transferAnswer = z.strictObject({
  code: text('200 is success, anything else an error.'),
  message: text('What it is.'),
});

const assetRow = z.strictObject({
  symbol: text('Stock.'),
  quantity: whole('Shares held.'),
  avgPrice: vnd('Average price.'),
  marketValue: vnd('Value at the market.'),
});

const stockRow = z.strictObject({
  symbol: text('Stock.'),
  availableTrading: whole('Shares that may be sold.'),
  totalQtty: whole('Shares held.'),
  costPrice: vnd('Average price.'),
  currentPrice: vnd('Price at the market.'),
});

/** `assets` is the contract's, `stock` is what the live service sends. */
export const stockAssetsAnswer = z.strictObject({ assets: z.array(assetRow), stock: z.array(stockRow) });

export const cancelStockAnswer = z.strictObject({
  error: text('0 is success, anything else an error.'),
  message: text('What it is.'),
  data: z
    .array(
      z.strictObject({
        details: z.array(
          z.strictObject({ orderID: text('The order.'), error: text('0 is success.'), message: text('') }),
        ),
      }),
    )
    .describe('Beside the contract, for an older client.'),
});

export const cashRow = z.strictObject({
  object: text('cashInvestments.'),
  accountNo: text('Sub-account.'),
  custodyID: text('Custody code.'),
  fullName: text('Account holder.'),
  cashBalance: vnd('Cash.'),
  balance: vnd('Cash.'),
  bodBalance: vnd('Cash at the beginning of the day.'),
  avlWithdraw: vnd('What may be taken out.'),
  buyingAmount: vnd('Promised to orders to buy.'),
  blockAmount: vnd('Blocked.'),
  pp0: vnd('Purchasing power.'),
  pp0forBF: vnd('0.'),
  bankAvlBalance: vnd('0.'),
  bankAvlBalanceBF: vnd('0.'),
  bankBlockAmount: vnd('0.'),
  avlAdvanceAmount: vnd('0.'),
  cashDevident: vnd('0.'),
  secureAmtPO: vnd('0.'),
  bondBlockAmount: vnd('0.'),
  mBlockAmount: vnd('0.'),
  fundBlockAmount: vnd('0.'),
  avalBondBlockAmount: vnd('0.'),
  depoFee: vnd('0.'),
  bCashDividend: vnd('0.'),
  sCashDividend: vnd('0.'),
  dsecured: vnd('0.'),
  adused: vnd('0.'),
  mrused: vnd('0.'),
  iaInfos: z.array(z.strictObject({ partner: text('Partner.'), available: vnd(''), hold: vnd('') })),
});

export const cashBalanceAnswer = z.strictObject({
  object: text('cashInvestments.'),
  totalCount: whole('Rows in all.'),
  pageSize: whole('Rows of a page.'),
  pageIndex: whole('Counts from 1.'),
  data: z.array(cashRow),
});

export const loanPackagesAnswer = z.strictObject({
  marginSureViews: z.array(
    z.strictObject({
      id: number('Package.'),
      name: text('Name.'),
      code: text('Code.'),
      subscriptionFee: vnd('Subscription fee.'),
      status: text('Subscription status.'),
    }),
  ),
  tplus: z.strictObject({
    data: z.array(
      z.strictObject({
        id: number('T+ package.'),
        name: text('Name.'),
        firstRate: number('Interest rate of the first tier.'),
        status: text('Status.'),
      }),
    ),
  }),
});
