import { expect, test } from 'vitest';
import { money, signedQty } from '../../../src/domain/units.ts';
import { statusLine } from '../../../src/daemon/program/daemon-screen.ts';
import type { StatusContent } from '../../../src/daemon/program/status.ts';

const FACTS: StatusContent = {
  time: '09:30:00',
  phase: 'continuous',
  stream: 'live',
  positions: [
    { orderCode: 'VN30F2603', qty: signedQty(2) },
    { orderCode: 'VN30F2604', qty: signedQty(-1) },
    { orderCode: 'VN30F2606', qty: signedQty(0) },
  ],
  dayPnl: money(1_250_000),
  openOrders: 1,
  tokenLeftMs: 6 * 3_600_000 + 5 * 60_000,
  halted: null,
  unproven: null,
  money: 'agreed',
  procedure: '',
};

test('one line shows the state', () => {
  expect(statusLine(FACTS)).toBe(
    '09:30:00 continuous | prices live | +2 VN30F2603, -1 VN30F2604 | day +1,250,000 | 1 order',
  );
});

test('what is wrong is at the end, on the same line', () => {
  const facts: StatusContent = {
    ...FACTS,
    phase: 'opening_auction',
    stream: 'down',
    positions: [],
    dayPnl: money(-5),
    openOrders: 0,
    tokenLeftMs: null,
    procedure: 'flattening',
    unproven: 'no walk yet',
    halted: 'daily\nloss',
  };
  expect(statusLine(facts)).toBe(
    '09:30:00 opening auction | prices DOWN | flat | day -5 | 0 orders | no token | flattening | positions not proven: no walk yet | HALTED: daily loss',
  );
});
