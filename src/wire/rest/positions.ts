/** Open and closed positions (contract, 4.2; notes, 5): GET /khronos/v1/account/portfolio/status and .../position/close. */
import { z } from 'zod';
import type { BrokerPosition, BrokerClosedPosition, ClosedTotal } from '../../domain/broker-order.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import { type ContractSpec, formatPoints } from '../../domain/contract.ts';
import { orderCode, type OrderCode } from '../../domain/ids.ts';
import { type ParseResult, parsed } from '../../domain/parsed.ts';
import {
  type Money,
  type PriceHundredths,
  type PriceTicks,
  type SignedQty,
  signedQty,
  money,
  type Qty,
  qty,
} from '../../domain/units.ts';
import type { DriftCounter } from '../drift.ts';
import { accountQuery } from './account-status.ts';
import { decodeRows, type Envelope, refusalOf, succeeded } from './envelope.ts';
import {
  hundredthsOrNull,
  looseMoney,
  looseNumber,
  looseText,
  neededNumber,
  parseWith,
  codeText,
  neededMoney,
} from './lenient.ts';
import {
  dateText,
  field,
  get,
  json,
  message,
  number,
  points,
  pointsText,
  queryOf,
  text,
  timeText,
  vnd,
  whole,
} from './wire-message.ts';
import {
  averagePoints,
  FIELDS,
  formatDate,
  type Accounts,
  type PageQuery,
  sideCode,
  sideField,
} from './trade-fields.ts';
import type { Side } from '../../domain/order.ts';

const CMD = 'Web.Portfolio.PortfolioStatus2';
const WHERE = 'positions';

/** One position as the simulator knows it. Averages are derived from money, for display. */
export interface SimulatedPosition {
  readonly orderCode: OrderCode;
  readonly qty: SignedQty;
  readonly marginBps: number;
  readonly lastPrice: PriceHundredths;
  readonly openValue: Money;
  readonly bought: { readonly qty: number; readonly value: Money };
  readonly sold: { readonly qty: number; readonly value: Money };
  readonly longQty: number;
  readonly shortQty: number;
  readonly closableQty: number;
  readonly initialMargin: Money;
  readonly requiredMargin: Money;
  readonly dayProfit: Money;
  readonly openProfit: Money;
  readonly expiry: TradingDay;
  /** Triggers of the exits that wait for it. */
  readonly stopLoss: PriceTicks | null;
  readonly takeProfit: PriceTicks | null;
  readonly spec: ContractSpec;
}

interface OfSubAccount extends SimulatedPosition {
  readonly subAccountId: string;
}

const exitText = ({ spec }: SimulatedPosition, price: PriceTicks | null): string =>
  price === null ? '' : formatPoints(spec, price);

/** Read for the count of deviations alone. */
const unused = looseNumber.catch(undefined);

/** Ten times what the law lets an individual hold (market rules, 1). */
const NET_MAX = 50_000;

const positionRow = message<OfSubAccount>()({
  symbol: FIELDS.symbol,
  // Margin ratio.
  im: field(text, (row) => String(row.marginBps / 10_000)),
  deliver: field(whole, (row) => row.shortQty, unused),
  receive: field(whole, (row) => row.longQty, unused),
  // Above 0 long, below 0 short.
  net: field(
    whole,
    ({ qty }) => qty,
    neededNumber.refine(
      (net) => Number.isInteger(net) && Math.abs(net) <= NET_MAX,
      'contracts of an account',
    ),
  ),
  side: field(json<'L' | 'S'>(), ({ qty }) => (qty < 0 ? 'S' : 'L'), looseText),
  lastPrice: field(points, (row) => row.lastPrice / 100, looseNumber.catch(undefined)),
  imValue: field(vnd, (row) => row.initialMargin, unused),
  vmValue: field(vnd, (row) => row.dayProfit, unused),
  mrValue: field(vnd, (row) => row.requiredMargin, unused),
  duedate: field(dateText, ({ expiry }) => formatDate(expiry)),
  pc_remain: field(text, ({ openValue, openProfit }) =>
    (openValue === 0 ? 0 : (openProfit * 100) / openValue).toFixed(2),
  ),
  account: FIELDS.accountCode,
  wasp: field(points, ({ sold, spec }) => averagePoints(sold.value, sold.qty, spec)),
  wapb: field(points, ({ bought, spec }) => averagePoints(bought.value, bought.qty, spec)),
  netoffvol: field(whole, (row) => row.closableQty),
  avg_remain: field(points, ({ openValue, qty, spec }) => averagePoints(openValue, Math.abs(qty), spec)),
  vm_remain: field(vnd, (row) => row.openProfit, looseMoney.catch(undefined)),
  stoploss: field(pointsText, (row) => exitText(row, row.stopLoss)),
  takeprofit: field(pointsText, (row) => exitText(row, row.takeProfit)),
});

