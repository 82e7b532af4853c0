/** Contracts and prices (contract, 4.4; notes, 6). */
import { z } from 'zod';
import type { ContractQuote } from '../../domain/broker-order.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import {
  type Contract,
  type ContractSpec,
  parsePoints,
  pointsOf,
  type PriceBand,
} from '../../domain/contract.ts';
import { contractMonthOf, mayExpireOn } from '../../domain/contract-code.ts';
import { orderCode } from '../../domain/ids.ts';
import { type ParseResult, parsed, type JsonRecord } from '../../domain/parsed.ts';
import type { BookLevel } from '../../domain/ticks.ts';
import type { PriceHundredths, PriceTicks, Qty } from '../../domain/units.ts';
import type { DriftCounter } from '../drift.ts';
import { codeText, hundredthsOrNull, looseNumber, looseText, parseWith } from './lenient.ts';
import {
  alias,
  dateText,
  field,
  get,
  json,
  message,
  NO_QUERY,
  number,
  points,
  text,
  vnd,
  whole,
} from './wire-message.ts';
import { formatDate, readDate } from './trade-fields.ts';

/** One contract of the price board as the simulator knows it. */
export interface QuoteRow {
  readonly contract: Contract;
  readonly band: PriceBand;
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
  readonly lastPrice: PriceTicks | null;
  readonly lastQty: Qty;
  readonly totalVolume: number;
  readonly openInterest: number;
  readonly day: {
    readonly open: PriceTicks;
    readonly high: PriceTicks;
    readonly low: PriceTicks;
    readonly average: PriceHundredths;
  } | null;
}

/** Without a level, a match or a day's trade: 0. */
const pointsOrNothing = ({ contract }: QuoteRow, price: PriceTicks | undefined | null): number =>
  price === undefined || price === null ? 0 : pointsOf(contract.spec, price);

/** Hundredths of the last match above the reference; 0 before the first match. */
const changeOf = ({ contract, band, lastPrice }: QuoteRow): number =>
  lastPrice === null ? 0 : Math.round(pointsOf(contract.spec, lastPrice) * 100) - band.reference;

const loosePoints = looseNumber.catch(undefined);

const quoteRow = message<QuoteRow>()({
  symbol: field(text, ({ contract }) => contract.orderCode, codeText),
  ceilPrice: field(points, (row) => pointsOrNothing(row, row.band.ceiling), loosePoints),
  floorPrice: field(points, (row) => pointsOrNothing(row, row.band.floor), loosePoints),
  refPrice: field(points, ({ band }) => band.reference / 100, loosePoints),
  bidPrice01: field(points, (row) => pointsOrNothing(row, row.bids[0]?.price)),
  bidQtty01: field(whole, ({ bids }) => bids[0]?.qty ?? 0),
  bidPrice02: field(points, (row) => pointsOrNothing(row, row.bids[1]?.price)),
  bidQtty02: field(whole, ({ bids }) => bids[1]?.qty ?? 0),
  bidPrice03: field(points, (row) => pointsOrNothing(row, row.bids[2]?.price)),
  bidQtty03: field(whole, ({ bids }) => bids[2]?.qty ?? 0),
  offerPrice01: field(points, (row) => pointsOrNothing(row, row.asks[0]?.price)),
  offerQtty01: field(whole, ({ asks }) => asks[0]?.qty ?? 0),
  offerPrice02: field(points, (row) => pointsOrNothing(row, row.asks[1]?.price)),
  offerQtty02: field(whole, ({ asks }) => asks[1]?.qty ?? 0),
  offerPrice03: field(points, (row) => pointsOrNothing(row, row.asks[2]?.price)),
  offerQtty03: field(whole, ({ asks }) => asks[2]?.qty ?? 0),
  matchPrice: field(points, (row) => pointsOrNothing(row, row.lastPrice), loosePoints),
  matchQtty: field(whole, ({ lastQty }) => lastQty),
  change: field(points, (row) => changeOf(row) / 100),
  changePercent: field(number, (row) => Math.round((changeOf(row) * 10_000) / row.band.reference) / 100),
  totalVol: field(whole, ({ totalVolume }) => totalVolume),
  openVol: field(whole, ({ openInterest }) => openInterest),
  expiryDate: field(dateText, ({ contract }) => formatDate(contract.expiry), looseText.catch('')),
  open: field(points, (row) => pointsOrNothing(row, row.day?.open)),
  high: field(points, (row) => pointsOrNothing(row, row.day?.high)),
  low: field(points, (row) => pointsOrNothing(row, row.day?.low)),
  // Average of a contract, in VND and not in points.
  avg: field(vnd, ({ day, contract }) => (day === null ? 0 : day.average * contract.spec.moneyPerHundredth)),
  buyForeignQtty: field(whole, () => 0),
  sellForeignQtty: field(whole, () => 0),
});

type Quote = z.output<typeof quoteRow.reader>;

