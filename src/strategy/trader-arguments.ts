/** Checks trader calls for authors without a compiler. An unknown key is refused: a misspelt stop-loss would be an order without one. */
import { isRecord, shown } from '../domain/parsed.ts';

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
export const TICKS: Rule = {
  expected: `whole ticks, like the price of a trade; ${HOW_TO_PRICE}`,
  fits: isWhole,
};
export const TEXT: Rule = { expected: 'a text', fits: (value) => typeof value === 'string' };
export const NUMBER: Rule = { expected: 'a number', fits: (value) => typeof value === 'number' };
export const ORDER_ID: Rule = { ...TEXT, expected: 'what trader.submit returned, or the id of an update' };
export const SPAN: Rule = {
  expected: 'a whole number of microseconds, zero or more: seconds(5), minutes(1)',
  fits: isWholeFromZero,
};
export const HANDLER: Rule = { expected: 'a function', fits: (value) => typeof value === 'function' };
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
export const BUY = plainShape('buy', 'buy');
export const SELL = plainShape('sell', 'sell');
const SUBMIT_BUY = plainShape('submit', 'buy');
const SUBMIT_SELL = plainShape('submit', 'sell');

export function assertSubmit(asked: readonly unknown[]): void {
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

export function assertChange(order: unknown, change: unknown): void {
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

export function assertUpdate(update: unknown): void {
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
