/** What a person was answered holds, though the process dies right after the answer. */
import { expect, it } from 'vitest';
import type { JournalEntry } from '../../src/engine/ports/journal-entry.ts';
import type { CommandResult } from '../../src/operator/control-server.ts';
import { formatNumber } from '../../src/text/numbers.ts';
import { HangingEngine } from './support/engine-here.ts';
import { running, type Story } from './support/story.ts';

const stateOf = async (story: Story) =>
  (await story.view())?.strategies.map(({ halted, stopped }) => ({ halted, stopped }));

it('keeps the entries of a flattened strategy off, killed as it answers', async () => {
  const story = await running([]);
  const answer = await story.ask('flatten', { strategy: 'script' });
  await story.kill();
  expect(answer.message).toContain('entries of script are off');
  await story.start();
  expect(await stateOf(story)).toMatchObject([{ halted: 'the story' }]);
});

it('keeps a strategy stopped, killed as it answers', async () => {
  const story = await running([]);
  const answer = await story.ask('stop-strategy', { strategy: 'script' });
  await story.kill();
  expect(answer.ok).toBe(true);
  await story.start();
  expect(await stateOf(story)).toMatchObject([{ stopped: 'the story' }]);
});

it('says of a resume whether anything was halted', async () => {
  const story = await running([]);
  const resume = async (strategy: string | null = null) => (await story.ask('resume', { strategy })).message;
  expect(await resume()).toMatch(/^nothing was halted: entries were allowed already/);
  expect(await resume('script')).toBe('nothing of script was halted');
  await story.ask('halt');
  expect(await resume('script')).toContain('those of the account are off');
  expect(await resume()).toMatch(/^entries are allowed again/);
  await story.ask('flatten', { strategy: 'script' });
  expect(await resume('script')).toMatch(/^entries of script are allowed again/);
});

const withSmallLimit = (yaml: string) => yaml.replaceAll('dailyLossMax: 2000000000', 'dailyLossMax: 1000000');

const isAccepted = (entry: JournalEntry) => entry.kind === 'alert' && entry.code === 'loss_accepted';

it.each([null, 'script'])('says of a resume which loss it accepts (%s)', async (strategy) => {
  const story = await running([{ at: 13_001, do: 'buy', qty: 2, price: 13_010 }], withSmallLimit);
  story.print(13_001);
  await story.until(async () => (await story.truth()).orders.length === 1);
  story.offer('sell', 13_010, 2);
  await story.until(async () => (await story.known()).net === 2);
  story.print(12_900);
  await story.until(async () => typeof (await story.view())?.strategies[0]?.halted === 'string');
  const { message } = await story.ask('resume', { strategy });
  await story.until(() => story.entries.some(isAccepted));
  const accepted = story.entries.find(isAccepted);
  const loss = accepted?.kind === 'alert' ? (accepted.loss ?? 0) : 0;
  expect(loss).toBeGreaterThan(1_000_000);
  expect(message).toContain(`; the loss of the day of ${formatNumber(loss)} VND is accepted`);
});

it('says of a resume what was halted a moment before, and lets a halt win that comes while it answers', async () => {
  const story = await running([]);
  const { daemon } = story;
  daemon.command({ name: 'halt', strategy: daemon.names.indexOf('script'), reason: 'its loss' });
  const resumed = story.ask('resume');
  await story.ask('halt');
  expect((await resumed).message).toContain('those of script stay off');
  expect(daemon.halt.reason).toBe('the story');
});

