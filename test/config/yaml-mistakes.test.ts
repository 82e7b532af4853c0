/** Mistakes in the form of the file: brackets, columns, characters. */
import { expect, it } from 'vitest';
import { added, spoilt, type Mistake, problemsOf } from './config-files.ts';

const ROWS: readonly Mistake[] = [
  [
    'no space after the first colon',
    spoilt('mode: paper', 'mode:paper'),
    'main.yaml:1:1 expected YAML that can be read, was none (Implicit keys need to be on a single line)',
  ],
  [
    'a key twice',
    spoilt('  orderQtyMax: 5', '  orderQtyMax: 5\n  orderQtyMax: 6'),
    'main.yaml:5:3 expected each key once, was "orderQtyMax" again (remove one of them)',
  ],
  [
    'a tab',
    spoilt('  orderQtyMax: 5', '\torderQtyMax: 5'),
    'main.yaml:4:1 expected YAML that can be read, was none (Tabs are not allowed as indentation)',
  ],
  [
    'no indentation',
    spoilt('  orderQtyMax: 5', 'orderQtyMax: 5'),
    'main.yaml:3:6 risk: expected a section of keys, was nothing',
    'main.yaml:4:1 orderQtyMax: expected a known key, was "orderQtyMax" (remove it or see config/README.md)',
  ],
  [
    'an alias of nothing',
    added('state: *nope'),
    'main.yaml:10:8 expected an anchor that is complete before it, was *nope',
  ],
  [
    'aliases of aliases of aliases',
    added(
      'state: &a [x,x,x,x,x,x,x,x,x,x]\nx1: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nx2: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nx3: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\nx4: [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]',
    ),
    'main.yaml:1:1 expected at most 100 copies by aliases, was more (write the values out)',
  ],
  [
    'a tag',
    spoilt('  orderQtyMax: 5', '  orderQtyMax: !env QTY'),
    'main.yaml:4:16 expected YAML that can be read, was none (Unresolved tag: !env)',
  ],
  [
    'an empty file',
    '',
    'main.yaml:1:1 expected a configuration with mode, market, strategies, was nothing (samples are in config/)',
  ],
  ['a list', '- mode: paper\n', 'main.yaml:1:1 expected a section of keys, was [{"mode":"paper"}]'],
  ['a text', 'paper\n', 'main.yaml:1:1 expected a section of keys, was "paper"'],
  [
    'a map in brackets with things missing',
    '{"mode": "paper"}\n',
    'main.yaml:1:1 market: expected a text, was nothing (add it)',
    'main.yaml:1:1 strategies: expected a list (- item), was nothing (add it)',
  ],
  [
    'two documents',
    added('---\nmode: paper'),
    'main.yaml:10:1 expected YAML that can be read, was none (a second document begins here)',
  ],
  [
    'a misspelt key in a file of Windows',
    spoilt('  orderQtyMax: 5', '  orderQtyMx: 5').replaceAll('\n', '\r\n'),
    'main.yaml:4:3 risk.orderQtyMx: expected a known key, was "orderQtyMx" (did you mean orderQtyMax?)',
  ],
  [
    'a misspelt value behind a byte order mark',
    `\uFEFF${spoilt('mode: paper', 'mode: papr')}`,
    'main.yaml:1:7 mode: expected one of paper, live, dry-run, was "papr" (did you mean paper?)',
  ],
  [
    'a control character',
    'mode: pa\u0000per\nmarket: vn30f.yaml\nrisk:\n  orderQtyMax: 5\nstrategies:\n  - id: one\n    strategy: ema-cross\n    symbols: [VN30F1M]\n    params: { fast: 3, slow: 7 }\n',
    'main.yaml:1:9 expected plain text, was the character U+0000 (type this place again and save the file as UTF-8)',
  ],
  [
    'spaces that do not break',
    spoilt('  orderQtyMax: 5', '\u00A0\u00A0orderQtyMax: 5'),
    'main.yaml:4:1 expected plain text, was the character U+00A0 (type this place again and save the file as UTF-8)',
  ],
  ['a colon without a key', added('? \n: x'), 'main.yaml:10:3 expected a key that is one word, was nothing'],
  [
    'a key of JavaScript',
    added('__proto__: { a: 1 }'),
    'main.yaml:10:1 __proto__: expected a known key, was "__proto__" (remove it or see config/README.md)',
  ],
];

it.each(ROWS)('%s', (_, text, ...problems) => {
  expect(problemsOf(text)).toEqual(problems);
});
