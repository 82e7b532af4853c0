/** Mistakes in the list of strategies. */
import { expect, it } from 'vitest';
import { added, spoilt, type Mistake, problemsOf } from './config-files.ts';

const ROWS: readonly Mistake[] = [
  [
    'an id twice',
    added('  - { id: one, strategy: ema-cross, symbols: [VN30F1M] }'),
    'main.yaml:10:11 strategies[1].id: expected an id that no other strategy has, was "one" (line 6 has it too)',
  ],
  [
    'the id of the operator',
    spoilt('id: one', 'id: operator'),
    'main.yaml:6:9 strategies[0].id: expected an id that no other strategy has, was "operator" (the program itself has this name)',
  ],
  [
    'an endless id',
    spoilt(
      'id: one',
      'id: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
    ),
    'main.yaml:6:9 strategies[0].id: expected a name of small letters, digits and dashes, was "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...',
  ],
  [
    'an entry without an id',
    spoilt('  - id: one\n    strategy', '  - strategy'),
    'main.yaml:6:5 strategies[0].id: expected a text, was nothing (add it)',
  ],
  [
    'a strategy that is not there',
    spoilt('ema-cross', 'martingale'),
    'main.yaml:7:15 strategies[0].strategy: expected one of ema-cross, opening-range-breakout, calendar-spread, a file such as ./mine.ts, or an installed package, was "martingale" (see tickwright strategies)',
  ],
  [
    'strategies in a list',
    spoilt('ema-cross', '[ema-cross]'),
    'main.yaml:7:15 strategies[0].strategy: expected the name of a strategy, was ["ema-cross"]',
  ],
  [
    'an entry without a strategy',
    spoilt('    strategy: ema-cross\n', ''),
    'main.yaml:6:5 strategies[0].strategy: expected the name of a strategy, was nothing (add it)',
  ],
  [
    'one strategy without a list',
    'mode: paper\nmarket: vn30f.yaml\nstrategies:\n  id: one\n  strategy: ema-cross\n  symbols: [VN30F1M]\n',
    'main.yaml:4:3 strategies: expected a list (- item), was {"id":"one","strategy":"ema-cross","symbols":["VN30F1M"]}',
  ],
  [
    'no strategy',
    'mode: paper\nmarket: vn30f.yaml\nstrategies: []\n',
    'main.yaml:3:13 strategies: expected at least 1 item, was []',
  ],
  [
    'no strategies',
    'mode: paper\nmarket: vn30f.yaml\n',
    'main.yaml:1:1 strategies: expected a list (- item), was nothing (add it)',
  ],
  [
    'names alone',
    'mode: paper\nmarket: vn30f.yaml\nstrategies: [ema-cross]\n',
    'main.yaml:3:14 strategies[0]: expected a section of keys, was "ema-cross"',
  ],
  [
    'a symbol that is no list',
    spoilt('[VN30F1M]', 'VN30F1M'),
    'main.yaml:8:14 strategies[0].symbols: expected a list (- item), was "VN30F1M"',
  ],
  [
    'a symbol in small letters',
    spoilt('[VN30F1M]', '[vn30f1m]'),
    'main.yaml:8:15 strategies[0].symbols[0]: expected a contract of this market, like VN30F1M, was "vn30f1m" (did you mean VN30F1M?)',
  ],
  [
    'a symbol of another market',
    spoilt('[VN30F1M]', '[AAPL]'),
    'main.yaml:8:15 strategies[0].symbols[0]: expected a contract of this market, like VN30F1M, was "AAPL" (F1M is the front month, F2M the next; a contract code goes too)',
  ],
  [
    'an empty symbol',
    spoilt('[VN30F1M]', '[""]'),
    'main.yaml:8:15 strategies[0].symbols[0]: expected a text that is not empty, was ""',
  ],
  [
    'one contract for both legs',
    spoilt(
      '    strategy: ema-cross\n    symbols: [VN30F1M]\n    params: { fast: 3, slow: 7 }',
      '    strategy: calendar-spread\n    symbols: [VN30F1M, VN30F1M]',
    ),
    'main.yaml:8:24 strategies[0].symbols[1]: expected another contract for each leg, was "VN30F1M"',
  ],
  [
    'a misspelt parameter',
    spoilt('fast: 3', 'fats: 3'),
    'main.yaml:9:15 strategies[0].params.fats: expected a known key, was "fats" (did you mean fast?)',
  ],
  [
    'parameters that contradict each other',
    spoilt('fast: 3', 'fast: 9'),
    'main.yaml:9:30 strategies[0].params.slow: expected a number above fast, was 7',
  ],
  [
    'a parameter below its least',
    spoilt('fast: 3', 'fast: -1'),
    'main.yaml:9:21 strategies[0].params.fast: expected at least 1, was -1',
  ],
  [
    'half a bar',
    spoilt('fast: 3', 'fast: 3.5'),
    'main.yaml:9:21 strategies[0].params.fast: expected a whole number, was 3.5',
  ],
  [
    'parameters in a list',
    spoilt('params: { fast: 3, slow: 7 }', 'params: [fast, 3]'),
    'main.yaml:9:13 strategies[0].params: expected a section of keys, was ["fast",3]',
  ],
  [
    'a word that no parameter knows',
    spoilt('fast: 3', 'direction: up'),
    'main.yaml:9:26 strategies[0].params.direction: expected one of both, long, short, was "up"',
  ],
];

it.each(ROWS)('%s', (_, text, ...problems) => {
  expect(problemsOf(text)).toEqual(problems);
});
