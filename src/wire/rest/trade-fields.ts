/** Fields that several messages share: sides, prices, dates, and the filter of a book. */
import { z } from 'zod';
import { isTradingDay, type TradingDay, tradingDay } from '../../domain/civil-date.ts';
import { type ContractSpec, formatPoints, parsePoints, pointsOf } from '../../domain/contract.ts';
import type { BrokerOrderKey, BrokerOrderNo, ClientOrderId, OrderCode } from '../../domain/ids.ts';
import type { Side } from '../../domain/order.ts';
import { notParsed, type ParseResult, parsed } from '../../domain/parsed.ts';
import { type Money, type PriceTicks, type Qty, qty } from '../../domain/units.ts';
import { type DriftCounter, numberFromText } from '../drift.ts';
import { codeText, idText, looseText, neededNumber } from './lenient.ts';
import { field, json, number, pointsText, text, timeText, whole } from './wire-message.ts';

export const sideCode = (side: Side): 'B' | 'S' => (side === 'buy' ? 'B' : 'S');
export const SIDE = json<'B' | 'S'>();
export const sideField = z.enum(['B', 'S']).transform((code): Side => (code === 'B' ? 'buy' : 'sell'));

export interface Accounts {
  readonly accountId: string;
  readonly subAccountId: string;
}

export interface PricedOrder {
  readonly qty: Qty;
  readonly limitPrice: PriceTicks;
  readonly spec: ContractSpec;
}

export interface NamedOrder {
  readonly orderNo: BrokerOrderNo;
  readonly orderKey: BrokerOrderKey;
}

/** What the answer to a place adds; `time` is `HH:MM:SS`. */
export interface TakenOrder extends NamedOrder {
  readonly subAccountId: string;
  readonly time: string;
}

export interface RequestedOrder extends PricedOrder {
  readonly orderCode: OrderCode;
  readonly side: Side;
}

/** A page of a book, counted from 1. */
export interface PageQuery {
  readonly pageNo: number;
  readonly pageSize: number;
}

/** Fields with one spelling and one meaning everywhere. */
export const FIELDS = {
  accountId: field(text, (call: Pick<Accounts, 'accountId'>) => call.accountId, idText),
  subAccountId: field(text, (call: Pick<Accounts, 'subAccountId'>) => call.subAccountId, codeText),
  /** Where the operation does without it. */
  looseSubAccountId: field(text, (call: Pick<Accounts, 'subAccountId'>) => call.subAccountId, looseText),
  pageNo: field(text, (call: Pick<PageQuery, 'pageNo'>) => String(call.pageNo), neededNumber),
  pageSize: field(text, (call: Pick<PageQuery, 'pageSize'>) => String(call.pageSize), neededNumber),
  refId: field(
    text,
    (call: { readonly callId: ClientOrderId | null }) => call.callId ?? undefined,
    looseText,
  ),
  symbol: field(text, (row: { readonly orderCode: OrderCode }) => row.orderCode, codeText),
  side: field(SIDE, (row: { readonly side: Side }) => sideCode(row.side), sideField),
  price: field(number, ({ spec, limitPrice }: PricedOrder) => pointsOf(spec, limitPrice), neededNumber),
  volume: field(whole, ({ qty }: Pick<PricedOrder, 'qty'>) => qty, neededNumber),
  showPrice: field(pointsText, ({ spec, limitPrice }: PricedOrder) => formatPoints(spec, limitPrice)),
  volumeText: field(text, ({ qty }: Pick<PricedOrder, 'qty'>) => String(qty)),
  orderTime: field(timeText, (row: { readonly time: string }) => row.time),
  orderNo: field(text, (row: { readonly orderNo: BrokerOrderNo }) => row.orderNo, codeText),
  orderKey: field(text, (row: { readonly orderKey: BrokerOrderKey }) => row.orderKey, codeText),
  /** `105C123456` is shown as `123456A` (notes, 2). */
  accountCode: field(text, (row: Pick<Accounts, 'subAccountId'>) => row.subAccountId.slice(-7)),
  channel: field(text, () => 'I'),
  group: field(text, () => 'FU'),
} as const;

/** The fields that both places begin with. */
export const PLACE_FIELDS = {
  accountId: FIELDS.accountId,
  subAccountId: FIELDS.subAccountId,
  side: FIELDS.side,
  symbol: FIELDS.symbol,
  price: FIELDS.price,
  volume: FIELDS.volume,
} as const;

