import { expect, it } from 'vitest';
import { seconds, tsUs } from '../../src/domain/units.ts';

import { BareStream } from '../contract/broker/support/bare-stream.ts';
import { VirtualTimers } from '../broker/support/virtual-timers.ts';
import { openMarket } from '../contract/broker/support/market.ts';

/** Thursday 2026-11-19, 23:58 in Vietnam: the third Thursday, last day of the November contract. */
const LAST_MINUTES = tsUs(Date.UTC(2026, 10, 19, 16, 58) * 1_000);

it('lives over the expiry of a contract that somebody listens to', async () => {
  const time = new VirtualTimers(LAST_MINUTES);
  const { simulator, alice, front } = await openMarket({
    market: { kind: 'synthetic', seed: 3, startPoints: 1_900 },
    clock: time,
    timers: time,
  });
  const tap = await BareStream.authenticated(simulator.stream, alice.token);
  tap.send(`d|s|tk|bi+tm+mp+op|${front}`);
  await tap.settle();
  // Long turns, so that what the old contract said last comes after the list has changed.
  for (let turn = 0; turn < 15; turn += 1) {
    await tap.settle();
    time.jump(seconds(9));
    time.advance(seconds(1));
  }
  expect((await alice.call('derivatives')).text).not.toContain(`"${front}"`);
  await tap.settle();
  const spoken = tap.frames.length;
  time.advance(seconds(10));
  await tap.settle();
  const later = tap.frames.slice(spoken).filter((frame) => frame.includes(front));
  expect(later, 'the old code is silent').toEqual([]);
});
