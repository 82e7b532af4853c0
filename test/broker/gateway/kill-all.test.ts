import { describe, expect, it } from 'vitest';
import { killAll, type KillReport, type WholeKill } from '../../../src/broker/gateway/kill-all.ts';
import { nameOf, type OurBooks } from '../../../src/broker/gateway/kill-verdict.ts';
import type { ReadResult } from '../../../src/broker/rest/rest-caller.ts';
import type {
  BrokerOrder,
  BrokerPosition,
  BrokerTriggerOrder,
  CallOutcome,
} from '../../../src/domain/broker-order.ts';
import { brokerOrderNo, clientOrderId } from '../../../src/domain/ids.ts';
import { qty, seconds, signedQty } from '../../../src/domain/units.ts';
import { waits } from '../../engine/support/trigger-rows.ts';
import { createBrokerOrder } from '../support/broker-orders.ts';
import { books, NOTHING_OURS, ONE, OTHER, owned, PERSON } from '../support/our-books.ts';
import { ACCEPTED, type Asked, FakeRest, settled } from '../support/fake-rest.ts';
import { VirtualTimers } from '../support/virtual-timers.ts';

const ROUNDS_TRIED = 30;
/** Nobody holds anything. */
const FLAT: ReadResult<readonly BrokerPosition[]> = { ok: true, value: [] };
const NONE = { complete: true, orders: [], reason: '' };
const LOST: CallOutcome = { status: 'unknown', reason: 'no answer in time' };

interface Round {
  readonly orders: readonly BrokerOrder[];
  readonly complete?: boolean;
  /** What the broker says to each cancel of this round. */
  readonly answers?: readonly CallOutcome[];
}

/** Answers each read as `shown` says and each cancel as `taken` says, until the kill reports. */
async function played(
  shown: (what: Asked['what'], round: number) => unknown,
  taken: (name: string) => CallOutcome,
  ours: OurBooks | null,
): Promise<WholeKill> {
  const rest = new FakeRest();
  const timers = new VirtualTimers();
  const reports: WholeKill[] = [];
  void killAll(
    rest,
    timers,
    () => true,
    () => ours,
  ).then((report) => reports.push(report));
  for (let round = 0; round < ROUNDS_TRIED && reports.length === 0; round += 1) {
    for (const { what, answer } of rest.asked.splice(0)) answer(shown(what, round));
    await settled();
    for (const { request, answer } of rest.sent.splice(0))
      answer(taken('orderKey' in request ? request.orderKey : 'orderNo' in request ? request.orderNo : ''));
    await settled();
    timers.advance(seconds(1));
    await settled();
  }
  const [report] = reports;
  if (report === undefined) throw new Error(`no report after ${ROUNDS_TRIED} rounds`);
  return report;
}

/** Plays the rounds; the last one is what every further look shows. */
async function kill(
  ...rounds: readonly Round[]
): Promise<{ report: KillReport<BrokerOrder>; canceled: string[] }> {
  const canceled: string[] = [];
  const answers: CallOutcome[] = [];
  const shown = (what: Asked['what'], at: number): unknown => {
    if (what === 'positions') return FLAT;
    if (what === 'conditions') return NONE;
    const { orders, complete = true, answers: said = [] } = rounds[Math.min(at, rounds.length - 1)]!;
    answers.splice(0, Infinity, ...said);
    return { complete, orders, reason: complete ? '' : 'page 1: no answer in time' };
  };
  const taken = (name: string): CallOutcome => answers[canceled.push(name) - 1] ?? ACCEPTED;
  const { orders } = await played(shown, taken, NOTHING_OURS);
  return { report: orders, canceled };
}

