/** A reload names each difference, and makes none that it does not name. */
import { expect, it } from 'vitest';
import { strategyChanges } from '../../src/daemon/reload.ts';
import { money, qty } from '../../src/domain/units.ts';
import type { ConfiguredStrategy } from '../../src/engine/ports/engine-event.ts';
import { EngineRig, FIRST } from '../support/engine-rig.ts';

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

const NOBODY = { strategies: [], orders: [] };

it.each([
  ['taken away', { fast: 5, stop: 20 }, { fast: 5 }, 'stop 20 to unset'],
  ['added', { fast: 5 }, { fast: 5, stop: 20 }, 'stop unset to 20'],
  ['changed', { fast: 5 }, { fast: 6 }, 'fast 5 to 6'],
])('a parameter that is %s', (_, before, after, line) => {
  expect(strategyChanges([configured(before)], [configured(after)], NOBODY, 'hold')).toEqual([
    `one: ${line}`,
  ]);
});

it('a limit that is lowered below what rests names the orders that may fill beyond it', () => {
  const rig = new EngineRig().start();
  rig.resting(FIRST, 'buy', 3, 12_990, '1');
  rig.resting(FIRST, 'buy', 1, 12_980, '2');
  const view = rig.engine.snapshot();
  const { id } = view.strategies[0]!;
  const limited = (positionMax: number, openOrdersMax: number): ConfiguredStrategy => {
    const { settings, ...rest } = configured({});
    return {
      ...rest,
      settings: { ...settings, id, risk: { ...settings.risk, positionMax: qty(positionMax), openOrdersMax } },
    };
  };
  const changesOf = (positionMax: number, openOrdersMax: number): string =>
    strategyChanges([limited(9, 9)], [limited(positionMax, openOrdersMax)], view, 'hold').join();
  expect(changesOf(2, 9)).toContain('its orders to buy 4 of VN30F2603 stay');
  expect(changesOf(4, 9)).not.toContain('its orders to');
  expect(changesOf(4, 1)).toContain('above its openOrdersMax 1');
  expect(changesOf(4, 9)).toContain(
    'keeps 2 open orders; its exits keep their prices, its entries rest until',
  );
});
