/** Place, change and cancel of normal orders (contract, 4.3). */
import { assert } from '../../domain/assert.ts';
import { formatPoints, pointsOf } from '../../domain/contract.ts';
import type { BrokerOrderStatus } from '../../domain/broker-order.ts';
import type { BrokerOrderNo, ClientOrderId, OrderCode } from '../../domain/ids.ts';
import { signOf } from '../../domain/order.ts';
import { type PriceTicks, priceTicks } from '../../domain/units.ts';
import { numberFromText } from '../drift.ts';
import { rowAnswer } from './envelope.ts';
import { idText, looseText, neededNumber } from './lenient.ts';
import { bodyOf, field, message, number, post, text, timeText, whole } from './wire-message.ts';
import { encodeStatus } from './in-day-book.ts';
import {
  type Accounts,
  FIELDS,
  type NamedOrder,
  type RequestedOrder,
  type TakenOrder,
  PLACE_FIELDS,
  type PricedOrder,
} from './trade-fields.ts';

/** `orderType` of a normal order (rulings, 13): regular, with stop-loss and take-profit, or after another leg. */
export type OrderKindTerms =
  | { readonly kind: 'regular' }
  /** For the quantity that fills at the limit; one cancels the other. Sent as distances: a better fill moves both with it. */
  | { readonly kind: 'bracket'; readonly stopLossPrice: PriceTicks; readonly takeProfitPrice: PriceTicks }
  /** Placed when our order in `leg` fills. */
  | { readonly kind: 'arbitrage'; readonly leg: OrderCode };

/** As a client asked, in points: the venue refuses it where it must. */
export type RequestedTerms =
  | { readonly kind: 'regular' }
  | { readonly kind: 'bracket'; readonly stopLossPoints: number; readonly takeProfitPoints: number }
  | { readonly kind: 'arbitrage'; readonly leg: string }
  | { readonly kind: 'unreadable'; readonly text: string };

const REGULAR_WORD = '0';
const BRACKET_WORD = 'SLP';
const ARBITRAGE_WORD = 'ABI';

export function encodeOrderType(
  terms: OrderKindTerms,
  { side, limitPrice, spec }: Pick<RequestedOrder, 'side' | 'limitPrice' | 'spec'>,
): string {
  const points = (distance: number): string => {
    assert(distance > 0, 'a stop-loss and a take-profit lie on either side of the limit');
    return formatPoints(spec, priceTicks(distance));
  };
  switch (terms.kind) {
    case 'regular':
      return REGULAR_WORD;
    case 'bracket': {
      const sign = signOf(side);
      const stopLoss = points(sign * (limitPrice - terms.stopLossPrice));
      return `${BRACKET_WORD}=${stopLoss},${points(sign * (terms.takeProfitPrice - limitPrice))}`;
    }
    case 'arbitrage':
      return `${ARBITRAGE_WORD}=${terms.leg}`;
  }
}

/** Left out is regular, as clients do. */
export function decodeOrderType(received: string): RequestedTerms {
  const trimmed = received.trim();
  if (trimmed === '' || trimmed === REGULAR_WORD) return { kind: 'regular' };
  const unreadable: RequestedTerms = { kind: 'unreadable', text: trimmed };
  const sign = trimmed.indexOf('=');
  if (sign === -1) return unreadable;
  const word = trimmed.slice(0, sign).trim().toUpperCase();
  const parts = trimmed
    .slice(sign + 1)
    .split(',')
    .map((part) => part.trim());
  const [first = '', second = '', ...rest] = parts;
  if (word === ARBITRAGE_WORD && parts.length === 1 && first !== '') return { kind: 'arbitrage', leg: first };
  const stopLossPoints = numberFromText(first);
  const takeProfitPoints = numberFromText(second);
  const isPair = stopLossPoints !== undefined && takeProfitPoints !== undefined && rest.length === 0;
  return word === BRACKET_WORD && isPair ? { kind: 'bracket', stopLossPoints, takeProfitPoints } : unreadable;
}

interface PlaceParameters extends Accounts, RequestedOrder {
  readonly clientOrderId: ClientOrderId;
  /** Absent: regular. */
  readonly terms?: OrderKindTerms;
}

