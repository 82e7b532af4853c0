/** GET /tartarus/v1/derivatives (contract, 2.5 and 4.4; further keys from the notes, section 6). */
import { derivativesAnswer, type quoteRow } from '../answers/market-answers.ts';
import { z } from 'zod';
import type { ContractQuote } from '../../domain/broker-order.ts';
import {
  type Contract,
  type ContractSpec,
  parsePoints,
  pointsOf,
  type PriceBand,
} from '../../domain/contract.ts';
import { orderCode } from '../../domain/ids.ts';
import { type Parsed, parsed } from '../../domain/parsed.ts';
import type { BookLevel } from '../../domain/ticks.ts';
import type { PriceHundredths, PriceTicks, Qty } from '../../domain/units.ts';
import type { DriftCounter } from '../drift.ts';
import { dateText, readDate } from './date-text.ts';
import { codeText, hundredthsOrNull, looseNumber, looseText, noteTextNumbers, parseWith } from './lenient.ts';
import { queryRequest, type WireRequest } from './request.ts';

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

function encodeRow({
  contract,
  band,
  bids,
  asks,
  lastPrice,
  lastQty,
  day,
  totalVolume,
  openInterest,
}: QuoteRow): z.output<typeof quoteRow> {
  const { spec } = contract;
  const last = lastPrice === null ? band.reference / 100 : pointsOf(spec, lastPrice);
  const change = Math.round(last * 100) - band.reference;
  return {
    symbol: contract.orderCode,
    ceilPrice: pointsOf(spec, band.ceiling),
    floorPrice: pointsOf(spec, band.floor),
    refPrice: band.reference / 100,
    bidPrice01: priceOf(bids[0], spec),
    bidQtty01: bids[0]?.qty ?? 0,
    bidPrice02: priceOf(bids[1], spec),
    bidQtty02: bids[1]?.qty ?? 0,
    bidPrice03: priceOf(bids[2], spec),
    bidQtty03: bids[2]?.qty ?? 0,
    offerPrice01: priceOf(asks[0], spec),
    offerQtty01: asks[0]?.qty ?? 0,
    offerPrice02: priceOf(asks[1], spec),
    offerQtty02: asks[1]?.qty ?? 0,
    offerPrice03: priceOf(asks[2], spec),
    offerQtty03: asks[2]?.qty ?? 0,
    matchPrice: lastPrice === null ? 0 : last,
    matchQtty: lastQty,
    change: lastPrice === null ? 0 : change / 100,
    changePercent: lastPrice === null ? 0 : Math.round((change * 10_000) / band.reference) / 100,
    totalVol: totalVolume,
    openVol: openInterest,
    expiryDate: dateText(contract.expiry),
    open: day === null ? 0 : pointsOf(spec, day.open),
    high: day === null ? 0 : pointsOf(spec, day.high),
    low: day === null ? 0 : pointsOf(spec, day.low),
    // VND a contract, not points (notes, section 6).
    avg: day === null ? 0 : day.average * spec.moneyPerHundredth,
    buyForeignQtty: 0,
    sellForeignQtty: 0,
  };
}

/** A level that is not there is 0. */
const priceOf = (level: BookLevel | undefined, spec: ContractSpec): number =>
  level === undefined ? 0 : pointsOf(spec, level.price);

const row = z.looseObject({
  symbol: codeText,
  ceilPrice: looseNumber.catch(undefined),
  floorPrice: looseNumber.catch(undefined),
  refPrice: looseNumber.catch(undefined),
  matchPrice: looseNumber.catch(undefined),
  expiryDate: looseText.catch(''),
});

const NUMBERS = ['ceilPrice', 'floorPrice', 'refPrice', 'matchPrice'];
const response = z.looseObject({ data: z.array(z.unknown()) });

export const derivatives = {
  name: 'derivatives',
  asks: null,
  answers: derivativesAnswer,
  method: 'GET',
  path: '/tartarus/v1/derivatives',
  encodeRequest: (): WireRequest => queryRequest({}),
  encodeResponse: (rows: readonly QuoteRow[]): z.output<typeof derivativesAnswer> => ({
    data: rows.map(encodeRow),
  }),
  decodeResponse: (
    json: unknown,
    specOf: (code: string) => ContractSpec | undefined,
    drift: DriftCounter,
  ): Parsed<readonly ContractQuote[]> => {
    const read = parseWith(response, json, 'derivatives');
    if (!read.ok) return read;
    return parsed(
      read.value.data.flatMap((raw): readonly ContractQuote[] => {
        const fields = row.safeParse(raw).data;
        // One contract that cannot be read does not take the prices of the others away.
        if (fields === undefined) drift.count('derivatives.data', 'a row without a symbol');
        noteTextNumbers(drift, 'derivatives', raw, NUMBERS);
        const spec = fields === undefined ? undefined : specOf(fields.symbol);
        return fields === undefined || spec === undefined ? [] : [quoteOf(fields, spec, drift)];
      }),
    );
  },
} as const;

/** Outside trading hours most fields are left out or 0: null then. A price off the grid is not a price, and is counted. */
function quoteOf(fields: z.output<typeof row>, spec: ContractSpec, drift: DriftCounter): ContractQuote {
  const ticks = (name: 'ceilPrice' | 'floorPrice' | 'matchPrice'): PriceTicks | null => {
    const points = fields[name];
    if (points === undefined || points <= 0) return null;
    const price = parsePoints(spec, points, name);
    if (!price.ok) drift.count(`derivatives.${name}`, 'off the tick grid');
    return price.ok ? price.value : null;
  };
  return {
    orderCode: orderCode(fields.symbol),
    ceiling: ticks('ceilPrice'),
    floor: ticks('floorPrice'),
    reference: hundredthsOrNull(fields.refPrice),
    lastPrice: ticks('matchPrice'),
    expiry: readDate(fields.expiryDate),
  };
}
