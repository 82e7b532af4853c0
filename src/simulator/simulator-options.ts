/** Options of a simulated broker. Each has a default, so that `startSimulator({})` is the demo. */
import { z } from 'zod';
import type { TradingCalendar } from '../domain/calendar.ts';
import { tradingDay } from '../domain/civil-date.ts';
import type { Clock, Timers } from '../domain/clock.ts';
import type { ContractSpec } from '../domain/contract.ts';
import type { CostSchedule } from '../domain/costs.ts';
import { type DurationUs, minutes, money, seconds, type TsUs, US_PER_DAY } from '../domain/units.ts';
import type { TapePrint, VenueRules } from '../venue/venue-options.ts';
import type { LoanPackages } from '../domain/broker-order.ts';
import type { SubAccountType } from '../wire/rest/profile.ts';
import type { DataChannel } from '../wire/stream/control-frame.ts';
import { hostClock, hostTimers } from './time/market-clock.ts';

export interface SimulatorOptions {
  /** Port on 127.0.0.1 for REST and stream; 0 takes any free one. */
  readonly port: number;
  /** Port on 127.0.0.1 of the control API (faults, exact figures); 0 takes any free one. */
  readonly controlPort: number;
  /** Where accounts, orders, positions and keys are kept; null keeps them in memory. */
  readonly stateDir: string | null;
  /** Deletes the state of earlier runs. */
  readonly fresh: boolean;
  /** The first one is the demo account that `RunningSimulator` describes. */
  readonly accounts: readonly AccountSettings[];
  readonly market: MarketSettings;
  readonly time: TimeSettings;
  readonly calendar: TradingCalendar;
  readonly costs: CostSchedule;
  /** Form of the contract codes (market rules, 2). */
  readonly codes: 'legacy' | 'coded';
  /** `internal` gives the stream codes of its own: the other form of the same contract (rulings, 4). */
  readonly streamCodes: 'same' | 'internal';
  readonly rules: Partial<VenueRules>;
  readonly readings: Readings;
  readonly auth: AuthSettings;
  readonly stream: StreamSettings;
  /** Real time and real timers; tests bring their own. */
  readonly clock: Clock;
  readonly timers: Timers;
}

type MarketSettings =
  | {
      readonly kind: 'synthetic';
      readonly seed: number;
      /** Points at which the front month starts; whole ticks. */
      readonly startPoints: number;
    }
  | {
      readonly kind: 'tape';
      readonly path: string;
      /** Reference price of the day in points; null takes the first print's. */
      readonly referencePoints: number | null;
    }
  | {
      /** Trades and books of another market as they happen; the front month starts at this many points. */
      readonly kind: 'feed';
      readonly source: MarketSource;
      readonly startPoints: number;
    }
  | {
      /** No orders but the accounts': for tests. */
      readonly kind: 'empty';
      readonly startPoints: number;
    };

/** Trades of another market, with the frames that clients get as they are. */
export interface MarketSource {
  /** All of it is known, and it goes on: clients may connect. */
  readonly isLive: boolean;
  nextDueUs(): number;
  take(nowUs: TsUs): SourcePrint | undefined;
  /** What was played before a restart is left out. Returns the time of the first that is left, where it is known. */
  begin(after: TsUs | undefined): TsUs | undefined;
  follow(listener: SourceListener): void;
}

export interface SourceListener {
  onMore(): void;
  /** What comes from now on does not continue what came before; nobody is admitted until `isLive`. */
  onCut(reason: string): void;
}

export interface SourcePrint extends TapePrint {
  /** Absent for what clients no longer want to hear. */
  readonly passed?: PassedFrame | undefined;
}

export interface PassedFrame {
  readonly channel: DataChannel;
  readonly symbol: string;
  readonly text: string;
}

