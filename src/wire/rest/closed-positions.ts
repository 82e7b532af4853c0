/** GET /khronos/v1/account/portfolio/position/close (contract, 4.2; notes, 5). */
import { z } from 'zod';
import type { BrokerClosedPosition, ClosedTotal } from '../../domain/broker-order.ts';
import type { ContractSpec } from '../../domain/contract.ts';
import { orderCode, type OrderCode } from '../../domain/ids.ts';
import type { Side } from '../../domain/order.ts';
import { type ParseResult, parsed } from '../../domain/parsed.ts';
import { type Money, money, type Qty, qty } from '../../domain/units.ts';
import type { DriftCounter } from '../drift.ts';
import { decodeRows, type Envelope, refusalOf, succeeded } from './envelope.ts';
import {
  codeText,
  hundredthsOrNull,
  looseMoney,
  looseNumber,
  looseText,
  neededMoney,
  parseWith,
} from './lenient.ts';
import { field, json, message, number, points, text, timeText, vnd } from './wire-message.ts';
import { queryOf } from './operation.ts';
import { type Accounts, averagePoints, FIELDS, type PageQuery, sideCode, sideField } from './trade-fields.ts';

const CMD = 'Web.Portfolio.PositionClose';
const WHERE = 'closed-positions';
const TOTAL = 'TOTAL';

interface ClosedPositionsParameters extends Accounts, PageQuery {
  readonly symbol: string | null;
}

const request = message<ClosedPositionsParameters>()({
  accountId: FIELDS.accountId,
  subAccountId: FIELDS.subAccountId,
  symbol: field(text, ({ symbol }) => symbol ?? '', looseText),
  pageNo: FIELDS.pageNo,
  pageSize: FIELDS.pageSize,
});
const asked = request.reader.transform(({ symbol, ...rest }): ClosedPositionsParameters => ({
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

/** Sums of all rows, whichever page they are on. */
interface TotalRow extends Record<'openValue' | 'fee' | 'tax' | 'closedProfit' | 'openProfit', number> {
  readonly orderCode: typeof TOTAL;
  readonly side: null;
  readonly time: '';
}

/** The first row of the first page is the sum: its `closePosition` is a number, there and nowhere else (rulings, 15). */
const closedRow = message<ClosedRow | TotalRow>()({
  symbol: field(text, (row) => row.orderCode, codeText),
  side: field(json<'B' | 'S' | ''>(), ({ side }) => (side === null ? '' : sideCode(side)), sideField),
  openPrice: field(
    points,
    (row) => (row.side === null ? 0 : averagePoints(row.openValue, row.closedQty, row.spec)),
    looseNumber.catch(undefined),
  ),
  closePrice: field(
    points,
    (row) => (row.side === null ? 0 : averagePoints(row.closeValue, row.closedQty, row.spec)),
    looseNumber.catch(undefined),
  ),
  closePosition: field(
    json<string | 0>(),
    (row) => (row.side === null ? 0 : `${row.closedQty}/${row.totalQty}`),
    looseText.catch(''),
  ),
  fee: field(vnd, ({ fee }) => fee, looseMoney),
  tax: field(vnd, ({ tax }) => tax, looseMoney),
  closeVM: field(vnd, (row) => row.closedProfit, neededMoney),
  unrealize: field(vnd, (row) => row.openProfit, looseMoney),
  closePC: field(
    number,
    ({ closedProfit, openValue }) =>
      openValue === 0 ? 0 : Math.round((closedProfit * 10_000) / openValue) / 100,
    looseNumber.catch(undefined),
  ),
  time: field(timeText, ({ time }) => time, looseText.catch('')),
});

function totalOf(rows: readonly ClosedRow[]): TotalRow {
  const sum = (of: (row: ClosedRow) => number): number => rows.reduce((total, row) => total + of(row), 0);
  return {
    orderCode: TOTAL,
    side: null,
    openValue: sum((row) => row.openValue),
    fee: sum((row) => row.fee),
    tax: sum((row) => row.tax),
    closedProfit: sum((row) => row.closedProfit),
    openProfit: sum((row) => row.openProfit),
    time: '',
  };
}

const total = closedRow.reader.pick({ fee: true, tax: true, closeVM: true, unrealize: true });
const isTotal = z.object({ symbol: z.literal(TOTAL) });

export interface ClosedPositions {
  /** The broker's own sums; null where it gave none, as on a page without them. */
  readonly total: ClosedTotal | null;
  readonly positions: readonly BrokerClosedPosition[];
}

export const closedPositions = {
  name: WHERE,
  method: 'GET',
  path: '/khronos/v1/account/portfolio/position/close',
  needsToken: true,
  ...queryOf(request, asked),
  /** `all` are the rows of every page: their sum comes before the first page's rows. Null on other pages, and without rows. */
  encodeResponse: (page: readonly ClosedRow[], all: readonly ClosedRow[] | null): Envelope =>
    succeeded(CMD, [...(all === null ? [] : [totalOf(all)]), ...page].map(closedRow.encode)),
  encodeRefusal: refusalOf(CMD),
  decodeResponse: (json: unknown, drift: DriftCounter): ParseResult<ClosedPositions> => {
    const data = decodeRows(json, WHERE, drift);
    if (!data.ok) return data;
    let sums: ClosedTotal | null = null;
    const positions: BrokerClosedPosition[] = [];
    for (const [i, raw] of data.value.entries()) {
      const at = `${WHERE}.data[${i}]`;
      closedRow.noteTexts(drift, WHERE, raw);
      if (isTotal.safeParse(raw).success) {
        const read = parseWith(total, raw, at);
        if (!read.ok) return read;
        sums = moneyOf(read.value, drift);
        continue;
      }
      const read = parseWith(closedRow.reader, raw, at);
      if (!read.ok) return read;
      positions.push(closedOf(read.value, drift));
    }
    return parsed({ total: sums, positions });
  },
} as const;

/** The profit is required; costs that are left out are 0, and counted. */
function moneyOf(read: z.output<typeof total>, drift: DriftCounter): ClosedTotal {
  const shown = (key: 'fee' | 'tax' | 'unrealize'): Money => {
    const value = read[key];
    if (value !== undefined) return value;
    drift.count(`${WHERE}.${key}`, 'missing');
    return money(0);
  };
  return {
    fee: shown('fee'),
    tax: shown('tax'),
    closedProfit: read.closeVM,
    openProfit: shown('unrealize'),
  };
}

function closedOf(read: z.output<typeof closedRow.reader>, drift: DriftCounter): BrokerClosedPosition {
  const counts = /^(\d{1,9})\s*\/\s*(\d{1,9})$/.exec(read.closePosition.trim());
  if (counts === null) drift.count(`${WHERE}.closePosition`, 'not closed / total');
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
