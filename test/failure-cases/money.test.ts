/** Money of the day in our books and in the broker's, over the real wire. */
import { describe, expect, it } from 'vitest';
import { dayReportOf } from '../../src/daemon/inspect/day-report.ts';
import { inSession } from '../../src/host/state/read-state.ts';
import { statusOf, statusText } from '../../src/daemon/program/status.ts';
import { tradingDay } from '../../src/domain/civil-date.ts';
import { COSTS } from '../support/engine-world.ts';
import { money } from '../../src/domain/units.ts';
import type { Step } from './support/scripted.ts';
import { running, type Story } from './support/story.ts';

const IN: Step = { at: 13_001, do: 'buy', qty: 2, price: 13_010 };
const OUT: Step = { at: 13_002, do: 'sell', qty: 2, price: 12_990 };

const DEARER = { ...COSTS, brokerFee: [{ from: tradingDay('2020-01-01'), value: 1_000 }] };

/** Buys and sells again: the account is flat, and has paid for it. */
async function roundTrip(story: Story): Promise<void> {
  await story.buys(2);
  story.offer('buy', 12_990, 2);
  story.print(13_002);
  await story.until(async () => (await story.known()).net === 0);
}

/** As its owner does in the broker's app. */
async function withdrawn({ daemon }: Story, amount: number): Promise<void> {
  const { withdraw } = daemon.edge.rest.money;
  const receipt = await withdraw({ amount: money(amount), note: 'rent' }, { refuse: () => null });
  expect(receipt.status).toBe('accepted');
}

const moneyOf = async (story: Story) => (await story.view())?.money;
const agrees = (story: Story) => async (): Promise<boolean> => {
  const said = await moneyOf(story);
  return said?.state === 'agreed' && said.figures.some(({ what, ours }) => what === 'fee' && ours > 0);
};

/** A row of the report in which ours and theirs are equal. */
const row = (what: string, value: number): string => {
  const text = value.toLocaleString('en-US');
  return `${what}</th><td class="number" data-label="ours">${text}</td><td class="number" data-label="broker">${text}</td>`;
};

const reportOf = ({ paths }: Story) => inSession(paths.dir, undefined, dayReportOf);

