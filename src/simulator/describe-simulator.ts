import type { RunningSimulator } from './running-simulator.ts';

/** What a stranger needs to talk to the simulator: the one line that the program prints. */
export interface SimulatorDescription {
  readonly rest: string;
  readonly stream: string;
  /** Address of the control API; null without one. */
  readonly control: string | null;
  readonly apiKey: string;
  readonly otp: string;
  readonly custodyCode: string;
  readonly accountId: string;
  readonly subAccountId: string;
  readonly frontMonth: string;
  readonly contracts: readonly string[];
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
