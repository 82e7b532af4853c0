/** A strategy of one's own trades from its file: on paper, over an edit between two starts, and over an edit in mid-session. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { BUSY_CONFIG } from './busy-config.ts';
import {
  journalEntries,
  MAIN,
  resolveAbsent,
  startDaemon,
  until,
  type Workplace,
  workplace,
} from './daemon-process.ts';

const OWN = BUSY_CONFIG.replace('strategy: ema-cross', 'strategy: ./turner.ts')
  .replace(/params: .*/, 'params: { barSeconds: 1 }')
  .replace('    overnight: true\n', '')
  .concat('session: { flatBeforeClose: off }\n');

/** Long over one bar, flat over the next; `size` is in a file next to it. */
const TURNER = `import { defineStrategy, PositionWorker, seconds, type Bar } from 'tickwright/strategy';
import { z } from 'zod';
import { SIZE } from './size.ts';

export default defineStrategy({
  name: 'turner',
  summary: 'turns with each bar',
  params: z.object({ barSeconds: z.int().min(1).describe('length of a bar') }),
  legs: ['contract'],
  connect(ticks, trader) {
    const worker = new PositionWorker(ticks, trader, { rest: seconds(1), reprice: seconds(0.5), slipTicks: 0 });
    let bars = 0;
    ticks.bars({ every: seconds(trader.params.barSeconds) }).subscribe((bar: Bar) => {
      bars += 1;
      if (bar.fresh) worker.aim(bars % 2 === 0 ? SIZE : 0, 'the turn of a bar');
    });
  },
});
`;

const sized = (size: number): string => `export const SIZE: number = ${size};\n`;

function written(text = OWN): Workplace & { readonly own: (name: string) => string } {
  const place = workplace(text);
  const own = (name: string): string => join(place.dir, 'config', name);
  writeFileSync(own('turner.ts'), TURNER);
  writeFileSync(own('size.ts'), sized(1));
  return { ...place, own };
}

interface Ended {
  readonly code: number;
  readonly text: string;
}

async function tickwright(...args: readonly string[]): Promise<Ended> {
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [MAIN, ...args]);
    return { code: 0, text: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, text: stdout + stderr };
  }
}

const fillsOf = (place: Workplace): number => journalEntries(place, { kinds: ['fill'] }).length;

test('a file trades; an edit between two starts, and one in mid-session, are planned changes', async () => {
  const place = written();
  const first = startDaemon(place);
  await first.line(/live/);
  await until(() => (fillsOf(place) > 1 ? true : undefined));
  expect(await first.end('SIGKILL')).toBe('SIGKILL');

  // A file that the strategy imports is part of its code.
  writeFileSync(place.own('size.ts'), sized(2));
  const second = startDaemon(place);
  await second.line(/code \w+ to \w+; its memory is rebuilt/);
  const fills = fillsOf(place);
  await until(async () => {
    await resolveAbsent(place);
    return fillsOf(place) > fills ? true : undefined;
  });

  const reload = (): Promise<Ended> => tickwright('reload', '--state', place.state, '--reason', 'test');
  writeFileSync(place.own('turner.ts'), `${TURNER}throw new Error('not yet');\n`);
  const refused = await reload();
  expect(refused.code).not.toBe(0);
  expect(refused.text).toContain('Error: not yet');
  expect(refused.text).toContain('turner.ts:19:7');
  expect(refused.text).toContain('nothing was changed');
  const beforeThird = fillsOf(place);
  await until(() => (fillsOf(place) > beforeThird ? true : undefined));

  writeFileSync(place.own('turner.ts'), TURNER.replace('the turn of a bar', 'another reason'));
  const taken = await reload();
  expect(taken.text).toMatch(/code \w+ to \w+/);
  await until(() =>
    journalEntries(place).some(({ entry }) => JSON.stringify(entry).includes('another reason'))
      ? true
      : undefined,
  );
  expect(await second.end('SIGINT'), second.output()).toBe(0);

  const of = (kind: string): readonly (string | null)[] =>
    journalEntries(place)
      .filter(({ entry }) => entry.kind === kind)
      .map(({ strategyName }) => strategyName);
  expect(of('strategy_fault')).toEqual([]);
  expect(of('strategy_changed')).toEqual(['busy', 'busy']);
  expect(of('position_mismatch')).toEqual([]);
  const replayed = await tickwright('replay', '--config', place.config);
  expect(replayed.text).toContain('journal and replay agree');
});

