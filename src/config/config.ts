/** The effective configuration: the checked YAML files with every default filled in, without secrets. */
import type { TradingCalendar } from '../domain/calendar.ts';
import type { ContractSpec } from '../domain/contract.ts';
import type { CostSchedule } from '../domain/costs.ts';
import type { EngineSettings } from '../domain/settings.ts';
import type { DurationUs, Money } from '../domain/units.ts';

export type Mode = 'paper' | 'live' | 'dry-run';

/** Source of a one-time password; `simulator` is the embedded broker's own. */
export type OtpSource =
  | { readonly kind: 'simulator' }
  | { readonly kind: 'prompt' }
  | { readonly kind: 'command'; readonly command: readonly string[]; readonly timeout: DurationUs }
  | { readonly kind: 'file'; readonly path: string; readonly timeout: DurationUs };

export interface AuthConfig {
  readonly otp: OtpSource;
  /** `app` sends the code alone; `request` asks for an `otpId` first (notes, section 2). */
  readonly otpRoute: 'app' | 'request';
  /** Name of the environment variable with the API key. */
  readonly apiKeyEnvironment: string;
  /** A file with the API key, or null. */
  readonly apiKeyFile: string | null;
}

export interface BrokerConfig {
  /** Base addresses; null in paper, where the embedded simulator has its own. */
  readonly restUrl: string | null;
  readonly streamUrl: string | null;
  readonly requestsPerSecond: number;
  readonly requestTimeout: DurationUs;
}

export interface AccountConfig {
  readonly custodyCode: string;
  readonly subAccountId: string;
}

/** Guards of real money; all are needed in `mode: live`. */
export interface LiveConfig {
  readonly arm: boolean;
  readonly allowedSubAccounts: readonly string[];
  /** Largest order and position on the first day with real money. */
  readonly firstDayQtyMax: number;
  /** Unproven readings of the contract that the trader accepts (rulings, 13). */
  readonly assume: readonly string[];
}

/** Without it deposits, withdrawals and transfers are refused. */
export interface MoneyConfig {
  /** Sub-accounts that money may come from and go to; both ends of a transfer must be named. */
  readonly accounts: readonly string[];
  /** Largest amount of one call. */
  readonly amountMax: Money;
}

export interface SimulatorConfig {
  readonly seed: number;
  readonly speed: number;
  /** `always_open` trades at any hour; `exchange` keeps the exchange's hours. */
  readonly hours: 'always_open' | 'exchange';
  readonly cash: Money;
  /** A tape of prints to trade instead of the synthetic market, or null. */
  readonly tape: string | null;
}

/** Code of a strategy of the user's own, with everything beside it that it imports: plain data that may be sent to a thread. */
export interface StrategyCode {
  /** Its first file, with all links followed. */
  readonly file: string;
  /** Of the sources, as they were read; twelve hexadecimal digits. */
  readonly digest: string;
  readonly script: string;
  /** Name of the script in stack traces. */
  readonly place: string;
  /** Modules of the program and packages that the script asks for. */
  readonly imports: readonly string[];
  /** Source map of the script, as JSON. */
  readonly map: string;
}

export interface StrategyConfig {
  readonly id: string;
  /** Name of the strategy in the catalogue, or its file or package as it is written. */
  readonly strategy: string;
  /** Null for a strategy of the catalogue. */
  readonly code: StrategyCode | null;
  readonly symbols: readonly string[];
  /** Parameters as the strategy's schema read them, defaults filled in. */
  readonly params: Readonly<Record<string, unknown>>;
}

export interface ScheduleConfig {
  /** Times of day, `HH:MM` of the exchange. */
  readonly tokenRefresh: readonly string[];
  /** A new token is fetched when the present one ends within this. */
  readonly tokenRefreshBefore: DurationUs;
  readonly rollover: string;
}

export interface OperatorConfig {
  /** Control API; loopback only. 0 picks a free port, which is written to the state directory. */
  readonly controlPort: number;
  readonly log: 'pretty' | 'json';
  readonly statusEvery: DurationUs;
  /** Null: there is none. */
  readonly metrics: MetricsConfig | null;
  readonly cockpit: CockpitConfig;
}

