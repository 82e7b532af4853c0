/** The broker of a run, where answers take no time at all. */
import { expect, it } from 'vitest';
import { US_PER_SECOND, money } from '../../../src/domain/units.ts';
import { JournalDigest } from '../../../src/research/run/journal-digest.ts';
import { RunAccount } from '../../../src/research/run/run-account.ts';
import { RunBroker } from '../../../src/research/run/run-broker.ts';
import { VirtualClock } from '../../../src/research/run/virtual-time.ts';
import { planOf, tapesOf } from '../../support/backtest-plan.ts';

/** An exit that waits for a position that no read can prove asks again with each answer. */
it.each(['positions', 'book'] as const)(
  'who asks for %s with each answer asks so many times a second',
  (what) => {
    const clock = new VirtualClock();
    const plan = planOf(tapesOf([]), []);
    const account = new RunAccount(money(1), 1, []);
    const broker = new RunBroker(plan, clock, account, new JournalDigest(() => undefined));
    const asked: number[] = [];
    broker.read(what);
    for (let second = 0; second < 3; second += 1) {
      let answers = 0;
      for (; broker.step(clock.nowUs) !== null && answers < 1_000; answers += 1) broker.read(what);
      asked.push(answers);
      expect(broker.nextUs, 'then it waits').toBe((second + 1) * US_PER_SECOND);
      clock.nowUs = broker.nextUs;
    }
    // The one that waited comes on top.
    expect(asked).toEqual(what === 'positions' ? [8, 9, 9] : [2, 3, 3]);
  },
);
