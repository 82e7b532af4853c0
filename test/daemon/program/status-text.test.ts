/** The state of a daemon as a person reads it at night. */
import { expect, test } from 'vitest';
import { type DaemonStatus, statusText, summaryText } from '../../../src/daemon/program/status.ts';
import { tradingDay } from '../../../src/domain/civil-date.ts';
import { clientOrderId } from '../../../src/domain/ids.ts';
import * as units from '../../../src/domain/units.ts';
import { widthOf } from '../../../src/text/table.ts';

const { money, seq, tsUs, qty } = units;

const COUNTS = {
  events: 900,
  orders: 12,
  denials: 1,
  rejections: 0,
  refusedChanges: 36,
  fills: 9,
  gaps: 0,
  duplicates: 0,
  disagreements: 0,
};

const STRATEGY = {
  strategy: units.strategyIndex(0),
  id: 'ema-front',
  stopped: null,
  halted: null,
  legs: ['41I1GC000'],
  positions: [
    {
      instrument: units.instrumentIndex(0),
      orderCode: '41I1GC000',
      qty: units.signedQty(-2),
      openValue: money(-380_000_000),
      realised: money(0),
      coveredBy: null,
      uncoveredQty: 0,
      open: money(40_000),
    },
  ],
  openOrders: 1,
  fills: 9,
  fee: money(47_250),
  tax: money(145_548),
  dayPnl: money(-1_204_000),
  lossToAccept: money(0),
} as const;

const ENGINE: NonNullable<DaemonStatus['engine']> = {
  seq: seq(900),
  tsUs: tsUs(1),
  boot: 1,
  tradingDay: tradingDay('2026-03-04'),
  phase: 'continuous',
  stream: 'live',
  halted: null,
  haltCode: undefined,
  unproven: null,
  stopsUnproven: null,
  money: {
    state: 'agreed',
    figures: [
      { what: 'fee', ours: money(47_250), broker: money(47_250) },
      { what: 'cash', ours: money(5_000_000), broker: money(5_000_000) },
    ],
    comparedUs: null,
  },
  stop: 'idle',
  flattens: [],
  procedure: '',
  strategies: [STRATEGY, { ...STRATEGY, id: 'spread', stopped: 'it threw', positions: [], dayPnl: money(0) }],
  orders: [],
  dayPnl: money(-1_204_000),
  lossToAccept: money(0),
  fee: money(47_250),
  tax: money(145_548),
  limits: [],
  contracts: [],
  plots: [],
  positionsReadUs: null,
  lastFillUs: null,
  counts: COUNTS,
};

const STATUS: DaemonStatus = {
  compared: { positions: null, money: null },
  calendar: null,
  jobs: {
    next: [
      { kind: 'token_refresh', at: '2026-03-04T12:40:00.000' },
      { kind: 'session_close', at: '2026-03-04T14:45:00.000' },
      { kind: 'backup_and_report', at: '2026-03-04T15:00:00.000' },
      { kind: 'rollover', at: '2026-03-05T08:20:00.000' },
    ],
    last: { kind: 'session_open', at: '2026-03-04T08:45:00.050', by: 'cron' },
  },
  isOtpAwaited: false,
  alerts: {
    channels: [],
    counts: { info: 0, warning: 0, critical: 0, repeated: 0, escalated: 0 },
    unseen: 0,
  },
  mode: 'paper',
  stateDir: 'var/paper',
  program: null,
  session: tradingDay('2026-03-04'),
  degraded: null,
  halted: null,
  blocked: [],
  held: [],
  strategies: null,
  halt: { status: 'idle', text: '' },
  line: {
    time: '10:15:00',
    phase: 'continuous',
    stream: 'live',
    positions: [],
    dayPnl: money(-1_204_000),
    openOrders: 1,
    tokenLeftMs: 28_758_441.794,
    halted: null,
    unproven: null,
    money: 'agreed',
    procedure: '',
  },
  stream: {
    state: 'live',
    isStale: false,
    attempts: 0,
    connections: 1,
    unknownControlFrames: 0,
    framesDropped: 0,
  },
  tokenExchanges: { used: 1, allowed: 10 },
  engine: ENGINE,
  contractNames: { '41I1GC000': 'VN30F1M (41I1GC000)' },
  engineSilentMs: null,
};

test('a day that goes well', () => {
  expect(statusText(STATUS)).toMatchInlineSnapshot(`
    "mode      paper
    state     var/paper
    session   2026-03-04, continuous, 10:15:00
    entries   allowed, as far as limits and risk allow them
    prices    live
    token     8 h left, 1 of 10 exchanges of the day used
    jobs      next token refresh 03-04 12:40, session close 03-04 14:45; last
              session open 03-04 08:45, at its time
    result    -1,204,000 VND, realised and open, after 192,798 of fees and tax
    books     our positions are the broker’s
    money     the broker’s to the VND: fee, cash
    orders    0 open orders
    today     12 orders, 9 fills, 1 denial, 0 rejections, 36 refused changes or
              cancels, 0 gaps

    strategy  position               open orders fills    day VND state
    --------- ---------------------- ----------- ----- ---------- -----------------
    ema-front -2 VN30F1M (41I1GC000)           1     9 -1,204,000 runs
    spread    flat                             1     9          0 stopped: it threw
    "
  `);
});

