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
    'a strategy that is not there',
    spoilt('ema-cross', 'martingale'),
    'main.yaml:7:15 strategies[0].strategy: expected one of ema-cross, opening-range-breakout, calendar-spread, a file such as ./mine.ts, or an installed package, was "martingale" (see tickwright strategies)',
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
];

it.each(ROWS)('%s', (_, text, ...problems) => {
  expect(problemsOf(text)).toEqual(problems);
});
