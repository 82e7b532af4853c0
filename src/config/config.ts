/** The effective configuration: the checked YAML files with every default filled in, without secrets. */
import type { TradingCalendar } from '../domain/calendar.ts';
import type { ContractSpec } from '../domain/contract.ts';
import type { CostSchedule } from '../domain/costs.ts';
import type { EngineSettings } from '../domain/settings.ts';
import type { ConfigFile } from './config-schema.ts';

export type Mode = ConfigFile['mode'];
/** Source of a one-time password; `simulator` is the embedded broker's own. */
type OtpSource = NonNullable<ConfigFile['auth']['otp']>;
export type AuthConfig = ConfigFile['auth'] & { readonly otp: OtpSource };
export type AlertsConfig = ConfigFile['alerts'];
export type ChannelConfig = AlertsConfig['channels'][number];
export type ClusterConfig = NonNullable<ConfigFile['cluster']>;
export type RetentionConfig = ConfigFile['retention'];

/** Place of a secret: the environment comes first, then the file. */
export type SecretPlace = Readonly<ClusterConfig['password']>;

/** Code of a strategy of the user's own, with all its imports: plain data that may be sent to a thread. */
export interface StrategyCode {
  /** Its first file, with all links followed. */
  readonly file: string;
  /** Digest of the sources as read; twelve hexadecimal digits. */
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

/** Sections of the file as they are written, but for those that the engine takes under names of its own. */
export interface Config extends Readonly<
  Pick<
    ConfigFile,
    | 'mode'
    | 'account'
    | 'broker'
    | 'live'
    | 'money'
    | 'simulator'
    | 'operator'
    | 'alerts'
    | 'retention'
    | 'cluster'
  >
> {
  readonly file: string;
  readonly stateDir: string;
  readonly auth: AuthConfig;
  readonly schedule: Pick<ConfigFile['session'], 'tokenRefresh' | 'tokenRefreshBefore' | 'rollover'>;
  /** Hours of this run; always open where the simulator is. */
  readonly calendar: TradingCalendar;
  readonly exchangeCalendar: TradingCalendar;
  readonly contracts: Readonly<Record<string, ContractSpec>>;
  readonly costs: CostSchedule;
  /** Settings of the engine; `engine.strategies[i]` belongs to `strategies[i]`. */
  readonly engine: EngineSettings;
  readonly strategies: readonly StrategyConfig[];
}