it('cancels what the broker shows, ours or not, and proves that nothing is left', async () => {
  const orders = [
    createBrokerOrder('1'),
    createBrokerOrder('2', { status: 'queued', source: 'system' }),
    createBrokerOrder('3', { status: 'matched', filledQty: qty(1) }),
    createBrokerOrder('4', { status: 'matched', filledQty: qty(2) }),
    createBrokerOrder('5', { status: 'canceled' }),
    createBrokerOrder('6', { status: 'unrecognized', statusText: 'QQ' }),
  ];
  const { report, canceled } = await kill(
    { orders },
    { orders: orders.slice(1, 2) },
    { orders: [createBrokerOrder('1', { status: 'canceled' })] },
  );
  expect(canceled, 'what a stop sent may protect: it goes when a second look agrees').toEqual([
    '1',
    '3',
    '6',
    '2',
  ]);
  expect(report).toEqual({ canceled, failed: [], open: [], unshown: [], isProven: true, reason: '' });
});

it('obeys the broker that says an order cannot be canceled, and reports it', async () => {
  const order = createBrokerOrder('1', { canCancel: false });
  const { report, canceled } = await kill({ orders: [order] });
  expect(canceled).toEqual([]);
  expect(report.open).toEqual([order]);
});

it('waits for a cancel that is on its way instead of sending another', async () => {
  const { report, canceled } = await kill(
    { orders: [createBrokerOrder('1')] },
    { orders: [createBrokerOrder('1', { status: 'cancel_pending' })] },
    { orders: [] },
  );
  expect(canceled).toEqual(['1']);
  expect(report.open).toEqual([]);
});

it('decides again from the book after a cancel was lost', async () => {
  const { report, canceled } = await kill(
    { orders: [createBrokerOrder('1')], answers: [LOST] },
    { orders: [createBrokerOrder('1')] },
    { orders: [] },
  );
  expect(canceled).toEqual(['1', '1']);
  expect(report).toMatchObject({ canceled: ['1'], failed: [], isProven: true });
});

it('cancels what it sees of a book that it cannot read whole, and does not call that proof', async () => {
  const { report, canceled } = await kill(
    { orders: [createBrokerOrder('1')], complete: false },
    { orders: [], complete: false },
  );
  expect(canceled).toEqual(['1']);
  expect(report).toMatchObject({ isProven: false, reason: 'page 1: no answer in time' });
});

it('ends, and says what is left, when the broker refuses every cancel', async () => {
  const refusal: CallOutcome = { status: 'rejected', code: '-6026', text: 'not in this session' };
  const order = createBrokerOrder('1');
  const { report } = await kill({ orders: [order], answers: Array.from({ length: 10 }, () => refusal) });
  expect(report.failed).toEqual([{ orderNo: '1', reason: '-6026 not in this session' }]);
  expect(report.open).toEqual([order]);
});

interface Books {
  readonly orders: readonly BrokerOrder[];
  readonly triggers: readonly BrokerTriggerOrder[];
}
const REFUSED = { complete: false, orders: [], reason: 'page 1: -6011 not enabled for this account' };

/** Answers each read from the books as they are after the cancels so far; `refused` is shown after so many refusals. */
async function killBoth(
  at: (canceled: ReadonlySet<string>) => Books,
  refused: 'book' | 'conditions' | null,
  refusals = Infinity,
  positions: ReadResult<readonly BrokerPosition[]> = FLAT,
  ours: OurBooks | null = NOTHING_OURS,
): Promise<{ report: WholeKill; kept: readonly string[]; canceled: ReadonlySet<string> }> {
  const canceled = new Set<string>();
  let refusalsLeft = refusals;
  const shown = (what: Asked['what']): unknown => {
    if (what === 'positions') return positions;
    if (what === refused && refusalsLeft-- > 0) return REFUSED;
    const { orders, triggers } = at(canceled);
    return { ...NONE, orders: what === 'book' ? orders : triggers };
  };
  const report = await played(shown, (name) => (canceled.add(name), ACCEPTED), ours);
  return { report, kept: report.kept.map(nameOf), canceled };
}

const left = (canceled: ReadonlySet<string>): Books => ({
  orders: canceled.has('1') ? [] : [createBrokerOrder('1')],
  triggers: canceled.has('a') ? [] : [waits({ key: 'a' })],
});
const EMPTIED = { failed: [], open: [], isProven: true };

