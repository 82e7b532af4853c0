/** GET /khronos/v1/account/portfolio/status (contract, 4.2; notes, 5). */
import { z } from 'zod';
import type { BrokerPosition } from '../../domain/broker-order.ts';
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
} from '../../domain/units.ts';
import type { DriftCounter } from '../drift.ts';
import { accountQuery } from './account-status.ts';
import { decodeRows, type Envelope, refusalOf, succeeded } from './envelope.ts';
import { hundredthsOrNull, looseMoney, looseNumber, looseText, neededNumber, parseWith } from './lenient.ts';
import { dateText, field, json, message, points, pointsText, text, vnd, whole } from './wire-message.ts';
import { queryOf } from './operation.ts';
import { averagePoints, FIELDS, formatDate } from './trade-fields.ts';

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

const positionRow = message<OfSubAccount>()({
  symbol: FIELDS.symbol,
  // Margin ratio.
  im: field(text, (row) => String(row.marginBps / 10_000)),
  deliver: field(whole, (row) => row.shortQty, unused),
  receive: field(whole, (row) => row.longQty, unused),
  // Above 0 long, below 0 short.
  net: field(whole, ({ qty }) => qty, neededNumber.refine(Number.isSafeInteger, 'a whole number')),
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
  name: 'positions',
  method: 'GET',
  path: '/khronos/v1/account/portfolio/status',
  needsToken: true,
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
