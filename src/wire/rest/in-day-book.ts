/** GET /khronos/v1/order/in-day: the normal orders of today, page by page, and the letters of their life (contract, 4.3; notes, 3). */
import { z } from 'zod';
import {
  type BrokerOrder,
  type BrokerOrderSource,
  type BrokerOrderStatus,
  type FilledValue,
  isCanceled,
} from '../../domain/broker-order.ts';
import { type ContractSpec, formatPoints } from '../../domain/contract.ts';
import { brokerOrderKey, brokerOrderNo, clientOrderId, orderCode } from '../../domain/ids.ts';
import { notParsed, type ParseResult, parsed } from '../../domain/parsed.ts';
import { type Money, money, type PriceTicks } from '../../domain/units.ts';
import type { DriftCounter } from '../drift.ts';
import { type BookPage, decodeBook, type Envelope, refusalOf, succeeded } from './envelope.ts';
import { codeText, looseMoney, looseNumber, looseText, parseWith } from './lenient.ts';
import {
  alias,
  field,
  flag,
  get,
  message,
  pointsText,
  queryOf,
  text,
  textsOf,
  timeText,
  whole,
} from './wire-message.ts';
import {
  type Accounts,
  ALL_SYMBOLS,
  FIELDS,
  neededAt,
  type PageQuery,
  rowQty,
  shownPrice,
  SIDE,
  sideCode,
  sideField,
  SYMBOL_FILTERS,
  symbolFilterOf,
} from './trade-fields.ts';

type InDayParameters = Pick<Accounts, 'accountId'> & PageQuery;

/** All orders of all contracts: a row that is not seen is no evidence (rulings, 8). */
const request = message<InDayParameters>()({
  accountId: FIELDS.accountId,
  pageNo: FIELDS.pageNo,
  pageSize: FIELDS.pageSize,
  symbol: field(text, () => ALL_SYMBOLS, looseText),
  orderType: field(text, () => '', looseText),
  status: field(text, () => '0', looseText),
  refId: field(text, () => undefined, looseText),
});

const STATUS_FILTERS: ReadonlyMap<string, 'all' | 'waiting' | 'matched'> = new Map([
  ['', 'all'],
  ['0', 'all'],
  ['1', 'waiting'],
  ['2', 'matched'],
]);

/** `orderType`: empty for all, else the contract's digit. `refId`: null for any. */
export type InDayQuery = Readonly<z.output<typeof query>>;

const query = request.reader.transform((raw, context) => {
  const needed = neededAt(context);
  const { accountId, pageNo, pageSize, orderType, refId } = raw;
  return {
    accountId,
    pageNo,
    pageSize,
    orderType: orderType.trim(),
    status: needed(STATUS_FILTERS.get(raw.status.trim()), 'status', '0, 1 or 2'),
    ...needed(symbolFilterOf(raw.symbol), 'symbol', SYMBOL_FILTERS),
    refId: refId === '' ? null : refId,
  };
});

/** A row as the simulator knows it: the broker's view with its exact money and times. */
export interface InDayRow {
  readonly order: BrokerOrder;
  readonly filledValue: Money;
  readonly subAccountId: string;
  readonly spec: ContractSpec;
  /** `HH:MM:SS`. */
  readonly time: string;
  /** Empty while it is not canceled. */
  readonly cancelTime: string;
  /** Part of a bracket: the order it belongs to, or one of its exits. */
  readonly isBracket?: boolean;
}

const SOURCES: Readonly<Record<BrokerOrderSource, string>> = {
  user: 'USER',
  system: 'SYS',
  forced: 'FORCE',
  unstated: '',
};

const priceText = ({ order, spec }: InDayRow): string =>
  order.limitPrice === null ? 'MTL' : formatPoints(spec, order.limitPrice);

const count = z
  .number()
  .refine((value) => Number.isSafeInteger(value) && value >= 0, 'a whole number, zero or more');

