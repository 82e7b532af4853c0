/** Reads frames from server to client (contract, 6.2 and 6.3). Written by hand: it runs for every frame of the day. */
import type { Contract } from '../../domain/contract.ts';
import { type Issue, notParsed, type Parsed, parsed, shown } from '../../domain/parsed.ts';
import type { BookLevel, DaySummary, TradeTick } from '../../domain/ticks.ts';
import {
  type InstrumentIndex,
  priceHundredths,
  type PriceTicks,
  priceTicks,
  qty,
  type Qty,
  type Seq,
  type TsUs,
} from '../../domain/units.ts';
import { type Drift, NO_DRIFT } from '../drift.ts';
import { BID_CHANNEL, OFFER_CHANNEL, SUMMARY_CHANNEL, TRADE_CHANNEL } from './data-frame.ts';
import { lenientNumber } from './lenient-number.ts';

export interface ContractLookup {
  byStreamCode(code: string): Contract | undefined;
}

/** One side of the book, partial: undefined keeps a level, null empties it (rulings, 21). */
export interface BookUpdateFrame {
  readonly kind: 'book_update';
  readonly seq: Seq;
  readonly tsUs: TsUs;
  readonly instrument: InstrumentIndex;
  readonly side: 'bid' | 'ask';
  readonly levels: readonly (BookLevel | null | undefined)[];
}

export type ServerFrame =
  | { readonly kind: 'market'; readonly event: TradeTick | BookUpdateFrame | DaySummary }
  | {
      readonly kind: 'auth_result';
      readonly success: boolean;
      readonly code: string;
      readonly message: string;
    }
  | { readonly kind: 'heartbeat_timeout'; readonly seconds: number }
  | { readonly kind: 'pong' }
  /** A control frame nobody knows; the notes say to ignore it. */
  | { readonly kind: 'control'; readonly text: string }
  /** A channel that should be silent here, or is not ours. */
  | { readonly kind: 'ignored'; readonly channel: string }
  | { readonly kind: 'unknown_symbol'; readonly symbol: string }
  | { readonly kind: 'malformed'; readonly issues: readonly [Issue, ...Issue[]] };

/** Never throws: whatever arrives is one of the kinds. */
export function decodeServerFrame(
  text: string,
  contracts: ContractLookup,
  seq: Seq,
  tsUs: TsUs,
  drift: Drift = NO_DRIFT,
): ServerFrame {
  // Only the first two bars separate fields; the payload may hold more of them.
  const first = text.indexOf('|');
  const second = text.indexOf('|', first + 1);
  if (first === -1) return malformed('frame', 'd|... or s|...', text);
  const head = text.slice(0, first).trim();
  if (head === 'd') return controlFrame(text, first, second, drift);
  if (head !== 's' || second === -1) return malformed('frame', 'd|... or s|<channel>|<json>', text);
  return dataFrame(text.slice(0, second), text.slice(second + 1), { contracts, seq, tsUs, drift });
}

interface Context {
  readonly contracts: ContractLookup;
  readonly seq: Seq;
  readonly tsUs: TsUs;
  readonly drift: Drift;
}

type Fields = Readonly<Record<string, unknown>>;

function malformed(path: string, expected: string, received: unknown): ServerFrame {
  return { kind: 'malformed', issues: [{ path, expected, received: shown(received) }] };
}

function controlFrame(text: string, first: number, second: number, drift: Drift): ServerFrame {
  const code = text.slice(first + 1, second === -1 ? undefined : second).trim();
  const rest = second === -1 ? '' : text.slice(second + 1);
  if (code === 'p') return { kind: 'pong' };
  if (code === '0') return authResult(rest);
  if (code !== '33') return { kind: 'control', text };
  const seconds = lenientNumber(rest, 'd|33', NO_DRIFT);
  if (seconds === undefined || seconds <= 0) return malformed('d|33', 'seconds above 0', rest);
  if (seconds !== 15) drift.count('d|33: another deadline than 15');
  return { kind: 'heartbeat_timeout', seconds };
}

