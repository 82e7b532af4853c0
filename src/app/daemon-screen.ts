import type { Daemon } from './daemon.ts';
import type { ClockMap } from './market-clock.ts';
import type { RunPlan } from './run-options.ts';
import type { Screen } from './screen.ts';
import type { SimulatorChild } from './simulator-child.ts';

export interface DaemonScreen extends Screen {
  banner(daemon: Daemon, simulator: SimulatorChild | undefined): void;
  watch(daemon: Daemon): () => void;
  summary(daemon: Daemon): Promise<void>;
}

export function createDaemonScreen(_plan: RunPlan, _map: ClockMap): DaemonScreen {
  const out = (text: string): void => void process.stdout.write(`${text}\n`);
  return {
    note: (text) => out(`· ${text}`),
    entry: (entry) => out(JSON.stringify(entry)),
    block: out,
    status: out,
    banner: () => out('tickwright'),
    watch: () => () => undefined,
    summary: async (daemon) => out(JSON.stringify(await daemon.view(), null, 1)),
  };
}
