/**
 * `npm run load`: the simulator as its own program, with stream clients that hear every contract while REST is called beside
 * them. Prints what was seen; ends with 1 when a heartbeat went without its answer, a connection was closed, a trade was
 * missed or a call failed. `--help` shows its options.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { commandOptions } from '../../support/command-options.ts';
import type { SimulatorDescription } from '../../../src/simulator/start-simulator.ts';
import { type LoadSeen, reportOf } from './load-report.ts';
import { type Caller, RestCaller } from './rest-caller.ts';
import { type Customer, customers, type SimulatorProgram, startProgram } from './simulator-program.ts';
import { StreamListener } from './stream-listener.ts';

const CUSTOMERS = 10;
/** Trades a second of the synthetic market at its own pace, about: the speed of market time makes the rest. */
const TRADES_AT_SPEED_1 = 6;
const HEARTBEAT_MS = 2_000;
const TOKEN_PATH = '/gaia/v1/oauth2/openapi/token';

interface Wanted {
  readonly seconds: number;
  readonly clients: number;
  readonly trades: number;
  readonly calls: number;
  readonly seed: number;
}

function wanted(): Wanted {
  const values = commandOptions('load', 'clients at the simulator, prices and calls at a given pace', {
    seconds: { type: 'string', default: '60', help: 'how long' },
    clients: { type: 'string', default: '50', help: 'that listen to prices' },
    trades: { type: 'string', default: '400', help: 'a second' },
    calls: { type: 'string', default: '20', help: 'a second' },
    seed: { type: 'string', default: '1', help: 'of the market' },
  });
  const number = (name: keyof typeof values): number => {
    const value = Number(values[name]);
    if (Number.isFinite(value) && value > 0) return value;
    throw new Error(`--${name}: expected a number above 0, was ${values[name]}`);
  };
  return {
    seconds: number('seconds'),
    clients: Math.round(number('clients')),
    trades: number('trades'),
    calls: number('calls'),
    seed: Math.round(number('seed')),
  };
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function tokenOf(rest: string, { apiKey, otp }: Customer): Promise<string> {
  const reply = await fetch(rest + TOKEN_PATH, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ apiKey, otp }),
  });
  const { token }: { readonly token?: unknown } = Object.assign({}, await reply.json());
  if (typeof token !== 'string') throw new Error(`no token: HTTP ${reply.status}`);
  return token;
}

async function openListeners(
  { rest, stream, contracts }: SimulatorDescription,
  accounts: readonly Customer[],
  clients: number,
): Promise<readonly StreamListener[]> {
  const listeners: StreamListener[] = [];
  while (listeners.length < clients) {
    const account = accounts[listeners.length % accounts.length];
    if (account === undefined) throw new Error('expected customers');
    // A connection needs a token of its own.
    listeners.push(await StreamListener.open(stream, await tokenOf(rest, account), contracts));
  }
  for (const [at, listener] of listeners.entries()) listener.keepAlive((at * HEARTBEAT_MS) / clients);
  return listeners;
}

async function run({ seconds, clients, calls }: Wanted, program: SimulatorProgram): Promise<LoadSeen> {
  const { description } = program;
  const accounts = customers(CUSTOMERS);
  const callers: Caller[] = [];
  for (const account of accounts) {
    const { custodyCode } = account;
    const token = await tokenOf(description.rest, account);
    callers.push({ custodyCode, subAccountId: `${custodyCode}A`, token });
  }
  const listeners = await openListeners(description, accounts, clients);
  const caller = new RestCaller(description.rest, callers, description.frontMonth);
  caller.start(calls);
  const tradesEachSecond: number[] = [];
  const before = program.usage();
  const own = process.cpuUsage();
  const trades = (): number => listeners.reduce((sum, { counts }) => sum + counts.trades, 0) / clients;
  const start = performance.now();
  for (let second = 1, seen = trades(); second <= seconds; second += 1) {
    await pause(start + second * 1_000 - performance.now());
    tradesEachSecond.push(trades() - seen);
    seen = trades();
  }
  const elapsed = (performance.now() - start) / 1_000;
  const after = program.usage();
  const { user, system } = process.cpuUsage(own);
  const counted = await program.counters();
  await caller.end();
  for (const listener of listeners) listener.end();
  return {
    elapsed,
    contracts: description.contracts,
    listeners: listeners.map(({ counts }) => counts),
    calls: caller.counts,
    tradesEachSecond,
    simulator:
      before === null || after === null
        ? null
        : { cpuSeconds: after.cpuSeconds - before.cpuSeconds, memoryMib: after.memoryMib },
    ownCpuSeconds: (user + system) / 1e6,
    counted,
  };
}

const asked = wanted();
mkdirSync('var', { recursive: true });
const scratch = mkdtempSync(join('var', 'load-'));
say(
  `${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} threads, node ${process.version}, load ${loadavg()[0]?.toFixed(2) ?? '?'} at the start`,
);
const program = await startProgram(scratch, customers(CUSTOMERS), {
  seed: asked.seed,
  speed: asked.trades / TRADES_AT_SPEED_1,
});
try {
  const { lines, broken } = reportOf(await run(asked, program));
  for (const line of [...lines, ...broken.map((what) => `FAILED: ${what}`)]) say(line);
  process.exitCode = broken.length > 0 ? 1 : 0;
} finally {
  await program.end();
  rmSync(scratch, { recursive: true });
}
