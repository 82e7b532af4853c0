/**
 * Orders that wait at the broker, worked out by hand. Ten contracts are guessed at each touch, and a row looks at trades that come
 * after it was placed. What is triggered enters the market when the trade that triggered it is over.
 */
import { describe, expect, test } from 'vitest';
import { lines, playScript, refusalsIn, type RigResult, rowsIn } from './fill-rig.ts';

/** The conditional book at the end: kind, side, quantity, status. */
function endOf({ heard }: RigResult): readonly string[] {
  const rows = new Map<string, string>();
  for (const event of heard)
    if (event.kind === 'book_snapshot' && event.list === 'triggers')
      for (const { orderKey, kind, side, qty, triggerPrice, status } of event.orders)
        rows.set(orderKey, `${kind} ${side} ${qty} at ${triggerPrice} ${status}`);
  return [...rows.values()];
}

const CASES = [
  {
    // 996 is above 995; 995 touches it. The bid is 995 then, 10 guessed there less the 2 just traded: 3 of 8.
    name: 'stop: a trade at the trigger sends a limit order, which takes what is shown',
    script: `
      09:00:05 trade 1000 x 5 sold
      09:00:07 A sell stop 3 below 995 limit 990
      09:00:08 trade 996 x 5 sold
      09:00:09 trade 995 x 2 sold
      09:00:10 trade 994 x 9 sold`,
    fills: `09:00:09 A sell 3 at 995 shown`,
    end: `stop sell 3 at 995 activated`,
  },
  {
    name: 'stop: a buy goes off when the market rises to it',
    script: `
      09:00:05 trade 1000 x 5 bought
      09:00:07 A buy stop 3 above 1005 limit 1010
      09:00:08 trade 1004 x 5 bought
      09:00:09 trade 1007 x 2 bought`,
    fills: `09:00:09 A buy 3 at 1007 shown`,
    end: `stop buy 3 at 1005 activated`,
  },
  {
    // The market falls from 1000 to 993 in one trade: the trigger is touched, the limit 995 is above the bid. It waits as a seller at
    // 995, where nobody is in front, until somebody buys there.
    name: 'stop-limit: a market that jumps over the limit leaves it waiting',
    script: `
      09:00:05 trade 1000 x 5 sold
      09:00:07 A sell stop 3 below 996 limit 995
      09:00:08 trade 993 x 5 sold
      09:00:09 trade 994 x 5 bought
      09:00:10 trade 996 x 2 bought
      09:00:11 trade 996 x 9 bought`,
    fills: `
      09:00:10 A sell 2 at 995 traded_through
      09:00:11 A sell 1 at 995 traded_through`,
    end: `stop sell 3 at 996 activated`,
  },
  {
    // 1003 does not activate it, 1005 does: trigger 1001. 1008 moves it to 1004, 1006 leaves it. 1004 touches it.
    name: 'trailing stop: follows the best trade from its activation on, and only in favour',
    script: `
      09:00:05 trade 1000 x 5 bought
      09:00:06 A sell trail 2 from 1005 by 4 limit 990
      09:00:07 trade 1003 x 5 bought
      09:00:08 trade 1000 x 5 sold
      09:00:09 trade 1005 x 5 bought
      09:00:10 trade 1008 x 5 bought
      09:00:11 trade 1006 x 5 sold
      09:00:12 trade 1004 x 5 sold`,
    fills: `09:00:12 A sell 2 at 1004 shown`,
    end: `trailing_stop sell 2 at 1004 activated`,
  },
  {
    name: 'trailing stop: a buy follows falling prices',
    script: `
      09:00:05 trade 1000 x 5 sold
      09:00:06 A buy trail 2 from 998 by 3 limit 1010
      09:00:07 trade 998 x 5 sold
      09:00:08 trade 995 x 5 sold
      09:00:09 trade 997 x 5 bought
      09:00:10 trade 998 x 5 bought`,
    fills: `09:00:10 A buy 2 at 998 shown`,
    end: `trailing_stop buy 2 at 998 activated`,
  },
  {
    // In at 1001; 1004 touches the take-profit, whose order asks 1004 and meets a bid of 1003: it waits for a buyer at 1004.
    name: 'bracket: the take-profit cancels the stop-loss',
    script: `
      09:00:05 trade 1000 x 5 sold
      09:00:06 A buy bracket 2 at 1001 stop 996 profit 1004
      09:00:07 trade 1003 x 5 bought
      09:00:08 trade 1004 x 5 bought
      09:00:09 trade 1005 x 9 bought
      09:00:10 trade 996 x 9 sold`,
    fills: `
      09:00:06 A buy 2 at 1001 shown
      09:00:09 A sell 2 at 1004 traded_through`,
    end: `
      exit sell 2 at 996 canceled
      exit sell 2 at 1004 activated`,
  },
  {
    // 994 touches the stop-loss at 996; its order gives way by ten ticks, to 986, and gets the bid that is shown: 994.
    name: 'bracket: the stop-loss cancels the take-profit, and gives way to be filled',
    script: `
      09:00:05 trade 1000 x 5 sold
      09:00:06 A buy bracket 2 at 1001 stop 996 profit 1004
      09:00:07 trade 994 x 5 sold
      09:00:08 trade 1004 x 9 bought`,
    fills: `
      09:00:06 A buy 2 at 1001 shown
      09:00:07 A sell 2 at 994 shown`,
    end: `
      exit sell 2 at 996 activated
      exit sell 2 at 1004 canceled`,
  },
  {
    // Nobody rests at 1000 but five. 6 traded: one of A's 3 is in, and has exits for one. Then 2 more: exits for three.
    name: 'bracket: exits are as large as what has filled',
    script: `
      09:00:04 book 1000x5 999x9 | 1001x8 1002x9
      09:00:05 A buy bracket 3 at 1000 stop 996 profit 1004
      09:00:06 trade 1000 x 6 sold
      09:00:07 trade 1000 x 2 sold
      09:00:08 book 994x5 993x9 | 995x8 996x9
      09:00:09 trade 995 x 1 sold`,
    fills: `
      09:00:06 A buy 1 at 1000 queue_reached
      09:00:07 A buy 2 at 1000 queue_reached
      09:00:09 A sell 3 at 994 shown`,
    end: `
      exit sell 3 at 996 activated
      exit sell 3 at 1004 canceled`,
  },
  {
    // Moved down to 992: 995 does nothing. Taken out: 992 does nothing.
    name: 'a trigger can be moved, and the order taken out',
    script: `
      09:00:05 trade 1000 x 5 sold
      09:00:06 A sell stop 3 below 995 limit 985
      09:00:07 B sell stop 1 below 992 limit 985
      09:00:08 A move 992
      09:00:09 trade 995 x 2 sold
      09:00:10 B drop
      09:00:11 trade 992 x 2 sold`,
    fills: `09:00:11 A sell 3 at 992 shown`,
    end: `
      stop sell 3 at 992 activated
      stop sell 1 at 992 canceled`,
  },
  {
    // The uncross touches it, and its order enters when that is being printed: too late to share in it. It meets the first book.
    name: 'stop: what an uncross triggers trades after it',
    script: `
      08:50:00 A sell stop 2 below 995 limit 985
      09:00:00 trade 994 x 50 -
      09:00:00 trade 994 x 50 -
      09:00:01 trade 993 x 4 sold`,
    fills: `09:00:01 A sell 2 at 993 shown`,
    end: `stop sell 2 at 995 activated`,
  },
  {
    name: 'stop: one that nothing touched ends with its day',
    script: `
      09:00:05 trade 1000 x 5 sold
      09:00:06 A sell stop 2 below 995 limit 985
      14:45:00 trade 990 x 5 -`,
    fills: '',
    end: `stop sell 2 at 995 canceled`,
  },
];