function authResult(text: string): ServerFrame {
  const fields = fieldsOf(text);
  if (fields === undefined || typeof fields['success'] !== 'boolean') {
    return malformed('d|0', '{success, error}', text);
  }
  const error = isFields(fields['error']) ? fields['error'] : {};
  return {
    kind: 'auth_result',
    success: fields['success'],
    code: textOf(error['code']),
    message: textOf(error['message']),
  };
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';

function dataFrame(channel: string, text: string, context: Context): ServerFrame {
  switch (channel) {
    case TRADE_CHANNEL:
      return withContract(channel, text, context, trade);
    case BID_CHANNEL:
      return withContract(channel, text, context, (fields, contract) =>
        book('bid', fields, contract, context),
      );
    case OFFER_CHANNEL:
      return withContract(channel, text, context, (fields, contract) =>
        book('ask', fields, contract, context),
      );
    case SUMMARY_CHANNEL:
      return withContract(channel, text, context, summary);
    default:
      return { kind: 'ignored', channel };
  }
}

type Read = Parsed<TradeTick | BookUpdateFrame | DaySummary>;

function withContract(
  channel: string,
  text: string,
  context: Context,
  read: (fields: Fields, contract: Contract, context: Context) => Read,
): ServerFrame {
  const fields = fieldsOf(text);
  if (fields === undefined) return malformed(channel, 'a JSON object', text);
  const symbol = fields['symbol'];
  if (typeof symbol !== 'string' || symbol === '')
    return malformed(`${channel}.symbol`, 'a contract code', symbol);
  const contract = context.contracts.byStreamCode(symbol);
  if (contract === undefined) return { kind: 'unknown_symbol', symbol };
  const event = read(fields, contract, context);
  return event.ok ? { kind: 'market', event: event.value } : { kind: 'malformed', issues: event.issues };
}

function fieldsOf(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    // Not JSON is an answer here, not a fault: the frame is reported as malformed.
    return undefined;
  }
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const GRID_TOLERANCE = 1e-6;

/** Ticks of a price above 0; undefined off the grid. No literal per price: this is the hot path. */
function ticksOf(points: number, contract: Contract): PriceTicks | undefined {
  const exact = (points * 100) / contract.spec.hundredthsPerTick;
  const whole = Math.round(exact);
  const onGrid = Number.isSafeInteger(whole) && whole > 0 && Math.abs(exact - whole) < GRID_TOLERANCE;
  return onGrid ? priceTicks(whole) : undefined;
}

function readTicks(fields: Fields, name: string, contract: Contract, drift: Drift): PriceTicks | undefined {
  const points = lenientNumber(fields[name], name, drift);
  return points === undefined ? undefined : ticksOf(points, contract);
}

function readCount(fields: Fields, name: string, drift: Drift): number | undefined {
  const value = lenientNumber(fields[name], name, drift);
  return value !== undefined && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

const offGrid = (fields: Fields, name: string): Read =>
  notParsed(name, 'a price above 0 on the tick grid', fields[name]);
const notCount = (fields: Fields, name: string): Read => notParsed(name, 'a whole number', fields[name]);

function trade(fields: Fields, contract: Contract, { seq, tsUs, drift }: Context): Read {
  const price = readTicks(fields, 'matchPrice', contract, drift);
  if (price === undefined) return offGrid(fields, 'matchPrice');
  const volume = readCount(fields, 'matchQtty', drift);
  if (volume === undefined || volume === 0)
    return notParsed('matchQtty', 'a whole number above 0', fields['matchQtty']);
  const totalVolume = readCount(fields, 'totalVolume', drift);
  if (totalVolume === undefined) return notCount(fields, 'totalVolume');
  return parsed({
    kind: 'trade',
    seq,
    tsUs,
    instrument: contract.index,
    price,
    qty: qty(volume),
    totalVolume,
  });
}

const BID_LEVELS = [
  ['bidPrice01', 'bidQtty01'],
  ['bidPrice02', 'bidQtty02'],
  ['bidPrice03', 'bidQtty03'],
] as const;
const ASK_LEVELS = [
  ['offerPrice01', 'offerQtty01'],
  ['offerPrice02', 'offerQtty02'],
  ['offerPrice03', 'offerQtty03'],
] as const;

function book(side: 'bid' | 'ask', fields: Fields, contract: Contract, { seq, tsUs, drift }: Context): Read {
  const levels: (BookLevel | null | undefined)[] = [];
  for (const [priceName, qtyName] of side === 'bid' ? BID_LEVELS : ASK_LEVELS) {
    const level = bookLevel(fields, priceName, qtyName, contract, drift);
    if (!level.ok) return level;
    levels.push(level.value);
  }
  return parsed({ kind: 'book_update', seq, tsUs, instrument: contract.index, side, levels });
}

/** An absent level keeps what was known; null or 0 empties it. Half a level is no level: it keeps, and is counted. */
function bookLevel(
  fields: Fields,
  priceName: string,
  qtyName: string,
  contract: Contract,
  drift: Drift,
): Parsed<BookLevel | null | undefined> {
  const rawPrice = fields[priceName];
  const rawQty = fields[qtyName];
  if (isEmptied(rawPrice) || isEmptied(rawQty)) return parsed(null);
  if (rawPrice === undefined || rawQty === undefined) {
    if (rawPrice !== rawQty) drift.count(`${priceName}: half a level`);
    return parsed(undefined);
  }
  const price = readTicks(fields, priceName, contract, drift);
  if (price === undefined) return notParsed(priceName, 'a price above 0 on the tick grid', rawPrice);
  const volume = readCount(fields, qtyName, drift);
  if (volume === undefined) return notParsed(qtyName, 'a whole number', rawQty);
  return parsed<BookLevel | null>(volume === 0 ? null : levelOf(price, qty(volume)));
}

const isEmptied = (value: unknown): boolean => value === null || value === 0 || value === '' || value === '0';

const levelOf = (price: PriceTicks, volume: Qty): BookLevel => ({ price, qty: volume });

function summary(fields: Fields, contract: Contract, { seq, tsUs, drift }: Context): Read {
  const open = readTicks(fields, 'open', contract, drift);
  if (open === undefined) return offGrid(fields, 'open');
  const high = readTicks(fields, 'high', contract, drift);
  if (high === undefined) return offGrid(fields, 'high');
  const low = readTicks(fields, 'low', contract, drift);
  if (low === undefined) return offGrid(fields, 'low');
  const average = lenientNumber(fields['avg'], 'avg', drift);
  if (average === undefined || average <= 0) return notParsed('avg', 'a price above 0', fields['avg']);
  const hundredths = priceHundredths(Math.round(average * 100));
  return parsed({
    kind: 'summary',
    seq,
    tsUs,
    instrument: contract.index,
    open,
    high,
    low,
    average: hundredths,
  });
}
