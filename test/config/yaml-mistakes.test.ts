/** Mistakes in the form of the file: brackets, columns, characters. */
import { expect, it } from 'vitest';
import { added, GOOD, spoilt, type Mistake, problemsOf } from './config-files.ts';

const ROWS: readonly Mistake[] = [
  [
    'no space after the colon of a key in a section',
    spoilt('  orderQtyMax: 5', '  orderQtyMax:5'),
    'main.yaml:4:3 risk: expected a section of keys, was "orderQtyMax:5" (put a space after the colon)',
  ],
  [
    'no space after the first colon',
    spoilt('mode: paper', 'mode:paper'),
    'main.yaml:1:1 expected key: value, was "mode:paper" (put a space after the colon)',
  ],
  [
    'an equals sign',
    spoilt('  orderQtyMax: 5', '  orderQtyMax = 5'),
    'main.yaml:4:3 risk: expected a section of keys, was "orderQtyMax = 5" (write key: value)',
  ],
  [
    'a key twice',
    spoilt('  orderQtyMax: 5', '  orderQtyMax: 5\n  orderQtyMax: 6'),
    'main.yaml:5:3 expected each key once, was "orderQtyMax" again (remove one of them)',
  ],
  [
    'a key that is gone',
    added('operator: { cockpit: { tls: { cert: a.pem, key: b.pem } } }'),
    'main.yaml:10:24 operator.cockpit.tls: expected a known key, was "tls" (use a tunnel or a reverse proxy: src/operator/README.md has recipes)',
  ],
  [
    'a section twice',
    added('risk:\n  positionMax: 3'),
    'main.yaml:10:1 expected each key once, was "risk" again (remove one of them)',
  ],
  [
    'a tab',
    spoilt('  orderQtyMax: 5', '\torderQtyMax: 5'),
    'main.yaml:4:1 expected spaces, was a tab (YAML is indented with spaces only)',
  ],
  [
    'a tab after spaces',
    spoilt('  orderQtyMax: 5', '  \torderQtyMax: 5'),
    'main.yaml:4:3 expected spaces, was a tab (YAML is indented with spaces only)',
  ],
  [
    'tabs in a list',
    spoilt('    strategy: ema', '\t\tstrategy: ema'),
    'main.yaml:7:1 expected spaces, was a tab (YAML is indented with spaces only)',
  ],
  [
    'a key one column too far right',
    spoilt('    symbols', '     symbols'),
    'main.yaml:8:6 expected a key in the column of the keys above it, was "symbols" in column 6 (the keys of one section start in the same column, further right than the section itself)',
  ],
  [
    'a key one column too far left',
    spoilt('    symbols', '   symbols'),
    'main.yaml:8:4 expected a key in the column of the keys above it, was "symbols" in column 4 (the keys of one section start in the same column, further right than the section itself)',
  ],
  [
    'a strategy without its dash',
    spoilt('  - id', '    id'),
    'main.yaml:6:5 strategies: expected a list (- item), was {"id":"one","strategy":"ema-cross","symbols":["VN30F1M"],"params":{"fast":3,"... (begin each item with a dash and a space)',
  ],
  [
    'no space after the dash',
    spoilt('  - id', '  -id'),
    'main.yaml:6:3 expected a dash and a space, was "-id: one" (put a space after the -)',
  ],
  [
    'no indentation',
    spoilt('  orderQtyMax: 5', 'orderQtyMax: 5'),
    'main.yaml:4:1 orderQtyMax: expected a known key, was "orderQtyMax" (it belongs in risk: indent it below that)',
  ],
  [
    'an alias of nothing',
    added('state: *nope'),
    'main.yaml:10:8 expected an anchor of this name before, was *nope (put a text that begins with * in quotes)',
  ],
  [
    'parameters from an alias of nothing',
    spoilt('params: { fast: 3, slow: 7 }', 'params: *nope'),
    'main.yaml:9:13 expected an anchor of this name before, was *nope (put a text that begins with * in quotes)',
  ],
  [
    'a star',
    spoilt('ema-cross', '*'),
    'main.yaml:7:15 expected a value, was "*" (put a text that begins with * in quotes)',
  ],
  [
    'a merge of nothing',
    spoilt('params: { fast: 3, slow: 7 }', 'params: { <<: *base, fast: 3 }'),
    'main.yaml:9:19 expected an anchor of this name before, was *base (put a text that begins with * in quotes)',
  ],
  [
    'an alias inside its own anchor',
    added('state: &a [*a]'),
    'main.yaml:10:12 expected an anchor that is over, was *a (a value cannot hold itself)',
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
    'main.yaml:4:16 expected a plain value, was "!env" (tags are not used here)',
  ],
  [
    'a text that begins with a percent sign',
    added('state: %x'),
    'main.yaml:10:8 expected a value, was "%x" (put a text that begins with % in quotes)',
  ],
  [
    'a text that begins with an at sign',
    added('state: @home'),
    'main.yaml:10:8 expected a value, was "@home" (put a text that begins with @ in quotes)',
  ],
  [
    'a text in backticks',
    added('state: `x`'),
    'main.yaml:10:8 expected a value, was "`x`" (put a text that begins with ` in quotes)',
  ],
  [
    'an empty file',
    '',
    'main.yaml:1:1 expected a configuration with mode, market, strategies, was nothing (samples are in config/)',
  ],
  [
    'remarks alone',
    '# nothing yet\n',
    'main.yaml:1:1 expected a configuration with mode, market, strategies, was nothing (samples are in config/)',
  ],
  [
    'a document mark alone',
    '---\n',
    'main.yaml:1:4 expected a configuration with mode, market, strategies, was nothing (samples are in config/)',
  ],
  [
    'a list',
    '- mode: paper\n',
    'main.yaml:1:1 expected a section of keys, was [{"mode":"paper"}] (remove the dashes or brackets: it is not a list)',
  ],
  ['a text', 'paper\n', 'main.yaml:1:1 expected a section of keys, was "paper"'],
  ['a number', '42\n', 'main.yaml:1:1 expected a section of keys, was 42'],
  [
    'a map in brackets with things missing',
    '{"mode": "paper"}\n',
    'main.yaml:1:1 market: expected a text, was nothing (add it)',
    'main.yaml:1:1 strategies: expected a list (- item), was nothing (add it)',
  ],
  [
    'two documents',
    added('---\nmode: paper'),
    'main.yaml:10:1 expected one document, was a second one (remove the line --- or ... and what follows it)',
  ],
  [
    'two whole documents',
    `---\n${GOOD}---\n${GOOD}`,
    'main.yaml:11:1 expected one document, was a second one (remove the line --- or ... and what follows it)',
  ],
  [
    'something after the end of the document',
    `${GOOD}...\nmore: 1\n`,
    'main.yaml:11:1 expected one document, was a second one (remove the line --- or ... and what follows it)',
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
    'line ends of an old Macintosh',
    GOOD.replaceAll('\n', '\r'),
    'main.yaml:1:12 expected lines that end as on Unix or Windows, was a carriage return alone (save the file with other line ends)',
  ],
  [
    'a control character',
    'mode: pa\u0000per\nmarket: vn30f.yaml\nrisk:\n  orderQtyMax: 5\nstrategies:\n  - id: one\n    strategy: ema-cross\n    symbols: [VN30F1M]\n    params: { fast: 3, slow: 7 }\n',
    'main.yaml:1:9 expected text, was the control character U+0000 (remove it)',
  ],
  [
    'spaces that do not break',
    spoilt('  orderQtyMax: 5', '\u00A0\u00A0orderQtyMax: 5'),
    'main.yaml:4:1 expected spaces, was the odd space U+00A0 (type the indentation again, with plain spaces)',
  ],
  [
    'quotes of a text processor',
    spoilt('mode: paper', 'mode: “paper”'),
    'main.yaml:1:7 mode: expected one of paper, live, dry-run, was "“paper”" (did you mean paper?)',
  ],
  [
    'a colon of another keyboard',
    spoilt('mode: paper', 'mode\uFF1A paper'),
    'main.yaml:1:1 expected key: value, was "mode\uFF1A paper" (the colon is another character: type it again)',
  ],
  [
    'a quote that is never closed',
    spoilt('id: one', 'id: "one'),
    'main.yaml:6:9 expected a closing ", was none (what is opened here is never closed)',
  ],
  [
    'a single quote that is never closed',
    spoilt('id: one', "id: 'one"),
    "main.yaml:6:9 expected a closing ', was none (what is opened here is never closed)",
  ],
  [
    'a bracket that is never closed',
    spoilt('[VN30F1M]', '[VN30F1M'),
    'main.yaml:8:14 expected a closing ], was none (what is opened here is never closed)',
  ],
  [
    'a bracket of parameters that is never closed',
    spoilt('slow: 7 }', 'slow: 7'),
    'main.yaml:9:13 expected a closing }, was none (what is opened here is never closed)',
  ],
  [
    'a bracket too many',
    spoilt('[VN30F1M]', '[VN30F1M]]'),
    'main.yaml:8:23 expected nothing here, was "]" (remove it, or look for a missing comma or colon)',
  ],
  [
    'a missing comma',
    spoilt('{ fast: 3, slow: 7 }', '{ fast: 3 slow: 7 }'),
    'main.yaml:9:21 expected a comma, was nothing (between the entries, after "3")',
  ],
  [
    'a colon in a value',
    added('state: var: paper'),
    'main.yaml:10:8 expected one value, was "var: paper" (put a text with a colon in quotes)',
  ],
  [
    'a value that is a remark',
    spoilt('mode: paper', 'mode: #paper'),
    'main.yaml:1:7 mode: expected one of paper, live, dry-run, was nothing (a # begins a remark: put a text with one in quotes)',
  ],
  [
    'a text of several lines',
    spoilt('mode: paper', 'mode: |\n  paper'),
    'main.yaml:1:7 mode: expected one of paper, live, dry-run, was "paper\\n" (did you mean paper?)',
  ],
  [
    'a colon without a key',
    added('? \n: x'),
    'main.yaml:10:3 expected a key that is one word, was nothing (write key: value)',
  ],
  [
    'a key that is a map',
    added('? {a: b}\n: x'),
    'main.yaml:10:3 expected a key that is one word, was {"a":"b"}',
  ],
  [
    'a key of JavaScript',
    added('__proto__: { a: 1 }'),
    'main.yaml:10:1 __proto__: expected a known key, was "__proto__" (remove it or see config/README.md)',
  ],
];

it.each(ROWS)('%s', (_, text, ...problems) => {
  expect(problemsOf(text)).toEqual(problems);
});
