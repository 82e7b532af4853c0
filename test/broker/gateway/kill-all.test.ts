import { describe, expect, it } from 'vitest';
import { killAll, type KillReport, type WholeKill } from '../../../src/broker/gateway/kill-all.ts';
import type { ReadResult } from '../../../src/broker/rest/rest-caller.ts';
import type {
  BrokerOrder,
  BrokerPosition,
  BrokerTriggerOrder,
  CallOutcome,
} from '../../../src/domain/broker-order.ts';
import { qty, seconds, signedQty } from '../../../src/domain/units.ts';
import { waits } from '../../engine/support/trigger-rows.ts';
import { createBrokerOrder } from '../support/broker-orders.ts';
import { ACCEPTED, FakeRest, settled } from '../support/fake-rest.ts';
import { VirtualTimers } from '../support/virtual-timers.ts';

const ROUNDS_TRIED = 10;
/** No stop was placed by this process. */
const notOurs = (): boolean => false;
/** Nobody holds anything. */
const FLAT: ReadResult<readonly BrokerPosition[]> = { ok: true, value: [] };
const LOST: CallOutcome = { status: 'unknown', reason: 'no answer in time' };

interface Round {
  readonly orders: readonly BrokerOrder[];
  readonly complete?: boolean;
  /** What the broker says to each cancel of this round. */
  readonly answers?: readonly CallOutcome[];
}

/** Plays the rounds; the last one is what every further look shows. */
async function kill(
  ...rounds: readonly Round[]
): Promise<{ report: KillReport<BrokerOrder>; canceled: string[] }> {
  const rest = new FakeRest();
  const timers = new VirtualTimers();
  const canceled: string[] = [];
  const reports: KillReport<BrokerOrder>[] = [];
  void killAll(rest, timers, () => true, notOurs).then(({ orders }) => reports.push(orders));
  for (let i = 0; i < ROUNDS_TRIED && reports.length === 0; i += 1) {
    const { orders, complete = true, answers = [] } = rounds[Math.min(i, rounds.length - 1)]!;
    for (const { what, answer } of rest.asked.splice(0)) {
      if (what === 'positions') answer(FLAT);
      else if (what === 'conditions') answer({ complete: true, orders: [], reason: '' });
      else answer({ complete, orders, reason: complete ? '' : 'page 1: no answer in time' });
    }
    await settled();
    for (const { request, answer } of rest.sent.splice(0)) {
      canceled.push('orderNo' in request ? request.orderNo : '');
      answer(answers[canceled.length - 1] ?? ACCEPTED);
    }
    await settled();
    timers.advance(seconds(1));
    await settled();
  }
  const [report] = reports;
  if (report === undefined) throw new Error(`no report after ${ROUNDS_TRIED} rounds`);
  return { report, canceled };
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
  expect(report).toEqual({ canceled, failed: [], open: [], isProven: true, reason: '' });
});