/** Undocumented fields (`advance`, `pin`, `type`) are accepted and dropped. */
const placeForm = message<PlaceParameters>()({
  ...PLACE_FIELDS,
  orderType: field(
    text,
    (order) => (order.terms === undefined ? REGULAR_WORD : encodeOrderType(order.terms, order)),
    looseText,
  ),
  refId: field(text, (order) => order.clientOrderId, looseText),
});

/** As a client asked: the numbers may be anything, and `refId` is empty when the client gave none. */
const placeAsked = placeForm.reader.transform(({ price, orderType, ...rest }) => ({
  ...rest,
  points: price,
  terms: decodeOrderType(orderType),
}));

interface PlacedOrder extends RequestedOrder, TakenOrder {
  readonly refId: string;
  readonly status: BrokerOrderStatus;
}

/** The answer is the gateway's: its status is P, even when the exchange has filled the order by then. */
const placedRow = message<PlacedOrder>()({
  symbol: FIELDS.symbol,
  status: field(text, () => 'P'),
  msg_type: field(text, () => '1I'),
  showPrice: FIELDS.showPrice,
  orderTime: FIELDS.orderTime,
  type: field(text, () => 'I'),
  accountCode: FIELDS.accountCode,
  orderNo: FIELDS.orderNo,
  matchVolume: field(text, () => '0'),
  side: FIELDS.side,
  volume: FIELDS.volumeText,
  pk_orderNo: FIELDS.orderKey,
  channel: FIELDS.channel,
  refID: field(text, ({ refId }) => refId),
  group: FIELDS.group,
  quote: field(text, ({ status }) => encodeStatus(status === 'resting' ? 'resting' : 'queued').quote),
});

export const placeOrder = {
  ...post('place', '/khronos/v1/order/place'),
  ...bodyOf(placeForm, placeAsked),
  ...rowAnswer('Web.newOrder', placedRow, ({ orderKey }) => orderKey),
} as const;

/** `qty` is the new total quantity (rulings, 10). */
interface ChangeParameters extends Accounts, PricedOrder {
  readonly orderNo: BrokerOrderNo;
  readonly callId: ClientOrderId;
}

const changeForm = message<ChangeParameters>()({
  accountId: FIELDS.accountId,
  subAccountId: FIELDS.looseSubAccountId,
  orderNo: field(text, ({ orderNo }) => orderNo, idText),
  refId: FIELDS.refId,
  nvol: field(whole, ({ qty }) => qty, neededNumber),
  nprice: field(number, ({ spec, limitPrice }) => pointsOf(spec, limitPrice), neededNumber),
});
const changeAsked = changeForm.reader.transform(({ nvol, nprice, ...rest }) => ({
  ...rest,
  volume: nvol,
  points: nprice,
}));

const changedRow = message<PricedOrder & NamedOrder>()({
  orderNo: FIELDS.orderNo,
  status: field(text, () => 'PC'),
  msg_type: field(text, () => '1P'),
  showPrice: FIELDS.showPrice,
  volume: FIELDS.volumeText,
  pk_orderNo: FIELDS.orderKey,
});

/** The answer to a cancel names the change, too (notes, 3). */
const CHANGE = 'Web.changeOrder';

export const changeOrder = {
  ...post('change', '/khronos/v1/order/change'),
  ...bodyOf(changeForm, changeAsked),
  ...rowAnswer(CHANGE, changedRow, ({ orderKey }) => orderKey),
} as const;

interface CancelParameters {
  readonly accountId: string;
  readonly orderNo: BrokerOrderNo;
  /** Null for a cancel that no memory of ours holds (kill path). */
  readonly callId: ClientOrderId | null;
}

const cancelForm = message<CancelParameters>()({
  accountId: FIELDS.accountId,
  orderNo: field(text, ({ orderNo }) => orderNo, idText),
  cmd: field(text, () => 'Web.cancelOrder'),
  pin: field(text, () => 'F'),
  refId: FIELDS.refId,
});

const canceledRow = message<Omit<TakenOrder, 'subAccountId'>>()({
  orderNo: FIELDS.orderNo,
  status: field(text, () => 'PW'),
  msg_type: field(text, () => '1C'),
  pk_orderNo: FIELDS.orderKey,
  cancelTime: field(timeText, ({ time }) => time),
});

export const cancelOrder = {
  ...post('cancel', '/khronos/v1/order/cancel'),
  ...bodyOf(cancelForm, cancelForm.reader),
  ...rowAnswer(CHANGE, canceledRow, ({ orderKey }) => orderKey),
} as const;
