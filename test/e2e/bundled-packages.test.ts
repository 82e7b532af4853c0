/** Packages of many files are bundled: the compiled program finds each of their classes once, and those of `node_modules` never. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';

const DIST = join(import.meta.dirname, '../../dist');
const CODE = pathToFileURL(join(DIST, 'src/host/strategy-files/strategy-code.js')).href;

function printed(script: string): unknown {
  const args = ['--input-type=module', '-e', script];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

it('gives strategies of a user the packages of the program', () => {
  const found = printed(`
    const { addressOf } = await import('${CODE}');
    const names = ['zod', 'zod/v4', 'trading-signals', 'rxjs', 'rxjs/operators'];
    const modules = await Promise.all(names.map((name) => import(addressOf(name))));
    console.log(JSON.stringify({
      addresses: names.map(addressOf),
      isOneSchema: modules[0].ZodType === modules[1].ZodType,
      isOneOperator: modules[3].mergeMap === modules[4].mergeMap,
      exports: modules.map((module) => ['z', 'EMA', 'mergeMap', 'default'].filter((name) => name in module)),
    }));`);
  expect(found).toEqual({
    addresses: ['zod/index', 'zod/v4', 'trading-signals/index', 'rxjs/index', 'rxjs/operators'].map(
      (place) => pathToFileURL(join(DIST, 'node_modules', `${place}.js`)).href,
    ),
    isOneSchema: true,
    isOneOperator: true,
    exports: [['z', 'default'], ['z', 'default'], ['EMA'], ['mergeMap', 'default'], ['mergeMap', 'default']],
  });
});