describe('both books', () => {
  it('of which the trigger book is read in part: what it shows is left, and that is no proof', async () => {
    const part = { ...NONE, complete: false, orders: [waits({ key: 'a' })] };
    const { triggers } = await played(
      (what) => ({ positions: FLAT, conditions: part })[what as string] ?? NONE,
      () => ACCEPTED,
      NOTHING_OURS,
    );
    expect(triggers).toMatchObject({ isProven: false, open: [{ orderKey: 'a' }] });
  });

  it.each([
    ['trigger book', 'conditions', 'orders', 'triggers', '1'],
    ['in-day book', 'book', 'triggers', 'orders', 'a'],
  ] as const)('of which the %s is refused: the other is emptied, and only that is proof', async (...row) => {
    const [, refused, emptied, unread, name] = row;
    const { report, canceled } = await killBoth(left, refused);
    expect([...canceled]).toEqual([name]);
    expect(report[emptied]).toMatchObject({ ...EMPTIED, canceled: [name] });
    expect(report[unread]).toMatchObject({ canceled: [], isProven: false, reason: REFUSED.reason });
  });

  it.each(['book', 'conditions'] as const)(
    'of which one (%s) is refused at first are both emptied',
    async (refused) => {
      const { report } = await killBoth(left, refused, 2);
      expect(report).toMatchObject({
        orders: { ...EMPTIED, canceled: ['1'] },
        triggers: { ...EMPTIED, canceled: ['a'] },
      });
    },
  );

  it('with a stop that triggers meanwhile: what it sent is taken out of the in-day book too', async () => {
    const { report } = await killBoth(
      (canceled) => ({
        orders: canceled.has('a') && !canceled.has('8') ? [createBrokerOrder('8')] : [],
        triggers: [
          canceled.has('a') ? waits({ key: 'a', status: 'activated', children: ['8'] }) : waits({ key: 'a' }),
        ],
      }),
      null,
    );
    expect(report).toMatchObject({ orders: { ...EMPTIED, canceled: ['8'] }, triggers: EMPTIED });
  });
});

it('proves nothing by a stop of ours that has triggered and whose row does not name what it sent', async () => {
  const row = waits({ key: 'a', code: createBrokerOrder('1').orderCode });
  const activated = { orders: [], triggers: [{ ...row, status: 'activated' as const }] };
  const ours = (isOpen: boolean): OurBooks => books([], owned(ONE, row, { isOpen }));
  const open = await killBoth(() => activated, null, 0, FLAT, ours(true));
  expect(open.report.triggers.unshown).toEqual([row.orderNo]);
  const ended = await killBoth(() => activated, null, 0, FLAT, ours(false));
  expect(ended.report.triggers.unshown).toEqual([]);
});

const CODE = createBrokerOrder('1').orderCode;
const net = (held: number): ReadResult<readonly BrokerPosition[]> => ({
  ok: true,
  value: [{ orderCode: CODE, qty: signedQty(held), lastPrice: null, openProfit: null }],
});
const stop = waits({ key: 's', qty: 2, code: CODE });
const buyStop = (key: string, contracts: number) =>
  waits({ key, side: 'buy', qty: contracts, code: CODE, when: 'at_or_above' });

/** A buy and a sell in the in-day book, a stop for two and a stop that buys one in the trigger book. */
const heldBooks = (canceled: ReadonlySet<string>): Books => ({
  orders: [
    createBrokerOrder('1', { status: canceled.has('1') ? 'canceled' : 'resting' }),
    createBrokerOrder('2', { side: 'sell', status: canceled.has('2') ? 'canceled' : 'resting' }),
  ],
  triggers: [stop, buyStop('b', 1)].filter(({ orderKey }) => !canceled.has(orderKey)),
});