interface TimeSettings {
  /** Market seconds in one real second. */
  readonly speed: number;
  /** The real moment that `originMarketUs` belongs to; null is the start. */
  readonly originRealUs: TsUs | null;
  /** Market time at that moment; null is the real time, or where the state left off if that is later; for a tape its first print. */
  readonly originMarketUs: TsUs | null;
  /**
   * `first_subscriber` holds market time at its origin until a client has subscribed to the stream; `as_in_life` starts at speed 1,
   * whatever the speed is, until `runTo` is called: a client that is slow to start misses nothing.
   */
  readonly start: 'origin' | 'first_subscriber' | 'as_in_life';
}

/** Points that the contract leaves open [?] (rulings, 10, 13, 15; notes, 1 and 6); more are in `auth`, `stream` and `rules`. */
export const readingSettings = z.strictObject({
  /** Meaning of `nvol` in a change: the new total volume, or the new volume still open. */
  changedVolume: z.enum(['total', 'leaves']).default('total'),
  /** Which price of `SLP=a,b` comes first. */
  bracketOrder: z.enum(['stop_loss_first', 'take_profit_first']).default('stop_loss_first'),
  /** `distance`: points away from the price of the first fill. */
  bracketPrices: z.enum(['absolute', 'distance']).default('distance'),
  /** `ABI=code` sends its order when the leg fills, or is not offered. */
  arbitrage: z.enum(['on_fill', 'refuse']).default('on_fill'),
  /** In-day rows with the two numbers of the contract, or texts only. */
  inDayTypes: z.enum(['contract', 'texts']).default('contract'),
  /** Shape of the contract list, which the contract does not show. */
  contractList: z.enum(['objects', 'codes', 'bare']).default('objects'),
});

export type Readings = Readonly<z.output<typeof readingSettings>>;

export const authSettings = z.strictObject({
  /** The real service allows 10 (notes, 2); null sets no limit, so that the demo does not lock a newcomer out. */
  exchangesPerDayMax: z.int().min(1).nullable().default(null),
  /**
   * The code of the app: `reusable` works as often as asked, `once` is used up; `rotating` changes every `appOtpLife` as
   * in life, each works once, and the control API shows the one in force.
   */
  appOtp: z.enum(['reusable', 'once', 'rotating']).default('reusable'),
  /** A new token ends the older ones of the account at once [?] (rulings, 16). */
  newTokenEndsOlder: z.boolean().default(false),
  /** The HTTP status without a valid token: both mean the same (notes, 2). */
  refusalStatus: z.literal([401, 403]).default(401),
});

export interface AuthSettings extends Readonly<z.output<typeof authSettings>> {
  /** At most 8 hours by the contract. */
  readonly tokenLife: DurationUs;
  readonly appOtpLife: DurationUs;
  /** Life of an `otpId` [?]. */
  readonly otpIdLife: DurationUs;
}

export const streamSettings = z.strictObject({
  /** `contract`: `d|0|`, then `d|33|n`. `live`: `d|33|n` right after open, `d|34|1` every 5 s (notes, 7). */
  controlOrder: z.enum(['contract', 'live']).default('contract'),
  heartbeatTimeoutSeconds: z.int().min(1).default(15),
  /** A second connection on one token; `replace` closes the first one. */
  secondConnection: z.enum(['refuse', 'allow', 'replace']).default('refuse'),
  /** All three levels in each book frame, or only those that changed, as the live service does (notes, 1). */
  bookFrames: z.enum(['full', 'changes']).default('full'),
  /** `live`: printed over several lines, large numbers in scientific notation (notes, 1). */
  payloads: z.enum(['compact', 'live']).default('compact'),
});

export interface StreamSettings extends Readonly<z.output<typeof streamSettings>> {
  /** From a protocol ping to the close with 1002. */
  readonly protocolPingGrace: DurationUs;
  /** Bytes waiting for one client before it is cut off. */
  readonly bufferBytesMax: number;
}

// The customers of the simulated broker, as a file gives them. Money is whole VND.

