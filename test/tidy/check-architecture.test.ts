import { describe, expect, it } from 'vitest';
import { ALLOW_LIST, IMPURE_GLOBALS, PURE_FOLDERS } from './allow-list.ts';
import { checkArchitecture, checkCitations, checkTopLevel } from './check-architecture.ts';

const GOOD = { path: 'src/domain/money.ts', text: 'export const zero = 0;\n' };

/** The problems of one file next to a good one. */
function problemsOf(path: string, text: string, others: Record<string, string> = {}): string[] {
  const rest = Object.entries(others).map(([other, body]) => ({ path: other, text: body }));
  return checkArchitecture([GOOD, { path, text }, ...rest]);
}

describe('arrows between folders', () => {
  it('fails when no source file was found', () => {
    const nothing = [/no source file was found/].map((pattern): unknown => expect.stringMatching(pattern));
    expect(checkArchitecture([])).toEqual(nothing);
    expect(checkArchitecture([{ path: 'test/a.test.ts', text: '' }])).toEqual(nothing);
  });

  it.each([
    ["import { zero } from '../domain/money.ts';"],
    ["import type { zero } from '../domain/money.ts';"],
    ["export { zero } from '../domain/money.ts';"],
    ["export * from '../domain/money.ts';"],
    ["const money = import('../domain/money.ts');"],
    ["type Money = import('../domain/money.ts').Money;"],
    ["const worker = new URL('../domain/money.ts', import.meta.url);"],
  ])('sees the arrow in %s', (line) => {
    expect(problemsOf('src/broker/a.ts', line)).toEqual([]);
    const inward = line.replace('domain/money', 'broker/a');
    expect(problemsOf('src/journal/b.ts', inward, { 'src/broker/a.ts': '' })).toEqual([
      'src/journal/b.ts:1 src/journal may not import src/broker: allowed are src/domain, src/engine/ports, src/sqlite',
    ]);
  });

  it('refuses every arrow between two folders that has no row', () => {
    const folders = Object.keys(ALLOW_LIST).filter((folder) => !folder.startsWith('strategies'));
    for (const from of folders) {
      for (const to of folders) {
        const up = '../'.repeat(from.split('/').length);
        const problems = problemsOf(`${from}/a.ts`, `import '${up}${to}/b.ts';`, { [`${to}/b.ts`]: '' });
        const allowed = ALLOW_LIST[from]?.folders ?? [];
        const isAllowed = from === to || allowed.includes(to) || allowed.includes('*');
        expect(problems, `${from} -> ${to}`).toHaveLength(isAllowed ? 0 : 1);
      }
    }
  });

  it('lets a strategy see src/strategy, but neither the engine nor its neighbour', () => {
    const others = {
      'src/strategy/trader.ts': '',
      'src/engine/ports/clock.ts': '',
      'strategies/other/b.ts': '',
    };
    const path = 'strategies/one/a.ts';
    expect(problemsOf(path, "import '../../src/strategy/trader.ts';", others)).toEqual([]);
    expect(problemsOf(path, "import '../../src/engine/ports/clock.ts';", others)).toHaveLength(1);
    expect(problemsOf(path, "import '../other/b.ts';", others)).toHaveLength(1);
  });

  it('lets the catalogue, and nothing else next to the folders, see the strategies', () => {
    const others = { 'strategies/one/a.ts': '' };
    expect(problemsOf('strategies/catalog.ts', "import './one/a.ts';", others)).toEqual([]);
    expect(problemsOf('strategies/other.ts', "import './one/a.ts';", others)).not.toEqual([]);
    expect(problemsOf('src/engine/a.ts', "import '../../strategies/one/a.ts';", others)).toHaveLength(1);
  });

  it('keeps the ports apart from the engine behind them', () => {
    const others = { 'src/engine/orders/book.ts': '' };
    expect(problemsOf('src/engine/ports/a.ts', "import '../orders/book.ts';", others)).toHaveLength(1);
    expect(problemsOf('src/strategy/a.ts', "import '../engine/orders/book.ts';", others)).toHaveLength(1);
  });

  it.each([['src/misc/a.ts'], ['src/a.ts'], ['strategies/a.ts']])(
    'refuses %s, a place without a row',
    (path) => {
      expect(problemsOf(path, '')).toHaveLength(1);
    },
  );

  it('refuses an import without its extension, of nothing, and of a computed path', () => {
    expect(problemsOf('src/broker/a.ts', "import '../domain/money';")).toHaveLength(1);
    expect(problemsOf('src/broker/a.ts', "import '../domain/gone.ts';")).toHaveLength(1);
    expect(problemsOf('src/broker/a.ts', 'import(process.argv[2]);')).toHaveLength(1);
    expect(problemsOf('src/daemon/a.ts', 'import(process.argv[2]);')).toEqual([]);
  });

  it('sees a cycle', () => {
    const problems = problemsOf('src/domain/a.ts', "import './b.ts';", {
      'src/domain/b.ts': "import './c.ts';",
      'src/domain/c.ts': "import type { A } from './a.ts';",
    });
    expect(problems).toEqual([
      'import cycle: src/domain/a.ts -> src/domain/b.ts -> src/domain/c.ts -> src/domain/a.ts',
    ]);
  });
});