describe('of an account in which a person alone holds something', () => {
  it('the stop stays, and goes before an exit that would be too many', async () => {
    const { report, kept, canceled } = await killBoth(heldBooks, null, 0, net(2), books([[PERSON, 2]]));
    expect([...canceled].toSorted()).toEqual(['1', '2', 'b']);
    expect(report).toMatchObject({ orders: EMPTIED, triggers: EMPTIED, keptReason: '' });
    expect(kept).toEqual(['s']);
  });

  it('less than its stop: the stop stays, as nothing else protects, and the excess is reported', async () => {
    const { report, kept, canceled } = await killBoth(heldBooks, null, 0, net(1), books([[PERSON, 1]]));
    expect([...canceled].toSorted()).toEqual(['1', '2', 'b']);
    expect([kept, report.keptReason, report.excess]).toEqual([['s'], '', 1]);
  });

  it('both halves of a bracket stay: only one of them is ever sent', async () => {
    const halves = (['at_or_below', 'at_or_above'] as const).map((when) =>
      waits({ key: when, kind: 'exit', qty: 2, code: CODE, when }),
    );
    const { report, kept, canceled } = await killBoth(
      () => ({ orders: [], triggers: halves }),
      null,
      0,
      net(2),
      books([[PERSON, 2]]),
    );
    expect([...canceled]).toEqual([]);
    expect([kept, report.keptReason]).toEqual([['at_or_below', 'at_or_above'], '']);
  });
});

describe('where it is not certain who holds what, what may protect stays', () => {
  const unread = { ok: false, kind: 'unanswered', reason: 'no answer in time' } as const;
  it.each([
    ['positions cannot be read', unread, NOTHING_OURS, 'positions: no answer in time'],
    ['the journal is not read', net(0), null, 'the journal, which says whose the orders are, is not read'],
    ['the broker shows more than we know', net(3), books([[ONE, 2]]), 'come to 2 of VN30F2601'],
  ] as const)('%s', async (_, positions, ours, why) => {
    const { report, kept, canceled } = await killBoth(heldBooks, null, 0, positions, ours);
    expect([...canceled].toSorted()).toEqual(['1', '2']);
    expect([kept, report.keptReason]).toEqual([['s', 'b'], expect.stringContaining(why)]);
  });

  it('and an entry of ours goes all the same, a stop that would open a position too', async () => {
    const opening = owned(ONE, buyStop('b', 1));
    const exit = owned(ONE, createBrokerOrder('2', { side: 'sell' }), { isReduction: true });
    const ours = books([[OTHER, 2]], opening, exit);
    const shown = (gone: ReadonlySet<string>): Books => ({
      orders: heldBooks(gone).orders,
      triggers: [stop, gone.has('b') ? { ...buyStop('b', 1), status: 'canceled' } : buyStop('b', 1)],
    });
    const { kept, canceled } = await killBoth(shown, null, 0, net(3), ours);
    expect([...canceled].toSorted()).toEqual(['1', 'b']);
    expect(kept).toEqual(['s', '2']);
  });

  it('unless an order of its strategy may have filled unseen', async () => {
    const opening = owned(ONE, buyStop('b', 1));
    const unknown = [{ ...opening, clientOrderId: clientOrderId('H.7') }];
    const { kept } = await killBoth(heldBooks, null, 0, net(3), { ...books([], opening), unknown });
    expect(kept).toEqual(['s', 'b']);
  });
});

const buys = (contracts: number) => owned(OTHER, buyStop('b', contracts), { isReduction: true });

