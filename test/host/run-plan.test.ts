import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Database } from '../../src/sqlite/database.ts';
import { expect, it } from 'vitest';
import { readAgain, runPlan, withFirstDayLimits } from '../../src/host/run-plan.ts';
import { type Config, loadConfig } from '../../src/config/config.ts';
import { CATALOG } from '../../strategies/catalog.ts';
import { LIVE, SHIPPED } from '../config/config-files.ts';
import { tempDir } from '../support/temp-dir.ts';

const place = (): string => {
  return tempDir();
};

function live(): Config {
  const file = join(place(), 'main.yaml');
  writeFileSync(file, LIVE.replace('vn30f.yaml', join(SHIPPED, 'vn30f.yaml')));
  const loaded = loadConfig(file, CATALOG);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded.config;
}

it.each([
  ['no bytes', (path: string) => writeFileSync(path, '')],
  ['no tables', (path: string) => void new Database(path).pragma('journal_mode = WAL')],
])('real money starts next to a journal of %s, whose creation was cut off', (_, cutOff) => {
  const path = join(place(), 'journal.db');
  cutOff(path);
  const { config, remarks } = withFirstDayLimits(live(), path);
  expect(remarks.join('')).toContain('first day with real money');
  expect(config.engine.risk.orderQtyMax).toBe(config.live.firstDayQtyMax);
});

it('a market made faster than its broker can answer is noted, and a tape, which waits, is not', () => {
  const paper = { ...live(), mode: 'paper' } as const;
  const tape = join(SHIPPED, '../data/sample/2026-06-03_vn30f2606.csv.gz');
  const remarksAt = (speed: number, replay: string | null) =>
    runPlan(paper, { replay, speed, stateDir: null }).remarks.filter((each) =>
      each.includes('times real time'),
    );
  expect(remarksAt(20, null)).toEqual([]);
  expect(remarksAt(600, null)).toEqual([expect.stringMatching(/^above 20 times real time /)]);
  expect(remarksAt(600, tape)).toEqual([]);
});

it('a dry run reads its file for live again as a dry run', async () => {
  const config = { ...live(), mode: 'dry-run' } as const;
  const again = await readAgain(config, { replay: null, speed: null, stateDir: null }, false);
  expect(again).toMatchObject({ ok: true, config: { mode: 'dry-run' } });
});
