/** A daemon in each state that its page knows, as a trader would meet it. */
import { denialText } from '../../src/engine/ports/denial.ts';
import { createRandom } from '../support/seed.ts';
import type {
  CockpitBar,
  CockpitEntry,
  CockpitResults,
  CockpitState,
  ContractPrices,
  CockpitOrder,
} from '../../src/operator/cockpit/cockpit-model.ts';
import type { CockpitFacts } from '../../src/operator/cockpit/event-streams.ts';
import { FakeDaemon } from '../operator/cockpit/fake-cockpit.ts';

const DAY = '2026-03-04';
const OPEN_MS = Date.UTC(2026, 2, 4, 2, 0);
const NOW_MS = Date.UTC(2026, 2, 4, 3, 32, 5);
const MAIN = '41I1G3000';
const NEXT = '41I1G4000';
const MINUTE_MS = 60_000;

const order = (
  id: string,
  strategy: string,
  side: 'buy' | 'sell',
  limitPoints: number,
  rest: Partial<CockpitOrder> = {},
): CockpitOrder => ({
  clientOrderId: `01K9TW7Q3M${id}`,
  orderNo: `8000${id.slice(-3)}`,
  strategy,
  orderCode: MAIN,
  side,
  qty: 2,
  filledQty: 0,
  limitPoints,
  triggerPoints: null,
  status: 'accepted',
  isAdopted: false,
  ...rest,
});

const TRADING: CockpitFacts = {
  mode: 'live',
  version: '0.1.0',
  account: '…4417',
  session: {
    day: DAY,
    phase: 'continuous',
    endsMs: Date.UTC(2026, 2, 4, 4, 30),
    next: 'break',
    utcOffsetMinutes: 420,
    speed: 1,
  },
  halted: null,
  sweep: { status: 'idle', text: '' },
  problems: [],
  engine: { state: 'running' },
  feed: { state: 'live', isStale: false, isBehind: false, connections: 1 },
  token: { untilRealMs: null, isOtpAwaited: false, exchangesUsed: 1, exchangesAllowed: 10 },
  jobs: 'next session close 03-04 14:45, backup and report 03-04 15:00; last token refresh 03-04 08:15, at its time',
  money: { dayPnl: 12_840_500, fee: 94_500, tax: 291_096, lossToAccept: 0 },
  strategies: [
    {
      id: 'breakout',
      stopped: null,
      halted: null,
      legs: [MAIN],
      positions: [{ orderCode: MAIN, qty: 3, avgPoints: 1_902.4, open: 1_380_000, uncoveredQty: 0 }],
      fills: 9,
      fee: 47_250,
      tax: 145_548,
      dayPnl: 10_887_202,
      lossToAccept: 0,
    },
    {
      id: 'spread',
      stopped: null,
      halted: null,
      legs: [MAIN, NEXT],
      positions: [
        { orderCode: MAIN, qty: -1, avgPoints: 1_908.1, open: 110_000, uncoveredQty: 0 },
        { orderCode: NEXT, qty: 1, avgPoints: 1_911.5, open: -220_000, uncoveredQty: 1 },
      ],
      fills: 6,
      fee: 31_500,
      tax: 97_032,
      dayPnl: 2_021_468,
      lossToAccept: 0,
    },
    {
      id: 'mean-reversion',
      stopped: null,
      halted: null,
      legs: [MAIN],
      positions: [],
      fills: 2,
      fee: 15_750,
      tax: 48_516,
      dayPnl: -68_170,
      lossToAccept: 0,
    },
  ],
  limits: [
    { limit: 'position', strategy: null, used: 5, max: 10, unit: 'contracts' },
    { limit: 'open_orders', strategy: null, used: 4, max: 20, unit: 'orders' },
    { limit: 'daily_loss', strategy: null, used: 0, max: 100_000_000, unit: 'VND' },
    { limit: 'orders_per_minute', strategy: null, used: 6, max: 60, unit: 'orders' },
    { limit: 'margin', strategy: null, used: 41.6, max: 100, unit: '%' },
    { limit: 'position', strategy: 'breakout', used: 4, max: 5, unit: 'contracts' },
    { limit: 'daily_loss', strategy: 'mean-reversion', used: 68_170, max: 20_000_000, unit: 'VND' },
  ],
  orders: [
    order('000A01', 'breakout', 'sell', 1_919.5),
    order('000A02', 'breakout', 'sell', 1_896.1, {
      qty: 3,
      triggerPoints: 1_897,
      status: 'pending_trigger',
    }),
    order('000A03', 'spread', 'buy', 1_905.2, { qty: 1 }),
    order('000A04', 'spread', 'sell', 1_911.8, {
      orderCode: NEXT,
      qty: 4,
      filledQty: 1,
      status: 'partially_filled',
    }),
  ],
  books: {
    unproven: null,
    positions: [
      { orderCode: MAIN, ours: 2, broker: 2 },
      { orderCode: NEXT, ours: 1, broker: 1 },
    ],
    money: 'agreed',
    figures: [
      { what: 'fee', ours: 94_500, broker: 94_500 },
      { what: 'tax', ours: 291_096, broker: 291_096 },
      { what: 'cash', ours: 2_812_400_000, broker: 2_812_400_000 },
    ],
    positionsMs: NOW_MS - 21_000,
    moneyMs: NOW_MS - 8_000,
    lastFillMs: NOW_MS - 60_000,
  },
  contracts: [MAIN, NEXT].map((contract, place) => ({
    contract,
    name: `VN30F${place + 1}M (${contract})`,
    tickPoints: 0.1,
    floorPoints: 1_763.7,
    ceilingPoints: 2_029.1,
    referencePoints: 1_896.4,
  })),
  plots: [],
  procedure: '',
  alerts: { unseen: 0 },
};

