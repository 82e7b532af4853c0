import { milliseconds } from '../../../src/domain/units.ts';
import { type RunningSimulator, startSimulator } from '../../../src/simulator/start-simulator.ts';
import {
  type AccountSettings,
  threeSubAccounts,
  type SimulatorOptions,
} from '../../../src/simulator/simulator-options.ts';
import { afterFile } from '../../support/after-file.ts';
import { Stranger } from './stranger.ts';
import { MORNING, VirtualTimers } from '../../broker/support/virtual-timers.ts';

const customer = (name: string, custodyCode: string, otp: string): AccountSettings => ({
  apiKey: `key-of-${name.toLowerCase()}`,
  otp,
  custodyCode,
  name,
  subAccounts: threeSubAccounts(custodyCode, {
    normal: 1_000_000,
    margin: 2_000_000,
    derivative: 1_000_000_000,
  }),
});

const ALICE = customer('Alice', '105CALICE1', '111111');
const BOB = customer('Bob', '105CBOBBY1', '222222');

export interface Started {
  readonly simulator: RunningSimulator;
  readonly time: VirtualTimers;
  /** Logged in. */
  readonly alice: Stranger;
  readonly bob: Stranger;
  /** Order code of the front month. */
  readonly front: string;
}

const running = new Set<RunningSimulator>();

/** A market of nobody but Alice and Bob, on virtual time: what happens is what the test does. */
export async function started(options: Partial<SimulatorOptions> = {}): Promise<Started> {
  const time = new VirtualTimers(MORNING);
  const simulator = await startSimulator({
    accounts: [ALICE, BOB],
    market: { kind: 'empty', startPoints: 1_300 },
    clock: time,
    timers: time,
    ...options,
    rules: { gatewayDelay: NO_DELAY, ...options.rules },
  });
  running.add(simulator);
  afterFile(() => stop(simulator));
  const [alice, bob] = [ALICE, BOB].map((account) => strangerOf(simulator, account)) as [Stranger, Stranger];
  await alice.logIn();
  await bob.logIn();
  return { simulator, time, alice, bob, front: simulator.frontMonth };
}

const strangerOf = ({ rest, stream }: RunningSimulator, account: AccountSettings): Stranger =>
  new Stranger({ rest, stream, ...account, subAccountId: `${account.custodyCode}A` });

/** Closes now what a test wants to see started again. */
export async function stop(simulator: RunningSimulator): Promise<void> {
  if (running.delete(simulator)) await simulator.close();
}

const NO_DELAY = milliseconds(0);
