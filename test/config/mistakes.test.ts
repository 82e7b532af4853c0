/** The mistakes of somebody who writes the file for the first time: each is answered with place, expectation and advice. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { GOOD, problemsOf } from './config-files.ts';

it('takes the file that all others here are spoilt from', () => {
  expect(problemsOf(GOOD)).toEqual([]);
});

const QTY = '  orderQtyMax: 5';
const DURATION = 'a duration like 500ms, 2s, 15m or 8h';

interface Mistake {
  readonly name: string;
  readonly text: string;
  readonly problems: readonly string[];
}

/** One line of the good file is replaced. */
const spoilt = (name: string, from: string, to: string, ...problems: string[]): Mistake => {
  if (!GOOD.includes(from)) throw new Error(`${name}: nothing is spoilt`);
  return { name, text: GOOD.replace(from, to), problems };
};

const added = (name: string, lines: string, ...problems: string[]): Mistake => ({
  name,
  text: `${GOOD}${lines}\n`,
  problems,
});

const MISTAKES: readonly Mistake[] = [
  spoilt(
    'a misspelt key',
    QTY,
    '  orderQtyMx: 5',
    'main.yaml:4:3 risk.orderQtyMx: expected a known key, was "orderQtyMx" (did you mean orderQtyMax?)',
  ),
  added(
    'a misspelt section',
    'simulater:\n  seed: 1',
    'main.yaml:10:1 simulater: expected a known key, was "simulater" (did you mean simulator?)',
  ),
  added(
    'a key that nothing resembles',
    'leverage: 20',
    'main.yaml:10:1 leverage: expected a known key, was "leverage" (remove it or see config/README.md)',
  ),
  spoilt(
    'a number in words',
    QTY,
    '  orderQtyMax: five',
    'main.yaml:4:16 risk.orderQtyMax: expected a number, was "five"',
  ),
  spoilt(
    'a number in quotes',
    QTY,
    '  orderQtyMax: "5"',
    'main.yaml:4:16 risk.orderQtyMax: expected a number, was "5" (remove the quotes)',
  ),
  spoilt(
    'half a contract',
    QTY,
    '  orderQtyMax: 1.5',
    'main.yaml:4:16 risk.orderQtyMax: expected a whole number, was 1.5',
  ),
  spoilt(
    'a negative limit',
    QTY,
    '  orderQtyMax: -5',
    'main.yaml:4:16 risk.orderQtyMax: expected at least 1, was -5',
  ),
  spoilt(
    'a key twice',
    QTY,
    `${QTY}\n  orderQtyMax: 6`,
    'main.yaml:5:3 expected each key once, was "orderQtyMax" again (remove one of them)',
  ),
  spoilt(
    'a tab',
    QTY,
    '\torderQtyMax: 5',
    'main.yaml:4:1 expected spaces, was a tab (YAML is indented with spaces only)',
  ),
  spoilt(
    'no indentation',
    QTY,
    'orderQtyMax: 5',
    'main.yaml:3:6 risk: expected a section of keys, was null (indent its keys below it, or remove it)',
    'main.yaml:4:1 orderQtyMax: expected a known key, was "orderQtyMax" (it belongs in risk: indent it below that)',
  ),
  spoilt(
    'a missing colon',
    'strategy: ema-cross',
    'strategy ema-cross',
    'main.yaml:7:5 expected key: value, was "strategy" (a colon and a space stand between the two)',
  ),
  spoilt(
    'a strategy with a slip of the pen',
    'ema-cross',
    'ema-cros',
    'main.yaml:7:15 strategies[0].strategy: expected one of ema-cross, opening-range-breakout, calendar-spread, was "ema-cros" (did you mean ema-cross?)',
  ),
  spoilt(
    'a strategy that is not there',
    'ema-cross',
    'martingale',
    'main.yaml:7:15 strategies[0].strategy: expected one of ema-cross, opening-range-breakout, calendar-spread, was "martingale" (see tickwright strategies)',
  ),
  spoilt(
    'a misspelt parameter',
    'fast: 3',
    'fats: 3',
    'main.yaml:9:15 strategies[0].params.fats: expected a known key, was "fats" (did you mean fast?)',
  ),
  spoilt(
    'a parameter in words',
    'fast: 3',
    'fast: three',
    'main.yaml:9:21 strategies[0].params.fast: expected a number, was "three"',
  ),
  spoilt(
    'parameters that contradict each other',
    'fast: 3',
    'fast: 9',
    'main.yaml:9:30 strategies[0].params.slow: expected a number above fast, was 7',
  ),
  spoilt(
    'too many symbols',
    '[VN30F1M]',
    '[VN30F1M, VN30F2M]',
    'main.yaml:8:14 strategies[0].symbols: expected 1 symbol (contract), was ["VN30F1M","VN30F2M"]',
  ),
  spoilt(
    'a symbol that is no list',
    '[VN30F1M]',
    'VN30F1M',
    'main.yaml:8:14 strategies[0].symbols: expected a list (- item), was "VN30F1M" (write [VN30F1M])',
  ),
  spoilt(
    'no symbol',
    '[VN30F1M]',
    '[]',
    'main.yaml:8:14 strategies[0].symbols: expected at least 1 item, was []',
  ),
  spoilt(
    'an id with spaces',
    'id: one',
    'id: One Two',
    'main.yaml:6:9 strategies[0].id: expected a name of small letters, digits and dashes, was "One Two"',
  ),
  added(
    'an id twice',
    '  - { id: one, strategy: ema-cross, symbols: [VN30F1M] }',
    'main.yaml:10:11 strategies[1].id: expected an id that no other strategy has, was "one" (operator is reserved)',
  ),
  spoilt(
    'a mode with a slip of the pen',
    'mode: paper',
    'mode: papr',
    'main.yaml:1:7 mode: expected one of paper, live, dry-run, was "papr" (did you mean paper?)',
  ),
  spoilt(
    'no mode',
    'mode: paper\n',
    '',
    'main.yaml:1:1 mode: expected one of paper, live, dry-run, was nothing',
  ),
  spoilt(
    'a market file that is not there',
    'vn30f.yaml',
    'vn30.yaml',
    'main.yaml:2:9 market: expected the name of a file beside this one, was "vn30.yaml" (there is no vn30.yaml)',
  ),
  added(
    'a duration without a unit',
    'poll:\n  bookFast: 1',
    `main.yaml:11:13 poll.bookFast: expected ${DURATION}, was 1`,
  ),
  added(
    'a duration in words',
    'poll:\n  bookFast: 1 second',
    `main.yaml:11:13 poll.bookFast: expected ${DURATION}, was "1 second"`,
  ),
  added(
    'a time of day with one digit',
    'session:\n  rollover: 8:20',
    'main.yaml:11:13 session.rollover: expected a time of day like 08:45, was "8:20"',
  ),
  added(
    'a source of passwords that is none',
    'auth:\n  otp: { from: sms }',
    'main.yaml:11:16 auth.otp.from: expected one of simulator, prompt, command, file, was "sms"',
  ),
  added(
    'a password file without its path',
    'auth:\n  otp: { from: file }',
    'main.yaml:11:8 auth.otp.path: expected a text, was nothing',
  ),
  added(
    'a speed beyond reason',
    'simulator:\n  speed: 99999',
    'main.yaml:11:10 simulator.speed: expected at most 10000, was 99999',
  ),
  added(
    'an alias of nothing',
    'state: *here',
    'main.yaml:10:8 expected an anchor of this name before, was *here (put a text that begins with * in quotes)',
  ),
  added(
    'two documents',
    '---\nmode: paper',
    'main.yaml:10:1 expected one document, was --- (remove the line)',
  ),
  added(
    'an address in mode paper',
    'broker: { restUrl: "https://broker.example" }',
    'main.yaml:10:9 broker: expected no broker address in mode paper, was {"restUrl":"https://broker.example"} (paper trades with the embedded simulator; remove restUrl and streamUrl)',
  ),
  {
    name: 'an empty file',
    text: '',
    problems: ['main.yaml:1:1 expected a section of keys, was null (indent its keys below it, or remove it)'],
  },
  { name: 'a text', text: 'paper\n', problems: ['main.yaml:1:1 expected a section of keys, was "paper"'] },
];

