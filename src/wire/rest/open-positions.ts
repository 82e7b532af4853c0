/** GET /khronos/v1/account/portfolio/status (contract, 2.6 and 4.2; further keys from the notes, section 5). */
import { type positionRow, positionsAnswer } from '../answers/account-answers.ts';
import { z } from 'zod';
import type { BrokerPosition } from '../../domain/broker-order.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import type { ContractSpec } from '../../domain/contract.ts';
import { orderCode, type OrderCode } from '../../domain/ids.ts';
import { type Parsed, parsed } from '../../domain/parsed.ts';
import { type Money, type PriceHundredths, type SignedQty, signedQty } from '../../domain/units.ts';
import type { DriftCounter } from '../drift.ts';
import { averagePoints } from './average-points.ts';
import { dateText } from './date-text.ts';
import { decodeRows, type Envelope, refused, succeeded } from './envelope.ts';
import {
  codeText,
  hundredthsOrNull,
  idText,
  looseMoney,
  looseNumber,
  looseText,
  neededNumber,
  noteTextNumbers,
  parseWith,
} from './lenient.ts';
import { queryRequest, type RawRequest, type WireRequest } from './request.ts';
import { accountCodeOf } from './side.ts';

const CMD = 'Web.Portfolio.PortfolioStatus2';

export interface AccountParameters {
  readonly accountId: string;
  readonly subAccountId: string;
}

export const accountQuery = z.looseObject({ accountId: idText, subAccountId: looseText, getType: looseText });

/** One position as the simulator knows it. Averages are money of one contract in points x 100, derived for show. */
export interface PositionRow {
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
  readonly spec: ContractSpec;
}

function encodeRow(position: PositionRow, subAccountId: string): z.output<typeof positionRow> {
  const { qty, spec, openValue } = position;
  const profitPercent = openValue === 0 ? 0 : (position.openProfit * 100) / openValue;
  return {
    symbol: position.orderCode,
    im: String(position.marginBps / 10_000),
    deliver: position.shortQty,
    receive: position.longQty,
    net: qty,
    side: qty < 0 ? 'S' : 'L',
    lastPrice: position.lastPrice / 100,
    imValue: position.initialMargin,
    vmValue: position.dayProfit,
    mrValue: position.requiredMargin,
    duedate: dateText(position.expiry),
    pc_remain: profitPercent.toFixed(2),
    account: accountCodeOf(subAccountId),
    wasp: averagePoints(position.sold.value, position.sold.qty, spec),
    wapb: averagePoints(position.bought.value, position.bought.qty, spec),
    netoffvol: position.closableQty,
    avg_remain: averagePoints(openValue, Math.abs(qty), spec),
    vm_remain: position.openProfit,
    stoploss: '',
    takeprofit: '',
  };
}

const row = z
  .looseObject({
    symbol: codeText,
    net: neededNumber.refine(Number.isSafeInteger, 'a whole number'),
    side: looseText,
    lastPrice: looseNumber.catch(undefined),
    vm_remain: looseMoney.catch(undefined),
  })
  // A position of the wrong sign is worse than none: the two fields must agree (contract, 2.6).
  .refine(({ net, side }) => !(net > 0 && side === 'S') && !(net < 0 && side === 'L'), {
    path: ['side'],
    message: 'the side that net says',
  });

const rows = z.array(row);
const NUMBERS = ['deliver', 'receive', 'net', 'lastPrice', 'imValue', 'vmValue', 'mrValue'];

export const openPositions = {
  name: 'positions',
  asks: accountQuery,
  answers: positionsAnswer,
  method: 'GET',
  path: '/khronos/v1/account/portfolio/status',
  encodeRequest: ({ accountId, subAccountId }: AccountParameters): WireRequest =>
    queryRequest({ accountId, subAccountId }),
  decodeRequest: (raw: RawRequest): Parsed<AccountParameters> => parseWith(accountQuery, raw.query, 'query'),
  encodeResponse: (positions: readonly PositionRow[], subAccountId: string): Envelope =>
    succeeded(
      CMD,
      positions.map((position) => encodeRow(position, subAccountId)),
    ),
  encodeRefusal: (code: number, text: string): Envelope => refused(CMD, code, text),
  decodeResponse: (json: unknown, drift: DriftCounter): Parsed<readonly BrokerPosition[]> => {
    const data = decodeRows(json, 'positions', drift);
    if (!data.ok) return data;
    const list = parseWith(rows, data.value, 'positions.data');
    if (!list.ok) return list;
    for (const raw of data.value) noteTextNumbers(drift, 'positions', raw, NUMBERS);
    return parsed(list.value.map(positionOf));
  },
} as const;

function positionOf({ symbol, net, lastPrice, vm_remain }: z.output<typeof row>): BrokerPosition {
  return {
    orderCode: orderCode(symbol),
    qty: signedQty(net),
    lastPrice: hundredthsOrNull(lastPrice),
    openProfit: vm_remain ?? null,
  };
}
