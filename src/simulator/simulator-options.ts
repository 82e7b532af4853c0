/** Options of a simulated broker. Each has a default, so that `startSimulator({})` is the demo. */
import type { TradingCalendar } from '../domain/calendar.ts';
import { tradingDay } from '../domain/civil-date.ts';
import type { Clock, Timers } from '../domain/clock.ts';
import type { ContractSpec } from '../domain/contract.ts';
import type { CostSchedule } from '../domain/costs.ts';
import { type DurationUs, minutes, seconds, type TsUs, US_PER_DAY } from '../domain/units.ts';
import type { VenueRules } from '../venue/venue-options.ts';
import type { MarketSource } from './brokerage/print-feed.ts';
import { type AccountSettings, type StartCash, threeSubAccounts } from './accounts/account-settings.ts';
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
      /** Trades and books of another market as they happen; the front month starts at so many points. */
      readonly kind: 'feed';
      readonly source: MarketSource;
      readonly startPoints: number;
    }
  | {
      /** No orders but the accounts': for tests. */
      readonly kind: 'empty';
      readonly startPoints: number;
    };

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

/**
 * Points that the contract leaves open [?], where the real service may differ from our reading (rulings, 10, 13, 15; notes, 1 and 6). More
 * of them are with their subjects: `auth`, `stream`, `rules`.
 */
export interface Readings {
  /** Meaning of `nvol` in a change: the new total volume, or the new volume still open. */
  readonly changedVolume: 'total' | 'leaves';
  /** Which price of `SLP=a,b` comes first. */
  readonly bracketOrder: 'stop_loss_first' | 'take_profit_first';
  /** `distance`: points away from the price of the first fill. */
  readonly bracketPrices: 'distance' | 'absolute';
  /** `ABI=code` sends its order when the leg fills, or is not offered. */
  readonly arbitrage: 'on_fill' | 'refuse';
  /** In-day rows with the two numbers of the contract, or texts only. */
  readonly inDayTypes: 'contract' | 'texts';
  /** Shape of the contract list, which the contract does not show. */
  readonly contractList: 'objects' | 'codes' | 'bare';
}

export interface AuthSettings {
  /** At most 8 hours by the contract. */
  readonly tokenLife: DurationUs;
  /** The real service allows 10 (notes, 2); null sets no limit. */
  readonly exchangesPerDayMax: number | null;
  /**
   * The code of the app: `reusable` works as often as asked, `once` is used up; `rotating` changes every `appOtpLife` as
   * in life, each works once, and the control API shows the one in force.
   */
  readonly appOtp: 'reusable' | 'once' | 'rotating';
  readonly appOtpLife: DurationUs;
  /** Life of an `otpId` [?]. */
  readonly otpIdLife: DurationUs;
  /** A new token ends the older ones of the account at once [?] (rulings, 16). */
  readonly newTokenEndsOlder: boolean;
  /** The HTTP status without a valid token: both mean the same (notes, 2). */
  readonly refusalStatus: 401 | 403;
}

export interface StreamSettings {
  /** `contract`: `d|0|`, then `d|33|n`. `live`: `d|33|n` right after open, `d|34|1` every 5 s (notes, 7). */
  readonly controlOrder: 'contract' | 'live';
  readonly heartbeatTimeoutSeconds: number;
  /** From a protocol ping to the close with 1002. */
  readonly protocolPingGrace: DurationUs;
  /** A second connection on one token; `replace` closes the first one. */
  readonly secondConnection: 'refuse' | 'allow' | 'replace';
  /** All three levels in each book frame, or only those that changed, as the live service does (notes, 1). */
  readonly bookFrames: 'full' | 'changes';
  /** `live`: printed over several lines, large numbers in scientific notation (notes, 1). */
  readonly payloads: 'compact' | 'live';
  /** Bytes waiting for one client before it is cut off. */
  readonly bufferBytesMax: number;
}

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
  readings: {
    changedVolume: 'total',
    bracketOrder: 'stop_loss_first',
    bracketPrices: 'distance',
    arbitrage: 'on_fill',
    inDayTypes: 'contract',
    contractList: 'objects',
  },
  auth: {
    tokenLife: minutes(8 * 60),
    // The service allows 10 a day; the demo does not lock a newcomer out.
    exchangesPerDayMax: null,
    appOtp: 'reusable',
    appOtpLife: seconds(30),
    otpIdLife: minutes(5),
    newTokenEndsOlder: false,
    refusalStatus: 401,
  },
  stream: {
    controlOrder: 'contract',
    heartbeatTimeoutSeconds: 15,
    protocolPingGrace: seconds(15),
    secondConnection: 'refuse',
    bookFrames: 'full',
    payloads: 'compact',
    bufferBytesMax: 8 * 1024 * 1024,
  },
  clock: hostClock,
  timers: hostTimers,
};