/** The exchange may raise its largest order; this many times it is still money that adds up exactly. */
const LARGEST_ORDERS_MAX = 10;

/** The contracts of a row of a book. */
export function rowQty(spec: ContractSpec, contracts: number, path: string): ParseResult<Qty> {
  const most = spec.orderQtyMax * LARGEST_ORDERS_MAX;
  return contracts <= most ? parsed(qty(contracts)) : notParsed(path, `at most ${most}`, contracts);
}

/** `MTL`, `MTL (1198)`, and the other words for an order without a price of its own (market rules, 4). */
const WORD_FOR_PRICE = /^(?:MTL|MOK|MAK|ATO|ATC|MP)\b/;

/** `showPrice` of a book: null for an order without a price of its own (notes, 1). `book` names the counter. */
export function shownPrice(
  text: string,
  spec: ContractSpec,
  path: string,
  book: string,
  drift: DriftCounter,
): ParseResult<PriceTicks | null> {
  const trimmed = text.trim();
  if (trimmed === '' || WORD_FOR_PRICE.test(trimmed)) {
    drift.count(`${book}.showPrice`, 'no number');
    return parsed<PriceTicks | null>(null);
  }
  const points = numberFromText(trimmed);
  if (points === undefined || points < 0) return notParsed(path, 'a price', text);
  const price = parsePoints(spec, points, path);
  return price.ok && price.value === 0 ? parsed<PriceTicks | null>(null) : price;
}

/** `ALL,ALL`, `ALL,B`, `<contract>,B`: the rows that a book is asked for (contract, 4.3). */
export interface SymbolFilter {
  /** Null for all. */
  readonly symbol: string | null;
  readonly side: Side | null;
}

export const ALL_SYMBOLS = 'ALL,ALL';
export const SYMBOL_FILTERS = 'ALL,ALL or ALL,B or <contract>,B';

/** What a call has to say, or a fault at its key. */
export const neededAt =
  (context: z.RefinementCtx) =>
  <T>(value: T | undefined, key: string, expected: string): T => {
    if (value !== undefined) return value;
    context.addIssue({ code: 'custom', path: [key], message: expected });
    return z.NEVER;
  };

const SIDE_FILTERS: ReadonlyMap<string, Side | null> = new Map<string, Side | null>([
  ['ALL', null],
  ['B', 'buy'],
  ['S', 'sell'],
]);

/** All when it is left out, as clients do; undefined when it is no filter. */
export function symbolFilterOf(text: string): SymbolFilter | undefined {
  if (text.trim() === '') return { symbol: null, side: null };
  const [symbol = '', sideText = '', ...rest] = text.split(',').map((part) => part.trim());
  const side = SIDE_FILTERS.get(sideText);
  if (symbol === '' || side === undefined || rest.length > 0) return undefined;
  return { symbol: symbol === 'ALL' ? null : symbol, side };
}

/** `dd/MM/yyyy`, as the service writes dates (notes, 6). */
export const formatDate = (day: TradingDay): string =>
  `${day.slice(8, 10)}/${day.slice(5, 7)}/${day.slice(0, 4)}`;

/** Another date means "never" or "nothing", and the moments of its day are no safe integers. */
const [FIRST_DAY, LAST_DAY] = ['1970-01-01', '2199-12-31'];

/** Also takes `yyyy-MM-dd` and `yyyyMMdd`; null when it is no date of our time. */
export function readDate(text: string): TradingDay | null {
  const parts = /^(\d{2})\/(\d{2})\/(\d{4})/.exec(text.trim());
  const compact = /^(\d{4})-?(\d{2})-?(\d{2})/.exec(text.trim());
  const iso = parts
    ? `${parts[3] ?? ''}-${parts[2] ?? ''}-${parts[1] ?? ''}`
    : compact
      ? `${compact[1] ?? ''}-${compact[2] ?? ''}-${compact[3] ?? ''}`
      : '';
  return isTradingDay(iso) && iso >= FIRST_DAY && iso <= LAST_DAY ? tradingDay(iso) : null;
}

/** Four decimals: an average is off the grid, and `vm_remain` is computed from it (notes, 5). */
export const averagePoints = (value: Money, quantity: number, spec: ContractSpec): number =>
  quantity === 0 ? 0 : Math.round((value * 100) / (quantity * spec.moneyPerHundredth)) / 10_000;