const words: readonly (readonly [
  word: string,
  tone: CockpitEntry['tone'],
  kind: string,
  text: string,
  strategy: string,
])[] = [
  ['phase', 'bold', 'phase', 'continuous, trading day 2026-03-04', 'system'],
  ['placed', 'cyan', 'place', '#000A01 buy 3 41I1G3000 at 1902.4 (entry)', 'breakout'],
  ['accepted', 'green', 'order_status', '#000A01 no. 8000A01', 'breakout'],
  ['filled', 'green', 'fill', '#000A01 buy 3 41I1G3000 at 1902.4', 'breakout'],
  ['', 'plain', 'outcome', '', 'breakout'],
  [
    'denied',
    'yellow',
    'denied',
    `#000A07 ${denialText({ code: 'account_position_limit', worst: 6, max: 5 })}`,
    'breakout',
  ],
  ['note', 'dim', 'strategy_note', 'range 1896.2 to 1903.8, long above', 'breakout'],
  ['WARNING', 'yellow', 'alert', 'stream_cut: the price stream was cut and is back after 2 s', 'system'],
  ['placed', 'cyan', 'place', '#000A03 buy 1 41I1G3000 at 1905.2 (entry)', 'spread'],
  ['accepted', 'green', 'order_status', '#000A03 no. 8000A03', 'spread'],
  ['agreed', 'green', 'money_checked', 'our money of the day is the broker’s', 'system'],
];

export const entryOf = (seq: number): CockpitEntry => {
  const [word, tone, kind, text, strategy] = words[seq % words.length]!;
  const isOfOrder = ['place', 'order_status', 'fill', 'denied'].includes(kind);
  return {
    id: `${DAY}-${seq}`,
    day: DAY,
    seq,
    atMs: NOW_MS - (120 - seq) * 17_000,
    kind,
    cause: seq * 7,
    order: isOfOrder ? '01K9TW7Q3M000A01' : null,
    strategy,
    contract: isOfOrder ? MAIN : null,
    word,
    tone,
    text,
  };
};

const tick = (value: number): number => Math.round(value * 10) / 10;

/** A morning that rises and falls. */
function barsOf(): readonly CockpitBar[] {
  const random = createRandom(7);
  const bars: CockpitBar[] = [];
  let price = 1_897;
  for (let at = OPEN_MS; at < NOW_MS; at += MINUTE_MS) {
    const open = price;
    const close = tick(open + (random() - 0.47) * 3);
    const high = tick(Math.max(open, close) + random() * 1.2);
    const low = tick(Math.min(open, close) - random() * 1.2);
    bars.push([at, open, high, low, close, Math.round(random() * 900)]);
    price = close;
  }
  return bars;
}