describe('of two strategies that oppose each other', () => {
  const sells = owned(ONE, stop, { isReduction: true });
  /** A third stop is not ours. */
  const opposed =
    (bought: number) =>
    (canceled: ReadonlySet<string>): Books => ({
      orders: heldBooks(canceled).orders,
      triggers: [stop, buyStop('b', bought), waits({ key: 'x', code: CODE })].filter(
        ({ orderKey }) => !canceled.has(orderKey),
      ),
    });

  it.each([
    ['as much as each other', [2, -2], ['1', '2', 'x']],
    ['more than the other', [2, -1], ['1', '2', 'x']],
    ['nothing', [0, 0], ['1', '2', 'b', 's', 'x']],
  ] as const)('the stops stay while they hold %s', async (_, [one, other], gone) => {
    const bought = Math.max(1, -other);
    const ours = books(
      [
        [ONE, one],
        [OTHER, other],
      ],
      sells,
      buys(bought),
    );
    const { report, kept, canceled } = await killBoth(opposed(bought), null, 0, net(one + other), ours);
    expect([...canceled].toSorted()).toEqual(gone);
    expect([kept, report.keptReason]).toEqual([['s', 'b'].filter((key) => !canceled.has(key)), '']);
  });

  it('one without a stop: the stop of the other stays, and so do exits at work', async () => {
    const exit = createBrokerOrder('2', { side: 'sell', qty: qty(1) });
    const target = createBrokerOrder('3', { side: 'buy', qty: qty(1) });
    const ours = books(
      [
        [ONE, 3],
        [OTHER, -3],
      ],
      sells,
      owned(ONE, exit, { isReduction: true }),
      owned(OTHER, target, { isReduction: true }),
    );
    const { kept, canceled } = await killBoth(
      () => ({ orders: [exit, target], triggers: [stop] }),
      null,
      0,
      net(0),
      ours,
    );
    expect([...canceled]).toEqual([]);
    expect(kept).toEqual(['s', '2', '3']);
  });

  it('one of which a person protects by a stop of their own: it stays', async () => {
    const { kept } = await killBoth(
      () => ({ orders: [], triggers: [stop] }),
      null,
      0,
      net(0),
      books([
        [ONE, 2],
        [OTHER, -2],
      ]),
    );
    expect(kept).toEqual(['s']);
  });

  it('one of which is being stopped out: what its stop sent stays, and the stop of the other', async () => {
    const { canceled } = await killBoth(
      () => ({
        orders: [createBrokerOrder('8', { side: 'sell', source: 'system' })],
        triggers: [
          { ...stop, status: 'activated', children: [createBrokerOrder('8').orderNo] },
          buyStop('b', 2),
        ],
      }),
      null,
      0,
      net(0),
      books(
        [
          [ONE, 2],
          [OTHER, -2],
        ],
        sells,
        buys(2),
      ),
    );
    expect([...canceled]).toEqual([]);
  });

  it('counts a fill that the journal does not have yet', async () => {
    const filled = createBrokerOrder('1', { status: 'matched', filledQty: qty(2) });
    const entry = owned(ONE, createBrokerOrder('1'));
    const { report, kept } = await killBoth(
      () => ({ orders: [filled], triggers: [stop] }),
      null,
      0,
      net(2),
      books([], entry, owned(ONE, stop)),
    );
    expect([kept, report.keptReason]).toEqual([['s'], '']);
  });
});

const empty = (): Books => ({ orders: [], triggers: [] });