const REFUSED: readonly (readonly [string, string, string, string])[] = [
  ['a throw', 'paper', `${TURNER}throw new Error('boom');\n`, 'Error: boom'],
  ['an end of the process', 'check', `${TURNER}process.exit(0);\n`, 'called process.exit at '],
  ['a type error', 'check', TURNER.replace('SIZE : 0', "'two' : 0"), 'turner.ts:15:'],
  ['a forbidden import', 'paper', `import 'node:fs';\n${TURNER}`, 'an import of node:fs in turner.ts:1'],
  [
    'a clock of the machine',
    'check',
    TURNER.replace('let bars = 0;', 'let bars = Date.now() > 0 ? 0 : 1; // as Date says'),
    'expected a strategy that reads nothing of the machine, was Date.now',
  ],
  ['a missing part', 'check', TURNER.replace('./size.ts', './sise.ts'), 'turner.ts:3:22'],
];

test.each(REFUSED)('with %s nothing starts, and %s says why', async (_, command, text, problem) => {
  const place = written();
  writeFileSync(place.own('turner.ts'), text);
  const { code, text: said } = await tickwright(command, '--config', place.config);
  expect(code, said).toBe(2);
  expect(said).toContain(problem);
  expect(said).toContain('nothing was started');
});

test.each(['/dev/zero', './pipe.ts'])(
  '%s is no file with code, and keeps nobody waiting',
  async (strategy) => {
    const place = written(OWN.replace('./turner.ts', strategy));
    execFileSync('mkfifo', [place.own('pipe.ts')]);
    const { code, text } = await tickwright('check', '--config', place.config);
    expect(code, text).toBe(2);
    expect(text).toContain('expected a file with code');
  },
);

test('parameters are checked by the schema of the file, in their line', async () => {
  const place = written(OWN.replace('barSeconds: 1', 'barSeconds: 1, barSecond: 2, colour: 3'));
  const { code, text } = await tickwright('check', '--config', place.config);
  expect(code).toBe(2);
  expect(text).toContain(
    'strategies[0].params.barSecond: expected a known key, was "barSecond" (did you mean barSeconds?)',
  );
  expect(text).toMatch(
    /params\.colour: expected a known key, was "colour" \(remove it or write one of .*barSeconds/,
  );
});

test('an installed package is a strategy too', async () => {
  const place = written(OWN.replace('./turner.ts', 'turning-strategy'));
  const home = join(place.dir, 'config', 'node_modules', 'turning-strategy');
  mkdirSync(home, { recursive: true });
  writeFileSync(
    join(home, 'package.json'),
    '{ "name": "turning-strategy", "type": "module", "exports": { "node": { "import": "./index.js" } } }',
  );
  writeFileSync(join(home, 'index.js'), "export { default } from './turner.js';\n");
  const types = /, type Bar|: Bar/g;
  writeFileSync(join(home, 'turner.js'), TURNER.replaceAll(types, '').replace('size.ts', 'size.js'));
  writeFileSync(join(home, 'size.js'), 'export const SIZE = 1;\n');
  const { code, text } = await tickwright('check', '--config', place.config);
  expect(code, text).toBe(0);
  expect(text).toContain('strategy: turning-strategy');
  expect(readFileSync(place.config, 'utf8')).toContain('turning-strategy');
});