const BARS = barsOf();
const LAST = BARS.at(-1)![4];

const meansOf = (count: number): readonly (readonly [number, number])[] =>
  BARS.slice(count).map(([at], place) => {
    const closes = BARS.slice(place, place + count).map(([, , , , close]) => close);
    return [at, closes.reduce((sum, close) => sum + close, 0) / count];
  });

export const pricesAt = (last: number, atMs = NOW_MS): readonly ContractPrices[] =>
  [MAIN, NEXT].map((contract, place) => {
    const price = last + place * 3.4;
    const level = (away: number, qty: number) => [Math.round((price + away) * 10) / 10, qty] as const;
    return {
      contract,
      atMs,
      last: [price, 4],
      volume: 84_213 - place * 80_100,
      bids: [level(-0.1, 41), level(-0.2, 77), level(-0.3, 25)],
      asks: [level(0.1, 18), level(0.2, 63), level(0.3, 120)],
    };
  });

const story = {
  id: '01K9TW7Q3M000A01',
  summary: 'breakout bought 3 41I1G3000 at 1902.4: filled in 412 ms',
  steps: [1, 2, 3].map((seq) => ({ ...entryOf(seq), detail: JSON.stringify(entryOf(seq), null, 2) })),
};

const RESULT_DAYS = Array.from({ length: 62 }, (_, at) => Date.UTC(2026, 0, 2 + at))
  .filter((at) => ![0, 6].includes(new Date(at).getUTCDay()))
  .map((at, place) => ({
    day: new Date(at).toISOString().slice(0, 10),
    net: Math.round(Math.sin(place * 1.7) * 6_000_000) + 1_250_000,
  }));

const resultsOf = (day: string | null): CockpitResults => ({
  day: day ?? DAY,
  days: RESULT_DAYS,
  curve: BARS.filter((_, place) => place % 6 === 0).map(([at, open]) => [
    at,
    Math.round((open - 1_880) * 350_000),
  ]),
  trades: [0, 1, 2].map((place) => ({
    atMs: NOW_MS - place * 1_700_000,
    strategy: place === 1 ? 'spread' : 'breakout',
    contract: `VN30F1M (${MAIN})`,
    side: place === 1 ? 'short' : 'long',
    qty: 3 - place,
    entryPoints: 1_896.25 + place,
    exitPoints: 1_902.4,
    net: 1_782_450 - place * 1_100_000,
  })),
});

const FAULTS = [
  {
    name: 'http_500',
    effect: 'the operation answers 500',
    isInstant: false,
    parameters: [
      {
        name: 'operation',
        expected: 'an operation',
        isRequired: false,
        choices: ['place', 'cancel'],
        example: '',
      },
      { name: 'times', expected: 'a whole number', isRequired: false, choices: [], example: '1' },
    ],
  },
  { name: 'cut_stream', effect: 'the price stream is cut', isInstant: true, parameters: [] },
];

/** Of a token that ends in the evening of whatever day it is. */
const TOKEN_HOURS = 7.5;