it('sees folders of one room that import each other both ways', () => {
  const others = {
    'src/venue/orders/b.ts': '',
    'src/venue/orders/c.ts': "import '../account/d.ts';",
    'src/venue/account/d.ts': '',
    'src/venue/venue.ts': "import './account/a.ts';",
  };
  expect(problemsOf('src/venue/account/a.ts', "import '../orders/b.ts';", others)).toEqual([
    'ping-pong of folders: src/venue/account/a.ts -> src/venue/orders/b.ts, and src/venue/orders/c.ts -> src/venue/account/d.ts',
  ]);
});

describe('packages', () => {
  it.each([
    ['src/domain', 'zod'],
    ['src/engine', 'rxjs'],
    ['src/engine', 'node:fs'],
    ['src/venue', 'node:crypto'],
    ['src/journal', 'ws'],
    ['src/config', 'fs'],
    ['src/cli', 'pino'],
    ['src/journal', '@scope/cron'],
  ])('refuses in %s the package %s', (folder, name) => {
    expect(problemsOf(`${folder}/a.ts`, `import '${name}';`)).toHaveLength(1);
  });

  it.each([
    ['src/wire', 'zod'],
    ['src/strategy', 'rxjs'],
    ['src/journal', 'node:fs/promises'],
    ['src/cli', 'node:readline'],
    ['src/daemon', 'fastify'],
  ])('allows in %s the package %s', (folder, name) => {
    expect(problemsOf(`${folder}/a.ts`, `import '${name}';`)).toEqual([]);
  });

  it.each([
    ["import { map, timer } from 'rxjs';"],
    ["import { asyncScheduler } from 'rxjs';"],
    ["import { debounceTime as calm } from 'rxjs';"],
    ["import * as rx from 'rxjs';"],
    ["import { map } from 'rxjs/operators';"],
  ])('keeps the wall clock of RxJS out of a strategy: %s', (line) => {
    expect(problemsOf('strategies/one/a.ts', line)).toHaveLength(1);
    expect(problemsOf('src/broker/a.ts', line)).toEqual([]);
  });

  it.each([
    ["import { Subject } from 'rxjs';"],
    ["import { BehaviorSubject } from 'rxjs';"],
    ["import { ReplaySubject as Memory } from 'rxjs';"],
    ["import { AsyncSubject } from 'rxjs';"],
    ["import { catchError } from 'rxjs';"],
    ["import { filter, retry } from 'rxjs';"],
    ["import { Observable } from 'rxjs';"],
    ["import { shareReplay } from 'rxjs';"],
    ["import { firstValueFrom } from 'rxjs';"],
  ])('keeps what hides faults out of a strategy: %s', (line) => {
    expect(problemsOf('strategies/one/a.ts', line)).toHaveLength(1);
    expect(problemsOf('src/broker/a.ts', line)).toEqual([]);
  });

  it('lets a strategy shape streams and join them', () => {
    const line =
      "import { combineLatest, filter, map, merge, pairwise, scan, share, withLatestFrom } from 'rxjs';";
    expect(problemsOf('strategies/one/a.ts', line)).toEqual([]);
  });
});

