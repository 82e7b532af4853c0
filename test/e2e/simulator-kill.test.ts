/** The simulator as a program of its own, killed with -9 in the middle of calls: what it has said is there when it is back. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import type { SimulatorDescription } from '../../src/simulator/start-simulator.ts';
import { BareClient, type Answer, firstRow, rowsOf } from '../contract/broker/support/bare-client.ts';
import type { Json } from '../contract/broker/support/../document/answer-check.ts';
import { tempDir } from '../support/temp-dir.ts';

const MAIN = join(import.meta.dirname, '..', '..', 'dist', 'src', 'cli', 'main.js');
const CONFIG = `
port: 0
seed: 3
accounts:
  - { custodyCode: 105C000001, apiKey: one, otp: '111111', cash: { normal: 900000000, derivative: 5000000000 } }
`;
const CASH = 5_900_000_000;
/** Calls that wait for their answer at any time, and answers after which the program is killed. */
const CALLERS = 6;
const ANSWERS = 60;

interface Program {
  readonly stranger: BareClient;
  readonly front: string;
  kill(): Promise<void>;
}

async function start(dir: string): Promise<Program> {
  const config = join(dir, 'simulator.yaml');
  writeFileSync(config, CONFIG);
  const child = spawn(
    process.execPath,
    [MAIN, 'simulator', '--json', '--config', config, '--state', join(dir, 'state')],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  const [line]: unknown[] = await once(createInterface({ input: child.stdout }), 'line');
  const description = JSON.parse(String(line)) as SimulatorDescription;
  return {
    stranger: new BareClient(description.rest, description),
    front: description.frontMonth,
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

interface Said {
  readonly orders: string[];
  readonly conditions: string[];
  readonly canceled: string[];
  /** From the normal account to margin. */
  deposited: number;
  /** Asked for and never answered. */
  unanswered: number;
}

const AMOUNT = 1_000_000;

const accepted = (reply: Answer): Json => {
  if (reply.json['rc'] !== '1') throw new Error(reply.text);
  return firstRow(reply);
};
const keyOf = (reply: Answer): string => String(accepted(reply)['pk_orderNo']);

/** Calls one after the other, until there is nobody to call. */
async function callOn(
  { stranger, front }: Program,
  said: Said,
  caller: number,
  price: number,
): Promise<void> {
  for (let call = 0; ; call += 1) {
    const refId = `H.${caller}-${call}`;
    const wish = { side: 'B', symbol: front, price: price - 20 + caller, volume: 1, refId } as const;
    switch (call % 4) {
      case 0:
        said.orders.push(keyOf(await stranger.call('place', wish)));
        break;
      case 1: {
        const resting = accepted(await stranger.call('place', { ...wish, price: price - 30 }));
        said.orders.push(String(resting['pk_orderNo']));
        accepted(await stranger.call('cancel', { orderNo: String(resting['orderNo']) }));
        said.canceled.push(String(resting['pk_orderNo']));
        break;
      }
      case 2:
        said.conditions.push(
          keyOf(await stranger.call('condition-place', { ...wish, orderType: 'SOU', soPrice: price - 60 })),
        );
        break;
      default:
        said.unanswered += AMOUNT;
        accepted(await stranger.call('deposit', { amount: AMOUNT }));
        said.unanswered -= AMOUNT;
        said.deposited += AMOUNT;
    }
  }
}

const keysOf = (rows: readonly Json[]): unknown[] => rows.map((row) => row['pk_orderNo']);

async function pagesOf(ask: (pageNo: string) => Promise<Answer>): Promise<readonly Json[]> {
  const rows: Json[] = [];
  for (let page = 1; ; page += 1) {
    const more = rowsOf(await ask(String(page)));
    rows.push(...more);
    if (more.length === 0) return rows;
  }
}

it('has everything that was answered: orders, those that wait, cancels and money', async () => {
  const dir = tempDir();
  const first = await start(dir);
  await first.stranger.logIn();
  const price = Math.round(Number(firstRow(await first.stranger.call('derivatives'))['refPrice']));
  const said: Said = { orders: [], conditions: [], canceled: [], deposited: 0, unanswered: 0 };
  const answers = (): number => said.orders.length + said.conditions.length + said.deposited / AMOUNT;
  const callers = Array.from({ length: CALLERS }, (_, caller) =>
    callOn(first, said, caller, price).catch((error: unknown) => error),
  );
  while (answers() < ANSWERS) await first.stranger.call('in-day');
  await first.kill();
  for (const ended of await Promise.all(callers)) expect(String(ended)).toMatch(/fetch failed|terminated/);

  const { stranger } = await start(dir);
  // The key of the tokens is kept too.
  stranger.token = first.stranger.token;
  const orders = await pagesOf((pageNo) => stranger.call('in-day', { pageNo }));
  const conditions = await pagesOf((pageNo) => stranger.call('conditions', { pageNo }));
  expect(keysOf(orders)).toEqual(expect.arrayContaining(said.orders));
  expect(keysOf(conditions)).toEqual(expect.arrayContaining(said.conditions));
  expect(new Set(keysOf(orders)).size).toBe(orders.length);
  const canceled = orders.filter((row) => said.canceled.includes(String(row['pk_orderNo'])));
  expect(canceled.map((row) => row['status'])).toEqual(canceled.map(() => expect.stringMatching(/^PWX?$/)));
  expect(canceled).toHaveLength(said.canceled.length);

  const data = (await stranger.call('account-status')).json['data'] as Json;
  const held = [Number(data['cash'])];
  for (const accountNo of stranger.cashAccounts)
    held.push(Number(firstRow(await stranger.call('cash-balance', { accountNo: accountNo }))['cashBalance']));
  const [margin = 0] = held;
  expect(held.reduce((sum, cash) => sum + cash, 0)).toBe(CASH);
  // What was asked for and not answered may be done or not; it is whole in either case.
  expect(margin - 5_000_000_000).toBeGreaterThanOrEqual(said.deposited);
  expect(margin - 5_000_000_000).toBeLessThanOrEqual(said.deposited + said.unanswered);
  expect((margin - 5_000_000_000) % AMOUNT).toBe(0);
});