/** The page in the operator's browser. */
export interface CockpitConfig {
  readonly enabled: boolean;
  readonly address: string;
  /** 0 picks a free one, which the start prints. */
  readonly port: number;
  /** Names by which it may be asked, besides the address and those of this machine. */
  readonly hosts: readonly string[];
  /** The owner's reverse proxy stands in front, adds TLS and forwards the address that asked. */
  readonly behindProxy: boolean;
}

/** Address at which Prometheus reads. */
export interface MetricsConfig {
  readonly address: string;
  /** 0 picks a free one, which the start prints. */
  readonly port: number;
  /** Names by which it may be asked, besides the address and those of this machine. */
  readonly hosts: readonly string[];
  /** On the loopback address it may be missing. */
  readonly token: SecretPlace;
}

/** Place of a secret: the environment comes first, then the file. */
export interface SecretPlace {
  /** Name of an environment variable. */
  readonly environment: string;
  readonly file: string | null;
}

interface ChannelHead {
  readonly id: string;
  /** Alerts of lower severity are not sent to it. */
  readonly least: 'info' | 'warning' | 'critical';
  /** Deliveries; what comes faster leaves together. */
  readonly perMinute: number;
}

export type ChannelConfig = ChannelHead &
  (
    | {
        readonly kind: 'telegram';
        readonly token: SecretPlace;
        readonly chat: number;
        /** Numbers of the people who may send commands. */
        readonly users: readonly number[];
        readonly apiUrl: string;
      }
    | {
        readonly kind: 'email';
        readonly host: string;
        readonly port: number;
        /** TLS from the first byte; otherwise STARTTLS. */
        readonly secure: boolean;
        readonly from: string;
        readonly to: readonly string[];
        /** Null where the server asks for no password. */
        readonly user: string | null;
        readonly password: SecretPlace;
      }
    | {
        readonly kind: 'webhook';
        readonly url: SecretPlace;
        readonly format:
          | { readonly preset: 'slack' | 'discord' | 'ntfy' | 'gotify' }
          | { readonly template: string };
      }
  );

export interface AlertsConfig {
  /** In the order in which one stands in for the other. */
  readonly channels: readonly ChannelConfig[];
  readonly repeatAfter: DurationUs;
  readonly escalateAfter: DurationUs;
  /** Times of day of the exchange, in microseconds; null for none. */
  readonly quiet: { readonly from: number; readonly until: number } | null;
  readonly remindOtpEvery: DurationUs;
  readonly dailyReport: boolean;
  readonly deadMansSwitch: {
    readonly url: SecretPlace;
    readonly every: DurationUs;
    /** Whether the service knows `/start` and `/fail`. */
    readonly start: boolean;
    readonly fail: boolean;
  } | null;
}

/** How long the daemon keeps what it writes. */
export interface RetentionConfig {
  /** Copies of the journal, one a trading day. */
  readonly backups: number;
  /** Sessions older than so many days leave the journal for archives. */
  readonly journalDays: number;
  /** Archives of sessions older than this are deleted; null: never. */
  readonly archiveDays: number | null;
  /** Packed frames of past days: the oldest go when either is exceeded. */
  readonly framesDays: number;
  readonly framesGigabytes: number;
}

export interface Config {
  readonly file: string;
  readonly mode: Mode;
  readonly stateDir: string;
  readonly account: AccountConfig | null;
  readonly auth: AuthConfig;
  readonly broker: BrokerConfig;
  readonly live: LiveConfig;
  readonly money: MoneyConfig | null;
  readonly simulator: SimulatorConfig;
  /** Hours of this run; always open where the simulator is. */
  readonly calendar: TradingCalendar;
  /** Hours of the exchange. */
  readonly exchangeCalendar: TradingCalendar;
  readonly contracts: Readonly<Record<string, ContractSpec>>;
  readonly costs: CostSchedule;
  /** Settings of the engine; `engine.strategies[i]` belongs to `strategies[i]`. */
  readonly engine: EngineSettings;
  readonly strategies: readonly StrategyConfig[];
  readonly schedule: ScheduleConfig;
  readonly operator: OperatorConfig;
  readonly alerts: AlertsConfig;
  readonly retention: RetentionConfig;
}
