/**
 * What authors may ask of the trader, call by call: those who write JavaScript, or whose types were only stripped, have no compiler
 * that tells them. A key that nobody reads is refused too: a misspelt stop-loss would be an order without one.
 */
import { isRecord, shown } from '../domain/parsed.ts';

interface Rule {
  readonly expected: string;
  readonly fits: (value: unknown) => boolean;
  readonly isOptional?: boolean;
}

type Rules = Readonly<Record<string, Rule>>;

const isWhole = (value: unknown): boolean => Number.isSafeInteger(value);
const oneOf = (...words: readonly string[]): Rule => ({
  expected: words.map((word) => `'${word}'`).join(' or '),
  fits: (value) => words.some((word) => word === value),
});
const optional = (rule: Rule): Rule => ({ ...rule, isOptional: true });

const HOW_TO_PRICE = 'trader.plus(price, points) moves a price, trader.nearest(value) rounds one';
const TICKS: Rule = {
  expected: `whole ticks, like the price of a trade; ${HOW_TO_PRICE}`,
  fits: isWhole,
};
const TEXT: Rule = { expected: 'a text', fits: (value) => typeof value === 'string' };
const NUMBER: Rule = { expected: 'a number', fits: (value) => typeof value === 'number' };

const PLAIN: Rules = {
  reason: { ...TEXT, expected: 'a few words for the journal' },
  qty: {
    expected: 'a whole number of contracts or lots; Math.floor() cuts what was computed',
    fits: (value) => isWhole(value) && Number(value) >= 0,
  },
  price: {
    expected: `whole ticks, like the price of a trade, or 'market'; ${HOW_TO_PRICE}`,
    fits: (value) => value === 'market' || isWhole(value),
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
const KINDS = Object.keys(ORDERS);

/** The arguments of `trader.submit`. */
export function assertSubmit(asked: readonly unknown[]): void {
  if (asked.length > 1) {
    const [side, order] = asked;
    check('trader.submit', SIDE, 'side', side);
    return checkPlain('submit', side === 'sell' ? 'sell' : 'buy', order);
  }
  const [order] = asked;
  const kind: unknown = isRecord(order) ? order['kind'] : undefined;
  check('trader.submit', oneOf(...KINDS), 'kind', kind);
  const rules = ORDERS[String(kind)] ?? {};
  checkKeys(`trader.submit of a ${String(kind)} order`, order, rules, () => '', ['kind']);
}

/** The order of `trader.buy` and `trader.sell`. */
export const assertOrder = (side: 'buy' | 'sell', order: unknown): void => checkPlain(side, side, order);

const OTHERS = "other orders have a name: trader.submit({ kind: 'bracket', side: 'buy', ... })";

/** A limit order; its kind and its side may be said twice. */
function checkPlain(call: string, side: string, order: unknown): void {
  const kind = { expected: `'limit'; ${OTHERS}`, fits: (value: unknown) => value === 'limit' };
  checkKeys(
    `trader.${call}`,
    order,
    { ...PLAIN, kind: optional(kind), side: optional(oneOf(side)) },
    // Somebody who gives such a key wants another kind of order.
    (key) => (Object.values(ORDERS).some((rules) => Object.hasOwn(rules, key)) ? `; ${OTHERS}` : ''),
  );
}

const CHANGES: Rules = { price: TICKS, qty: PLAIN['qty'] ?? TICKS, trigger: TICKS };

/** The arguments of `trader.modify`. */
export function assertChange(order: unknown, change: unknown): void {
  assertId('modify', order);
  const keys = isRecord(change) ? Object.keys(change) : [];
  const [key = ''] = keys;
  const rule = Object.hasOwn(CHANGES, key) ? CHANGES[key] : undefined;
  if (keys.length !== 1 || rule === undefined || !isRecord(change))
    throw faultOf('trader.modify', 'one of { price }, { qty } and { trigger }', change);
  check('trader.modify', rule, key, change[key]);
}

/** The order that `trader.cancel` or `trader.modify` means. */
export const assertId = (call: string, order: unknown): void =>
  check(
    `trader.${call}`,
    { ...TEXT, expected: 'what trader.submit returned, or the id of an update' },
    'the order',
    order,
  );

/** The arguments of `trader.after`. */
export function assertTimer(span: unknown, handler: unknown): void {
  const expected = 'a whole number of microseconds, zero or more: seconds(5), minutes(1)';
  check('trader.after', { expected, fits: (value) => isWhole(value) && Number(value) >= 0 }, 'span', span);
  check(
    'trader.after',
    { expected: 'a function', fits: (value) => typeof value === 'function' },
    'handler',
    handler,
  );
}

/** The text of `trader.note`, the name of `trader.leg`. */
export const assertText = (call: string, key: string, text: unknown): void =>
  check(`trader.${call}`, TEXT, key, text);

/** The arguments of `trader.plot`. */
export function assertPlot(name: unknown, value: unknown): void {
  check('trader.plot', TEXT, 'name', name);
  check('trader.plot', NUMBER, 'value', value);
}

/** A number that a call computes with. */
export const assertNumber = (call: string, key: string, value: unknown): void =>
  check(`trader.${call}`, NUMBER, key, value);

/** The update of which `trader.fillPrice` tells the price. */
export function assertUpdate(update: unknown): void {
  if (!isRecord(update)) throw faultOf('trader.fillPrice', 'an update of orders$', update);
}

/** The price that `trader.plus` moves. */
export const assertPrice = (call: string, price: unknown): void =>
  check(`trader.${call}`, TICKS, 'price', price);

function checkKeys(
  call: string,
  order: unknown,
  rules: Rules,
  hint: (key: string) => string,
  more: readonly string[] = [],
): void {
  if (!isRecord(order)) throw faultOf(call, 'an order like { qty, price, reason }', order);
  const known = [...more, ...Object.keys(rules)];
  for (const key of Object.keys(order)) {
    if (!known.includes(key))
      throw new Error(`${call}: nothing reads ${shown(key)}; expected ${known.join(', ')}${hint(key)}`);
  }
  for (const [key, rule] of Object.entries(rules)) check(call, rule, key, order[key]);
}

function check(
  call: string,
  { expected, fits, isOptional = false }: Rule,
  key: string,
  value: unknown,
): void {
  if (fits(value) || (isOptional && value === undefined)) return;
  throw new Error(`${call}: ${key}: expected ${expected}, was ${received(value)}`);
}

const faultOf = (call: string, expected: string, value: unknown): Error =>
  new Error(`${call}: expected ${expected}, was ${received(value)}`);

/** JSON has no NaN, no bigint and no circle. */
function received(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value !== 'object' || value === null) return shown(value);
  return Array.isArray(value)
    ? 'an array'
    : `an object with ${Object.keys(value).join(', ') || 'nothing in it'}`;
}
