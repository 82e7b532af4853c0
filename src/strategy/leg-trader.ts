/** A strategy's trader in one contract, and the checks of its calls. */
import type { CancelTimer } from '../domain/clock.ts';
import { assert } from '../domain/assert.ts';
import { type Contract, parsePoints, pointsOf, valueOf } from '../domain/contract.ts';
import type { ClientOrderId } from '../domain/ids.ts';
import {
  firstTrigger,
  type LimitIntent,
  type OrderIntent,
  type Side,
  type StopIntent,
} from '../domain/order.ts';
import type { Position } from '../domain/position.ts';
import { type DurationUs, minutes, type PriceTicks, priceTicks, qty, type TsUs } from '../domain/units.ts';
import type { OrderUpdate, TraderPort } from '../engine/ports/strategy-port.ts';
import { copyOfBook } from './tick-hub.ts';
import type { Containment, StrategyTimers } from './containment.ts';
import type { LegTrader, OrderChange, OrderRequest, SubmitArguments, SubmitRequest } from './trader.ts';
import { isRecord, shown } from '../domain/parsed.ts';

/** Terms that a strategy shares with the engine and its exchange: one that changed them would change its own money. */
export function frozen<T>(terms: T): T {
  if (typeof terms !== 'object' || terms === null || Object.isFrozen(terms)) return terms;
  Object.freeze(terms);
  for (const part of Object.values(terms)) frozen(part);
  return terms;
}

export interface TraderParts {
  readonly containment: Containment;
  readonly port: TraderPort;
  readonly timers: StrategyTimers;
  readonly notes: NoteBudget;
}

/** Trading in one contract of one strategy; refuses every call outside the event being processed. */
export function createLegTrader(
  { containment, port, timers, notes }: TraderParts,
  contract: () => Contract,
): LegTrader {
  const { index } = containment;
  const marketPrice = (side: Side, trigger?: PriceTicks): PriceTicks =>
    port.marketPrice(index, contract(), side, trigger);
  const limit = (side: Side, order: OrderRequest): ClientOrderId =>
    port.submit(
      index,
      limitIntent(contract(), side, order, order.price === 'market' ? marketPrice(side) : order.price),
    );
  return {
    get contract() {
      containment.assertInEvent('contract');
      return contract();
    },
    submit(...asked: SubmitArguments) {
      containment.assertInEvent('submit');
      assertSubmit(asked);
      if (asked.length === 2) return limit(...asked);
      const [request] = asked;
      const { kind, side } = request;
      if (kind === 'limit') return limit(side, request);
      if (kind === 'market') return limit(side, { ...request, price: 'market' });
      const price = request.price === 'market' ? marketPrice(side, triggerOf(request)) : request.price;
      return port.submit(index, namedIntent(contract(), request, price));
    },
    buy(order) {
      containment.assertInEvent('buy');
      BUY.assert(order);
      return limit('buy', order);
    },
    sell(order) {
      containment.assertInEvent('sell');
      SELL.assert(order);
      return limit('sell', order);
    },
    modify(order: ClientOrderId, change: OrderChange) {
      containment.assertInEvent('modify');
      assertChange(order, change);
      if ('price' in change)
        port.modify(index, { kind: 'price', clientOrderId: order, limitPrice: change.price });
      else if ('trigger' in change)
        port.modify(index, { kind: 'trigger', clientOrderId: order, triggerPrice: change.trigger });
      else port.modify(index, { kind: 'qty', clientOrderId: order, qty: qty(change.qty) });
    },
    cancel(order) {
      containment.assertInEvent('cancel');
      check('cancel', 'the order', ORDER_ID, order);
      port.cancel(index, order);
    },
    ...traderQueries({ containment, port, timers, notes }, contract),
  };
}

