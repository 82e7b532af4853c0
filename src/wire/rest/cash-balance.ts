/** GET /aion/v1/accounts/{accountNo}/cashInvestments: cash of a sub-account (contract, 4.6; the shape from the notes, section 5). */
import { cashBalanceAnswer, type cashRow } from '../answers/money-answers.ts';
import { z } from 'zod';
import type { CashBalance } from '../../domain/broker-order.ts';
import { type Parsed, parsed } from '../../domain/parsed.ts';
import type { Money } from '../../domain/units.ts';
import type { DriftCounter } from '../drift.ts';
import { ACCOUNT_NO, decodeAccountPath, pathWith } from './account-path.ts';
import { codeText, looseMoney, neededMoney, listIn, noteTextRows, parseWith } from './lenient.ts';
import { queryRequest, type WireRequest } from './request.ts';

const PATH = `/aion/v1/accounts/${ACCOUNT_NO}/cashInvestments`;
const OBJECT = 'cashInvestments';

/** Cash as the simulator knows it; whole VND. */
export interface CashRow {
  readonly accountNo: string;
  readonly custodyCode: string;
  readonly name: string;
  readonly cash: Money;
  /** At the beginning of the day. */
  readonly openingCash: Money;
  readonly withdrawable: Money;
  /** Held for stock that was bought and not yet settled. */
  readonly buying: Money;
  readonly blocked: Money;
  readonly purchasingPower: Money;
}

/** Clients in use fail without these (notes, section 5): 0 where nothing is meant. */
const ZEROS = {
  pp0forBF: 0,
  bankAvlBalance: 0,
  bankAvlBalanceBF: 0,
  bankBlockAmount: 0,
  avlAdvanceAmount: 0,
  cashDevident: 0,
  secureAmtPO: 0,
  bondBlockAmount: 0,
  mBlockAmount: 0,
  fundBlockAmount: 0,
  avalBondBlockAmount: 0,
  depoFee: 0,
  bCashDividend: 0,
  sCashDividend: 0,
  dsecured: 0,
  adused: 0,
  mrused: 0,
} as const;

const encodeRow = (row: CashRow): z.output<typeof cashRow> => ({
  object: OBJECT,
  accountNo: row.accountNo,
  custodyID: row.custodyCode,
  fullName: row.name,
  cashBalance: row.cash,
  balance: row.cash,
  bodBalance: row.openingCash,
  avlWithdraw: row.withdrawable,
  buyingAmount: row.buying,
  blockAmount: row.blocked,
  pp0: row.purchasingPower,
  ...ZEROS,
  iaInfos: [{ partner: '', available: 0, hold: 0 }],
});

const row = z.looseObject({
  accountNo: codeText,
  cashBalance: neededMoney,
  balance: looseMoney.catch(undefined),
  avlWithdraw: looseMoney.catch(undefined),
  buyingAmount: looseMoney.catch(undefined),
  blockAmount: looseMoney.catch(undefined),
  pp0: looseMoney.catch(undefined),
});
const response = z.looseObject({ data: z.array(row) });
const NUMBERS = ['cashBalance', 'balance', 'avlWithdraw', 'buyingAmount', 'blockAmount', 'pp0'];

export const cashBalance = {
  name: 'cash-balance',
  asks: null,
  answers: cashBalanceAnswer,
  method: 'GET',
  path: PATH,
  pathOf: (accountNo: string): string => pathWith(PATH, accountNo),
  encodeRequest: (): WireRequest => queryRequest({}),
  /** The account. */
  decodeRequest: decodeAccountPath,
  encodeResponse: (rows: readonly CashRow[]): z.output<typeof cashBalanceAnswer> => ({
    object: OBJECT,
    totalCount: rows.length,
    pageSize: rows.length,
    pageIndex: 1,
    data: rows.map(encodeRow),
  }),
  decodeResponse: (json: unknown, drift: DriftCounter): Parsed<readonly CashBalance[]> => {
    const read = parseWith(response, json, 'cash-balance');
    if (!read.ok) return read;
    noteTextRows(drift, 'cash-balance', listIn(json, 'data'), NUMBERS);
    return parsed(
      read.value.data.map((fields) => ({
        accountNo: fields.accountNo,
        cash: fields.cashBalance,
        balance: fields.balance ?? null,
        withdrawable: fields.avlWithdraw ?? null,
        buying: fields.buyingAmount ?? null,
        blocked: fields.blockAmount ?? null,
        purchasingPower: fields.pp0 ?? null,
      })),
    );
  },
} as const;
