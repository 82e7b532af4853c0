import { expect, it } from 'vitest';
import { DriftLog, IGNORE_DRIFT } from '../../src/wire/drift.ts';

it('reports each kind once', () => {
  const reports: string[] = [];
  const log = new DriftLog((place, deviation) => reports.push(`${place}: ${deviation}`));
  for (let i = 0; i < 3; i += 1) log.count('trade.matchQtty', 'number as text');
  log.count('trade.matchQtty', 'null');
  log.count('place.rc', 'number as text');
  expect(reports).toEqual([
    'trade.matchQtty: number as text',
    'trade.matchQtty: null',
    'place.rc: number as text',
  ]);
});

it('keeps no more kinds than it has room for', () => {
  let reports = 0;
  const log = new DriftLog(() => {
    reports += 1;
  });
  for (let i = 0; i < 5_000; i += 1) log.count(`place ${i}`, 'odd');
  expect(log.all.length).toBe(reports);
  expect(log.all.length).toBeLessThan(5_000);
});

it('may be ignored', () => {
  expect(IGNORE_DRIFT.count('place', 'odd')).toBeUndefined();
});
