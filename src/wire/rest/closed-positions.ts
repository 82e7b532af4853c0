/** GET /khronos/v1/account/portfolio/position/close (contract, 2.7 and 4.2; the `TOTAL` row from the notes, section 5). */
import { closedPositionsAnswer, type closedRow } from '../answers/account-answers.ts';
import { z } from 'zod';
import type { BrokerClosedPosition, ClosedTotal } from '../../domain/broker-order.ts';
import type { ContractSpec } from '../../domain/contract.ts';
import { orderCode, type OrderCode } from '../../domain/ids.ts';
import type { Side } from '../../domain/order.ts';
import { type Parsed, parsed } from '../../domain/parsed.ts';
import { type Money, money, type Qty, qty } from '../../domain/units.ts';
import type { DriftCounter } from '../drift.ts';
import { averagePoints } from './average-points.ts';
import { decodeRows, type Envelope, refused, succeeded } from './envelope.ts';
import {
  codeText,
  hundredthsOrNull,
  idText,
  looseMoney,
  looseNumber,
  looseText,
  neededMoney,
  neededNumber,
  noteTextNumbers,
  parseWith,
} from './lenient.ts';
import { queryRequest, type RawRequest, type WireRequest } from './request.ts';
import { sideCode, sideField } from './side.ts';

const CMD = 'Web.Portfolio.PositionClose';
const TOTAL = 'TOTAL';

export interface ClosedPositionsParameters {
  readonly accountId: string;
  readonly subAccountId: string;
  readonly pageNo: number;
  readonly pageSize: number;
  /** Null for all. */
  readonly symbol: string | null;
}

const query = z
  .object({
    accountId: idText,
    subAccountId: codeText,
    symbol: looseText,
    pageNo: neededNumber,
    pageSize: neededNumber,
  })
  .transform(({ symbol, ...rest }): ClosedPositionsParameters => ({
    ...rest,
    symbol: symbol.trim() === '' ? null : symbol.trim(),
  }));

/** A contract and side as the simulator knows it; averages and percentages are made here. */
export interface ClosedRow {
  readonly orderCode: OrderCode;
  readonly side: Side;
  readonly closedQty: Qty;
  /** Closed today and still open. */
  readonly totalQty: Qty;
  readonly openValue: Money;
  readonly closeValue: Money;
  readonly fee: Money;
  readonly tax: Money;
  readonly closedProfit: Money;
  readonly openProfit: Money;
  /** `HH:MM:SS`. */
  readonly time: string;
  readonly spec: ContractSpec;
}

const percent = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.round((part * 10_000) / whole) / 100;

const encodeRow = (row: ClosedRow): z.output<typeof closedRow> => ({
  symbol: row.orderCode,
  side: sideCode(row.side),
  openPrice: averagePoints(row.openValue, row.closedQty, row.spec),
  closePrice: averagePoints(row.closeValue, row.closedQty, row.spec),
  closePosition: `${row.closedQty}/${row.totalQty}`,
  fee: row.fee,
  tax: row.tax,
  closeVM: row.closedProfit,
  unrealize: row.openProfit,
  closePC: percent(row.closedProfit, row.openValue),
  time: row.time,
});

/** Of all rows, whichever page they stand on. `closePosition` is a number here and nowhere else (rulings, 15). */
function encodeTotal(rows: readonly ClosedRow[]): z.output<typeof closedRow> {
  const sum = (of: (row: ClosedRow) => number): number => rows.reduce((total, row) => total + of(row), 0);
  const closeVM = sum((row) => row.closedProfit);
  return {
    symbol: TOTAL,
    side: '',
    openPrice: 0,
    closePrice: 0,
    closePosition: 0,
    fee: sum((row) => row.fee),
    tax: sum((row) => row.tax),
    closeVM,
    unrealize: sum((row) => row.openProfit),
    closePC: percent(
      closeVM,
      sum((row) => row.openValue),
    ),
    time: '',
  };
}