it('does nothing to an empty book but prove it', async () => {
  const { report, canceled } = await kill({ orders: [] });
  expect(canceled).toEqual([]);
  expect(report.isProven).toBe(true);
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

it('decides anew from the book after a cancel was lost', async () => {
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

/** Answers each read from the books as they stand after the cancels so far; `refused` is shown after so many refusals. */
async function killBoth(
  at: (canceled: ReadonlySet<string>) => Books,
  refused: 'book' | 'conditions' | null,
  refusals = Infinity,
  positions: ReadResult<readonly BrokerPosition[]> = FLAT,
  own: readonly string[] = [],
): Promise<{ report: WholeKill; canceled: ReadonlySet<string> }> {
  const rest = new FakeRest();
  const timers = new VirtualTimers();
  const canceled = new Set<string>();
  let refusalsLeft = refusals;
  const reports: WholeKill[] = [];
  void killAll(
    rest,
    timers,
    () => true,
    (key) => own.includes(key),
  ).then((value) => reports.push(value));
  for (let i = 0; i < 3 * ROUNDS_TRIED && reports.length === 0; i += 1) {
    const { orders, triggers } = at(canceled);
    for (const { what, answer } of rest.asked.splice(0)) {
      if (what === 'positions') {
        answer(positions);
        continue;
      }
      const shown = { complete: true, orders: what === 'book' ? orders : triggers, reason: '' };
      const isRefused = what === refused && refusalsLeft > 0;
      if (isRefused) refusalsLeft -= 1;
      answer(isRefused ? REFUSED : shown);
    }
    await settled();
    for (const { request, answer } of rest.sent.splice(0)) {
      canceled.add('orderKey' in request ? request.orderKey : 'orderNo' in request ? request.orderNo : '');
      answer(ACCEPTED);
    }
    await settled();
    timers.advance(seconds(1));
    await settled();
  }
  const [report] = reports;
  if (report === undefined) throw new Error('no report');
  return { report, canceled };
}

const left = (canceled: ReadonlySet<string>): Books => ({
  orders: canceled.has('1') ? [] : [createBrokerOrder('1')],
  triggers: canceled.has('a') ? [] : [waits({ key: 'a' })],
});
const EMPTIED = { failed: [], open: [], isProven: true };

describe('both books', () => {
  it('are emptied side by side', async () => {
    const { report } = await killBoth(left, null);
    expect(report).toMatchObject({
      orders: { ...EMPTIED, canceled: ['1'] },
      triggers: { ...EMPTIED, canceled: ['a'] },
    });
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

const CODE = createBrokerOrder('1').orderCode;
const long = (held: number): ReadResult<readonly BrokerPosition[]> => ({
  ok: true,
  value: [{ orderCode: CODE, qty: signedQty(held), lastPrice: null, openProfit: null }],
});
const stop = waits({ key: 's', qty: 2, code: CODE });

/** A buy and a sell in the in-day book, a stop for two and a stop that buys one in the trigger book. */
const heldBooks = (canceled: ReadonlySet<string>): Books => ({
  orders: [
    createBrokerOrder('1', { status: canceled.has('1') ? 'canceled' : 'resting' }),
    createBrokerOrder('2', { side: 'sell', status: canceled.has('2') ? 'canceled' : 'resting' }),
  ],
  triggers: [stop, waits({ key: 'b', side: 'buy', code: CODE })].filter(
    ({ orderKey }) => !canceled.has(orderKey),
  ),
});

/** The stop that buys is ours as the one that sells two is; a third one is not. */
const opposed =
  (bought: number) =>
  (canceled: ReadonlySet<string>): Books => ({
    orders: heldBooks(canceled).orders,
    triggers: [
      stop,
      waits({ key: 'b', side: 'buy', qty: bought, code: CODE }),
      waits({ key: 'x', code: CODE }),
    ].filter(({ orderKey }) => !canceled.has(orderKey)),
  });

describe('of an account that holds a position', () => {
  it('the stop stays, and goes before an exit that would be too many', async () => {
    const { report, canceled } = await killBoth(heldBooks, null, 0, long(2));
    expect([...canceled].toSorted()).toEqual(['1', '2', 'b']);
    expect(report).toMatchObject({ orders: EMPTIED, triggers: EMPTIED, kept: ['s'], keptReason: '' });
  });

  it('smaller than its stop: the stop stays, as nothing else protects, and the excess is told', async () => {
    const { report, canceled } = await killBoth(heldBooks, null, 0, long(1));
    expect([...canceled].toSorted()).toEqual(['1', '2', 'b']);
    expect(report).toMatchObject({ kept: ['s'], keptReason: '', excess: 1 });
  });

  it('stop and exit stay where both fit', async () => {
    const { report, canceled } = await killBoth(heldBooks, null, 0, long(4));
    expect([...canceled].toSorted()).toEqual(['1', 'b']);
    expect(report).toMatchObject({ kept: ['2', 's'], keptReason: '' });
  });

  it('that cannot be read: stops stay, and are not called proven', async () => {
    const unread = { ok: false, kind: 'unanswered', reason: 'no answer in time' } as const;
    const { report, canceled } = await killBoth(heldBooks, null, 0, unread);
    expect([...canceled].toSorted()).toEqual(['1', '2']);
    expect(report).toMatchObject({ kept: ['s', 'b'], keptReason: 'positions: no answer in time' });
  });

  it.each([
    ['as much as each other', FLAT, 2, ['1', '2']],
    ['more than the other', long(1), 1, ['1', '2']],
    ['something no longer', FLAT, 1, ['1', '2', 'b', 's']],
  ] as const)(
    'for two strategies, which oppose each other: their stops stay while they hold %s',
    async (_, positions, bought, gone) => {
      const { report, canceled } = await killBoth(opposed(bought), null, 0, positions, ['s', 'b']);
      expect([...canceled].toSorted()).toEqual([...gone, 'x'].toSorted());
      expect(report).toMatchObject({ kept: ['s', 'b'].filter((key) => !canceled.has(key)), keptReason: '' });
    },
  );

  it('for two strategies, one of which is being stopped out: what its stop sent stays, and the stop of the other', async () => {
    const { canceled } = await killBoth(
      () => ({
        orders: [createBrokerOrder('8', { side: 'sell', source: 'system' })],
        triggers: [
          { ...stop, status: 'activated', children: [createBrokerOrder('8').orderNo] },
          waits({ key: 'b', side: 'buy', qty: 2, code: CODE }),
        ],
      }),
      null,
      0,
      FLAT,
      ['s', 'b'],
    );
    expect([...canceled]).toEqual([]);
  });

  it('for two strategies with brackets: the exits of both stay, each pair counted once', async () => {
    const triggers = (['sell', 'buy'] as const).flatMap((side) =>
      (['at_or_below', 'at_or_above'] as const).map((when) =>
        waits({ key: `${side} ${when}`, kind: 'exit', side, qty: 2, code: CODE, when }),
      ),
    );
    const ours = triggers.map(({ orderKey }) => orderKey);
    const { canceled } = await killBoth(() => ({ orders: [], triggers }), null, 0, FLAT, ours);
    expect([...canceled]).toEqual([]);
  });

  it('both halves of a bracket stay: only one of them is ever sent', async () => {
    const halves = (['at_or_below', 'at_or_above'] as const).map((when) =>
      waits({ key: when, kind: 'exit', qty: 2, code: CODE, when }),
    );
    const { report, canceled } = await killBoth(() => ({ orders: [], triggers: halves }), null, 0, long(2));
    expect([...canceled]).toEqual([]);
    expect(report).toMatchObject({ kept: ['at_or_below', 'at_or_above'], keptReason: '' });
  });
});

it('cancels nothing more once the halt is over', async () => {
  const rest = new FakeRest();
  const timers = new VirtualTimers();
  let goesOn = true;
  const reports: WholeKill[] = [];
  void killAll(rest, timers, () => goesOn, notOurs).then((report) => reports.push(report));
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
  const rest = new FakeRest();
  const timers = new VirtualTimers();
  const kept: (readonly string[])[] = [];
  void killAll(rest, timers, () => true, notOurs).then((report) => kept.push(report.kept));
  for (let round = 0; round < ROUNDS_TRIED && kept.length === 0; round += 1) {
    // The first read of positions is older than that of the trigger book.
    for (const { what, answer } of rest.asked.splice(0))
      if (what === 'positions') answer(round === 0 ? FLAT : long(2));
      else answer({ complete: true, orders: what === 'book' ? [] : [stop], reason: '' });
    await settled();
    expect(rest.sent).toEqual([]);
    timers.advance(seconds(1));
    await settled();
  }
  expect(kept).toEqual([['s']]);
});