const amount = z.int().min(0);
const word = z.string().min(1);
const aboveZero = z.int().min(1);
const named = { id: amount, name: word, status: z.string().default('ACTIVE') };

/** Prices in VND a share. */
const stock = z
  .strictObject({ symbol: word, quantity: aboveZero, averagePrice: amount, marketPrice: amount })
  .transform(({ quantity, ...row }) => ({ ...row, qty: quantity }));

/** It waits: there is no operation to place one, and one to cancel it. */
const stockOrder = z
  .strictObject({
    orderId: word,
    symbol: word,
    side: z.enum(['buy', 'sell']),
    quantity: aboveZero,
    price: aboveZero,
  })
  .transform(({ quantity, ...row }) => ({ ...row, qty: quantity }));

const subAccount = z.strictObject({
  type: z.enum(['NORMAL', 'MARGIN', 'DERIVATIVE']),
  accountNo: word.optional(),
  /** At the very start; afterwards the stored state counts. */
  cash: amount.default(0),
  active: z.boolean().default(true),
  default: z.boolean().optional(),
  /** Shares and orders of stock are of normal and margin accounts, packages of a margin account. */
  stocks: z.array(stock).readonly().default([]),
  stockOrders: z.array(stockOrder).readonly().default([]),
  loanPackages: z
    .array(z.strictObject({ ...named, code: word, subscriptionFee: amount.default(0).transform(money) }))
    .default([]),
  tPlusPackages: z.array(z.strictObject({ ...named, firstRate: z.number().min(0).default(0) })).default([]),
});

const startCash = z.strictObject({
  normal: amount.default(0),
  margin: amount.default(0),
  derivative: amount.default(0),
});
type StartCash = z.output<typeof startCash>;

export const accountSettings = z
  .strictObject({
    custodyCode: z.string().regex(/^\w{10}$/, '10 letters and digits, such as 105C000001'),
    apiKey: word,
    /** The code that the broker's app would show. */
    otp: z.string("a text in quotes, such as '123456'").min(4).default('123456'),
    name: word.default('Demo Account'),
    /** One sub-account of each type, for files that need no more. */
    cash: startCash.optional(),
    /** At most one is a derivative account: it trades, and its money is margin. */
    subAccounts: z.array(subAccount).min(1).optional(),
  })
  .refine(({ cash, subAccounts }) => cash === undefined || subAccounts === undefined, {
    path: ['cash'],
    error: 'cash or subAccounts, not both',
  })
  .transform(({ cash = startCash.parse({}), subAccounts: rows, ...customer }) => {
    const { custodyCode } = customer;
    const subAccounts: readonly SubAccountSettings[] =
      rows === undefined ? threeSubAccounts(custodyCode, cash) : subAccountsOf(custodyCode, rows);
    return { ...customer, subAccounts };
  });

export type AccountSettings = Readonly<z.output<typeof accountSettings>>;
export type SubAccountSettings = ReturnType<typeof subAccountsOf>[number];

/** Default numbers (notes, 2): a custody code and `A`, or four digits and the last six characters of it. */
const NUMBERS: Readonly<Record<SubAccountType, (custodyCode: string) => string>> = {
  DERIVATIVE: (code) => `${code}A`,
  NORMAL: (code) => `0001${code.slice(-6)}`,
  MARGIN: (code) => `0002${code.slice(-6)}`,
};

/** The default account is the first that holds cash, unless the file says which. */
function subAccountsOf(custodyCode: string, rows: readonly z.output<typeof subAccount>[]) {
  const named = rows.filter((row) => row.default === true);
  const usual = named.length > 0 ? named : rows.filter(({ type }) => type !== 'DERIVATIVE').slice(0, 1);
  return rows.map((row) => {
    const { type, cash, active, stocks, stockOrders, loanPackages, tPlusPackages } = row;
    const accountNo = row.accountNo ?? NUMBERS[type](custodyCode);
    const packages: LoanPackages = { packages: loanPackages, tiered: tPlusPackages };
    const own = { accountNo, type, cash, isActive: active, isDefault: usual.includes(row) };
    return { ...own, stocks, stockOrders, packages } as const;
  });
}