describe('orders that wait at the broker', () => {
  test.each(CASES)('$name', ({ script, fills, end }) => {
    const result = playScript(script);
    expect(result.fills).toEqual(lines(fills));
    expect(endOf(result)).toEqual(lines(end));
  });

  test('what is sent shows in both books: as a child, and as an order of the system', () => {
    const { heard } = playScript(CASES[0]!.script);
    const children = heard.flatMap((event) =>
      event.kind === 'book_snapshot' && event.list === 'triggers'
        ? event.orders.flatMap((row) => row.children)
        : [],
    );
    const rows = rowsIn(heard);
    expect(new Set(children)).toEqual(new Set(rows.map(({ orderNo }) => orderNo)));
    expect(rows.map(({ source, refId, filledQty }) => [source, refId, filledQty])).toEqual([
      ['system', null, 3],
    ]);
  });

  test.each([
    { what: 'sell stop 1 below 1501 limit 990', code: '-6035' },
    { what: 'sell trail 1 from 1005 by 0 limit 990', code: '-6021' },
    { what: 'buy bracket 1 at 1000 stop 1001 profit 1004', code: '-6021' },
    { what: 'buy bracket 1 at 1000 stop 990 profit 1501', code: '-6035' },
    { what: 'buy bracket 1 at 1501 stop 990 profit 1004', code: '-6035' },
  ])('$what is refused', ({ what, code }) => {
    const { heard } = playScript(`
      09:00:05 trade 1000 x 5 sold
      09:00:06 A ${what}
      09:00:07 trade 1000 x 5 sold`);
    expect(refusalsIn(heard)).toEqual([code]);
  });
});
