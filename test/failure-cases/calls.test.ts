/** Calls whose answer is lost, late or wrong: the order is looked up in the broker's book, and never sent again. */
import { shortOrderId } from '../../src/domain/ids.ts';
import { describe, expect, it } from 'vitest';
import type { JournalEntry } from '../../src/engine/ports/journal-entry.ts';
import type { Step } from './support/scripted.ts';
import { PLACE, running, type Story } from './support/story.ts';

const RESTING: Step = { at: 13_001, do: 'buy', qty: 2, price: 12_900 };
const CROSSING: Step = { at: 13_001, do: 'buy', qty: 2, price: 13_010 };

/** Beside the two of the order. */
const TOO_MUCH: Step = { at: 13_003, do: 'buy', qty: 5, price: 12_900 };
const atMostSix = (yaml: string): string => yaml.replace('positionMax: 9', 'positionMax: 6');

const statuses = ({ entries }: Story): string[] =>
  entries.flatMap((entry) => (entry.kind === 'order_status' ? [entry.to] : []));
const isUnknown = (entry: JournalEntry): boolean =>
  entry.kind === 'outcome' && entry.outcome.status === 'unknown';
const placesOf = ({ moves }: Story): number => moves.filter((call) => call === PLACE).length;

describe('the answer to a placed order is lost', () => {
  it('case 1: the order is found in the book and lives once', async () => {
    const story = await running([RESTING]);
    story.fault({ name: 'accept_then_drop', operation: 'place', times: 1 });
    story.print(13_001);
    await story.until(() => story.entries.some(isUnknown));
    await story.until(() => statuses(story).includes('accepted'));
    expect(await story.known()).toEqual(await story.truth());
    expect([placesOf(story), story.simulator.orders().length]).toEqual([1, 1]);
  });

  it('case 2: an answer that comes after the time limit is no failure', async () => {
    const story = await running([RESTING], (yaml) =>
      yaml.replace('requestTimeout: 20s', 'requestTimeout: 2s'),
    );
    story.fault({ name: 'late_answer', operation: 'place', delayMs: 2_500, times: 1 });
    story.print(13_001);
    await story.until(() => story.entries.some(isUnknown));
    await story.until(() => statuses(story).includes('accepted'));
    expect([placesOf(story), story.simulator.orders().length]).toEqual([1, 1]);
    expect(statuses(story)).not.toContain('rejected');
  });

  it('case 3: a fill of an order that was given up reaches position, strategy and risk', async () => {
    const story = await running([RESTING, { ...TOO_MUCH, at: 13_002 }], atMostSix);
    story.fault({ name: 'hide_new_order', seconds: 2, times: 1 });
    story.fault({ name: 'accept_then_drop', operation: 'place', times: 1 });
    story.print(13_001);
    await story.until(() => statuses(story).includes('presumed_absent'));
    story.offer('sell', 12_900, 2);
    await story.until(async () => (await story.known()).net === 2);
    expect((await story.truth()).net).toBe(2);
    expect(story.entries.filter(({ kind }) => kind === 'fill')).toMatchObject([{ strategy: 0 }]);
    // Nothing else is in the way of an entry.
    story.daemon.command({ name: 'resume', reason: 'the story' });
    await story.until(async () => (await story.view())?.unproven === null);
    story.print(13_002);
    await story.until(() => story.denials().length > 0);
    expect(story.denials()).toEqual(['strategy_position_limit']);
    expect(placesOf(story)).toBe(1);
  });

  it('case 5: no number of tries ends an order without proof: it stays exposure, is alerted, and entries wait', async () => {
    const story = await running([RESTING, { ...RESTING, at: 13_002 }]);
    story.fault({ name: 'hide_new_order', seconds: 60, times: 1 });
    story.fault({ name: 'accept_then_drop', operation: 'place', times: 1 });
    story.print(13_001);
    await story.until(() => story.alerts().includes('order_presumed_absent'));
    expect((await story.known()).orders).toMatchObject([{ qty: 2, filledQty: 0 }]);
    expect(statuses(story).filter((to) => /rejected|canceled|not_sent/.test(to))).toEqual([]);
    story.print(13_002);
    await story.until(() => story.entries.some(({ kind }) => kind === 'denied'));
    expect(placesOf(story)).toBe(1);
  });

  it('case 5: a person resolves it once, and is told what became of it', async () => {
    const story = await running([RESTING]);
    story.fault({ name: 'hide_new_order', seconds: 60, times: 1 });
    story.fault({ name: 'accept_then_drop', operation: 'place', times: 1 });
    story.print(13_001);
    await story.until(() => story.alerts().includes('order_presumed_absent'));
    const placed = story.entries.find((entry) => entry.kind === 'place');
    const clientOrderId = placed?.kind === 'place' ? placed.order.clientOrderId : '';
    const resolve = () => story.ask('resolve-order', { clientOrderId, as: 'absent' });
    const both = await Promise.all([resolve(), resolve()]);
    expect(both, 'of two at once one did it').toEqual([
      { ok: true, message: `${shortOrderId(clientOrderId)} was presumed_absent, and is over now` },
      { ok: false, message: expect.stringMatching(/is being resolved: ask again/) },
    ]);
    expect(await resolve()).toMatchObject({ ok: false, message: expect.stringMatching(/is over/) });
    expect(story.alerts()).not.toContain('order_fault');
  });

  it('case 6: an order that filled at once is found among all orders', async () => {
    const story = await running([CROSSING]);
    story.offer('sell', 13_010, 2);
    story.fault({ name: 'accept_then_drop', operation: 'place', times: 1 });
    story.print(13_001);
    await story.until(async () => (await story.known()).net === 2);
    expect((await story.truth()).net).toBe(2);
    expect(placesOf(story)).toBe(1);
    expect(statuses(story)).toContain('filled');
  });

  it('case 10: a book that shows a new order late gets no second one', async () => {
    const story = await running([RESTING]);
    story.fault({ name: 'hide_new_order', seconds: 1, times: 1 });
    story.print(13_001);
    await story.until(async () => (await story.truth()).orders.length === 1);
    await story.until(() => story.calls.filter((call) => call.endsWith('/order/in-day')).length > 8);
    expect(await story.known()).toEqual(await story.truth());
    expect(placesOf(story)).toBe(1);
  });
});

