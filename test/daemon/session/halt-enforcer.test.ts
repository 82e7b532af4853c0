/** A halt is not over before the broker's books are proven empty of entries, and it goes on when something turns up late. */
import { beforeEach, describe, expect, it } from 'vitest';
import { HaltEnforcer, type HoldingsText } from '../../../src/daemon/session/halt-enforcer.ts';
import type { WholeKill } from '../../../src/broker/gateway/kill-all.ts';
import type { OurBooks } from '../../../src/broker/gateway/kill-verdict.ts';
import type { BrokerOrder } from '../../../src/domain/broker-order.ts';
import { brokerOrderNo, type ClientOrderId, clientOrderId } from '../../../src/domain/ids.ts';
import { qty, seconds, signedQty, strategyIndex, tsUs } from '../../../src/domain/units.ts';
import { createBrokerOrder } from '../../broker/support/broker-orders.ts';
import { settled } from '../../broker/support/fake-rest.ts';
import { ONE, owned, unnumbered } from '../../broker/support/our-books.ts';
import { waits } from '../../engine/support/trigger-rows.ts';
import { VirtualTimers } from '../../broker/support/virtual-timers.ts';

const NOTHING = { canceled: [], failed: [], open: [], unshown: [], isProven: true, reason: '' };
const EMPTY: WholeKill = {
  orders: NOTHING,
  triggers: NOTHING,
  rows: [],
  held: new Map(),
  kept: [],
  keptReason: '',
  excess: 0,
};
const ENTRY = createBrokerOrder('7');
const REFUSED: WholeKill = {
  ...EMPTY,
  orders: { ...NOTHING, open: [ENTRY], failed: [{ orderNo: ENTRY.orderNo, reason: '-1 not now' }] },
};
const UNREAD: WholeKill = { ...EMPTY, orders: { ...NOTHING, isProven: false, reason: 'page 1: HTTP 500' } };

const nothingLands = (): void => undefined;
const rows = (...names: string[]) => names.map((name) => createBrokerOrder(name));

let timers: VirtualTimers;
let gateway: { inFlight: number; answers: WholeKill[]; kills: number; land: () => void; during: () => void };
let alerts: string[];
let messages: string[];
let heldNow: () => HoldingsText;
let isHalted: boolean;
let ours: OurBooks;
let isUnread: boolean;
let unreported: (rows: readonly BrokerOrder[]) => ClientOrderId | null;
let enforcer: HaltEnforcer;

beforeEach(() => {
  timers = new VirtualTimers();
  alerts = [];
  messages = [];
  heldNow = () => ({ text: '', isDoubtful: false });
  isHalted = true;
  unreported = () => null;
  isUnread = false;
  ours = own0;
  gateway = { inFlight: 0, answers: [], kills: 0, land: nothingLands, during: nothingLands };
  enforcer = new HaltEnforcer({
    gateway: {
      get inFlight() {
        return gateway.inFlight;
      },
      killAll: () => {
        gateway.kills += 1;
        gateway.during();
        return Promise.resolve(gateway.answers.shift() ?? EMPTY);
      },
      settled: () =>
        new Promise((resolve) => {
          gateway.land = () => {
            gateway.inFlight = 0;
            resolve();
          };
        }),
    },
    clock: timers,
    market: timers,
    timers,
    lookUp: { scans: 3, spread: seconds(30) },
    isHalted: () => isHalted,
    readOurBooks: () => (isUnread ? Promise.reject(new Error('disk I/O error')) : Promise.resolve()),
    ourBooks: () => (isUnread ? null : ours),
    unreportedOrder: (rows) => unreported(rows),
    heldNow: () => Promise.resolve(heldNow()),
    alert: (severity, code, text, held) => {
      alerts.push(`${severity} ${code}`);
      messages.push(`${text}; ${held}`);
    },
  });
});