it('says of a resume that a difference of positions blocked entries, and what becomes of it', async () => {
  const story = await running([]);
  story.fault({ name: 'inject_position', symbol: 'front', net: 3 });
  await story.until(async () => typeof (await story.view())?.unproven === 'string');
  const { message } = await story.ask('resume');
  expect(message).toMatch(/^entries were blocked: .*taken over as the operator's/);
  await story.until(async () => (await story.known()).net === 3);
});

/** An order works at the broker, and no view has shown it yet. */
async function withUnseenOrder() {
  const story = await running([{ at: 13_001, do: 'buy', qty: 2, price: 12_950 }]);
  await story.view();
  story.print(13_001);
  await story.until(async () => (await story.truth()).orders.length === 1);
  expect(story.daemon.lastView?.orders).toEqual([]);
  return story;
}

it('counts an order among those that a cancel-all ends though no view has shown it yet', async () => {
  const story = await withUnseenOrder();
  const { message } = await story.ask('cancel-all');
  expect(message).toMatch(/1 open order/);
  expect(message).not.toContain('no order was open');
});

it('cancels one order that a person named though no view has shown it yet', async () => {
  const story = await withUnseenOrder();
  const id = story.entries.flatMap((entry) => (entry.kind === 'place' ? [entry.order.clientOrderId] : []))[0];
  expect(await story.ask('cancel-order', { clientOrderId: id ?? '' })).toMatchObject({ ok: true });
  await story.until(async () => (await story.truth()).orders.length === 0);
});

/** Starts the story's daemon again; `ask` is asked at the moment in which an engine takes the place of a lost one. */
async function withLostEngine(story: Story, ask: () => Promise<CommandResult>) {
  const engines: HangingEngine[] = [];
  const answers: Promise<CommandResult>[] = [];
  await story.start({
    startEngine: (data) => {
      if (engines.length > 0) answers.push(ask());
      return (engines[engines.length] = new HangingEngine(data));
    },
  });
  return { engines, answers };
}

it('says of an order, asked to cancel it as the engine is lost, no more than it knows', async () => {
  const story = await running([{ at: 13_001, do: 'buy', qty: 2, price: 12_950 }]);
  await story.stop();
  let id = '';
  const cancel = () => story.ask('cancel-order', { clientOrderId: id });
  const { engines, answers } = await withLostEngine(story, cancel);
  story.print(13_001);
  await story.until(async () => (await story.known()).orders.length === 1);
  id = (await story.view())?.orders[0]?.clientOrderId ?? '';
  engines[0]!.end();
  await story.until(() => answers.length > 0);
  expect(await answers[0]).toEqual({ ok: false, message: 'no session is open yet' });
  await story.until(() => story.daemon.sessionDay !== undefined);
  expect(await cancel()).toMatchObject({ ok: true });
  await story.until(async () => (await story.truth()).orders.length === 0);
});

it('says of a cancel-all, asked as the engine is lost, not that no order was open', async () => {
  const story = await running([{ at: 13_001, do: 'buy', qty: 2, price: 12_950 }]);
  await story.stop();
  const { engines } = await withLostEngine(story, () => story.ask('seen'));
  story.print(13_001);
  await story.until(async () => (await story.known()).orders.length === 1);
  engines[0]!.hang();
  const asked = story.ask('cancel-all');
  engines[0]!.end();
  await asked;
  await story.until(async () => (await story.truth()).orders.length === 0);
  await story.until(
    async () => (await story.view()) !== undefined && story.alerts().includes('cancel_all_ended'),
  );
  expect(story.texts('cancel_all_ended').join()).not.toContain('no order was open');
});

it('does not say that a strategy is stopped while the engine hangs', async () => {
  const story = await running([]);
  await story.stop();
  const engines: HangingEngine[] = [];
  await story.start({ startEngine: (data) => (engines[engines.length] = new HangingEngine(data)) });
  engines[0]!.hang();
  const { message } = await story.ask('stop-strategy', { strategy: 'script' });
  expect(message).toMatch(/^taken, but the engine does not answer yet/);
  engines[0]!.end();
  await story.until(async () => (await stateOf(story))?.[0]?.stopped === 'the story');
});

it('takes no resume of a difference of positions as the engine is lost, and says so', async () => {
  const story = await running([]);
  await story.stop();
  const { engines, answers } = await withLostEngine(story, () => story.ask('resume'));
  story.fault({ name: 'inject_position', symbol: 'front', net: 3 });
  await story.until(() => story.entries.some(({ kind }) => kind === 'position_mismatch'));
  engines[0]!.end();
  await story.until(() => answers.length > 0);
  expect(await answers[0]).toEqual({ ok: false, message: 'no session is open yet' });
  await story.until(async () => typeof (await story.view())?.unproven === 'string');
});

/** Long 1 under a stop, with an entry that rests; the broker takes the token back. */
async function withoutToken(): Promise<Story> {
  const story = await running([
    { at: 13_001, do: 'buy', qty: 1, price: 13_010 },
    { at: 13_002, do: 'sell', qty: 1, price: 12_790, trigger: 12_800 },
    { at: 13_002, do: 'buy', qty: 1, price: 12_950 },
  ]);
  await story.buys(1);
  await story.until(() => story.hasReadPositions());
  story.print(13_002);
  await story.until(
    async () => (await story.view())?.orders.every(({ orderNo }) => orderNo !== null) === true,
  );
  await story.until(async () => (await story.known()).orders.length === 2);
  await story.settled();
  story.fault({ name: 'expire_token' });
  await story.until(() => story.alerts().includes('token_rejected'));
  return story;
}

it('says of a cancel-all without a token that nothing is sent, cancels the entry once there is one, and names the stop that stays', async () => {
  const story = await withoutToken();
  expect((await story.ask('cancel-all')).message).toContain('no call is sent until there is one');
  await story.until(() => story.entries.filter(({ kind }) => kind === 'cancel').length === 2);
  await story.ask('token');
  await story.until(async () => (await story.truth()).orders.length === 1);
  await story.until(() => story.alerts().includes('exit_still_works'));
  expect(story.stops()).toEqual([1]);
  await story.ask('cancel-all');
  await story.until(async () => (await story.truth()).orders.length === 0);
});

it('says of a strategy that is stopped without a token that its entry cannot be canceled yet, and cancels it then', async () => {
  const story = await withoutToken();
  const { message } = await story.ask('stop-strategy', { strategy: 'script' });
  expect(message).toContain('no call is sent until there is one');
  await story.ask('token');
  await story.until(async () => (await story.truth()).orders.length === 1);
  expect(story.stops()).toEqual([1]);
});

it('cancels one order that a person named, once there is a token', async () => {
  const story = await withoutToken();
  const { clientOrderId } = (await story.view())!.orders.find(({ side }) => side === 'buy')!;
  const { message } = await story.ask('cancel-order', { clientOrderId });
  expect(message).toContain('no call is sent until there is one');
  await story.until(() => story.entries.some(({ kind }) => kind === 'cancel'));
  await story.ask('token');
  await story.until(async () => (await story.truth()).orders.length === 1);
  expect(story.stops()).toEqual([1]);
});
