/** A halt is not over before the broker's books are proven empty of entries, and it goes on when something turns up late. */
import { beforeEach, expect, it } from 'vitest';
import { HaltSweep } from '../../../src/app/live/halt-sweep.ts';
import type { WholeKill } from '../../../src/broker/gateway/kill-all.ts';
import type { BrokerOrder } from '../../../src/domain/broker-order.ts';
import { brokerOrderNo, type ClientOrderId, clientOrderId } from '../../../src/domain/ids.ts';
import { seconds } from '../../../src/domain/units.ts';
import { createBrokerOrder } from '../../broker/support/broker-orders.ts';
import { settled } from '../../broker/support/fake-rest.ts';
import { VirtualTimers } from '../../broker/support/virtual-timers.ts';

const NOTHING = { canceled: [], failed: [], open: [], isProven: true, reason: '' };
const EMPTY: WholeKill = {
  orders: NOTHING,
  triggers: NOTHING,
  rows: [],
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
let gateway: { inFlight: number; answers: WholeKill[]; sweeps: number; land: () => void };
let told: string[];
let isHalted: boolean;
let untold: (rows: readonly BrokerOrder[]) => ClientOrderId | null;
let sweep: HaltSweep;

beforeEach(() => {
  timers = new VirtualTimers();
  told = [];
  isHalted = true;
  untold = () => null;
  gateway = { inFlight: 0, answers: [], sweeps: 0, land: nothingLands };
  sweep = new HaltSweep({
    gateway: {
      get inFlight() {
        return gateway.inFlight;
      },
      killAll: () => {
        gateway.sweeps += 1;
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
    timers,
    lookUp: { scans: 3, spread: seconds(30) },
    isHalted: () => isHalted,
    untold: (rows) => untold(rows),
    tell: (severity, code) => told.push(`${severity} ${code}`),
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
  sweep.begin();
  expect(sweep.progress.status).toBe('working');
  await pass(1);
  expect(sweep.progress).toEqual({
    status: 'proven',
    text: 'no order works that can enlarge a position: 0 orders canceled',
  });
  expect(told).toEqual(['info halt_proven']);
});

it('waits for what is in flight, and reads again when it has landed', async () => {
  gateway.inFlight = 1;
  sweep.begin();
  await pass(120);
  expect(sweep.progress.status, 'never proven while a call is in flight').toBe('working');
  gateway.answers.push({ ...EMPTY, orders: { ...NOTHING, canceled: ['7'] } });
  gateway.land();
  await pass(1);
  expect(sweep.progress).toMatchObject({
    status: 'proven',
    text: expect.stringContaining('1 orders canceled'),
  });
});

it('holds an order of unknown fate for possible until reads over half a minute do not show it', async () => {
  const id = clientOrderId('H.00000100001000001');
  const outcome = { status: 'unknown', reason: 'no answer in time' } as const;
  sweep.see({ kind: 'call_outcome', call: 'place', callId: id, clientOrderId: id, outcome });
  sweep.begin();
  await pass(20);
  expect(sweep.progress).toMatchObject({ status: 'working', text: expect.stringContaining(id) });
  await pass(60);
  expect(sweep.progress.status).toBe('proven');
});

it('a book of the day before proves nothing of an order of today', async () => {
  const id = clientOrderId('H.00000100001000001');
  const yesterdays = rows('3');
  untold = (read) => (read === yesterdays ? id : null);
  gateway.answers = Array.from({ length: 10 }, () => ({ ...EMPTY, rows: yesterdays }));
  sweep.begin();
  await pass(120);
  expect(sweep.progress).toMatchObject({ status: 'unproven', text: expect.stringContaining('day before') });
  expect(told).toEqual(['critical halt_unproven']);
  gateway.answers = [];
  await pass(100);
  expect(sweep.progress.status).toBe('proven');
});

it('goes on for as long as an entry works, and says so after a minute', async () => {
  gateway.answers = Array.from({ length: 8 }, () => REFUSED);
  sweep.begin();
  await pass(50);
  expect(sweep.progress).toMatchObject({ status: 'working', text: expect.stringContaining('-1 not now') });
  await pass(50);
  expect(sweep.progress.status).toBe('unproven');
  await pass(150);
  expect(sweep.progress.status).toBe('proven');
  expect(told).toEqual(['critical halt_unproven', 'info halt_proven']);
});

it('says at once that the books cannot be read, and proves it when they can', async () => {
  gateway.answers = [UNREAD];
  sweep.begin();
  await settled();
  expect(sweep.progress).toMatchObject({ status: 'unproven', text: expect.stringContaining('HTTP 500') });
  await pass(2);
  expect(sweep.progress.status).toBe('proven');
});

it('cancels what turns up late, and leaves what it has kept alone', async () => {
  gateway.answers = [{ ...EMPTY, kept: ['5'] }];
  sweep.begin();
  await pass(1);
  const book = { kind: 'book_snapshot', list: 'orders', startedUs: timers.nowUs(), complete: true } as const;
  sweep.see({ ...book, orders: rows('5') });
  expect(gateway.sweeps).toBe(1);
  gateway.answers = [{ ...EMPTY, kept: ['5'], orders: { ...NOTHING, canceled: ['9'] } }];
  sweep.see({ ...book, orders: rows('5', '9') });
  await pass(1);
  expect(gateway.sweeps).toBe(2);
  expect(told).toEqual(['info halt_proven', 'warning halt_late_order']);
  sweep.see({ kind: 'position_snapshot', startedUs: timers.nowUs(), positions: [] });
  await pass(1);
  isHalted = false;
  sweep.see({ ...book, orders: rows('5', '11') });
  await pass(1);
  expect(gateway.sweeps, 'nothing is canceled after the halt').toBe(2);
  expect(brokerOrderNo('9')).toBe('9');
});

it('says by how much a stop that stays is larger than its position', async () => {
  gateway.answers = [{ ...EMPTY, kept: ['5'], excess: 2 }];
  sweep.begin();
  await pass(1);
  expect(sweep.progress).toMatchObject({
    status: 'proven',
    text: expect.stringContaining('2 more than is held'),
  });
  expect(sweep.progress.text, 'that would be untrue').not.toContain('no order works that can enlarge');
  expect(told).toEqual([expect.stringContaining('warning halt_proven')]);
});

it('proves nothing of a sweep that a resume overtook', async () => {
  sweep.begin();
  isHalted = false;
  await pass(1);
  expect(sweep.progress.status).toBe('idle');
  expect(told).toEqual([]);
});

it('proves a second halt anew: orders may have come in between', async () => {
  sweep.begin();
  await pass(1);
  expect(sweep.progress.status).toBe('proven');
  isHalted = false;
  sweep.end();
  expect(sweep.progress).toEqual({ status: 'idle', text: '' });
  isHalted = true;
  gateway.inFlight = 1;
  sweep.begin();
  await pass(1);
  expect(sweep.progress.status).toBe('working');
  gateway.land();
  await pass(2);
  expect(sweep.progress.status).toBe('proven');
  expect(told).toEqual(['info halt_proven', 'info halt_proven']);
});