const pass = async (span: number): Promise<void> => {
  for (let i = 0; i < span; i += 1) {
    await settled();
    timers.advance(seconds(1));
  }
  await settled();
};

it('is proven by a complete read with nothing in flight', async () => {
  enforcer.begin();
  expect(enforcer.progress.status).toBe('working');
  await pass(1);
  expect(enforcer.progress).toEqual({
    status: 'proven',
    text: 'no order works that can enlarge a position: 0 orders canceled',
  });
  expect(alerts).toEqual(['info halt_proven']);
});

it('waits for what is in flight, and reads again when it has landed', async () => {
  gateway.inFlight = 1;
  enforcer.begin();
  await pass(120);
  expect(enforcer.progress.status, 'never proven while a call is in flight').toBe('working');
  gateway.answers.push({ ...EMPTY, orders: { ...NOTHING, canceled: ['7'] } });
  gateway.land();
  await pass(1);
  expect(enforcer.progress).toMatchObject({
    status: 'proven',
    text: expect.stringContaining('1 order canceled'),
  });
});

it('holds an order of unknown fate for possible until reads over half a minute do not show it', async () => {
  const id = clientOrderId('H.00000100001000001');
  ours = { ...ours, unknown: [unnumbered(ONE, id)] };
  enforcer.begin();
  await pass(20);
  expect(enforcer.progress).toMatchObject({ status: 'working', text: expect.stringContaining(id) });
  await pass(60);
  expect(enforcer.progress.status).toBe('proven');
});

it('a book of the day before proves nothing of an order of today', async () => {
  const id = clientOrderId('H.00000100001000001');
  const yesterdays = rows('3');
  unreported = (read) => (read === yesterdays ? id : null);
  gateway.answers = Array.from({ length: 10 }, () => ({ ...EMPTY, rows: yesterdays }));
  enforcer.begin();
  await pass(120);
  expect(enforcer.progress).toMatchObject({
    status: 'unproven',
    text: expect.stringContaining('day before'),
  });
  expect(alerts).toEqual(['critical halt_unproven']);
  gateway.answers = [];
  await pass(100);
  expect(enforcer.progress.status).toBe('proven');
});

it('goes on for as long as an entry works, and says so after a minute', async () => {
  gateway.answers = Array.from({ length: 8 }, () => REFUSED);
  enforcer.begin();
  await pass(50);
  expect(enforcer.progress).toMatchObject({ status: 'working', text: expect.stringContaining('-1 not now') });
  await pass(50);
  expect(enforcer.progress.status).toBe('unproven');
  await pass(150);
  expect(enforcer.progress.status).toBe('proven');
  expect(alerts).toEqual(['critical halt_unproven', 'info halt_proven']);
});

it('says at once that the books cannot be read, and proves it when they can', async () => {
  gateway.answers = [UNREAD];
  enforcer.begin();
  await settled();
  expect(enforcer.progress).toMatchObject({ status: 'unproven', text: expect.stringContaining('HTTP 500') });
  await pass(2);
  expect(enforcer.progress.status).toBe('proven');
});

it('cancels what turns up late, and leaves what it has kept alone', async () => {
  gateway.answers = [{ ...EMPTY, kept: rows('5') }];
  enforcer.begin();
  await pass(1);
  const book = { kind: 'book_snapshot', list: 'orders', startedUs: timers.nowUs(), complete: true } as const;
  enforcer.observe({ ...book, orders: rows('5') });
  expect(gateway.kills).toBe(1);
  gateway.answers = [{ ...EMPTY, kept: rows('5'), orders: { ...NOTHING, canceled: ['9'] } }];
  enforcer.observe({ ...book, orders: rows('5', '9') });
  await pass(1);
  expect(gateway.kills).toBe(2);
  expect(alerts).toEqual(['info halt_proven', 'warning halt_late_order']);
  enforcer.observe({ kind: 'position_snapshot', startedUs: timers.nowUs(), positions: [] });
  await pass(1);
  isHalted = false;
  enforcer.observe({ ...book, orders: rows('5', '11') });
  await pass(1);
  expect(gateway.kills, 'nothing is canceled after the halt').toBe(2);
  expect(brokerOrderNo('9')).toBe('9');
});