/** The calls that change no order. */
function traderQueries(parts: TraderParts, contract: () => Contract): TraderQueries {
  const { containment: own, port, timers, notes } = parts;
  const inEvent = (call: string): TraderPort => {
    own.assertInEvent(call);
    return port;
  };
  return {
    position: () => copyOfPosition(inEvent('position').position(own.index, contract().index)),
    workingOrders: () =>
      inEvent('workingOrders')
        .workingOrders(own.index)
        .filter(({ instrument }) => instrument === contract().index),
    equity: () => inEvent('equity').equity(),
    lotsFor: ({ percent }) => lotsOf(inEvent('lotsFor'), contract(), percent),
    band: () => frozen(inEvent('band').band(contract().index)),
    lastTrade: () => inEvent('lastTrade').lastTrade(contract().index),
    lastBook() {
      const book = inEvent('lastBook').lastBook(contract().index);
      return book === undefined ? undefined : copyOfBook(book);
    },
    hasBooks: () => inEvent('hasBooks').hasBooks(),
    ticks(points) {
      inEvent('ticks');
      return exactTicks(contract(), points, 'ticks');
    },
    plus(price, points) {
      inEvent('plus');
      check('plus', 'price', TICKS, price);
      return priceTicks(price + exactTicks(contract(), points, 'plus'));
    },
    nearest(value) {
      inEvent('nearest');
      return nearestTick(value);
    },
    points(price) {
      inEvent('points');
      check('points', 'price', NUMBER, price);
      return pointsOf(contract().spec, price);
    },
    fillPrice(update) {
      inEvent('fillPrice');
      return meanTicks(contract(), update);
    },
    time: () => inEvent('time').nowUs(),
    phase: () => inEvent('phase').phase(),
    calendar: () => frozen(inEvent('calendar').calendar()),
    after(span: DurationUs, handler: () => void): CancelTimer {
      inEvent('after');
      check('after', 'span', SPAN, span);
      check('after', 'handler', HANDLER, handler);
      const timer = timers.after(span, handler);
      return () => {
        inEvent('cancelTimer');
        timers.clear(timer);
      };
    },
    note(text) {
      inEvent('note');
      check('note', 'text', TEXT, text);
      const line = notes.spend(text, port.nowUs());
      if (line !== null) port.note(own.index, line);
    },
    plot(name, value) {
      inEvent('plot');
      check('plot', 'name', TEXT, name);
      check('plot', 'value', NUMBER, value);
      port.plot(own.index, contract().index, name, value);
    },
  };
}

const copyOfPosition = ({ qty: held, openValue, realised }: Position): Position => ({
  qty: held,
  openValue,
  realised,
});

const PERCENT = 100;

function lotsOf(port: TraderPort, contract: Contract, percent: number): number {
  check('lotsFor', 'percent', NUMBER, percent);
  const [equity = 0, margin = 0] = [port.equity(), port.marginOfLot(contract)];
  return margin === 0 ? 0 : Math.max(0, Math.floor((equity * percent) / PERCENT / margin));
}

function meanTicks({ spec }: Contract, update: OrderUpdate): number {
  assertUpdate(update);
  const { lastFilledQty, lastFilledValue } = update;
  assert(lastFilledQty > 0, 'an update that filled nothing has no price: check lastFilledQty first');
  return lastFilledValue / valueOf(spec, priceTicks(1), lastFilledQty);
}

type TraderQueries = Omit<LegTrader, 'contract' | 'submit' | 'buy' | 'sell' | 'modify' | 'cancel'>;

function exactTicks(contract: Contract, points: number, call: 'ticks' | 'plus'): PriceTicks {
  check(call, 'points', NUMBER, points);
  const price = parsePoints(contract.spec, points, `trader.${call}`);
  if (price.ok) return price.value;
  const [issue] = price.issues;
  throw new Error(
    `trader.${call}: expected ${issue.expected}, was ${issue.received}; trader.nearest rounds what was computed`,
  );
}

function nearestTick(value: number): PriceTicks {
  check('nearest', 'value', NUMBER, value);
  const ticks = Math.round(value);
  if (Number.isSafeInteger(ticks)) return priceTicks(ticks);
  throw new Error(`trader.nearest: expected a number, was ${value}: an average before its first values?`);
}

function limitIntent(
  { index }: Contract,
  side: Side,
  { qty: wanted, reason, timeInForce }: OrderRequest,
  limitPrice: PriceTicks,
): LimitIntent {
  const intent: LimitIntent = {
    kind: 'limit',
    instrument: index,
    side,
    qty: qty(wanted),
    limitPrice,
    reason,
  };
  return timeInForce === undefined ? intent : { ...intent, timeInForce };
}

type NamedRequest = Exclude<SubmitRequest, { readonly kind: 'limit' | 'market' }>;

function namedIntent(contract: Contract, request: NamedRequest, limitPrice: PriceTicks): OrderIntent {
  const { side } = request;
  const { kind: _limit, ...head } = limitIntent(contract, side, request, limitPrice);
  switch (request.kind) {
    case 'stop': {
      const triggerWhen = request.when ?? (side === 'buy' ? 'at_or_above' : 'at_or_below');
      return { ...head, kind: 'stop', triggerPrice: request.trigger, triggerWhen, ...closing(request) };
    }
    case 'trailing_stop': {
      const { activation, offset } = request;
      return {
        ...head,
        kind: 'trailing_stop',
        activationPrice: activation,
        trailingOffset: offset,
        ...closing(request),
      };
    }
    case 'bracket': {
      const { stopLoss, takeProfit } = request;
      return { ...head, kind: 'bracket', stopLossPrice: stopLoss, takeProfitPrice: takeProfit };
    }
    case 'arbitrage':
      return { ...head, kind: 'arbitrage', leg: request.after.index };
  }
}

