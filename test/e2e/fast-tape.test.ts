/** A tape that runs at speed 60 slows for each order of a strategy, and the daemon's clock with it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { seconds } from '../../src/domain/units.ts';
import type { JournalEntry } from '../../src/engine/ports/journal-entry.ts';
import type { ClockMap } from '../../src/simulator/time/market-clock.ts';
import { BUSY_CONFIG } from './busy-config.ts';
import { control, journalEntries, simulatorLink, startDaemon, until, workplace } from './daemon-process.ts';

const SPEED = 60;
const CONFIG = BUSY_CONFIG.replace('strategy: ema-cross', 'strategy: ./ladder.mjs').replace(
  /params: .*/,
  'params: {}',
);

/** An order far below the market that is raised step by step, each with the answer to the step before. */
const LADDER = `import { defineStrategy, seconds } from 'tickwright/strategy';
import { z } from 'zod';

export default defineStrategy({
  name: 'ladder',
  summary: 'raises an order step by step',
  params: z.object({}),
  legs: ['contract'],
  connect(ticks, trader) {
    let id = null;
    let price = 0;
    ticks.trades$.subscribe((trade) => {
      if (id !== null) return;
      price = trade.price - 100;
      id = trader.buy({ qty: 1, price, reason: 'a ladder' });
    });
    ticks.orders$.subscribe(({ status, limitPrice }) => {
      if (status === 'denied') id = null;
      if (status !== 'accepted' || limitPrice !== price || price > 18_990) return;
      price += 1;
      trader.after(seconds(0.1), () => trader.modify(id, { price }));
    });
  },
});
`;

/** A print a second for an hour. */
const TAPE = Array.from({ length: 3_600 }, (_, i) => {
  const [m, s] = [Math.floor(i / 60), i % 60].map((part) => String(part).padStart(2, '0'));
  return `09:${m}:${s},1900.0,5,B\n`;
});

const CHANGES = 60;

interface SimulatorClock {
  readonly nowUs: number;
  readonly map: ClockMap;
}

/** A message between two processes of a busy machine may take half a second, which is 30 s of the market. */
const AHEAD_MAX = seconds(60);

test('each change of an order slows the market, and the daemon goes by the same clock', async () => {
  const place = workplace(CONFIG);
  writeFileSync(join(place.dir, 'config', 'ladder.mjs'), LADDER);
  const file = join(place.dir, '2026-06-03_vn30f2606.csv');
  writeFileSync(file, `Time,Price,Volume,Side\n${TAPE.join('')}`);
  const daemon = startDaemon(place, ['--replay', file, '--speed', String(SPEED), '--state', place.state]);
  await daemon.line(/busy +started/);
  const entries = (): readonly JournalEntry[] => journalEntries(place).map(({ entry }) => entry);
  const changes = (): number =>
    entries().filter((entry) => entry.kind === 'outcome' && entry.call === 'modify').length;
  await until(() => (changes() >= CHANGES ? true : undefined));
  const lastUs = Math.max(...entries().map(({ tsUs }) => tsUs));
  const { nowUs, map } = (await (await control(place, '/clock')).json()) as SimulatorClock; // oxlint-disable-line typescript/no-unsafe-type-assertion -- our own simulator's answer
  // Each change slowed the market: at its first speed it would be minutes ahead.
  const { clockMap } = simulatorLink(place);
  const unslowedUs = clockMap.originMarketUs + (map.originRealUs - clockMap.originRealUs) * SPEED;
  expect(unslowedUs - map.originMarketUs).toBeGreaterThan(2 * AHEAD_MAX);
  expect(lastUs - nowUs).toBeLessThan(AHEAD_MAX);
  expect(await daemon.end('SIGTERM'), daemon.output()).toBe(0);
});
