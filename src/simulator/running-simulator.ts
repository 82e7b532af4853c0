/** A simulated broker that listens, and the line with its addresses and credentials. */
import { assert } from '../domain/assert.ts';
import { accountId } from '../domain/ids.ts';
import type { TsUs } from '../domain/units.ts';
import type { AccountFigures, PositionFigures } from '../venue/account/account-figures.ts';
import type { OrderReport, VenueEvent } from '../venue/venue-event.ts';
import { type AccountSettings, derivativeOf } from './accounts/account-settings.ts';
import type { OtpService } from './auth/otp-service.ts';
import type { Brokerage } from './brokerage/brokerage.ts';
import type { FaultControl } from './scenario/fault-control.ts';
import type { ScenarioRunner } from './scenario/scenario-runner.ts';
import { STREAM_PATH } from './stream/stream-server.ts';
import type { ClockMap, MarketClock } from './time/market-clock.ts';

/** The account is the first one of the options. */
export interface RunningSimulator {
  readonly port: number;
  /** Null without a control API. */
  readonly controlPort: number | null;
  /** `http://127.0.0.1:<port>`. */
  readonly rest: string;
  /** `ws://127.0.0.1:<port>` and the path of the contract. */
  readonly stream: string;
  readonly apiKey: string;
  readonly otp: string;
  readonly custodyCode: string;
  readonly accountId: string;
  readonly subAccountId: string;
  /** Order code of the listed contract that expires first. */
  readonly frontMonth: string;
  /** Order codes, nearest expiry first. */
  readonly contracts: readonly string[];
  readonly faults: FaultControl;
  readonly scenario: ScenarioRunner;
  /** Counts by name: malformed frames, refused connections, ... */
  readonly counters: ReadonlyMap<string, number>;
  /** Stream clients that are connected now. */
  readonly connections: number;
  /** Map from real to market time; a client that uses it has the same phases as the simulator. */
  clockMap(): ClockMap;
  marketNowUs(): TsUs;
  /** Exact figures of the account, to the VND. */
  account(): AccountFigures;
  positions(): readonly PositionFigures[];
  orders(): readonly OrderReport[];
  /** All events of exchange and back office, including those that the broker's contract does not report. */
  onEvent(listener: (event: VenueEvent) => void): void;
  /** Stops listening and commits; answered calls are kept. */
  close(): Promise<void>;
}

export interface RunningParts extends Pick<
  RunningSimulator,
  'port' | 'controlPort' | 'faults' | 'scenario' | 'counters' | 'close'
> {
  readonly account: AccountSettings;
  readonly otps: OtpService;
  readonly brokerage: Brokerage;
  readonly market: MarketClock;
  connections(): number;
}

export function runningSimulator(parts: RunningParts): RunningSimulator {
  const { port, controlPort, account, brokerage, market, faults, scenario, counters } = parts;
  const id = accountId(account.custodyCode);
  const contracts = (): readonly string[] => brokerage.boards().map(({ contract }) => contract.orderCode);
  return {
    port,
    controlPort,
    rest: `http://127.0.0.1:${port}`,
    stream: `ws://127.0.0.1:${port}${STREAM_PATH}`,
    apiKey: account.apiKey,
    get otp() {
      return parts.otps.shown(account);
    },
    custodyCode: account.custodyCode,
    accountId: account.custodyCode,
    subAccountId: derivativeOf(account)?.accountNo ?? '',
    get frontMonth() {
      return contracts()[0] ?? '';
    },
    get contracts() {
      return contracts();
    },
    faults,
    scenario,
    counters,
    get connections() {
      return parts.connections();
    },
    clockMap: () => market.map,
    marketNowUs: () => market.nowUs(),
    account() {
      const figures = brokerage.account(id);
      assert(figures !== undefined, 'the venue knows the account it was opened with');
      return figures;
    },
    positions: () => brokerage.positions(id),
    orders: () => brokerage.orders(id),
    onEvent: (listener) => brokerage.onEvent(listener),
    close: () => parts.close(),
  };
}

/** Addresses and credentials: the one line that the program prints. */
export interface SimulatorDescription extends Pick<
  RunningSimulator,
  | 'rest'
  | 'stream'
  | 'apiKey'
  | 'otp'
  | 'custodyCode'
  | 'accountId'
  | 'subAccountId'
  | 'frontMonth'
  | 'contracts'
> {
  /** Address of the control API; null without one. */
  readonly control: string | null;
}

export const describeSimulator = (running: RunningSimulator): SimulatorDescription => ({
  rest: running.rest,
  stream: running.stream,
  control: running.controlPort === null ? null : `http://127.0.0.1:${running.controlPort}`,
  apiKey: running.apiKey,
  otp: running.otp,
  custodyCode: running.custodyCode,
  accountId: running.accountId,
  subAccountId: running.subAccountId,
  frontMonth: running.frontMonth,
  contracts: running.contracts,
});
