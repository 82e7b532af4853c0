/** Calls by hand against the simulator itself: what one moves, the next one shows. */
import { expect, it, onTestFinished } from 'vitest';
import { startSimulator } from '../../src/simulator/start-simulator.ts';
import { BrokerState, type Said } from './support/broker-shell.ts';

type Rows = readonly Readonly<Record<string, unknown>>[];

async function embedded() {
  const simulator = await startSimulator({ market: { kind: 'empty', startPoints: 1_300 } });
  const state = new BrokerState(simulator);
  onTestFinished(async () => {
    state.remove();
    await simulator.close();
  });
  return { simulator, state };
}

it('orders, conditions and money hang together', async () => {
  const { simulator, state } = await embedded();
  const { frontMonth: front, subAccountId } = simulator;
  let extra = 'mode: paper\n';
  const said = (line: string): Promise<Said> => state.run(line, { extra });
  const rows = async (line: string): Promise<Rows> => {
    const { code, out, err } = await said(`${line} --json`);
    expect([line, code, err]).toEqual([line, 0, '']);
    return JSON.parse(out) as Rows;
  };
  const sent = async (line: string): Promise<void> => {
    const { code, out, err } = await said(`${line} --yes`);
    expect([line, code, err, out.split(',')[0]?.trim()]).toEqual([line, 0, '', 'accepted']);
  };

  const [quote] = await rows('derivatives');
  expect(quote).toMatchObject({ contract: front });
  expect(await rows('contracts')).toContainEqual(expect.objectContaining({ code: front }));
  const accounts = await rows('profile');
  extra = `mode: paper\nmoney: { accounts: [${accounts.map(({ account }) => `"${String(account)}"`).join(', ')}], amountMax: 9000000 }\n`;

  await sent(`place --symbol ${front} --side buy --qty 2 --price 1290`);
  expect(await rows('in-day')).toMatchObject([{ order: '1', side: 'buy', qty: 2, price: 1_290, filled: 0 }]);
  await sent('cancel 1');
  expect(await rows('positions')).toEqual([]);
  expect(await rows('closed-positions')).toEqual([]);

  await sent(`condition-place --symbol ${front} --side sell --qty 1 --price 1280 --below 1285`);
  const [condition] = await rows('conditions');
  expect(condition).toMatchObject({ kind: 'stop', trigger: 1_285, when: 'at_or_below', status: 'pending' });
  const key = String(condition?.['key']);
  await sent(`condition-change ${key} --trigger 1284`);
  expect(await rows('conditions')).toMatchObject([{ key, trigger: 1_284 }]);
  await sent(`condition-cancel ${key}`);
  expect(await rows('conditions')).toMatchObject([{ key, status: 'canceled' }]);

  const cash = async (): Promise<unknown> =>
    (await rows('account-status')).find(({ figure }) => figure === 'cash')?.['value'];
  const before = Number(await cash());
  await sent('withdraw 5000000');
  expect(await cash()).toBe(before - 5_000_000);
  await sent('deposit 2000000');
  expect(await cash()).toBe(before - 3_000_000);

  const normal = String(accounts.find(({ type }) => type === 'NORMAL')?.['account']);
  const margin = String(accounts.find(({ type }) => type === 'MARGIN')?.['account']);
  const [held] = await rows(`cash-balance ${margin}`);
  await sent(`transfer 1000000 --from ${normal} --to ${margin}`);
  expect(await rows(`cash-balance ${margin}`)).toMatchObject([{ cash: Number(held?.['cash']) + 1_000_000 }]);
  await rows(`stock-assets ${normal}`);
  await rows(`loan-packages ${margin}`);
  expect(subAccountId).toBe(accounts.find(({ type }) => type === 'DERIVATIVE')?.['account']);
});