/** The engine has filled a sell since the day began; a read that lacks it shows 0. */
const engineHas = (fills: number) => {
  ours = { ...own0, positions: [{ owner: ONE, orderCode: ENTRY.orderCode, qty: -fills }] };
  const shown = () => enforcer.held?.get(ENTRY.orderCode) ?? 0;
  heldNow = () => ({ text: `ours ${-fills}, theirs ${shown()}`, isDoubtful: shown() !== -fills });
};
const shows = (net: number): WholeKill => ({
  ...EMPTY,
  held: new Map([[ENTRY.orderCode, net]]),
  kept: [waits({ key: 's', code: ENTRY.orderCode, side: 'sell', qty: 1 })],
});

describe('the message of a halt', () => {
  it('waits for a read that shows what the engine has filled', async () => {
    engineHas(1);
    gateway.answers = [shows(0), shows(0), shows(-1)];
    enforcer.begin();
    await pass(1);
    expect([enforcer.progress.status, messages], 'proven, and no message reports positions yet').toEqual([
      'proven',
      [],
    ]);
    await pass(3);
    expect(messages).toEqual([expect.stringContaining('ours -1, theirs -1')]);
  });

  it('waits for an engine that learns of a fill after the broker’s read', async () => {
    engineHas(0);
    gateway.answers = Array.from({ length: 3 }, () => shows(-1));
    enforcer.begin();
    await pass(1);
    engineHas(1);
    await pass(2);
    expect(messages).toEqual([expect.stringContaining('ours -1, theirs -1')]);
  });

  it('says that both differ, when they go on doing so', async () => {
    engineHas(1);
    enforcer.begin();
    await pass(8);
    expect(messages).toEqual([]);
    await pass(8);
    expect(messages).toEqual([expect.stringContaining('ours -1, theirs 0')]);
    const { kills } = gateway;
    await pass(60);
    expect(gateway.kills, 'it is over').toBe(kills);
  });

  it('is corrected once by a fill afterwards, when the reads show it', async () => {
    engineHas(0);
    enforcer.begin();
    await pass(1);
    engineHas(1);
    gateway.answers = [shows(0), shows(-1), shows(-1)];
    enforcer.onFill();
    await pass(3);
    expect(messages).toEqual([
      expect.stringContaining('ours 0, theirs 0'),
      expect.stringMatching(/^corrected .*ours -1, theirs -1/),
    ]);
    gateway.answers = [shows(0)];
    engineHas(0);
    enforcer.onFill();
    await pass(3);
    expect(messages).toHaveLength(2);
  });

  it('is not sent for a halt that ends while it waits', async () => {
    engineHas(1);
    enforcer.begin();
    await pass(2);
    isHalted = false;
    enforcer.end();
    await pass(20);
    expect(alerts).toEqual([]);
  });

  it('is not sent after news that takes the proof back', async () => {
    engineHas(1);
    enforcer.begin();
    await pass(2);
    gateway.answers = Array.from({ length: 30 }, () => REFUSED);
    enforcer.observe(answer('accepted'));
    await pass(20);
    expect(alerts).toEqual(['critical halt_unproven']);
  });
});

it('says by how much a stop that stays is larger than its position', async () => {
  gateway.answers = [{ ...EMPTY, kept: rows('5'), excess: 2 }];
  enforcer.begin();
  await pass(1);
  expect(enforcer.progress).toMatchObject({
    status: 'proven',
    text: expect.stringContaining('2 more than is held'),
  });
  expect(enforcer.progress.text, 'that would be untrue').not.toContain('no order works that can enlarge');
  expect(alerts).toEqual([expect.stringContaining('warning halt_proven')]);
});

