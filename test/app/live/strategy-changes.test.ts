/** A reload tells each difference, and makes none that it does not tell. */
import { expect, it } from 'vitest';
import { strategyChanges } from '../../../src/app/live/strategy-changes.ts';
import { money, qty } from '../../../src/domain/units.ts';
import type { ConfiguredStrategy } from '../../../src/engine/ports/engine-event.ts';

const configured = (params: ConfiguredStrategy['params']): ConfiguredStrategy => ({
  settings: {
    id: 'one',
    symbols: ['VN30F1M'],
    overnight: true,
    onExpiry: 'hold',
    risk: { positionMax: qty(1), dailyLossMax: money(1), openOrdersMax: 1 },
  },
  definition: 'scripted',
  params,
  paramsDigest: JSON.stringify(params),
  codeDigest: 'code',
  run: 0,
});

it.each([
  ['taken away', { fast: 5, stop: 20 }, { fast: 5 }, 'stop 20 to unset'],
  ['added', { fast: 5 }, { fast: 5, stop: 20 }, 'stop unset to 20'],
  ['changed', { fast: 5 }, { fast: 6 }, 'fast 5 to 6'],
])('a parameter that is %s', (_, before, after, line) => {
  expect(strategyChanges([configured(before)], [configured(after)], [], 'hold')).toEqual([`one: ${line}`]);
});