describe('the answer to a cancel is lost', () => {
  it.each([
    ['was not done', false],
    ['was done', true],
  ])('case 7: the order of a cancel that %s counts as live until the book proves it', async (_, done) => {
    const story = await running([RESTING, { at: 13_002, do: 'cancel' }, TOO_MUCH], atMostSix);
    story.print(13_001);
    await story.until(() => statuses(story).includes('accepted'));
    story.fault({ name: 'http_500', operation: 'in-day' });
    story.fault({ name: 'http_500', operation: 'cancel', times: 1, done });
    story.print(13_002);
    await story.until(() => story.entries.some(isUnknown));
    expect((await story.known()).orders).toHaveLength(1);
    story.print(13_003);
    await story.until(() => story.denials().length > 0);
    expect(story.denials(), 'it is exposure').toEqual(['strategy_position_limit']);
    story.simulator.faults.clear();
    await story.until(() => statuses(story).at(-1) === (done ? 'canceled' : 'accepted'));
    expect(await story.known()).toEqual(await story.truth());
    expect(placesOf(story)).toBe(1);
  });
});

describe('the book contradicts itself', () => {
  it('case 11: matched volume wins over letters that say canceled', async () => {
    const story = await running([CROSSING]);
    story.offer('sell', 13_010, 2);
    story.fault({ name: 'contradict_status', status: 'PMWX' });
    story.print(13_001);
    await story.until(async () => (await story.known()).net === 2);
    expect((await story.truth()).net).toBe(2);
    const reads = story.calls.length;
    await story.until(() => story.calls.length > reads + 12);
    expect(statuses(story), 'a strategy that hears of a cancel enters again').toEqual(['accepted', 'filled']);
    expect(placesOf(story)).toBe(1);
  });

  it('case 11: it rings once for all the orders that it says so of', async () => {
    const prices = [13_001, 13_002, 13_003, 13_004];
    const story = await running(prices.map((at) => ({ at, do: 'buy', price: 12_900 })));
    for (const price of prices) story.print(price);
    await story.until(async () => (await story.known()).orders.length === prices.length);
    story.fault({ name: 'contradict_status', status: 'PWX' });
    await story.until(() => story.alerts().includes('status_contradicts'));
    const reads = story.calls.length;
    await story.until(() => story.calls.length > reads + 12);
    expect(story.alerts().filter((code) => code === 'status_contradicts')).toHaveLength(1);
    expect((await story.view())?.unproven).toMatch(/contradicts itself/);
  });
});
