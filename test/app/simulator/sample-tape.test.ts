import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { CATALOG } from '../../../strategies/catalog.ts';
import { type SampleMarket, type SampleTape, sampleTape } from '../../../src/app/simulator/sample-tape.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import { phaseAt } from '../../../src/domain/calendar.ts';
import { readPrints } from '../../../src/recording/read-prints.ts';

const ROOT = join(import.meta.dirname, '../../..');
const COMMITTED = join(ROOT, 'data/sample');

const market = (): SampleMarket => {
  const loaded = loadConfig(join(ROOT, 'config/paper.yaml'), CATALOG);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const { exchangeCalendar: calendar, contracts, costs } = loaded.config;
  return { calendar, spec: contracts['VN30']!, costs };
};

describe('the sample tape', () => {
  let made: SampleTape;
  beforeAll(() => {
    made = sampleTape(market());
  });

  test('what stands in data/sample is what the command makes', () => {
    expect(readdirSync(COMMITTED)).toEqual([made.name]);
    const bytes = readFileSync(join(COMMITTED, made.name));
    expect(bytes.length, 'small enough to be kept').toBeLessThan(300_000);
    // Megabytes: a difference is said, not printed.
    const isSame = gunzipSync(bytes).toString('utf8') === made.text;
    expect(isSame, 'the market has changed: run `npm run sample` and commit the file').toBe(true);
  });

  test('it reads as a whole trading day, in hours when the exchange trades', () => {
    const { calendar, spec } = market();
    const dir = mkdtempSync(join(tmpdir(), 'tickwright-sample-'));
    try {
      const path = join(dir, made.name.replace('.gz', ''));
      writeFileSync(path, made.text);
      const tape = readPrints(path, { spec, utcOffsetMinutes: calendar.utcOffsetMinutes });
      expect(tape).toMatchObject({ day: '2026-06-03', code: 'VN30F2606' });
      expect(tape.prints.length).toBe(made.text.split('\n').length - 2);
      const sides = new Map<string, Set<string | null>>();
      for (const { tsUs, aggressor } of tape.prints) {
        const phase = phaseAt(calendar, tsUs);
        sides.set(phase, (sides.get(phase) ?? new Set()).add(aggressor));
      }
      // The crosses are stamped with the moment the auction ends, so the closing one falls on the close itself.
      expect(sides.get('continuous')).toEqual(new Set([null, 'buy', 'sell']));
      expect(sides.get('closed')).toEqual(new Set([null]));
      expect([...sides.keys()].toSorted()).toEqual(['closed', 'continuous']);
    } finally {
      rmSync(dir, { recursive: true });
    }
  });
});