describe('pure folders', () => {
  const places = PURE_FOLDERS.map((folder) => [folder === 'strategies' ? 'strategies/one' : folder]);
  const uses = [...IMPURE_GLOBALS].map((name) => `export const a = ${name};`);

  it.each(places)('%s has no clock, no chance, no input or output, no async', (folder) => {
    for (const line of [
      ...uses,
      'export const a = Math.random();',
      "export const a = Math['random']();",
      'export const { random } = Math;',
      'export const a = new Date();',
      'export const a = (b: Date) => b;',
      'export const a = { Date };',
      'export async function a() {}',
      'export const a = async () => 1;',
      'export class A { async go() {} }',
      'export const a = await b;',
      'for await (const a of b) a();',
      'export const a = import.meta.url;',
    ]) {
      expect(problemsOf(`${folder}/a.ts`, line), line).toHaveLength(1);
      expect(problemsOf('src/daemon/a.ts', line), line).toEqual([]);
    }
  });

  it.each([
    ['// a Date in a comment, await'],
    ["export const a = 'Date';"],
    ['export class Engine { process(event: number): number { return event; } }'],
    ['export const a = (engine: { process(): void }) => engine.process();'],
    ['export const a = { process: 1, fetch: 2 };'],
    ['export interface Port { readonly crypto: number; async: boolean; await: boolean }'],
    ['export const a = (process: () => void) => process();'],
    ['export const a = Math.floor(1);'],
  ])('lets names pass that only look alike: %s', (line) => {
    expect(problemsOf('src/engine/a.ts', line)).toEqual([]);
  });

  it('honours a marker with a reason, on its own line only', () => {
    const line = 'export const a = Date.now();';
    expect(problemsOf('src/engine/a.ts', `${line} // clock-ok: log line only`)).toEqual([]);
    expect(problemsOf('src/engine/a.ts', `// clock-ok: log line only\n${line}`)).toHaveLength(1);
    expect(problemsOf('src/engine/a.ts', `${line} // clock-ok:`)).toEqual([
      'src/engine/a.ts:1 clock-ok without a reason: write // clock-ok: why',
    ]);
  });
});

describe('names and sizes', () => {
  it.each([
    ['a.pk_orderNo'],
    ['a = { matchQtty: 1 }'],
    ["a['showPrice']"],
    ["a === 'SOL'"],
    ['a.bidPrice01'],
  ])("keeps the broker's words in src/wire: %s", (line) => {
    expect(problemsOf('src/broker/a.ts', line)).toHaveLength(1);
    expect(problemsOf('src/wire/a.ts', line)).toEqual([]);
    expect(problemsOf('test/broker/a.test.ts', line)).toEqual([]);
  });

  it('allows 600 lines', () => {
    expect(problemsOf('src/domain/long.ts', '//\n'.repeat(600))).toEqual([]);
    expect(problemsOf('src/domain/long.ts', '//\n'.repeat(601))).toHaveLength(1);
    expect(problemsOf('test/domain/long.test.ts', '//\n'.repeat(601))).toHaveLength(1);
  });

  it.each([
    ['src/domain/utils.ts'],
    ['src/domain/helpers/a.ts'],
    ['src/domain/common.ts'],
    ['test/domain/types.ts'],
    ['src/domain/bigName.ts'],
    ['src/domain/snake_case.ts'],
    ['src/cli/main.js'],
  ])('refuses the name %s', (path) => {
    expect(problemsOf(path, '')).toHaveLength(1);
  });

  it('refuses what cannot be parsed', () => {
    expect(problemsOf('src/domain/a.ts', 'export const = 1;').join()).toMatch(/cannot be parsed/);
  });

  it('knows what may be at the top level', () => {
    expect(checkTopLevel(['src', '.npmrc', 'node_modules', 'package.json'])).toEqual([]);
    expect(checkTopLevel(['docs'])).toHaveLength(1);
  });
});

it.each([
  ["// (rulings,\n// 8; contract, 4 and 4.3)\ncall('(rulings, 9)', (contract, 9));", 0],
  ['/** (contract, 4.3;\n * rulings, 8 and 80). (notes, 1). (contract, section 4). (rulings, 8: why) */', 4],
])('finds in %j what no document has', (text, count) => {
  const documents = { rulings: '- **8** Look-up', contract: '## 4 Calls\n### 4.3 Orders' };
  expect(checkCitations([{ path: 'a.ts', text }], documents)).toHaveLength(count);
});

describe('skipped tests', () => {
  const dot = '.';

  it.each([
    [`it${dot}skip('a', () => {});`],
    [`describe${dot}skipIf(true)('a', () => {});`],
    [`it${dot}todo('a');`],
    [`it.concurrent${dot}only('a', () => {});`],
    [`context${dot}skip(slow);`],
    [['it("a", ({ skip }) => skip', '());'].join('')],
  ])('refuses %s', (line) => {
    expect(problemsOf('test/domain/a.test.ts', line)).toHaveLength(1);
  });

  it.each([[`context${dot}skip(slow, 'needs a quiet machine');`], ['numbers.pipe(skip(1));']])(
    'allows %s',
    (line) => {
      expect(problemsOf('test/domain/a.test.ts', line)).toEqual([]);
    },
  );
});