/** One sub-account of each type, with nothing but money. */
export function threeSubAccounts(custodyCode: string, { normal, margin, derivative }: StartCash) {
  const rows = [
    { type: 'NORMAL', cash: normal },
    { type: 'MARGIN', cash: margin },
    { type: 'DERIVATIVE', cash: derivative },
  ];
  return subAccountsOf(custodyCode, z.array(subAccount).parse(rows));
}

export const derivativeOf = ({ subAccounts }: AccountSettings): SubAccountSettings | undefined =>
  subAccounts.find(({ type }) => type === 'DERIVATIVE');

const VIETNAM_OFFSET_MINUTES = 420;

/** Continuous trading at any hour of any day, so that a demo always shows trading. */
const ALWAYS_OPEN: TradingCalendar = {
  name: 'always-open',
  timeZone: 'Asia/Ho_Chi_Minh',
  utcOffsetMinutes: VIETNAM_OFFSET_MINUTES,
  weekdays: [0, 1, 2, 3, 4, 5, 6],
  phases: [{ phase: 'continuous', fromUs: 0, toUs: US_PER_DAY }],
  closures: new Set(),
  validFrom: tradingDay('2000-01-01'),
  validTo: tradingDay('2099-12-31'),
};

export const VN30_FUTURE: ContractSpec = {
  underlying: 'VN30',
  hundredthsPerTick: 10,
  moneyPerHundredth: 1_000,
  orderQtyMax: 500,
  bandBps: 700,
};

/** Rates since 2022-12-15 (market rules, 6 and 7), for days of a demo; real ones come from a data file. */
const DEMO_COSTS: CostSchedule = {
  exchangeFee: [{ from: tradingDay('2017-08-10'), value: 2_700 }],
  clearingFee: [{ from: tradingDay('2017-08-10'), value: 2_550 }],
  brokerFee: [{ from: tradingDay('2017-08-10'), value: 0 }],
  taxPpm: [{ from: tradingDay('2017-08-10'), value: 1_000 }],
  marginBps: [{ from: tradingDay('2017-08-10'), value: 1_700 }],
};

const DEMO_CASH: StartCash = { normal: 500_000_000, margin: 500_000_000, derivative: 1_000_000_000 };
const DEMO_CODE = '105C000001';

/** The demo account, with another amount of margin if that is wanted. */
export const demoAccount = (cash: Partial<StartCash> = {}): AccountSettings => ({
  apiKey: 'demo-api-key',
  otp: '123456',
  custodyCode: DEMO_CODE,
  name: 'Demo Account',
  subAccounts: threeSubAccounts(DEMO_CODE, { ...DEMO_CASH, ...cash }),
});

/** The demo: continuous trading at any hour, an account with margin for several contracts, no fault. */
export const DEFAULT_OPTIONS: SimulatorOptions = {
  port: 0,
  controlPort: 0,
  stateDir: null,
  fresh: false,
  accounts: [demoAccount()],
  market: { kind: 'synthetic', seed: 1, startPoints: 1_900 },
  time: { speed: 1, originRealUs: null, originMarketUs: null, start: 'origin' },
  calendar: ALWAYS_OPEN,
  costs: DEMO_COSTS,
  codes: 'coded',
  streamCodes: 'same',
  rules: {},
  readings: readingSettings.parse({}),
  auth: {
    ...authSettings.parse({}),
    tokenLife: minutes(8 * 60),
    appOtpLife: seconds(30),
    otpIdLife: minutes(5),
  },
  stream: {
    ...streamSettings.parse({}),
    protocolPingGrace: seconds(15),
    bufferBytesMax: 8 * 1024 * 1024,
  },
  clock: hostClock,
  timers: hostTimers,
};
