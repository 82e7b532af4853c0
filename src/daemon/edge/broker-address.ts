/** Address and credentials of this run's broker: the embedded simulator on paper, the configured hosts otherwise. */
import type { Config } from '../../config/config.ts';
import { configuredFeed, readFeedTerms } from '../../host/cluster-access.ts';
import { REAL_TIME } from '../../host/system-clock.ts';
import type { RunPlan } from '../../host/run-plan.ts';
import { Secrets } from '../../operator/redact.ts';
import type { StatePaths } from '../../host/state/state-paths.ts';
import {
  obtainSimulator,
  SimulatorFaults,
  type SimulatorLink,
  simulatorPlan,
} from '../simulator/embedded-simulator.ts';
import { readApiKey } from './secret-ref.ts';

export interface BrokerAddress {
  readonly restUrl: string;
  readonly streamUrl: string;
  /** Key of the token cache: the host, or the simulator on whatever port it listens today. */
  readonly tokenOwner: string;
  readonly custodyCode: string;
  readonly subAccountId: string;
  readonly apiKey: () => string | undefined;
  /** One-time password of the simulator; null for a broker that asks a person or a program. */
  readonly fixedOtp: string | null;
  /** Faults of the simulator of a paper run; null for others. */
  readonly faults: SimulatorFaults | null;
  /** Hidden in every sink; grows by the passwords and tokens of this run. */
  readonly secrets: Secrets;
}

export const simulatorAddress = (link: SimulatorLink): BrokerAddress => ({
  restUrl: link.rest,
  streamUrl: link.stream,
  tokenOwner: 'simulator',
  custodyCode: link.custodyCode,
  subAccountId: link.subAccountId,
  apiKey: () => link.apiKey,
  fixedOtp: link.otp,
  faults: new SimulatorFaults(link.control, link.controlToken),
  secrets: new Secrets([link.custodyCode, link.subAccountId, link.apiKey]),
});

/** Path of the price stream (contract, 6.1). */
const STREAM_PATH = 'ws/thesis/v1/stream/derivative';

export function configuredAddress({ broker, account, auth }: Config): BrokerAddress {
  if (broker.restUrl === undefined || broker.streamUrl === undefined || account === undefined) {
    throw new Error('the configuration has no broker: expected broker.restUrl, broker.streamUrl and account');
  }
  if (process.env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    throw new Error(
      'NODE_TLS_REJECT_UNAUTHORIZED=0 is set: the broker would not be proven to be the broker, and key and token would go to anyone; unset it',
    );
  }
  const stream = new URL(broker.streamUrl);
  if (stream.pathname === '/' || stream.pathname === '') stream.pathname = STREAM_PATH;
  return {
    restUrl: broker.restUrl,
    streamUrl: stream.href,
    tokenOwner: broker.restUrl,
    custodyCode: account.custodyCode,
    subAccountId: account.subAccountId,
    apiKey: () => readApiKey(auth),
    fixedOtp: null,
    faults: null,
    secrets: new Secrets([account.custodyCode, account.subAccountId, readApiKey(auth) ?? '']),
  };
}

/** Finds or starts the simulator of a paper run, with a new account if `fresh`; otherwise takes the configured hosts. */
export async function reachBroker(plan: RunPlan, paths: StatePaths, fresh: boolean) {
  if (plan.config.mode !== 'paper') {
    return {
      address: configuredAddress(plan.config),
      clockMap: REAL_TIME,
      lockstep: null,
      onEnd: () => undefined,
      close: () => Promise.resolve(),
    };
  }
  const feed = configuredFeed(plan.config);
  const terms = feed?.role === 'read' ? await readFeedTerms(feed) : null;
  const simulator = await obtainSimulator(simulatorPlan(plan, paths, fresh, terms), paths.dir);
  const { link } = simulator;
  return {
    address: simulatorAddress(link),
    // Frames keep their times: nothing of this daemon may come before one that is on its way.
    clockMap:
      feed?.role === 'read'
        ? { ...link.clockMap, originMarketUs: link.clockMap.originMarketUs - feed.delay }
        : link.clockMap,
    /** Set for a tape that runs faster than real time; else null. */
    lockstep: simulator.lockstep,
    onEnd: (report: (reason: string) => void): void => simulator.onEnd(report),
    close: () => simulator.stop(),
  };
}
