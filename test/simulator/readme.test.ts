/** What the README asks a stranger to write is right. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readSimulatorFile, simulatorFileSchema } from '../../src/daemon/simulator/run-simulator.ts';
import { formatProblem } from '../../src/config/problem.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const README = readFileSync(join(ROOT, 'src', 'simulator', 'README.md'), 'utf8');

const problemsOf = (path: string): readonly string[] => {
  const read = readSimulatorFile(path);
  return 'value' in read ? [] : read.problems.map(formatProblem);
};

it('explains every key of the file', () => {
  const sections = { auth: 'auth.', stream: 'stream.', rules: 'rules.', readings: 'readings.' };
  const keys = Object.keys(simulatorFileSchema.shape).map((key) =>
    key in sections ? `${key}.` : `\`${key}`,
  );
  for (const key of keys) expect(README, key).toContain(key);
});

it('points to a file that is right as it is shipped', () => {
  const path = join(ROOT, 'config', 'simulator.yaml');
  expect(problemsOf(path)).toEqual([]);
  const read = readSimulatorFile(path);
  const accounts = 'value' in read ? read.value.file.accounts : [];
  expect(accounts.map(({ subAccounts }) => subAccounts.map(({ accountNo }) => accountNo))).toEqual([
    ['105C000001A', '0001000001', '0002000001'],
    ['0001000002', '0002000002', '105C000002A'],
  ]);
});