const rows = z.array(
  positionRow.reader
    // A position of the wrong sign is worse than none: the two fields must agree (contract, 4.2).
    .refine(({ net, side }) => !(net > 0 && side === 'S') && !(net < 0 && side === 'L'), {
      path: ['side'],
      message: 'the side that net says',
    })
    .transform(({ symbol, net, lastPrice, vm_remain }): BrokerPosition => ({
      orderCode: orderCode(symbol),
      qty: signedQty(net),
      lastPrice: hundredthsOrNull(lastPrice),
      openProfit: vm_remain ?? null,
    })),
);

const request = accountQuery();

export const openPositions = {
  ...get('positions', '/khronos/v1/account/portfolio/status'),
  ...queryOf(request, request.reader),
  encodeResponse: (positions: readonly SimulatedPosition[], subAccountId: string): Envelope =>
    succeeded(
      CMD,
      positions.map((position) => positionRow.encode({ ...position, subAccountId })),
    ),
  encodeRefusal: refusalOf(CMD),
  decodeResponse: (json: unknown, drift: DriftCounter): ParseResult<readonly BrokerPosition[]> => {
    const data = decodeRows(json, WHERE, drift);
    if (!data.ok) return data;
    const positions = parseWith(rows, data.value, `${WHERE}.data`);
    if (!positions.ok) return positions;
    for (const raw of data.value) positionRow.noteTexts(drift, WHERE, raw);
    return parsed(positions.value);
  },
} as const;

// Closed positions: GET /khronos/v1/account/portfolio/position/close.

const CLOSED_CMD = 'Web.Portfolio.PositionClose';
const CLOSED = 'closed-positions';
const TOTAL = 'TOTAL';

interface ClosedPositionsParameters extends Accounts, PageQuery {
  readonly symbol: string | null;
}

const closedRequest = message<ClosedPositionsParameters>()({
  accountId: FIELDS.accountId,
  subAccountId: FIELDS.subAccountId,
  symbol: field(text, ({ symbol }) => symbol ?? '', looseText),
  pageNo: FIELDS.pageNo,
  pageSize: FIELDS.pageSize,
});
const closedAsked = closedRequest.reader.transform(({ symbol, ...rest }): ClosedPositionsParameters => ({
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
  ...get(CLOSED, '/khronos/v1/account/portfolio/position/close'),
  ...queryOf(closedRequest, closedAsked),
  /** `all` are the rows of every page: their sum comes before the first page's rows. Null on other pages, and without rows. */
  encodeResponse: (page: readonly ClosedRow[], all: readonly ClosedRow[] | null): Envelope =>
    succeeded(CLOSED_CMD, [...(all === null ? [] : [totalOf(all)]), ...page].map(closedRow.encode)),
  encodeRefusal: refusalOf(CLOSED_CMD),
  decodeResponse: (json: unknown, drift: DriftCounter): ParseResult<ClosedPositions> => {
    const data = decodeRows(json, CLOSED, drift);
    if (!data.ok) return data;
    let sums: ClosedTotal | null = null;
    const positions: BrokerClosedPosition[] = [];
    for (const [i, raw] of data.value.entries()) {
      const at = `${CLOSED}.data[${i}]`;
      closedRow.noteTexts(drift, CLOSED, raw);
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
    drift.count(`${CLOSED}.${key}`, 'missing');
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
  if (counts === null) drift.count(`${CLOSED}.closePosition`, 'not closed / total');
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
