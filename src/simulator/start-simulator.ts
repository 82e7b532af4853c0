/** Starts the simulated broker. Everything listens on the loopback interface alone. */
import type { FastifyInstance } from 'fastify';
import { assert } from '../domain/assert.ts';
import { accountId } from '../domain/ids.ts';
import { type Assembled, assembleSimulator } from './assemble-simulator.ts';
import { DEFAULT_OPTIONS } from './default-options.ts';
import { createControlServer } from './faults/control-server.ts';
import { type RunningSimulator, runningSimulator } from './running-simulator.ts';
import type { SimulatorOptions } from './simulator-options.ts';
import { StateStore } from './state/state-store.ts';

const HOST = '127.0.0.1';

export async function startSimulator(given: Partial<SimulatorOptions> = {}): Promise<RunningSimulator> {
  const options: SimulatorOptions = { ...DEFAULT_OPTIONS, ...given };
  const store = StateStore.open({ dir: options.stateDir, fresh: options.fresh });
  try {
    const assembled = assembleSimulator(options, store);
    assembled.brokerage.wake();
    return await listen(assembled, options);
  } catch (error) {
    store.close();
    throw error;
  }
}

async function listen(parts: Assembled, options: SimulatorOptions): Promise<RunningSimulator> {
  const { store, brokerage, otps, scenario, rest, stream } = parts;
  const accounts = options.accounts.map(({ custodyCode }) => accountId(custodyCode));
  const otpOf = (custodyCode: string): string | undefined => {
    const customer = options.accounts.find((account) => account.custodyCode === custodyCode);
    return customer === undefined ? undefined : otps.shown(customer);
  };
  const control = createControlServer({ ...parts, accounts, otpOf });
  const close = async (): Promise<void> => {
    scenario.stop();
    stream.shutDown();
    await Promise.all([rest.close(), control.close()]);
    brokerage.close();
    store.close();
  };
  try {
    const port = await listenOn(rest, options.port);
    const controlPort = options.controlPort === null ? null : await listenOn(control, options.controlPort);
    const connections = (): number => stream.sessions.size;
    if (options.scenario !== null) scenario.play(options.scenario);
    return runningSimulator({ ...parts, port, controlPort, connections, close });
  } catch (error) {
    await close();
    throw error;
  }
}

async function listenOn(server: FastifyInstance, port: number): Promise<number> {
  await server.listen({ host: HOST, port });
  const address = server.server.address();
  assert(typeof address === 'object' && address !== null, 'a listening server has an address');
  return address.port;
}