describe('an order that our journal holds as accepted, and no book shows', () => {
  const resting = owned(ONE, createBrokerOrder('5'));
  const waiting = owned(ONE, buyStop('w', 1));

  it.each([
    ['in-day', resting, '5', 'orders'],
    ['trigger', waiting, 'w', 'triggers'],
  ] as const)('is canceled once by its name, and stays open: %s book', async (_, order, name, book) => {
    const { report, canceled } = await killBoth(empty, null, 0, FLAT, books([], order));
    expect([...canceled]).toEqual([name]);
    expect(report[book]).toMatchObject({ canceled: [name], unshown: [order.row.orderNo] });
    expect(report[book].open).toHaveLength(1);
  });

  it('is over when a row says so', async () => {
    const rows = [createBrokerOrder('5', { status: 'canceled' })];
    const shown = (canceled: ReadonlySet<string>): Books =>
      canceled.size === 0 ? empty() : { orders: rows, triggers: [] };
    const { report } = await killBoth(shown, null, 0, FLAT, books([], resting));
    expect(report.orders).toMatchObject({ ...EMPTIED, unshown: [], canceled: ['5'] });
  });

  it('that protects its position stays, and still its book proves nothing', async () => {
    const ours = books([[ONE, 2]], owned(ONE, stop, { isReduction: true }));
    const { report, kept, canceled } = await killBoth(empty, null, 0, net(2), ours);
    expect([...canceled]).toEqual([]);
    expect([kept, report.triggers.open, report.triggers.unshown]).toEqual([['s'], [], [stop.orderNo]]);
  });

  it('is not named by a number that another order has', async () => {
    const other = createBrokerOrder('5', { refId: clientOrderId('H.other'), status: 'canceled' });
    const ours = books([], owned(ONE, createBrokerOrder('5', { refId: clientOrderId('H.ours') })));
    const { report, canceled } = await killBoth(
      () => ({ orders: [other], triggers: [] }),
      null,
      0,
      FLAT,
      ours,
    );
    expect([...canceled]).toEqual([]);
    expect(report.orders.unshown).toEqual(['5']);
  });

  it('sent by a stop that triggered, is canceled by the number that the stop gives', async () => {
    const sent: Books = {
      orders: [],
      triggers: [{ ...buyStop('w', 1), status: 'activated', children: [brokerOrderNo('9')] }],
    };
    const { report, canceled } = await killBoth(() => sent, null, 0, FLAT, books([], waiting));
    expect([...canceled]).toEqual(['9']);
    expect(report.orders.unshown).toEqual(['9']);
  });

  it.each([
    ['-8004', 'Order already fully matched', []],
    ['-6014', 'Order cannot be cancelled', ['5']],
    ['-6003', 'Order or contract not found', ['5']],
    ['-6026', 'Cancel or change not allowed in this session', ['5']],
    ['-6022', 'Market is closed', ['5']],
  ] as const)('is over by the refusal %s (%s): %j is left', async (code, text, left) => {
    const { orders } = await played(
      (what) => (what === 'positions' ? FLAT : NONE),
      () => ({ status: 'rejected', code, text }),
      books([], resting),
    );
    expect(orders.unshown).toEqual(left);
  });
});

it('cancels nothing more once the halt is over', async () => {
  const rest = new FakeRest();
  const timers = new VirtualTimers();
  let goesOn = true;
  const reports: WholeKill[] = [];
  void killAll(
    rest,
    timers,
    () => goesOn,
    () => NOTHING_OURS,
  ).then((report) => reports.push(report));
  const answerAll = async (orders: readonly BrokerOrder[]): Promise<void> => {
    for (const { what, answer } of rest.asked.splice(0))
      answer(
        what === 'positions' ? FLAT : { complete: true, orders: what === 'book' ? orders : [], reason: '' },
      );
    await settled();
  };
  await answerAll([createBrokerOrder('1')]);
  const [canceled] = rest.sent.splice(0);
  expect(canceled?.options.refuse()).toBeNull();
  goesOn = false;
  expect(canceled?.options.refuse(), 'asked right before the first byte').not.toBeNull();
  canceled?.answer(ACCEPTED);
  await settled();
  timers.advance(seconds(1));
  await settled();
  await answerAll([createBrokerOrder('2')]);
  expect(rest.sent, 'a strategy entered again').toEqual([]);
  expect(reports).toHaveLength(1);
});

it('keeps the exits of an entry that fills between two reads', async () => {
  const canceled: string[] = [];
  // The first read of positions is older than that of the trigger book.
  const { kept } = await played(
    (what, round) => {
      if (what === 'positions') return round === 0 ? FLAT : net(2);
      return what === 'book' ? NONE : { ...NONE, orders: [stop] };
    },
    (name) => (canceled.push(name), ACCEPTED),
    books([[PERSON, 2]]),
  );
  expect([canceled, kept.map(nameOf)]).toEqual([[], ['s']]);
});