it('proves nothing of reads that a resume overtook', async () => {
  enforcer.begin();
  isHalted = false;
  await pass(1);
  expect(enforcer.progress.status).toBe('idle');
  expect(alerts).toEqual([]);
});

it('proves a second halt again: orders may have come in between', async () => {
  enforcer.begin();
  await pass(1);
  expect(enforcer.progress.status).toBe('proven');
  isHalted = false;
  enforcer.end();
  expect(enforcer.progress).toEqual({ status: 'idle', text: '' });
  isHalted = true;
  gateway.inFlight = 1;
  enforcer.begin();
  await pass(1);
  expect(enforcer.progress.status).toBe('working');
  gateway.land();
  await pass(2);
  expect(enforcer.progress.status).toBe('proven');
  expect(alerts).toEqual(['info halt_proven', 'info halt_proven']);
});

const orders = (...shown: readonly BrokerOrder[]) =>
  ({
    kind: 'book_snapshot',
    list: 'orders',
    startedUs: timers.nowUs(),
    complete: true,
    orders: shown,
  }) as const;

const answer = (status: 'accepted' | 'unknown') => {
  const outcome =
    status === 'accepted'
      ? ({ status, orderNo: brokerOrderNo('9'), orderKey: null } as const)
      : ({ status, reason: 'no answer in time' } as const);
  const id = clientOrderId('H.9');
  const placed = { call: 'place', callId: id, clientOrderId: id, outcome } as const;
  return { kind: 'execution_report', answer: placed, news: null } as const;
};

const own0: OurBooks = { orders: [], positions: [], unknown: [], gone: [] };
const gone9: OurBooks = { ...own0, gone: [unnumbered(ONE, 'H.9')] };
const matched = createBrokerOrder('9', {
  refId: clientOrderId('H.9'),
  status: 'matched',
  filledQty: qty(1),
  canCancel: false,
});
const booked9: OurBooks = { ...own0, orders: [owned(ONE, matched, { clientOrderId: clientOrderId('H.9') })] };

