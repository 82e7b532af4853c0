/** The files of a run appear together, or those of the run before stay. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type ResearchReport, writeReport } from '../../src/research/backtest/result-files.ts';
import { SAMPLE_REPORT } from './report/sample-report.ts';
import { tempDir } from '../support/temp-dir.ts';

const assets = { script: '', style: '' };
const report = (csv: ResearchReport['csv']): ResearchReport => ({
  model: SAMPLE_REPORT,
  json: ['report.json', csv],
  csv,
});

test('files that cannot all be written leave those of the run before', () => {
  const dir = tempDir();
  writeReport(dir, report({ 'trades.csv': 'old' }), assets);
  expect(() => writeReport(dir, report({ 'trades.csv': 'new', 'no/fills.csv': '' }), assets)).toThrow(
    'ENOENT',
  );
  expect(readdirSync(dir).toSorted()).toEqual(['report.html', 'report.json', 'trades.csv']);
  expect(readFileSync(join(dir, 'trades.csv'), 'utf8')).toBe('old');
  expect(readFileSync(join(dir, 'report.json'), 'utf8')).toContain('old');
});
