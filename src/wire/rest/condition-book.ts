/** GET /khronos/v1/order/condition/detail: the book of conditional orders, page by page (contract, 4.3; notes, 4). */
import { z } from 'zod';
import type {
  BrokerTriggerOrder,
  BrokerTriggerKind,
  BrokerTriggerStatus,
} from '../../domain/broker-order.ts';
import { type ContractSpec, parsePoints, pointsOf } from '../../domain/contract.ts';
import { brokerOrderKey, type BrokerOrderNo, brokerOrderNo, orderCode } from '../../domain/ids.ts';
import { notParsed, type ParseResult, parsed } from '../../domain/parsed.ts';
import type { PriceTicks } from '../../domain/units.ts';
import type { DriftCounter } from '../drift.ts';
import { type BookPage, decodeBook, type Envelope, refusalOf, succeeded } from './envelope.ts';
import { foreignRow, type SpecOf } from './in-day-book.ts';
import { codeText, looseNumber, looseText, neededNumber, parseWith } from './lenient.ts';
import {
  alias,
  dateText,
  field,
  get,
  message,
  points,
  queryOf,
  text,
  timeText,
  whole,
} from './wire-message.ts';
import {
  type Accounts,
  ALL_SYMBOLS,
  FIELDS,
  neededAt,
  type PageQuery,
  readDate,
  rowQty,
  shownPrice,
  SIDE,
  sideCode,
  sideField,
  SYMBOL_FILTERS,
  symbolFilterOf,
} from './trade-fields.ts';
import type { TriggerWhen } from '../../domain/order.ts';

interface ConditionBookParameters extends Accounts, PageQuery {}

/** Capitals as documented. All orders of all contracts and kinds: a row that is not seen is no evidence (rulings, 8). */
const request = message<ConditionBookParameters>()({
  accountId: FIELDS.accountId,
  subAccountID: field(text, (call) => call.subAccountId, looseText),
  pageNo: FIELDS.pageNo,
  PageSize: field(text, ({ pageSize }) => String(pageSize), neededNumber),
  orderStatus: field(text, () => ASKED_ALL, looseText),
  orderType: field(text, () => '', looseText),
  Symbol: field(text, () => ALL_SYMBOLS, looseText),
});

export type ConditionBookQuery = Readonly<z.output<typeof query>>;

const query = request.reader.transform((raw, context) => {
  const needed = neededAt(context);
  return {
    accountId: raw.accountId,
    subAccountId: raw.subAccountID,
    pageNo: raw.pageNo,
    pageSize: raw.PageSize,
    status: needed(decodeStatusFilter(raw.orderStatus), 'orderStatus', '0, 1, 2 or 3'),
    kind: needed(decodeKindFilter(raw.orderType), 'orderType', 'nothing, 3, 4 or 5'),
    ...needed(symbolFilterOf(raw.Symbol), 'Symbol', SYMBOL_FILTERS),
  };
});

/** A row as the simulator knows it. Of a trailing stop that waits for its activation, `triggerPrice` is that price. */
export interface ConditionRow {
  readonly order: Omit<BrokerTriggerOrder, 'statusText'>;
  readonly subAccountId: string;
  readonly spec: ContractSpec;
  /** Texts of moments, empty while they have not come; `validFrom` and `validTo` are `dd/MM/yyyy`, the rest `HH:MM:SS`. */
  readonly sentTime: string;
  readonly activeTime: string;
  readonly cancelTime: string;
  readonly validFrom: string;
  readonly validTo: string;
}

const pointsOrNothing = (spec: ContractSpec, price: PriceTicks | null): number =>
  price === null ? 0 : pointsOf(spec, price);

const contracts = looseNumber.pipe(
  z.number().refine((value) => Number.isSafeInteger(value) && value > 0, 'a whole number above zero'),
);

const conditionRow = message<ConditionRow>()({
  orderNo: field(text, ({ order }) => order.orderNo, codeText),
  pk_orderNo: field(text, ({ order }) => order.orderKey, looseText),
  pkOrderNo: alias(looseText),
  side: field(SIDE, ({ order }) => sideCode(order.side), sideField),
  symbol: field(text, ({ order }) => order.orderCode, codeText),
  showPrice: field(points, ({ order, spec }) => pointsOrNothing(spec, order.limitPrice), looseText),
  volume: field(whole, ({ order }) => order.qty, contracts),
  soPrice: field(points, ({ order, spec }) => pointsOrNothing(spec, order.triggerPrice), looseNumber),
  orderType: field(text, ({ order }) => shownTriggerCode(order.kind, order.triggerWhen), looseText),
  status: field(text, ({ order }) => encodeConditionStatus(order.status), looseText),
  notes: field(text, ({ order }) => encodeConditionNotes(order.kind), looseText),
  groupOrder: field(text, ({ order }) => order.parent ?? '', looseText.catch('')),
  accountCode: FIELDS.accountCode,
  active_time: field(timeText, ({ activeTime }) => activeTime),
  send_time: field(timeText, ({ sentTime }) => sentTime),
  cancel_time: field(timeText, ({ cancelTime }) => cancelTime),
  channel: FIELDS.channel,
  from_time: field(dateText, ({ validFrom }) => validFrom),
  exp_time: field(dateText, ({ validTo }) => validTo, looseText.catch('')),
  details: field(
    text,
    ({ order }) => order.children.join(','),
    z.union([looseText, z.array(looseText).transform((list) => list.join(','))]).catch(''),
  ),
});