export function daemonIn(change: Partial<CockpitState>): FakeDaemon {
  const daemon = new FakeDaemon();
  const untilRealMs = Date.now() + TOKEN_HOURS * 60 * MINUTE_MS;
  daemon.facts = { ...TRADING, token: { ...TRADING.token, untilRealMs }, ...change };
  daemon.rows = Array.from({ length: 60 }, (_, at) => entryOf(at + 1));
  daemon.prices = { version: 1, prices: [...pricesAt(LAST)] };
  daemon.handlers = {
    ...daemon.handlers,
    marketMs: () => NOW_MS,
    faults: {
      known: FAULTS,
      change: () => Promise.resolve({ ok: true, message: 'done' }),
    },
    reads: {
      ...daemon.handlers.reads,
      journal: ({ search, kind, before }) => {
        const found = daemon.rows.filter(
          (row) =>
            row.text.includes(search) &&
            (kind === null || row.kind === kind) &&
            row.seq < (before ?? Infinity),
        );
        const entries = found.slice(-25).toReversed();
        return Promise.resolve({ entries, before: found.length > 25 ? entries.at(-1)!.seq : null });
      },
      story: () => Promise.resolve(story),
      results: (day) => Promise.resolve(resultsOf(day)),
      bars: (contract) =>
        Promise.resolve({
          contract,
          lines: [9, 21].map((bars) => ({
            strategy: 'breakout',
            name: `mean ${bars}`,
            values: meansOf(bars),
          })),
          bars: BARS,
          fills: [
            {
              atMs: BARS[30]![0],
              order: story.id,
              strategy: 'breakout',
              side: 'buy',
              qty: 3,
              points: BARS[30]![4],
            },
            {
              atMs: BARS[62]![0],
              order: story.id,
              strategy: 'spread',
              side: 'sell',
              qty: 1,
              points: BARS[62]![4],
            },
          ],
        }),
    },
  };
  return daemon;
}

const noSession: Partial<CockpitState> = {
  mode: 'paper',
  session: {
    day: null,
    phase: 'closed',
    endsMs: NOW_MS + 11 * 60 * MINUTE_MS,
    next: 'opening_auction',
    utcOffsetMinutes: 420,
    speed: 1,
  },
  engine: { state: 'none' },
  feed: { state: 'awaiting_token', isStale: false, isBehind: false, connections: 0 },
  token: { untilRealMs: null, isOtpAwaited: true, exchangesUsed: 2, exchangesAllowed: 10 },
  money: { dayPnl: 0, fee: 0, tax: 0, lossToAccept: 0 },
  strategies: [],
  limits: [],
  orders: [],
  contracts: [],
  books: {
    unproven: null,
    positions: [],
    money: 'unread',
    figures: [],
    positionsMs: null,
    moneyMs: null,
    lastFillMs: null,
  },
};

export const STATES = {
  trading: {},
  paper: { mode: 'paper', faults: [{ name: 'http_500', text: 'place' }] },
  halted: {
    halted: 'by the page',
    sweep: { status: 'working', text: '2 entries are canceled, 1 is still looked for in the book' },
    orders: [
      ...TRADING.orders.filter(({ status }) => status === 'pending_trigger'),
      order('000A05', 'spread', 'buy', 1_904.7, { status: 'unknown', orderNo: null }),
    ],
    alerts: { unseen: 1 },
  },
  error: {
    engine: { state: 'hung' },
    feed: { state: 'waiting', isStale: true, isBehind: false, connections: 0 },
    problems: [
      'the price stream is waiting',
      'positions are not proven: positions differ from the broker’s: 41I1G3000 ours 2, broker 3',
      'the channel telegram fails: HTTP 502 for 14 min',
    ],
    books: {
      ...TRADING.books,
      unproven: 'positions differ from the broker’s: 41I1G3000 ours 2, broker 3',
      money: 'differs',
      positions: [{ orderCode: MAIN, ours: 2, broker: 3 }],
      figures: [{ what: 'fee', ours: 94_500, broker: 97_200 }],
    },
    strategies: TRADING.strategies.map((each, place) =>
      place === 0 ? { ...each, stopped: 'it did not return within 5 s' } : each,
    ),
  },
  password: noSession,
  'dry-run': { mode: 'dry-run', orders: [] },
} satisfies Record<string, Partial<CockpitState>>;

/** Thirty names, some as long as a configuration takes them. */
const CROWD = Array.from({ length: 30 }, (_, place) =>
  place % 3 === 0 ? `${'w'.repeat(30)}${place}` : `s${place}`,
);

export const CROWDED: Partial<CockpitState> = {
  strategies: CROWD.map((id) => ({ ...TRADING.strategies[1]!, id })),
  limits: CROWD.map((id) => ({ ...TRADING.limits[5]!, strategy: id })),
  orders: CROWD.map((id, place) => order(`000C${place + 10}`, id, 'sell', 1_896.1)),
};
