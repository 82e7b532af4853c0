/** Finds the broker of a configuration, for a call by hand: the configured one, or the embedded one of a paper daemon that runs. */
import { readFileSync } from 'node:fs';
import type { Config } from '../../config/config.ts';
import { isLockHeld } from '../../journal/instance-lock.ts';
import { type BrokerAddress, configuredAddress, simulatorAddress } from './broker-address.ts';
import { BrokerDesk } from '../manual/manual-trader.ts';
import { firstDay } from '../live/first-day.ts';
import type { SimulatorLink } from '../simulator/simulator-process.ts';
import { prepareStateDir, statePaths, type StatePaths } from '../restart/state-paths.ts';

/** Undefined when the embedded broker does not run. */
export function openBroker(
  asked: Config,
  stateDir: string | null,
  note: (text: string) => void,
): BrokerDesk | undefined {
  const paths = statePaths(stateDir ?? asked.stateDir);
  prepareStateDir(paths);
  const { config, remarks } = firstDay(asked, paths.journal);
  const address = config.mode === 'paper' ? embeddedAddress(paths) : configuredAddress(config);
  if (address === undefined) return undefined;
  for (const remark of remarks) note(remark);
  return new BrokerDesk({ config, address, paths, note });
}

/** The link alone says nothing: one may be left of a simulator that is gone. */
function embeddedAddress({ simulatorLink, simulatorLock }: StatePaths): BrokerAddress | undefined {
  if (!isLockHeld(simulatorLock)) return undefined;
  const link: SimulatorLink = JSON.parse(readFileSync(simulatorLink, 'utf8'));
  return simulatorAddress(link);
}
