/** Options of a simulated broker. Each has a default, so that `startSimulator({})` is the demo. */
import type { TradingCalendar } from '../domain/calendar.ts';
import type { Clock, Timers } from '../domain/clock.ts';
import type { CostSchedule } from '../domain/costs.ts';
import type { DurationUs, TsUs } from '../domain/units.ts';
import type { AccountSettings } from './accounts/account-settings.ts';
import type { Scenario } from './scenario/scenario.ts';
import type { VenueRules } from '../venue/venue-options.ts';

export interface SimulatorOptions {
  /** Port on 127.0.0.1 for REST and stream; 0 takes any free one. */
  readonly port: number;
  /** Port on 127.0.0.1 of the control API (faults, exact figures); 0 any, null none. */
  readonly controlPort: number | null;
  /** Where accounts, orders, positions and keys are kept; null keeps them in memory. */
  readonly stateDir: string | null;
  /** Forgets what an earlier run left behind. */
  readonly fresh: boolean;
  /** The first one is the demo account that `RunningSimulator` describes. */
  readonly accounts: readonly AccountSettings[];
  readonly market: MarketSettings;
  readonly time: TimeSettings;
  readonly calendar: TradingCalendar;
  readonly costs: CostSchedule;
  /** Form of the contract codes (market rules, section 2). */
  readonly codes: 'legacy' | 'coded';
  /** `internal` gives the stream codes of its own: the other form of the same contract (rulings, 4). */
  readonly streamCodes: 'same' | 'internal';
  readonly rules: Partial<VenueRules>;
  readonly readings: Readings;
  readonly auth: AuthSettings;
  readonly stream: StreamSettings;
  /** Plan of faults; null for none. */
  readonly scenario: Scenario | null;
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
      /** Nobody but the accounts: for tests. */
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
  /** `first_subscriber` holds market time at its origin until a client has subscribed to the stream. */
  readonly start: 'origin' | 'first_subscriber';
}

/**
 * Points that the contract leaves open [?], where the real service may differ from our reading (rulings, 10, 13, 15; notes, 1 and 6).
 * More of them stand with their subjects: `auth`, `stream`, `rules`.
 */
export interface Readings {
  /** Meaning of `nvol` in a change: the new total volume, or the new volume still open. */
  readonly changedVolume: 'total' | 'leaves';
  /** Which price of `SLP=a,b` comes first. */
  readonly bracketOrder: 'stop_loss_first' | 'take_profit_first';
  /** `distance`: points away from the order's limit. */
  readonly bracketPrices: 'absolute' | 'distance';
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
  /** The real service allows 10 (notes, section 2); null does not count against anybody. */
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
  /** The HTTP status without a valid token: both mean the same (notes, section 2). */
  readonly refusalStatus: 401 | 403;
}

export interface StreamSettings {
  /** `contract`: `d|0|`, then `d|33|n`. `live`: `d|33|n` right after open, `d|34|1` every 5 s (notes, section 7). */
  readonly controlOrder: 'contract' | 'live';
  readonly heartbeatTimeoutSeconds: number;
  /** From a protocol ping to the close with 1002. */
  readonly protocolPingGrace: DurationUs;
  /** A second connection on one token; `replace` closes the first one. */
  readonly secondConnection: 'refuse' | 'allow' | 'replace';
  /** All three levels in each book frame, or only those that changed, as the live service does (notes, section 1). */
  readonly bookFrames: 'full' | 'changes';
  /** `live`: printed over several lines, large numbers in scientific notation (notes, section 1). */
  readonly payloads: 'compact' | 'live';
  /** Bytes waiting for one client before it is cut off. */
  readonly bufferBytesMax: number;
}
