/** The table is whole, names tests that exist, and is the page that people read. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FAILURE_CASES, type FailureCase } from './table.ts';

const TEST = join(import.meta.dirname, '..');
const CASES = 40;
/** Tests that put the daemon, or the program as it is delivered, against the sockets of the simulated broker. */
const OVER_THE_WIRE = /^(?:failure-cases|e2e|parity)\//;
/** Cases without a proof: each is to go from here, none is to come. */
const OPEN: readonly number[] = [];

it('has every case once, in order', () => {
  const numbers = Array.from({ length: CASES }, (_, at) => at + 1);
  expect(FAILURE_CASES.map(({ number }) => number)).toEqual(numbers);
});

it('has a test for every case', () => {
  const bare = FAILURE_CASES.filter(({ proofs }) => proofs.length === 0);
  expect(bare.map(({ number }) => number)).toEqual(OPEN);
});

it('names tests that are there', () => {
  const missing = FAILURE_CASES.flatMap(({ number, proofs }) =>
    proofs.filter((proof) => !isThere(proof)).map(({ file, test }) => `${number}: ${file}: ${test}`),
  );
  expect(missing).toEqual([]);
});

function isThere({ file, test }: FailureCase['proofs'][number]): boolean {
  const path = join(TEST, file);
  return existsSync(path) && readFileSync(path, 'utf8').includes(test);
}

it('is the page', async () => {
  await expect(page()).toMatchFileSnapshot(join(import.meta.dirname, 'README.md'));
});

function page(): string {
  const proven = FAILURE_CASES.filter(({ proofs }) => proofs.length > 0);
  const wire = proven.filter(({ proofs }) => proofs.some(({ file }) => OVER_THE_WIRE.test(file)));
  return [
    '# Failure cases',
    '',
    'Failures that made other trading systems lose money or sleep, and the tests that prove they cannot happen here.',
    '`npm run pages` writes this page, `npm run test:unit -- test/failure-cases` runs the stories.',
    '',
    `${proven.length} of ${CASES} have a test, ${wire.length} of them as a story over the real wire.`,
    '',
    ...FAILURE_CASES.map(lines),
  ].join('\n');
}

const lines = ({ number, symptom, proofs, open }: FailureCase): string =>
  [
    `## ${number}. ${symptom}`,
    '',
    ...proofs.map(({ file, test }) => `- \`${file}\`: ${test}`),
    ...(open === undefined ? [] : [`- open: ${open}`]),
    '',
  ].join('\n');