const total = z.looseObject({
  fee: looseMoney,
  tax: looseMoney,
  closeVM: neededMoney,
  unrealize: looseMoney,
});

const row = total.extend({
  symbol: codeText,
  side: sideField,
  openPrice: looseNumber.catch(undefined),
  closePrice: looseNumber.catch(undefined),
  closePosition: looseText.catch(''),
  time: looseText.catch(''),
});

const NUMBERS = ['openPrice', 'closePrice', 'fee', 'tax', 'closeVM', 'unrealize', 'closePC'];

export interface ClosedPageRead {
  /** Null on a page without it. */
  readonly total: ClosedTotal | null;
  readonly positions: readonly BrokerClosedPosition[];
}

const where = 'closed-positions';
const isTotal = z.looseObject({ symbol: z.literal(TOTAL) });

export const closedPositions = {
  name: where,
  asks: query,
  answers: closedPositionsAnswer,
  method: 'GET',
  path: '/khronos/v1/account/portfolio/position/close',
  encodeRequest: (asked: ClosedPositionsParameters): WireRequest =>
    queryRequest({
      accountId: asked.accountId,
      subAccountId: asked.subAccountId,
      symbol: asked.symbol ?? '',
      pageNo: String(asked.pageNo),
      pageSize: String(asked.pageSize),
    }),
  decodeRequest: (raw: RawRequest): Parsed<ClosedPositionsParameters> => parseWith(query, raw.query, 'query'),
  /** `all` are the rows of every page: their sum stands before the first page's rows, and on no other page. */
  encodeResponse: (page: readonly ClosedRow[], all: readonly ClosedRow[] | null): Envelope =>
    succeeded(CMD, [...(all === null ? [] : [encodeTotal(all)]), ...page.map(encodeRow)]),
  encodeRefusal: (code: number, text: string): Envelope => refused(CMD, code, text),
  decodeResponse: (json: unknown, drift: DriftCounter): Parsed<ClosedPageRead> => {
    const data = decodeRows(json, where, drift);
    if (!data.ok) return data;
    let sums: ClosedTotal | null = null;
    const positions: BrokerClosedPosition[] = [];
    for (const [i, raw] of data.value.entries()) {
      const at = `${where}.data[${i}]`;
      noteTextNumbers(drift, where, raw, NUMBERS);
      if (isTotal.safeParse(raw).success) {
        const read = parseWith(total, raw, at);
        if (!read.ok) return read;
        sums = moneyOf(read.value, drift);
        continue;
      }
      const read = parseWith(row, raw, at);
      if (!read.ok) return read;
      positions.push(closedOf(read.value, drift));
    }
    return parsed({ total: sums, positions });
  },
} as const;

/** The profit must be said; costs that are left out are 0, and counted. */
function moneyOf(read: z.output<typeof total>, drift: DriftCounter): ClosedTotal {
  const shown = (key: 'fee' | 'tax' | 'unrealize'): Money => {
    const value = read[key];
    if (value === undefined) drift.count(`${where}.${key}`, 'missing');
    return value ?? money(0);
  };
  return {
    fee: shown('fee'),
    tax: shown('tax'),
    closedProfit: read.closeVM,
    openProfit: shown('unrealize'),
  };
}

function closedOf(read: z.output<typeof row>, drift: DriftCounter): BrokerClosedPosition {
  const counts = /^(\d{1,9})\s*\/\s*(\d{1,9})$/.exec(read.closePosition.trim());
  if (counts === null) drift.count(`${where}.closePosition`, 'not closed / total');
  return {
    orderCode: orderCode(read.symbol),
    side: read.side,
    closedQty: counts === null ? null : qty(Number(counts[1])),
    totalQty: counts === null ? null : qty(Number(counts[2])),
    averageOpen: hundredthsOrNull(read.openPrice),
    averageClose: hundredthsOrNull(read.closePrice),
    ...moneyOf(read, drift),
    time: read.time.trim(),
  };
}
