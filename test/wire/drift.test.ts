import { expect, it } from 'vitest';
import { DriftLog, IGNORE_DRIFT } from '../../src/wire/drift.ts';

it('reports each kind once and counts every one', () => {
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
  expect(log.all).toEqual([
    { place: 'trade.matchQtty', deviation: 'number as text', times: 3 },
    { place: 'trade.matchQtty', deviation: 'null', times: 1 },
    { place: 'place.rc', deviation: 'number as text', times: 1 },
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
  log.count('place 0', 'odd');
  expect(log.all[0]).toEqual({ place: 'place 0', deviation: 'odd', times: 2 });
});

it('may be ignored', () => {
  expect(IGNORE_DRIFT.count('place', 'odd')).toBeUndefined();
});
