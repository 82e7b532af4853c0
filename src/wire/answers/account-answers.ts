/** What is written of tokens, accounts and positions (contract, 2.1, 2.2, 2.6, 2.7; further keys from the notes, section 5). */
import { z } from 'zod';
import {
  accountCode,
  dateText,
  envelope,
  number,
  points,
  rows,
  sideCode,
  symbol,
  text,
  timeText,
  vnd,
  whole,
} from './fields.ts';

export const requestOtpAnswer = z.strictObject({ otpId: text('To be sent with the one-time password.') });
export const tokenAnswer = z.strictObject({ token: text('JWT for later requests.') });

/** Blocks that were not asked for are left out. */
export const profileAnswer = z.strictObject({
  basicInfo: z
    .strictObject({
      tcbsId: text('Customer number.'),
      code105C: text('Custody code.'),
      status: text('ACTIVE.'),
      type: text('INDIVIDUAL or CORPORATE.'),
      depository: z.boolean(),
    })
    .optional(),
  bankSubAccounts: z
    .array(
      z.strictObject({
        accountNo: text('Sub-account number.'),
        accountName: text('Account holder.'),
        bankCode: z.null(),
        accountType: z.enum(['NORMAL', 'MARGIN', 'DERIVATIVE']),
        accountTypeName: text('Name of the type.'),
        status: z.enum(['0', '1']).describe('1 active, 0 inactive.'),
        isDefault: z.enum(['Y', 'N']),
      }),
    )
    .optional(),
});

export const accountData = z.strictObject({
  cash: vnd('Cash.'),
  stock: vnd('Stock as collateral.'),
  collateral: vnd('Valid margin assets.'),
  type: text('CA_NHAN: individual.'),
  net: vnd('Net asset value.'),
  tyle: number('Usage of margin, percent: mr / collateral.'),
  im: vnd('Initial margin.'),
  vm: vnd('Profit of the day before costs.'),
  dm: vnd('Delivery margin.'),
  mr: vnd('Required margin: im + max(0, -vm) + dm + others.'),
  avaiCash: vnd('Cash that may be taken out.'),
  avaiColla: vnd('Buying power.'),
  vmunpay: vnd('Profit not yet paid.'),
  info: text('Remarks.'),
  color: text('GREEN or RED.'),
  vm_eod: vnd('Profit at the end of the day before.'),
  others: vnd('Fees and tax not yet collected.'),
  tax: vnd('Tax.'),
  feeCTCK: vnd("The broker's fee."),
  feeHNX: vnd("The exchange's fee."),
  cashWithdraw: vnd('On its way out.'),
  tienbosung: vnd('What has to be added.'),
  cashavaiwithdraw: vnd('What may be withdrawn.'),
  assets: vnd('cash + vm - others - feeMan.'),
  nav: vnd('The same.'),
  cashOut: vnd('Taken out.'),
  unrelizeVM: vnd('Profit of the open positions.'),
  feePos: vnd('Clearing fee.'),
  feeMan: vnd('Management fee.'),
  product: text('FU.'),
  status: text('1 active.'),
  debt: vnd('Debt.'),
  w1: number('0.'),
  w2: number('0.'),
  limit: number('0.'),
  package: text('Empty.'),
});

export const positionRow = z.strictObject({
  symbol,
  im: text('Margin ratio.'),
  deliver: whole('Contracts short.'),
  receive: whole('Contracts long.'),
  net: whole('Above 0 long, below 0 short.'),
  side: z.enum(['L', 'S']).describe('L long, S short.'),
  lastPrice: points('Market price, two decimals.'),
  imValue: vnd('Initial margin.'),
  vmValue: vnd('Profit of the day.'),
  mrValue: vnd('Required margin.'),
  duedate: dateText('Last trading day.'),
  pc_remain: text('Profit of the open position, percent.'),
  account: accountCode,
  wasp: points('Average sell price of today.'),
  wapb: points('Average buy price of today.'),
  netoffvol: whole('Contracts that can still be closed.'),
  avg_remain: points('Average entry price of what is open.'),
  vm_remain: vnd('Profit of what is open.'),
  stoploss: text('Empty.'),
  takeprofit: text('Empty.'),
});

/** The first row of the first page is the sum: `symbol` TOTAL, `closePosition` 0. */
export const closedRow = z.strictObject({
  symbol: text('Contract code, or TOTAL.'),
  side: z.union([sideCode, z.literal('')]),
  openPrice: points('Average opening price.'),
  closePrice: points('Average closing price.'),
  closePosition: z.union([z.string(), z.literal(0)]).describe('Closed / total; 0 in the row TOTAL.'),
  fee: vnd('Fee.'),
  tax: vnd('Tax.'),
  closeVM: vnd('Profit of what was closed.'),
  unrealize: vnd('Profit of what is open.'),
  closePC: number('Profit, percent.'),
  time: timeText('Last closing.'),
});

/** An object; an empty list in a refusal. */
export const accountStatusAnswer = envelope(z.union([accountData, z.array(z.never())]));
export const positionsAnswer = rows(positionRow);
export const closedPositionsAnswer = rows(closedRow);