function triggerOf(request: NamedRequest): PriceTicks | undefined {
  if (request.kind === 'stop') return request.trigger;
  if (request.kind !== 'trailing_stop') return undefined;
  return priceTicks(firstTrigger(request.side, request.activation, request.offset));
}

/** `reduceOnly: false` allows a reversal; without the key none is allowed. */
const closing = ({
  reduceOnly,
}: {
  readonly reduceOnly?: boolean;
}): Pick<StopIntent, 'reduceOnly' | 'mayReverse'> =>
  reduceOnly === false ? { reduceOnly, mayReverse: true } : { reduceOnly: reduceOnly ?? false };

const NOTES_PER_MINUTE_MAX = 60;
const NOTE_CHARS_MAX = 500;

/** Keeps a strategy that notes on every tick from filling the disk. */
export class NoteBudget {
  #fromUs = -Infinity;
  #spent = 0;

  /** The line to write, or null when the minute's notes are used up. */
  spend(text: string, now: TsUs): string | null {
    if (now - this.#fromUs >= minutes(1)) {
      this.#fromUs = now;
      this.#spent = 0;
    }
    this.#spent += 1;
    if (this.#spent > NOTES_PER_MINUTE_MAX) return null;
    const line = text.length <= NOTE_CHARS_MAX ? text : `${text.slice(0, NOTE_CHARS_MAX - 3)}...`;
    return this.#spent < NOTES_PER_MINUTE_MAX ? line : `${line} (the last note of this minute)`;
  }
}

/*
 * Checks of calls, for authors without a compiler. An unknown key is refused: a misspelt stop-loss would be an order without one.
 */

/** A check of one argument. Built once: a valid argument allocates no object and no text. */
interface Rule {
  readonly expected: string;
  readonly fits: (value: unknown) => boolean;
}

type Rules = Readonly<Record<string, Rule>>;

const isWhole = (value: unknown): boolean => Number.isSafeInteger(value);
const isWholeFromZero = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const oneOf = (...words: readonly string[]): Rule => ({
  expected: words.map((word) => `'${word}'`).join(' or '),
  fits: (value) => typeof value === 'string' && words.includes(value),
});
const optional = ({ expected, fits }: Rule): Rule => ({
  expected,
  fits: (value) => value === undefined || fits(value),
});

const HOW_TO_PRICE = 'trader.plus(price, points) moves a price, trader.nearest(value) rounds one';
const TICKS: Rule = {
  expected: `whole ticks, like the price of a trade; ${HOW_TO_PRICE}`,
  fits: isWhole,
};
export const TEXT: Rule = { expected: 'a text', fits: (value) => typeof value === 'string' };
const NUMBER: Rule = { expected: 'a number', fits: (value) => typeof value === 'number' };
const ORDER_ID: Rule = { ...TEXT, expected: 'what trader.submit returned, or the id of an update' };
const SPAN: Rule = {
  expected: 'a whole number of microseconds, zero or more: seconds(5), minutes(1)',
  fits: isWholeFromZero,
};
const HANDLER: Rule = { expected: 'a function', fits: (value) => typeof value === 'function' };
const QTY: Rule = {
  expected: 'a whole number of contracts or lots; Math.floor() cuts what was computed',
  fits: isWholeFromZero,
};

const PLAIN: Rules = {
  reason: { ...TEXT, expected: 'a few words for the journal' },
  qty: QTY,
  price: {
    expected: `whole ticks, like the price of a trade, or 'market'; ${HOW_TO_PRICE}`,
    fits: (value) => value === 'market' || Number.isSafeInteger(value),
  },
  timeInForce: optional(oneOf('day', 'gtc')),
};

const SIDE = oneOf('buy', 'sell');
const NAMED: Rules = { side: SIDE, ...PLAIN };
const CLOSING: Rules = {
  reduceOnly: optional({ expected: 'true or false', fits: (value) => typeof value === 'boolean' }),
};
const ORDERS: Readonly<Record<string, Rules>> = {
  limit: NAMED,
  market: { ...NAMED, price: optional(oneOf('market')) },
  stop: { ...NAMED, ...CLOSING, trigger: TICKS, when: optional(oneOf('at_or_above', 'at_or_below')) },
  trailing_stop: {
    ...NAMED,
    ...CLOSING,
    activation: TICKS,
    offset: { expected: 'a whole number of ticks', fits: isWhole },
  },
  bracket: { ...NAMED, stopLoss: TICKS, takeProfit: TICKS },
  arbitrage: {
    ...NAMED,
    after: {
      expected: "the contract of the other order, like trader.leg('next').contract",
      fits: (value) => isRecord(value) && isWhole(value['index']),
    },
  },
};

class OrderShape {
  readonly #call: string;
  readonly #rules: readonly (Rule & { readonly key: string })[];
  readonly #keys: ReadonlySet<string>;
  /** A hint for the author of an unknown key. */
  readonly #hint: (key: string) => string;

