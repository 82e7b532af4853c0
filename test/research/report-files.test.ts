/** The files of a run appear together, or those of the run before stay. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type ResearchReport, writeReport } from '../../src/research/backtest/result-files.ts';
import { SAMPLE_REPORT } from './report/sample-report.ts';

const assets = { script: '', style: '' };
const report = (csv: ResearchReport['csv']): ResearchReport => ({
  model: SAMPLE_REPORT,
  json: ['report.json', csv],
  csv,
});

test('files that cannot all be written leave those of the run before', () => {
  const dir = mkdtempSync(join(tmpdir(), 'tickwright-report-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  writeReport(dir, report({ 'trades.csv': 'old' }), assets);
  expect(() => writeReport(dir, report({ 'trades.csv': 'new', 'no/fills.csv': '' }), assets)).toThrow(
    'ENOENT',
  );
  expect(readdirSync(dir).toSorted()).toEqual(['report.html', 'report.json', 'trades.csv']);
  expect(readFileSync(join(dir, 'trades.csv'), 'utf8')).toBe('old');
  expect(readFileSync(join(dir, 'report.json'), 'utf8')).toContain('old');
});
