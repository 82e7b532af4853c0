/** What the settings say of each failure is done, once, and journaled. */
import { describe, expect, it } from 'vitest';
import type { Failure, FailurePolicy } from '../../../src/domain/settings.ts';
import { instrumentIndex, priceTicks, qty, seconds } from '../../../src/domain/units.ts';
import { replay } from '../../support/engine-replay.ts';
import { traded } from '../../support/engine-facts.ts';
import { EngineRig, FIRST } from '../../support/engine-rig.ts';
import { worth } from '../../support/engine-world.ts';
import { SmallBroker } from '../support/small-broker.ts';

/** The first strategy holds two, and has an entry of one working. */
function trading(failure: Failure, policy: FailurePolicy) {
  const rig = new EngineRig({ isReal: true, policies: { [failure]: policy } }).start().account();
  const held = rig.resting(FIRST, 'buy', 2, 13_000, '1');
  const bought = { no: '1', ref: held, ...traded(13_000, 2) } as const;
  rig.look([bought]).pass(1).positions(2).look([bought]);
  const entry = rig.resting(FIRST, 'buy', 1, 12_950, '2');
  const rests = { no: '2', ref: entry, price: 12_950 } as const;
  const read = (seconds: number, held = 2): void => {
    rig.pass(seconds).book([bought, rests]).pass(1).positions(held).look([bought, rests]).clock();
  };
  read(1);
  rig.sent.length = 0;
  return { rig, read };
}

type Trading = ReturnType<typeof trading>;

const FAILURES: readonly [Failure, (day: Trading) => void][] = [
  ['tokenDead', ({ rig }) => rig.post({ kind: 'token', isValid: false })],
  ['streamDead', ({ rig }) => rig.stream('down')],
  ['staleData', () => undefined],
  ['staleData', ({ rig }) => rig.post({ kind: 'stream', state: 'stale', reason: 'no prices for 10 s' })],
  ['unprovenPosition', ({ read }) => [1, 2, 3].forEach(() => read(4, 3))],
  [
    'journalFailure',
    ({ rig }) => rig.post({ kind: 'journal_failed', reason: 'SQLITE_IOERR: disk I/O error' }),
  ],
  ['diskFull', ({ rig }) => rig.post({ kind: 'journal_failed', reason: 'disk I/O error', isDiskFull: true })],
  ['clockJump', ({ rig }) => rig.post({ kind: 'clock_step', stepUs: 3_600_000_000 })],
];

describe.each(FAILURES)('%s', (failure, fail) => {
  it.each([
    ['hold', [], false],
    ['cancel_orders', ['2'], false],
    ['flatten', ['2'], true],
  ] as const)('with the policy %s', (policy, canceled, isFlattened) => {
    const day = trading(failure, policy);
    const { rig, read } = day;
    fail(day);
    for (let i = 0; i < 10; i += 1) read(5, failure === 'unprovenPosition' ? 3 : 2);
    expect(rig.cancels().map(({ orderNo }) => orderNo)).toEqual(canceled);
    expect(rig.engine.snapshot().procedure.includes('flattening')).toBe(isFlattened);
    const alerts = rig.of('alert').filter(({ text }) => text.includes(`(policies.${failure}: ${policy})`));
    expect(alerts, 'once').toHaveLength(1);
  });
});

it('a failure that ends in time is not answered, and one that comes again is', () => {
  const { rig, read } = trading('tokenDead', 'cancel_orders');
  const token = (isValid: boolean) => rig.post({ kind: 'token', isValid });
  token(false);
  read(20);
  token(true);
  for (let i = 0; i < 4; i += 1) read(10);
  expect(rig.cancels()).toEqual([]);
  token(false);
  for (let i = 0; i < 4; i += 1) read(10);
  expect(rig.cancels()).toHaveLength(1);
});

it('a disk that stays full is answered once, and again after a person resumed', () => {
  const { rig } = trading('diskFull', 'hold');
  const fails = (): void =>
    void rig.pass(1).post({ kind: 'journal_failed', reason: 'no room', isDiskFull: true });
  const answers = (): number => rig.alerts().filter((code) => code === 'failure_policy').length;
  for (let i = 0; i < 5; i += 1) fails();
  expect(answers()).toBe(1);
  rig.command({ name: 'resume', reason: 'room was made' });
  fails();
  expect(answers()).toBe(2);
});

const rigOf = (streamDead: FailurePolicy): EngineRig =>
  new EngineRig({ isReal: true, canWait: true, policies: { streamDead, after: seconds(10) } });

/** Long two; the stream is down for 14 s under one policy; a start under another replays it, and the stream lives again. */
function restarted(before: FailurePolicy, after: FailurePolicy) {
  const rig = rigOf(before).start();
  rig.account().conditions().trade(13_000);
  const broker = new SmallBroker(rig);
  rig.account().submit(FIRST, 'buy', 2, 13_000);
  broker.answer().fill(broker.orders.at(-1)!);
  broker.settle();
  rig.stream('down');
  broker.settle(14);
  expect(rig.of('policy_acted')).toMatchObject([{ failure: 'streamDead', policy: before, instrument: null }]);
  const again = rigOf(after);
  replay(again, rig.inputs, rig.entries);
  const { procedure } = again.engine.snapshot();
  again.boot(2).contracts().stream('live').reference();
  const rows = broker.orders.map(({ no, ref, side, qty, price, filled }) => ({
    no,
    ref,
    side,
    qty,
    price,
    filled,
  }));
  const book = rows.map((row) => ({
    ...row,
    value: worth(row.price, row.filled),
    status: 'matched' as const,
  }));
  for (let i = 0; i < 20; i += 1) again.book(book).pass(0.5).positions(2).pass(0.5).book(book).trade(13_000);
  return { again, procedure };
}

describe('a policy that is edited between two starts', () => {
  it('does not act on an outage of the past', () => {
    const { again, procedure } = restarted('hold', 'flatten');
    expect(procedure).toBe('');
    expect(again.places()).toEqual([]);
    expect(again.alerts()).not.toContain('system_diverged');
  });

  it('leaves what the earlier one began', () => {
    const { procedure } = restarted('flatten', 'hold');
    expect(procedure).toContain('flattening');
  });
});

/** A trade of the other contract. */
const tradeOfNext = (i: number) =>
  ({
    kind: 'trade',
    instrument: instrumentIndex(1),
    price: priceTicks(13_050),
    qty: qty(1),
    totalVolume: i + 1,
  }) as const;

it('a contract that hardly trades is not stale while another one has prices', () => {
  const { rig } = trading('staleData', 'cancel_orders');
  for (let i = 0; i < 20; i += 1) rig.pass(5).post(tradeOfNext(i)).clock();
  expect(rig.cancels()).toEqual([]);
});