  constructor(call: string, rules: Rules, hint: (key: string) => string = () => '') {
    this.#call = call;
    this.#rules = Object.entries(rules).map(([key, rule]) => ({ key, ...rule }));
    this.#keys = new Set(Object.keys(rules));
    this.#hint = hint;
  }

  assert(order: unknown): void {
    if (!isRecord(order)) throw faultOf(this.#call, 'an order like { qty, price, reason }', order);
    for (const key in order) if (!this.#keys.has(key)) throw this.#unread(key);
    for (const { key, fits, expected } of this.#rules)
      if (!fits(order[key])) throw faultOf(`${this.#call}: ${key}`, expected, order[key]);
  }

  #unread(key: string): Error {
    const known = [...this.#keys].join(', ');
    return new Error(
      `trader.${this.#call}: nothing reads ${shown(key)}; expected ${known}${this.#hint(key)}`,
    );
  }
}

const KIND = oneOf(...Object.keys(ORDERS));
const SHAPES: ReadonlyMap<unknown, OrderShape> = new Map(
  Object.entries(ORDERS).map(([kind, rules]) => [
    kind,
    new OrderShape(`submit of a ${kind} order`, { kind: KIND, ...rules }),
  ]),
);

const OTHERS = "other orders have a name: trader.submit({ kind: 'bracket', side: 'buy', ... })";
/** Such a key belongs to another kind of order. */
const hintOf = (key: string): string =>
  Object.values(ORDERS).some((rules) => Object.hasOwn(rules, key)) ? `; ${OTHERS}` : '';

/** A limit order; its kind and its side may be said twice. */
const plainShape = (call: 'buy' | 'sell' | 'submit', side: 'buy' | 'sell'): OrderShape => {
  const kind = { expected: `'limit'; ${OTHERS}`, fits: (value: unknown) => value === 'limit' };
  return new OrderShape(call, { ...PLAIN, kind: optional(kind), side: optional(oneOf(side)) }, hintOf);
};
const BUY = plainShape('buy', 'buy');
const SELL = plainShape('sell', 'sell');
const SUBMIT_BUY = plainShape('submit', 'buy');
const SUBMIT_SELL = plainShape('submit', 'sell');

function assertSubmit(asked: readonly unknown[]): void {
  if (asked.length > 1) {
    const [side, order] = asked;
    check('submit', 'side', SIDE, side);
    return (side === 'sell' ? SUBMIT_SELL : SUBMIT_BUY).assert(order);
  }
  const [order] = asked;
  const kind: unknown = isRecord(order) ? order['kind'] : undefined;
  check('submit', 'kind', KIND, kind);
  SHAPES.get(kind)?.assert(order);
}

const CHANGES: ReadonlyMap<string, Rule> = new Map([
  ['price', TICKS],
  ['qty', QTY],
  ['trigger', TICKS],
]);

function assertChange(order: unknown, change: unknown): void {
  check('modify', 'the order', ORDER_ID, order);
  let [keys, key] = [0, ''];
  if (isRecord(change))
    for (const each in change) {
      keys += 1;
      key = each;
    }
  const rule = CHANGES.get(key);
  if (keys !== 1 || rule === undefined || !isRecord(change))
    throw faultOf('modify', 'one of { price }, { qty } and { trigger }', change);
  check('modify', key, rule, change[key]);
}

export function assertPace(span: unknown): void {
  if (!isWhole(span) || Number(span) <= 0)
    throw new Error(
      `ticks.every: expected a whole number of microseconds above zero: seconds(5), was ${received(span)}`,
    );
}

function assertUpdate(update: unknown): void {
  if (!isRecord(update)) throw faultOf('fillPrice', 'an update of orders$', update);
}

export function check(call: string, key: string, { expected, fits }: Rule, value: unknown): void {
  if (!fits(value)) throw faultOf(`${call}: ${key}`, expected, value);
}

const faultOf = (call: string, expected: string, value: unknown): Error =>
  new Error(`trader.${call}: expected ${expected}, was ${received(value)}`);

/** JSON has no NaN, no bigint and no circle. */
function received(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value !== 'object' || value === null) return shown(value);
  return Array.isArray(value)
    ? 'an array'
    : `an object with ${Object.keys(value).join(', ') || 'nothing in it'}`;
}