it.each(MISTAKES)('$name', ({ text, problems }) => {
  expect(problemsOf(text)).toEqual(problems);
});

it('tells every problem at once', () => {
  const text = GOOD.replace('mode: paper', 'mode: papr')
    .replace(QTY, '  orderQtyMax: five')
    .replace('[VN30F1M]', '[]');
  expect(problemsOf(text)).toHaveLength(3);
});

it.each([
  ['keys in different columns', GOOD.replace('    symbols', '   symbols'), 'main.yaml:8:1'],
  ['a quote that is never closed', GOOD.replace('id: one', 'id: "one'), 'a quote is never closed'],
  ['a bracket that is never closed', GOOD.replace('[VN30F1M]', '[VN30F1M'), 'main.yaml:9:'],
])('%s', (_, text, part) => {
  const [first] = problemsOf(text);
  expect(first).toContain('expected well-formed YAML');
  expect(first).toContain(part);
});

const gone = (dir: string): void => rmSync(join(dir, 'main.yaml'));

it('says that there is no such file, or that it is none', () => {
  expect(problemsOf(GOOD, gone)).toEqual([
    'main.yaml:1:1 expected a readable YAML file, was no such file (check the path; samples are in config/)',
  ]);
  const folder = (dir: string): void => {
    gone(dir);
    mkdirSync(join(dir, 'main.yaml'));
  };
  expect(problemsOf(GOOD, folder)[0]).toContain('was EISDIR');
});

const spoil = (name: string, text: string) => (dir: string) => writeFileSync(join(dir, name), text);

it('names the line of the market file and of the closures', () => {
  expect(
    problemsOf(
      GOOD,
      spoil(
        'closures.json',
        '{ "source": "x", "validFrom": "2026-01-01",\n "validTo": "soon", "closures": [] }',
      ),
    ),
  ).toEqual(['closures.json:2:13 validTo: expected a date like 2026-03-19, was "soon"']);
  expect(problemsOf(GOOD, (dir) => rmSync(join(dir, 'closures.json')))[0]).toMatch(
    /^vn30f\.yaml:\d+:\d+ calendar\.closures: expected the name of a file beside this one/,
  );
});