const inDayRow = message<InDayRow>()({
  orderNo: field(text, ({ order }) => order.orderNo, codeText),
  pk_orderNo: field(text, ({ order }) => order.orderKey ?? '', looseText.catch('')),
  side: field(SIDE, ({ order }) => sideCode(order.side), sideField),
  symbol: field(text, ({ order }) => order.orderCode, codeText),
  volume: field(whole, ({ order }) => order.qty, looseNumber.pipe(count)),
  showPrice: field(pointsText, priceText, looseText),
  matchVolume: field(whole, ({ order }) => order.filledQty, looseNumber.pipe(count.optional())),
  status: field(text, ({ order }) => encodeStatus(order.status).status, looseText),
  isCancel: field(flag, ({ order }) => (order.canCancel ? '1' : '0'), looseText),
  isAmend: field(flag, ({ order }) => (order.canModify ? '1' : '0'), looseText),
  refId: field(text, ({ order }) => order.refId ?? '', looseText),
  refID: alias(looseText),
  orderTime: field(timeText, ({ time }) => time),
  accountCode: FIELDS.accountCode,
  matchPriceBQ: field(
    pointsText,
    ({ order: { filledQty }, filledValue, spec }) =>
      filledQty === 0 ? '0' : (filledValue / (filledQty * spec.moneyPerHundredth * 100)).toFixed(4),
    looseNumber.catch(undefined),
  ),
  orderStatus: field(text, ({ order }) => order.statusText),
  channel: FIELDS.channel,
  group: FIELDS.group,
  cancelTime: field(timeText, ({ cancelTime }) => cancelTime),
  info: field(text, ({ order }) => order.reason, looseText.catch('')),
  maxPrice: field(pointsText, priceText),
  matchValue: field(text, ({ filledValue }) => String(filledValue), looseMoney.catch(undefined)),
  quote: field(text, ({ order }) => encodeStatus(order.status).quote, looseText),
  autoType: field(text, () => ''),
  product: field(text, ({ isBracket }) => (isBracket === true ? 'SL/TP' : '')),
  orderType: field(text, ({ order }) => (order.source === 'forced' ? 'F' : 'N'), looseText.catch('')),
  source: field(text, ({ order }) => SOURCES[order.source], looseText.catch('')),
});

const CMD = 'Web.Order.IndayOrder';
const WHERE = 'in-day';

/** Undefined for a code that is not traded here. */
export type SpecOf = (code: string) => ContractSpec | undefined;

/** Codes as exchanges spell them, and the start of every id of ours. */
const CONTRACT_CODE = /^[A-Z0-9]{6,12}$/;
const OWN_ID = 'H.';

/** A row of a contract that is not configured; calls for such a contract are never sent. Any other row may be ours. */
export function foreignRow(where: string, symbol: string, refId: string, drift: DriftCounter): boolean {
  if (!CONTRACT_CODE.test(symbol) || refId.startsWith(OWN_ID)) return false;
  drift.count(`${where}.symbol`, `orders of ${symbol}, a contract that is not configured: they are not ours`);
  return true;
}

export const inDayBook = {
  ...get('in-day', '/khronos/v1/order/in-day'),
  ...queryOf(request, query),
  /** `contract` has two numbers in a row; an older document of the broker has texts only (notes, 3). */
  encodeResponse: (rows: readonly InDayRow[], style: 'contract' | 'texts' = 'contract'): Envelope => {
    const encoded = rows.map(inDayRow.encode);
    return succeeded(CMD, style === 'texts' ? encoded.map(textsOf) : encoded);
  },
  encodeRefusal: refusalOf(CMD),
  decodeResponse: (
    answer: unknown,
    specOf: SpecOf,
    drift: DriftCounter,
  ): ParseResult<BookPage<BrokerOrder>> =>
    decodeBook(answer, WHERE, drift, (raw, at) => decodeRow(raw, at, specOf, drift)),
} as const;

const SOURCE_WORDS: ReadonlyMap<string, BrokerOrderSource> = new Map([
  ['USER', 'user'],
  ['SYS', 'system'],
  ['FORCE', 'forced'],
]);

const IS_MATCHED: ReadonlySet<BrokerOrderStatus> = new Set<BrokerOrderStatus>([
  'matched',
  'matched_cancel_pending',
  'matched_canceled',
]);

/** A row that cannot be read whole is an issue: it may be any order. */
function decodeRow(
  raw: unknown,
  at: string,
  specOf: SpecOf,
  drift: DriftCounter,
): ParseResult<BrokerOrder | null> {
  const read = parseWith(inDayRow.reader, raw, at);
  if (!read.ok) return read;
  inDayRow.noteTexts(drift, WHERE, raw);
  const row = read.value;
  const spec = specOf(row.symbol);
  const refId = (row.refId === '' ? row.refID : row.refId).trim();
  if (spec === undefined) {
    if (foreignRow(WHERE, row.symbol, refId, drift)) return parsed(null);
    return notParsed(`${at}.symbol`, 'a contract that is known', row.symbol);
  }
  const volume = rowQty(spec, row.volume, `${at}.volume`);
  if (!volume.ok) return volume;
  const limitPrice = shownPrice(row.showPrice, spec, `${at}.showPrice`, WHERE, drift);
  if (!limitPrice.ok) return limitPrice;
  const status = decodeStatus(row.status, row.quote);
  const filled = rowQty(spec, row.matchVolume ?? 0, `${at}.matchVolume`);
  if (!filled.ok) return filled;
  if (row.matchVolume === undefined) {
    if (IS_MATCHED.has(status)) return notParsed(`${at}.matchVolume`, 'how much is matched', undefined);
    drift.count(`${WHERE}.matchVolume`, 'nothing for a number');
  }
  // Only a plain 0 forbids: an exit is not given up because a field was left out. The broker refuses where it must.
  if (row.isCancel === '') drift.count(`${WHERE}.isCancel`, 'missing');
  const key = row.pk_orderNo.trim();
  const { matchPriceBQ: average, matchValue: value } = row;
  const received = { filledQty: filled.value, limitPrice: limitPrice.value, average, value };
  return parsed({
    orderNo: brokerOrderNo(row.orderNo),
    orderKey: key === '' ? null : brokerOrderKey(key),
    refId: refId === '' ? null : clientOrderId(refId),
    orderCode: orderCode(row.symbol),
    side: row.side,
    qty: volume.value,
    limitPrice: limitPrice.value,
    filledQty: filled.value,
    filledValue: filledValueFrom(received, spec, drift),
    status,
    statusText: `${row.status}${row.quote === '' ? '' : `/${row.quote}`}`,
    canCancel: row.isCancel === '' ? !isCanceled({ status }) : row.isCancel !== '0',
    canModify: row.isAmend === '1',
    source: row.orderType === 'F' ? 'forced' : (SOURCE_WORDS.get(row.source) ?? 'unstated'),
    reason: row.info,
  });
}

