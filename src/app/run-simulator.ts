/** `tickwright simulator`: the broker alone, for any client in any language. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { threeSubAccounts } from '../simulator/accounts/account-settings.ts';
import { DEFAULT_OPTIONS, demoAccount } from '../simulator/default-options.ts';
import { describeSimulator, type SimulatorDescription } from '../simulator/describe-simulator.ts';
import type { RunningSimulator } from '../simulator/running-simulator.ts';
import type { SimulatorOptions } from '../simulator/simulator-options.ts';
import { startSimulator } from '../simulator/start-simulator.ts';

export interface SimulatorRunOptions {
  readonly port: number | null;
  readonly config: string | null;
  readonly fresh: boolean;
  readonly state: string | null;
  readonly seed: number | null;
  readonly speed: number | null;
  readonly tape: string | null;
}

export interface SimulatorRun {
  readonly description: SimulatorDescription;
  readonly running: RunningSimulator;
}

const DEFAULT_PORT = 8700;
const DEFAULT_STATE = 'var/simulator';

export async function runSimulator(options: SimulatorRunOptions): Promise<SimulatorRun> {
  const running = await startSimulator(simulatorSettings(options));
  return { description: describeSimulator(running), running };
}

/** The simulator's own YAML file: a few keys, all with defaults. */
const fileSchema = z.strictObject({
  port: z.int().min(0).max(65_535).optional(),
  state: z.string().optional(),
  seed: z.int().min(0).optional(),
  speed: z.number().positive().optional(),
  tape: z.string().optional(),
  controlPort: z.int().min(0).max(65_535).optional(),
  account: z
    .strictObject({
      apiKey: z.string().min(1).optional(),
      otp: z.string().min(4).optional(),
      custodyCode: z.string().length(10).optional(),
      cash: z.int().min(0).optional(),
    })
    .optional(),
  exchangesPerDayMax: z.int().min(1).optional(),
  appOtp: z.enum(['reusable', 'once']).optional(),
  controlOrder: z.enum(['contract', 'live']).optional(),
  streamCodes: z.enum(['same', 'internal']).optional(),
});

class SimulatorConfigError extends Error {
  override readonly name = 'SimulatorConfigError';
}

function readFile(path: string): z.output<typeof fileSchema> {
  const result = fileSchema.safeParse(parse(readFileSync(path, 'utf8')) ?? {});
  if (result.success) return result.data;
  const problems = result.error.issues.map(
    ({ path: at, message }) => `${path}: ${at.join('.') || 'file'}: ${message}`,
  );
  throw new SimulatorConfigError(problems.join('\n'));
}

function simulatorSettings(options: SimulatorRunOptions): Partial<SimulatorOptions> {
  const file = options.config === null ? {} : readFile(options.config);
  const { auth, stream, time, market } = DEFAULT_OPTIONS;
  const demo = demoAccount();
  const { cash, ...account } = { ...file.account };
  const tape = options.tape ?? file.tape ?? null;
  const seed = options.seed ?? file.seed ?? null;
  return {
    port: options.port ?? file.port ?? DEFAULT_PORT,
    controlPort: file.controlPort ?? null,
    stateDir: options.state ?? file.state ?? DEFAULT_STATE,
    fresh: options.fresh,
    accounts: [
      {
        apiKey: account.apiKey ?? demo.apiKey,
        otp: account.otp ?? demo.otp,
        custodyCode: account.custodyCode ?? demo.custodyCode,
        name: demo.name,
        subAccounts: threeSubAccounts(account.custodyCode ?? demo.custodyCode, {
          normal: 500_000_000,
          margin: 500_000_000,
          derivative: cash ?? 1_000_000_000,
        }),
      },
    ],
    market:
      tape !== null
        ? { kind: 'tape', path: tape, referencePoints: null }
        : market.kind === 'synthetic' && seed !== null
          ? { ...market, seed }
          : market,
    time: {
      ...time,
      speed: options.speed ?? file.speed ?? time.speed,
      start: tape === null ? 'origin' : 'first_subscriber',
    },
    auth: {
      ...auth,
      exchangesPerDayMax: file.exchangesPerDayMax ?? auth.exchangesPerDayMax,
      appOtp: file.appOtp ?? auth.appOtp,
    },
    stream: { ...stream, controlOrder: file.controlOrder ?? stream.controlOrder },
    streamCodes: file.streamCodes ?? DEFAULT_OPTIONS.streamCodes,
  };
}
