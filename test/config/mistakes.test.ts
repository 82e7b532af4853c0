/** Mistakes are answered all at once, with the file they are in; what looks odd and is right is taken. */
import { execSync } from 'node:child_process';
import { mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { added, GOOD, problemsOf, spoilt } from './config-files.ts';

it.each([
  ['the file that all others are spoilt from', GOOD],
  ['a byte order mark', `\uFEFF${GOOD}`],
  ['line ends of Windows', GOOD.replaceAll('\n', '\r\n')],
  ['a list that is not indented', GOOD.replaceAll(/^ {2}(?=[ -] )/gm, '')],
  ['a tab between key and value', spoilt('orderQtyMax: 5', 'orderQtyMax:\t5')],
  ['money with an exponent', spoilt('  orderQtyMax: 5', '  dailyLossMax: 5e6')],
  ['a contract code', spoilt('[VN30F1M]', '[41I1GC000]')],
  ['the older form of a code', spoilt('[VN30F1M]', '[VN30F2612]')],
  [
    'an alias of an anchor',
    spoilt('[VN30F1M]', '&front [VN30F1M]').concat('  - { id: two, strategy: ema-cross, symbols: *front }\n'),
  ],
  ['nothing closed before the close', added('session: { flatBeforeClose: off }')],
  ['the same in a word of YAML', added('session: { flatBeforeClose: false }')],
  ['entries into auctions', spoilt('  orderQtyMax: 5', '  auctionEntries: true')],
  ['a remark with odd quotes', added('# that is “fine”')],
])('takes %s', (_, text) => {
  expect(problemsOf(text)).toEqual([]);
});

it('refuses strategies that are to be flat where nobody closes their positions', () => {
  const flat = '    overnight: false\n    onExpiry: flatten\n';
  expect(problemsOf(added('session: { flatBeforeClose: 5m }', GOOD + flat))).toEqual([]);
  expect(problemsOf(added('session: { flatBeforeClose: off }', GOOD + flat))).toEqual([
    expect.stringContaining('strategies[0].overnight: expected true where nothing is closed'),
    expect.stringContaining('strategies[0].onExpiry: expected hold where nothing is closed'),
  ]);
});

it('reports every problem at once', () => {
  const text = GOOD.replace('mode: paper', 'mode: papr')
    .replace('orderQtyMax: 5', 'orderQtyMax: five')
    .replace('[VN30F1M]', '[]');
  expect(problemsOf(text)).toHaveLength(3);
});

const gone = (dir: string): void => rmSync(join(dir, 'main.yaml'));

const line = (received: string): string =>
  `main.yaml:1:1 expected a readable YAML file, was ${received} (check the path; samples are in config/)`;

it('says that there is no such file, or that it is none', () => {
  expect(problemsOf(GOOD, gone)).toEqual([line('no such file')]);
  const folder = (dir: string): void => {
    gone(dir);
    mkdirSync(join(dir, 'main.yaml'));
  };
  expect(problemsOf(GOOD, folder)).toEqual([line('a directory')]);
});

it.each([
  [
    'larger than any',
    'a file of 300,000,000 bytes, of which 131,072 are allowed',
    (file: string) => truncateSync(file, 300_000_000),
  ],
  [
    'of 200,000 keys',
    'a file of 2,088,889 bytes, of which 131,072 are allowed',
    (file: string) => writeFileSync(file, Array.from({ length: 200_000 }, (_, i) => `k${i}: 1`).join('\n')),
  ],
  ['without an end', 'a pipe, a device or a socket', (file: string) => replace(file, 'ln -s /dev/zero')],
  ['that nobody writes', 'a pipe, a device or a socket', (file: string) => replace(file, 'mkfifo')],
])('reads no file %s', (_, received, make) => {
  expect(problemsOf(GOOD, (dir) => make(join(dir, 'main.yaml')))).toEqual([line(received)]);
});

it('reads no section of a thousand keys and more, and does not look them up one by one', () => {
  const keys = Array.from({ length: 18_000 }, (_, i) => `${i.toString(36)}:\n`).join('');
  expect(problemsOf(keys)).toEqual(['main.yaml:1:1 expected at most 1000 keys in a section, was 18,000']);
});

function replace(file: string, command: string): void {
  rmSync(file);
  execSync(`${command} '${file}'`);
}

const latin = (dir: string): void =>
  writeFileSync(join(dir, 'main.yaml'), Buffer.from('mode: caf\u00E9\n', 'latin1'));

it('refuses bytes that are no text', () => {
  expect(problemsOf(GOOD, latin)).toEqual([
    'main.yaml:1:10 expected plain text, was the character U+FFFD (type this place again and save the file as UTF-8)',
  ]);
});

it('refuses brackets without an end', () => {
  const [first, ...others] = problemsOf(added(`state: ${'['.repeat(3000)}${']'.repeat(3000)}`));
  expect(first).toMatch(/^main\.yaml:10:\d+ expected YAML that can be read/);
  expect(others).toEqual([]);
});

it('says of a backtest what it is, and finds a key whose words are in another order', () => {
  const backtest = 'market: vn30f.yaml\ncapital: 1000\ndata: { prints: [t.csv] }\nrisk: { maxPosition: 2 }\n';
  expect(problemsOf(backtest)).toEqual([
    expect.stringMatching(/was a backtest \(run it: tickwright backtest /),
  ]);
  expect(problemsOf(spoilt('  orderQtyMax: 5', '  maxPosition: 5'))).toEqual([
    expect.stringContaining('(did you mean positionMax?)'),
  ]);
});