const CMD = 'Web.Order.ConditionOrder';
const WHERE = 'conditions';

export const conditionBook = {
  ...get('conditions', '/khronos/v1/order/condition/detail'),
  ...queryOf(request, query),
  encodeResponse: (rows: readonly ConditionRow[]): Envelope => succeeded(CMD, rows.map(conditionRow.encode)),
  encodeRefusal: refusalOf(CMD),
  decodeResponse: (
    answer: unknown,
    specOf: SpecOf,
    drift: DriftCounter,
  ): ParseResult<BookPage<BrokerTriggerOrder>> =>
    decodeBook(answer, WHERE, drift, (raw, at) => decodeRow(raw, at, specOf, drift)),
} as const;

/** A row that cannot be read whole is an issue: it may be any order. */
function decodeRow(
  raw: unknown,
  at: string,
  specOf: SpecOf,
  drift: DriftCounter,
): ParseResult<BrokerTriggerOrder | null> {
  const read = parseWith(conditionRow.reader, raw, at);
  if (!read.ok) return read;
  const row = read.value;
  conditionRow.noteTexts(drift, WHERE, raw);
  const spec = specOf(row.symbol);
  if (spec === undefined) {
    if (foreignRow(WHERE, row.symbol, '', drift)) return parsed(null);
    return notParsed(`${at}.symbol`, 'a contract that is known', row.symbol);
  }
  const key = (row.pk_orderNo === '' ? row.pkOrderNo : row.pk_orderNo).trim();
  // Change and cancel go by the key: a row without one is out of reach.
  if (key === '') return notParsed(`${at}.pk_orderNo`, 'an order key', row.pk_orderNo);
  const volume = rowQty(spec, row.volume, `${at}.volume`);
  if (!volume.ok) return volume;
  const limitPrice = shownPrice(row.showPrice, spec, `${at}.showPrice`, WHERE, drift);
  if (!limitPrice.ok) return limitPrice;
  const triggerPrice = triggerOf(row.soPrice, spec, `${at}.soPrice`);
  if (!triggerPrice.ok) return triggerPrice;
  const status = decodeConditionStatus(row.status);
  const kind = decodeConditionKind(row.notes, row.orderType);
  if (kind === 'unrecognized') drift.count(`${WHERE}.notes`, 'a kind nobody knows');
  if (status === 'unrecognized') drift.count(`${WHERE}.status`, 'a status nobody knows');
  const lastDay = readDate(row.exp_time);
  if (lastDay === null && row.exp_time.trim() !== '') drift.count(`${WHERE}.exp_time`, 'no date');
  return parsed({
    orderNo: brokerOrderNo(row.orderNo),
    orderKey: brokerOrderKey(key),
    orderCode: orderCode(row.symbol),
    side: row.side,
    qty: volume.value,
    limitPrice: limitPrice.value,
    kind,
    triggerPrice: triggerPrice.value,
    triggerWhen: whenFromShownCode(row.orderType),
    status,
    statusText: row.status.trim(),
    children: childrenOf(row.details),
    parent: parentOf(row.groupOrder),
    ...(lastDay === null ? {} : { lastDay }),
  });
}

/** Nothing and 0 are no price: an arbitrage order has no trigger. */
function triggerOf(
  received: number | undefined,
  spec: ContractSpec,
  path: string,
): ParseResult<PriceTicks | null> {
  if (received === undefined || received === 0) return parsed<PriceTicks | null>(null);
  if (received < 0) return notParsed(path, 'a price', received);
  return parsePoints(spec, received, path);
}

/** The field is documented nowhere: nothing and 0 say nothing. */
function parentOf(received: string): BrokerOrderNo | null {
  const number = received.trim();
  return number === '' || number === '0' ? null : brokerOrderNo(number);
}

const childrenOf = (details: string): readonly BrokerOrderNo[] =>
  details
    .split(/[\s,;]+/)
    .filter((word) => word !== '')
    .map(brokerOrderNo);