describe('money of the day', () => {
  it('agrees to the VND: fee, tax, profit and cash', async () => {
    const story = await running([IN, OUT]);
    await roundTrip(story);
    await story.until(async () => (await moneyOf(story))?.figures.length === 4);
    await story.until(agrees(story));
    const figures = (await moneyOf(story))?.figures ?? [];
    const { brokerFee, exchangeFee, clearingFee, tax, dayProfit, cash } = story.simulator.account();
    expect(figures.map(({ ours }) => ours)).toEqual([
      brokerFee + exchangeFee + clearingFee,
      tax,
      dayProfit,
      cash,
    ]);
    expect(dayProfit).toBe(-400_000);
  });

  it('is shown with the time of its last comparison: in the report of the day, and in the status', async () => {
    const story = await running([IN, OUT]);
    await story.until(async () => (await moneyOf(story))?.state === 'agreed');
    await roundTrip(story);
    await story.until(agrees(story));
    await story.until(async () => {
      const { lastFillUs, positionsReadUs } = (await story.view()) ?? {};
      return (positionsReadUs ?? 0) > (lastFillUs ?? Infinity);
    });
    story.daemon.journal.flush();
    const { money: shown, positions } = statusOf(story.daemon).compared;
    expect([shown?.isStale, positions?.isStale]).toEqual([false, false]);
    expect(statusText(statusOf(story.daemon))).toMatch(/the broker’s to the VND at \d\d:\d\d:\d\d: fee/);
    const { html, text } = reportOf(story);
    const { brokerFee, exchangeFee, clearingFee, tax } = story.simulator.account();
    expect(html).toContain(row('fee', brokerFee + exchangeFee + clearingFee));
    expect(html).toContain(row('tax', tax));
    expect(html).toMatch(/VND, compared at \d\d:\d\d:\d\d: agreed\./);
    expect(text).toMatch(/Books: money compared at \d\d:\d\d:\d\d; positions compared at \d\d:\d\d:\d\d/);
  });

  it('is shown as old while a fill is younger than its comparison', async () => {
    const story = await running([{ ...IN, qty: 1 }], (yaml) =>
      yaml.replace('positions: 1s, account: 1s', 'positions: 1s, account: 10m'),
    );
    await story.until(async () => (await moneyOf(story))?.state === 'agreed');
    await story.buys(1);
    await story.view();
    expect(statusOf(story.daemon).compared.money).toMatchObject({ isStale: true });
    expect(statusText(statusOf(story.daemon))).toMatch(/at \d\d:\d\d:\d\d, BEFORE the last fill/);
    story.daemon.journal.flush();
    const { html, text } = reportOf(story);
    expect(html).toContain('Our positions against the broker’s');
    expect(html).toMatch(/VND, compared BEFORE the last fill, at \d\d:\d\d:\d\d/);
    expect(text).toMatch(/Books: money compared BEFORE the last fill/);
  });

  it('a tariff that is not the configured one stops entries until a person resumes, also over a restart', async () => {
    const story = await running([IN, OUT], undefined, { costs: DEARER });
    await roundTrip(story);
    await story.until(async () => (await story.view())?.halted !== null);
    expect((await story.view())?.halted).toMatch(/fee ours 21000, broker 25000 VND/);
    await story.kill();
    await story.start();
    await story.until(async () => (await story.view())?.halted !== null);
    story.daemon.command({ name: 'resume', reason: 'the tariff is new' });
    await story.until(agrees(story));
    expect(await story.view()).toMatchObject({ halted: null, fee: 25_000 });
  });

  it('a limit that is lowered below what is lost already stops entries at the next start, in words', async () => {
    const steps = [IN, OUT, { at: 13_003, do: 'buy', price: 12_900 } as const];
    const story = await running(steps);
    await roundTrip(story);
    await story.until(agrees(story));
    story.print(13_003);
    await story.until(async () => (await story.known()).orders[0]?.orderNo !== undefined);
    story.daemon.journal.flush();
    story.edit(steps, (yaml) => yaml.replace('risk: {', 'risk: { drawdownMax: 100000,'));
    await story.kill();
    await story.start();
    await story.until(() => story.daemon.halt.reason !== null);
    expect(story.daemon.halt.reason).toMatch(/^the account has lost/);
    await story.until(async () => (await story.truth()).orders.length === 0);
    story.daemon.command({ name: 'resume', strategy: null, reason: 'the story' });
    await story.until(async () => (await story.view())?.halted === null);
  });

  it('a withdrawal by hand is alerted, and entries go on', async () => {
    const story = await running([IN]);
    await story.until(async () => (await moneyOf(story))?.state === 'agreed');
    const { cash } = story.simulator.account();
    await withdrawn(story, 7_000_000);
    await story.until(() => story.alerts().includes('money_moved'));
    expect(await moneyOf(story)).toMatchObject({ state: 'agreed' });
    expect((await moneyOf(story))?.figures.at(-1)).toEqual({
      what: 'cash',
      ours: cash - 7_000_000,
      broker: cash - 7_000_000,
    });
    expect((await story.view())?.halted).toBeNull();
  });

  it('orders by hand in the same account cost what ours cost', async () => {
    const story = await running([]);
    story.fault({ name: 'inject_order', symbol: 'front', side: 'buy', points: 1_301, volume: 3 });
    story.offer('sell', 13_010, 3);
    await story.until(async () => (await story.known()).net === 3);
    await story.until(agrees(story));
    expect((await story.view())?.halted).toBeNull();
  });

  it('a forced close by the broker costs what an order of ours costs', async () => {
    const story = await running([{ ...IN, qty: 1 }], (yaml) =>
      yaml.replace('cash: 5000000000', 'cash: 35000000'),
    );
    await story.buys(1);
    await withdrawn(story, 7_000_000);
    story.offer('buy', 12_150, 1);
    story.print(12_160);
    await story.until(async () => (await story.truth()).net === 0);
    await story.until(async () => (await story.known()).net === 0);
    await story.until(agrees(story));
    await story.until(async () => (await moneyOf(story))?.figures.length === 4);
    expect((await story.view())?.halted).toBeNull();
  });

  it('a contract that ends while it is held is no mismatch', async () => {
    const story = await running([IN]);
    await story.buys(2);
    await story.until(agrees(story));
    story.fault({ name: 'roll_contract' });
    await story.until(() => story.alerts().includes('settled'));
    await story.until(() => story.alerts().includes('money_moved'));
    await story.until(agrees(story));
    const view = await story.view();
    const { tax, cash } = story.simulator.account();
    expect(view).toMatchObject({ halted: null, tax });
    expect(view?.money.figures).toContainEqual({ what: 'cash', ours: cash, broker: cash });
  });
});