test('money that differs is shown with both figures', () => {
  const figures = [{ what: 'fee', ours: money(47_250), broker: money(57_250) } as const];
  const text = statusText({
    ...STATUS,
    engine: { ...ENGINE, money: { state: 'differs', figures, comparedUs: null } },
  });
  expect(text).toContain('money     DIFFERS from the broker’s: fee ours 47,250, broker 57,250 VND');
});

test('trouble is said aloud, and nothing is wider than a terminal', () => {
  const order = {
    clientOrderId: clientOrderId('H.1'),
    strategy: units.strategyIndex(0),
    orderNo: null,
    orderKey: null,
    orderCode: '41I1GC000',
    side: 'buy',
    qty: qty(1),
    filledQty: qty(0),
    limitPrice: units.priceTicks(19_020),
    triggerPrice: null,
    status: 'unknown',
    isStop: false,
    isInDoubt: true,
    isAdopted: false,
  } as const;
  const text = statusText({
    ...STATUS,
    mode: 'live',
    halted: 'the loss of the day reached its limit of 100,000,000 VND, and a person must look at it',
    halt: {
      status: 'working',
      text: '2 entries are canceled, 1 is still looked for in the book of the broker',
    },
    stream: { ...STATUS.stream, state: 'waiting', attempts: 3 },
    line: { ...STATUS.line!, tokenLeftMs: -5 },
    engine: {
      ...ENGINE,
      unproven: 'the broker holds another position',
      orders: [order],
      procedure: 'flattens',
    },
  });
  expect(text).toMatch(/live: REAL MONEY/);
  expect(text).toMatch(/HALTED until tickwright resume: the loss of the day/);
  expect(text).toMatch(/waiting, 3 attempts so far/);
  expect(text).toMatch(/ended, 1 of 10 exchanges/);
  expect(text).toMatch(/NOT proven: the broker holds another position/);
  expect(text).toMatch(/1 open order, 1 of them without a known outcome/);
  expect(text).toMatch(/stopped: it threw/);
  for (const line of text.split('\n')) expect(widthOf(line), line).toBeLessThanOrEqual(80);
});

test('a position that should have a stop and has none is said beside its strategy', () => {
  const [position] = STRATEGY.positions;
  const naked = { ...STRATEGY, positions: [{ ...position, uncoveredQty: 2 }] };
  expect(statusText({ ...STATUS, engine: { ...ENGINE, strategies: [naked] } })).toMatch(
    /^ema-front .*\n? +2 WITHOUT A STOP; runs$/m,
  );
});

test('says what blocks entries without a halt', () => {
  const blocked = ['no prices come', 'positions are not proven: the broker holds more'];
  expect(statusText({ ...STATUS, blocked }).replace(/\s+/g, ' ')).toContain(
    `entries BLOCKED: ${blocked.join('; ')}`,
  );
});

test('a daemon before its first session says what there is', () => {
  const text = statusText({ ...STATUS, session: null, line: null, engine: null });
  expect(text).toMatch(/session +none open/);
  expect(text).toMatch(/token +1 of 10 exchanges/);
  const degraded = statusText({
    ...STATUS,
    session: null,
    line: null,
    engine: null,
    degraded: 'the disk is full',
  });
  expect(degraded).toMatch(/session +none open: the disk is full/);
});

test('figures of an engine that does not answer are marked as old', () => {
  const text = statusText({ ...STATUS, engineSilentMs: 72_400 });
  expect(text).toMatch(/^engine +does NOT answer for 1 min 13 s/m);
  expect(statusText(STATUS)).not.toContain('does NOT answer');
});

test('a run ends with what came of it, and not with what it may still do', () => {
  const text = summaryText(STATUS);
  expect(text).toMatch(/^result +-1,204,000 VND.*\nbooks +our positions are the broker’s$/m);
  expect(text).not.toMatch(/^(?:entries|prices|token|doing) /m);
  expect(summaryText({ ...STATUS, engine: null, session: null })).toBe('session   none was open\n');
});

test('no name or text of others steers the terminal', () => {
  const evil = 'a\u001b[2J\u202eb\nc';
  const strategy = { ...STRATEGY, id: evil, halted: evil };
  const engine = { ...ENGINE, procedure: evil, strategies: [strategy, { ...strategy, stopped: evil }] };
  const status = { ...STATUS, blocked: [evil], engine };
  for (const foreign of ['\u001b', '\u202e', 'b\nc']) expect(statusText(status)).not.toContain(foreign);
});