// The letters of conditional orders. They differ by direction: `SOL` is sent and `SL` comes back; status 2 is canceled in the book and
// activated in the filter (contract, 4.3; notes, 4). One table each, read and written.

/** A trailing stop comes back with its own code (rulings, 15). Its side decides when it triggers. */
const TRIGGER_CODES = [
  { kind: 'stop', when: 'at_or_above', sent: 'SOL', shown: 'SL' },
  { kind: 'stop', when: 'at_or_below', sent: 'SOU', shown: 'SU' },
  { kind: 'trailing_stop', when: null, sent: 'TSO', shown: 'TSO' },
] as const;

/** Ours [?]: an arbitrage row has no trigger, and no code of its own is known. */
const SHOWN_ARBITRAGE = 'ABI';

/** `when` null: a trailing stop. */
export const sentTriggerCode = (when: TriggerWhen | null): string =>
  TRIGGER_CODES.find((row) => row.when === when)?.sent ?? '';

export const triggerFromSentCode = (code: string) =>
  TRIGGER_CODES.find(({ sent }) => sent === code.trim().toUpperCase());

/** An exit has the code of a stop: the code names how an order triggers, not its kind. */
function shownTriggerCode(kind: BrokerTriggerKind, when: TriggerWhen | null): string {
  if (kind === 'arbitrage') return SHOWN_ARBITRAGE;
  const isOne = (row: (typeof TRIGGER_CODES)[number]): boolean =>
    kind === 'trailing_stop' ? row.kind === kind : row.kind === 'stop' && row.when === when;
  return TRIGGER_CODES.find(isOne)?.shown ?? '';
}

/** Direction in which it triggers; null for an order that is no stop and for an unknown code. Takes sent codes too. */
function whenFromShownCode(code: string): TriggerWhen | null {
  const letters = code.trim().toUpperCase();
  return TRIGGER_CODES.find(({ shown, sent }) => shown === letters || sent === letters)?.when ?? null;
}

/** In the book and in the filter, which has no word for one of them. */
const STATUS_CODES = [
  { status: 'pending', shown: '0', filter: '1' },
  { status: 'activated', shown: '1', filter: '2' },
  { status: 'canceled', shown: '2', filter: null },
  { status: 'rejected', shown: '3', filter: '3' },
] as const;

/** The status that a place answers with; in the book it means pending. */
export const NEWLY_PLACED = 'P';
const UNKNOWN_LETTER = '?';
const ASKED_ALL = '0';

export const encodeConditionStatus = (status: BrokerTriggerStatus): string =>
  STATUS_CODES.find((row) => row.status === status)?.shown ?? UNKNOWN_LETTER;

/** Letters outside the table are `unrecognized`: an alert, never a guess. */
function decodeConditionStatus(letters: string): BrokerTriggerStatus {
  const text = letters.trim().toUpperCase();
  if (text === NEWLY_PLACED) return 'pending';
  return STATUS_CODES.find(({ shown }) => shown === text)?.status ?? 'unrecognized';
}

function decodeStatusFilter(text: string) {
  const digit = text.trim();
  if (digit === '' || digit === ASKED_ALL) return 'all';
  const status = STATUS_CODES.find(({ filter }) => filter === digit)?.status;
  return status === 'canceled' ? undefined : status;
}

/** The contract has no word for a trailing stop: it is among the stop orders, with its own code. */
const KIND_WORDS = [
  { kind: 'arbitrage', notes: 'Arbitrage', filter: '3' },
  { kind: 'exit', notes: 'SL/TP', filter: '4' },
  { kind: 'stop', notes: 'Stop order', filter: '5' },
] as const;

export const encodeConditionNotes = (kind: BrokerTriggerKind): string =>
  KIND_WORDS.find((row) => row.kind === (kind === 'trailing_stop' ? 'stop' : kind))?.notes ?? '';

/** Reads the kind from `notes`, else from the code: a stop and an exit share one code. */
function decodeConditionKind(notes: string, code: string): BrokerTriggerKind {
  const words = notes.trim().toLowerCase();
  const letters = code.trim().toUpperCase();
  if (words.includes('trailing') || letters === 'TSO') return 'trailing_stop';
  const known = KIND_WORDS.find((row) => row.notes.toLowerCase() === words);
  if (known !== undefined) return known.kind;
  return letters === SHOWN_ARBITRAGE ? 'arbitrage' : 'unrecognized';
}

function decodeKindFilter(text: string) {
  const digit = text.trim();
  return digit === '' ? 'all' : KIND_WORDS.find(({ filter }) => filter === digit)?.kind;
}