describe('a word that something contradicts', () => {
  const CODE = ENTRY.orderCode;
  const swept = createBrokerOrder('7', { status: 'canceled' });
  const stop = waits({ key: 's', code: CODE, qty: 2 });
  const held = (count: number) => ({
    orderCode: CODE,
    qty: signedQty(count),
    lastPrice: null,
    openProfit: null,
  });
  const proof: WholeKill = { ...EMPTY, rows: [swept], held: new Map([[CODE, 2]]), kept: [stop] };
  const positions = (count: number) =>
    ({ kind: 'position_snapshot', startedUs: timers.nowUs(), positions: [held(count)] }) as const;
  const LATER = { status: 'unproven', alerts: ['info halt_proven', 'critical halt_unproven'] };
  const SAME = { status: 'proven', alerts: ['info halt_proven'] };
  const SWEPT_AGAIN = { status: 'working', alerts: ['info halt_proven'] };

  it.each<[string, () => Parameters<HaltEnforcer['observe']>[0], typeof LATER]>([
    ['an order that it swept fills', () => orders({ ...swept, filledQty: qty(1) }), LATER],
    ['an order that it swept works again', () => orders(createBrokerOrder('7')), LATER],
    ['a call that was on its way is accepted', () => answer('accepted'), LATER],
    ['a call that was on its way has no answer', () => answer('unknown'), LATER],
    ['a position grows', () => positions(3), LATER],
    ['a position turns round by more than what stays can close', () => positions(-1), LATER],
    ['a stop that stays has closed a part', () => positions(1), SWEPT_AGAIN],
    ['an order turns up', () => orders(swept, createBrokerOrder('8')), SWEPT_AGAIN],
    [
      'a read from before shows less',
      () => ({ ...orders(createBrokerOrder('7')), startedUs: tsUs(0) }),
      SAME,
    ],
    ['all is as it was', () => orders(swept), SAME],
  ])('%s', async (_, event, expected) => {
    gateway.answers = [proof];
    enforcer.begin();
    await pass(1);
    gateway.answers = Array.from({ length: 3 }, () => REFUSED);
    enforcer.observe(event());
    expect({ status: enforcer.progress.status, alerts }).toEqual(expected);
    gateway.answers = [];
    await pass(70);
    expect(enforcer.progress.status, 'until it is proven again').toBe('proven');
  });

  it.each<[string, Partial<BrokerOrder>, WholeKill, OurBooks]>([
    ['that a stop sent', { source: 'system' }, { ...proof, kept: [] }, own0],
    ['of ours that was no more looked for', { refId: clientOrderId('H.9') }, proof, gone9],
    ['of ours, that was booked meanwhile', { refId: clientOrderId('H.9') }, proof, booked9],
  ])('an order %s turns up, and has filled before it is canceled', async (_, facts, first, then) => {
    const row = createBrokerOrder('9', { side: 'sell', ...facts });
    gateway.answers = [first];
    enforcer.begin();
    await pass(1);
    const filled: BrokerOrder = { ...row, status: 'matched', filledQty: qty(1), canCancel: false };
    const after = { ...first, rows: [swept, filled] };
    gateway.answers = [after, after];
    enforcer.observe(orders(swept, row));
    ours = then;
    await pass(3);
    expect(alerts).toEqual(['info halt_proven', 'critical halt_unproven', 'info halt_proven']);
  });

  it('is not contradicted by the first positions that are read', async () => {
    gateway.answers = [{ ...proof, held: null, kept: [] }];
    enforcer.begin();
    await pass(1);
    gateway.answers = [{ ...proof, kept: [] }];
    enforcer.observe(positions(2));
    await pass(1);
    expect({ status: enforcer.progress.status, alerts }).toEqual(SAME);
    gateway.answers = [{ ...proof, held: null, kept: [] }];
    enforcer.observe(orders(swept, createBrokerOrder('8')));
    await pass(1);
    expect({ status: enforcer.progress.status, alerts }).toEqual(SAME);
    enforcer.observe(positions(3));
    expect({ status: enforcer.progress.status, alerts }, 'than those that were read before').toEqual(LATER);
  });

  it.each([
    ['and the journal does not have yet', 0, []],
    ['and the journal has', 1, [{ owner: ONE, orderCode: CODE, qty: 1 }]],
  ])('is not contradicted by a fill that its rows show %s', async (_, booked, held1) => {
    const id = clientOrderId('H.9');
    const known = owned(ONE, { ...matched, filledQty: qty(booked) }, { clientOrderId: id, isOpen: false });
    ours = { ...own0, orders: [known], positions: held1 };
    // The positions were read before it filled, and the book after that.
    gateway.answers = [{ ...EMPTY, rows: [matched], held: new Map() }];
    enforcer.begin();
    await pass(1);
    enforcer.observe(positions(1));
    expect({ status: enforcer.progress.status, alerts }).toEqual(SAME);
    enforcer.observe(positions(2));
    expect({ status: enforcer.progress.status, alerts }).toEqual(LATER);
  });

  const late = createBrokerOrder('9', { refId: clientOrderId('H.9'), side: 'sell' });
  it.each<[string, Partial<BrokerOrder>, Partial<BrokerOrder>, OurBooks, number]>([
    ['is canceled without a fill', {}, { status: 'canceled' }, own0, 2],
    [
      'is a reduction and fills',
      {},
      { status: 'matched', filledQty: qty(1) },
      { ...own0, orders: [owned(ONE, late, { isReduction: true })] },
      1,
    ],
    [
      'was sent by the stop that stays, and has filled in part',
      { source: 'system', refId: null },
      { status: 'canceled', filledQty: qty(1) },
      own0,
      1,
    ],
    ["is a person's, and closes", { refId: null }, { status: 'matched', filledQty: qty(2) }, own0, 0],
  ])('is not contradicted by an order that turns up and %s', async (_, facts, end, then, left) => {
    gateway.answers = [proof];
    enforcer.begin();
    await pass(1);
    const row: BrokerOrder = { ...late, ...facts };
    const over: BrokerOrder = { ...row, ...end, canCancel: false };
    gateway.answers = [{ ...proof, rows: [swept, over], held: new Map([[CODE, left]]) }];
    ours = then;
    enforcer.observe(orders(swept, row));
    await pass(2);
    expect({ status: enforcer.progress.status, alerts }).toEqual(SAME);
  });

  it('is not contradicted by a reduction that is on its way', async () => {
    gateway.answers = [proof];
    enforcer.begin();
    await pass(1);
    ours = { ...ours, unknown: [unnumbered(ONE, 'H.9', { isReduction: true })] };
    enforcer.observe(answer('accepted'));
    expect({ status: enforcer.progress.status, alerts }).toEqual(SAME);
  });
});