const quotes = message<readonly QuoteRow[]>()({
  data: field(json<readonly JsonRecord[]>(), (rows) => rows.map(quoteRow.encode), z.array(z.unknown())),
});

export const derivatives = {
  ...get('derivatives', '/tartarus/v1/derivatives'),
  ...NO_QUERY,
  encodeResponse: quotes.encode,
  decodeResponse: (
    raw: unknown,
    specOf: (code: string) => ContractSpec | undefined,
    drift: DriftCounter,
  ): ParseResult<readonly ContractQuote[]> => {
    const read = parseWith(quotes.reader, raw, 'derivatives');
    if (!read.ok) return read;
    return parsed(
      read.value.data.flatMap((row): readonly ContractQuote[] => {
        const quote = quoteRow.reader.safeParse(row).data;
        // One contract that cannot be read does not take the prices of the others away.
        if (quote === undefined) drift.count('derivatives.data', 'a row without a symbol');
        quoteRow.noteTexts(drift, 'derivatives', row);
        const spec = quote === undefined ? undefined : specOf(quote.symbol);
        return quote === undefined || spec === undefined ? [] : [quoteOf(quote, spec, drift)];
      }),
    );
  },
} as const;

/** Outside trading hours most fields are left out or 0: null then. A price off the grid is not a price, and is counted. */
function quoteOf(quote: Quote, spec: ContractSpec, drift: DriftCounter): ContractQuote {
  const ticks = (name: 'ceilPrice' | 'floorPrice' | 'matchPrice'): PriceTicks | null => {
    const received = quote[name];
    if (received === undefined || received <= 0) return null;
    const price = parsePoints(spec, received, name);
    if (!price.ok) drift.count(`derivatives.${name}`, 'off the tick grid');
    return price.ok ? price.value : null;
  };
  const expiry = readDate(quote.expiryDate);
  if (expiry === null && quote.expiryDate.trim() !== '') drift.count('derivatives.expiryDate', 'no date');
  const month = contractMonthOf(quote.symbol);
  // By such a date a strategy would leave its contract for the next one, in the middle of its life.
  const isOther = expiry !== null && month !== undefined && !mayExpireOn(month, expiry);
  if (isOther) drift.count('derivatives.expiryDate', 'another month than that of its code');
  return {
    orderCode: orderCode(quote.symbol),
    ceiling: ticks('ceilPrice'),
    floor: ticks('floorPrice'),
    reference: hundredthsOrNull(quote.refPrice),
    lastPrice: ticks('matchPrice'),
    expiry: isOther ? null : expiry,
  };
}

export interface ListedContract {
  /** The stream's code. */
  readonly code: string;
  readonly expiry: TradingDay | null;
}

interface ContractToList {
  readonly code: string;
  readonly expiry: TradingDay;
  readonly frontMonth: boolean;
}

/** The shape is ours: the contract does not show one. Other spellings are read, too (notes, 6). */
const listedContract = message<ContractToList>()({
  symbol: field(text, ({ code }) => code, looseText.catch('')),
  expiryDate: field(dateText, ({ expiry }) => formatDate(expiry), looseText.catch('')),
  frontMonth: field(json<boolean>(), (row) => row.frontMonth),
  code: alias(looseText.catch('')),
  contractCode: alias(looseText.catch('')),
});

const listed = z.union([
  z.string().transform((code): ListedContract => ({ code: code.trim(), expiry: null })),
  listedContract.reader.transform(({ symbol, code, contractCode, expiryDate }): ListedContract => {
    const named = [symbol, code, contractCode].map((word) => word.trim()).find((word) => word !== '');
    return { code: named ?? '', expiry: readDate(expiryDate) };
  }),
]);
const contracts = z.object({ data: z.array(listed) }).transform(({ data }) => data);
const bareContracts = z.array(listed);

/** `objects` is ours; the service may use the others as well [?] (notes, 6). */
type ContractListStyle = 'objects' | 'codes' | 'bare';

export const contractList = {
  ...get('contracts', '/api/v1/derivatives/contracts'),
  ...NO_QUERY,
  encodeResponse: (
    rows: readonly ContractToList[],
    style: ContractListStyle = 'objects',
  ): JsonRecord | readonly JsonRecord[] => {
    if (style === 'bare') return rows.map(listedContract.encode);
    return { data: style === 'codes' ? rows.map(({ code }) => code) : rows.map(listedContract.encode) };
  },
  decodeResponse: (raw: unknown, drift: DriftCounter): ParseResult<readonly ListedContract[]> => {
    const isBare = Array.isArray(raw);
    const read = isBare ? parseWith(bareContracts, raw, 'contracts') : parseWith(contracts, raw, 'contracts');
    if (!read.ok) return read;
    if (isBare) drift.count('contracts', 'a bare list');
    const coded = read.value.filter(({ code }) => code !== '');
    if (coded.length < read.value.length) drift.count('contracts.data', 'an entry without a code');
    return parsed(coded);
  },
} as const;