interface FillFigures {
  readonly filledQty: number;
  readonly limitPrice: PriceTicks | null;
  /** Points. */
  readonly average: number | undefined;
  readonly value: number | undefined;
}

/** Further from the limit price than a whole price band, it is not of these fills, or not in points and money. */
const FAR_FROM_LIMIT = 0.2;

/**
 * Money of an order's fills, from value and average price (rulings, 2): the value when it fits quantity and price, else the figure computed
 * from the average; both are the broker's. The unit of a value on its own is not known, so it counts only with an average or a limit price.
 * With neither there is no figure here.
 */
function filledValueFrom(received: FillFigures, spec: ContractSpec, drift: DriftCounter): FilledValue | null {
  const { filledQty, limitPrice, average = 0, value = 0 } = received;
  if (filledQty === 0) return null;
  const unit = spec.hundredthsPerTick * spec.moneyPerHundredth;
  const atLimit = limitPrice === null ? undefined : limitPrice * filledQty * unit;
  const isPlausible = (amount: number): boolean =>
    Number.isSafeInteger(amount) &&
    amount > 0 &&
    (atLimit === undefined || Math.abs(amount - atLimit) <= atLimit * FAR_FROM_LIMIT);
  // Each fill is whole ticks, so their sum is whole units: the rounding of the average is undone.
  const averaged = Math.round((average * 100 * spec.moneyPerHundredth * filledQty) / unit) * unit;
  const fromAverage = isPlausible(averaged) ? averaged : undefined;
  const isSameAccount =
    fromAverage === undefined ? atLimit !== undefined : Math.abs(value - fromAverage) <= unit * filledQty;
  const fits = isSameAccount && value % unit === 0 && isPlausible(value);
  if (value !== 0 && !fits) drift.count(`${WHERE}.matchValue`, 'does not fit volume and price');
  if (average !== 0 && fromAverage === undefined)
    drift.count(`${WHERE}.matchPriceBQ`, 'does not fit the price');
  const chosen = fits ? value : fromAverage;
  return chosen === undefined ? null : { value: money(chosen), quality: 'average' };
}

// The letters of an order's life: one table, read and written.

/**
 * A meaning is written as in its first row. Without `quote`, which the contract does not promise, letters have the
 * meaning of their first row: P may still wait at the gateway, PC may still be confirmed.
 */
const LETTERS: readonly (readonly [status: string, quote: string, means: BrokerOrderStatus])[] = [
  ['P', 'G', 'queued'],
  ['P', 'Y', 'resting'],
  ['PC', 'G', 'modify_pending'],
  ['PC', 'Y', 'modified'],
  ['PW', '', 'cancel_pending'],
  ['PWX', '', 'canceled'],
  ['PM', '', 'matched'],
  ['PMW', 'G', 'matched_cancel_pending'],
  ['PMWX', 'Y', 'matched_canceled'],
  // Changed and matched, in either order.
  ['PMC', '', 'matched'],
  ['PCM', '', 'matched'],
];

export function encodeStatus(of: BrokerOrderStatus) {
  const [status, quote] = LETTERS.find(([, , means]) => means === of) ?? ['?', ''];
  return { status, quote };
}

/** Letters outside the table are `unrecognized`: an alert and an unresolved order, never a guess. */
export function decodeStatus(status: string, quote: string): BrokerOrderStatus {
  const letters = status.trim().toUpperCase();
  const mark = quote.trim().toUpperCase();
  const rows = LETTERS.filter(([known]) => known === letters);
  const found = rows.find(([, known]) => known === mark) ?? rows[0];
  // Where `quote` decides, another mark is no status we know.
  if (found !== undefined)
    return rows.length > 1 && mark !== '' && found[1] !== mark ? 'unrecognized' : found[2];
  // Any status that ends in X is canceled.
  if (letters.endsWith('X')) return letters.includes('M') ? 'matched_canceled' : 'canceled';
  return 'unrecognized';
}