it.each([
  ['that a person resolved as absent', [], [unnumbered(ONE, 'H.9')]],
  [
    'with a number, that a person resolved as absent',
    [owned(ONE, createBrokerOrder('9', { refId: clientOrderId('H.9') }), { isOpen: false })],
    [],
  ],
])('is taken back when an entry %s fills, though the position is no larger for it', async (_, over, gone) => {
  ours = { ...ours, orders: over, gone };
  enforcer.begin();
  await pass(1);
  const filled = createBrokerOrder('9', {
    refId: clientOrderId('H.9'),
    filledQty: qty(1),
    status: 'matched',
  });
  enforcer.observe(orders(filled));
  expect(alerts).toEqual(['info halt_proven', 'critical halt_unproven']);
});

it('is not proven by reads that an answer to a placement has overtaken', async () => {
  const id = clientOrderId('H.9');
  const outcome = { status: 'accepted', orderNo: brokerOrderNo('9'), orderKey: null } as const;
  gateway.during = () => {
    gateway.during = nothingLands;
    enforcer.observe({
      kind: 'execution_report',
      answer: { call: 'place', callId: id, clientOrderId: id, outcome },
      news: null,
    });
  };
  enforcer.begin();
  await pass(1);
  expect([enforcer.progress.status, gateway.kills]).toEqual(['proven', 2]);
});

it('is not proven by reads in which an order of unknown fate turned out to work', async () => {
  const id = clientOrderId('H.00000100001000001');
  ours = { ...ours, unknown: [unnumbered(ONE, id)] };
  gateway.during = () => {
    // Another read has shown it, and those of the proof began before.
    ours = { ...ours, unknown: [], orders: [owned(strategyIndex(0), ENTRY, { clientOrderId: id })] };
    gateway.during = nothingLands;
  };
  enforcer.begin();
  await settled();
  expect(enforcer.progress).toMatchObject({ status: 'working', text: expect.stringContaining(id) });
});

it('is not proven while the journal cannot be read', async () => {
  isUnread = true;
  enforcer.begin();
  await pass(2);
  expect(enforcer.progress).toMatchObject({ status: 'unproven', text: expect.stringContaining('disk I/O') });
  isUnread = false;
  await pass(30);
  expect(enforcer.progress.status).toBe('proven');
});

it('counts no read as absence that lacks an order of the day', async () => {
  const unknown = [unnumbered(ONE, 'H.9')];
  ours = { ...ours, orders: [owned(strategyIndex(0), createBrokerOrder('3'), { isOpen: false })], unknown };
  enforcer.begin();
  await pass(200);
  expect(enforcer.progress).toMatchObject({ status: 'unproven', text: expect.stringContaining('H.9') });
  gateway.answers = Array.from({ length: 20 }, () => ({ ...EMPTY, rows: rows('3') }));
  await pass(200);
  expect(enforcer.progress.status).toBe('proven');
});
