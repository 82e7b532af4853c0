/** Strategy code that ends its thread or the whole process: the daemon comes back without it, with kill path and alerts. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BUSY_CONFIG } from './busy-config.ts';
import { MAIN, type RunningDaemon, startDaemon, type Workplace, workplace } from './daemon-process.ts';

const GREEDY_FROM = 20;

/** Beside the busy strategy one that does `fill` at its twentieth trade. */
function withGreedy(fill: string): Workplace {
  const place = workplace(`${BUSY_CONFIG}  - { id: greedy, strategy: ./greedy.js, symbols: [VN30F1M] }\n`);
  writeFileSync(
    join(place.dir, 'config', 'greedy.js'),
    `import { defineStrategy } from 'tickwright/strategy';
import { z } from 'zod';
export default defineStrategy({
  name: 'greedy', summary: 'takes all there is', params: z.object({}), legs: ['contract'],
  connect(ticks) {
    const list = [];
    let trades = 0;
    ticks.trades$.subscribe((tick) => {
      trades += 1;
      if (trades === ${GREEDY_FROM}) { ${fill} }
    });
  },
});
`,
  );
  return place;
}

/** The exit code, or the signal's name. */
const died = (daemon: RunningDaemon): Promise<number | string> =>
  new Promise((resolve) => daemon.process.once('exit', (code, signal) => resolve(code ?? signal ?? '')));

test.each([
  ['objects', 'for (;;) list.push({ tick });'],
  ['bytes outside the heap', 'for (;;) list.push(new Uint8Array(1_000_000).fill(1));'],
])('that keeps %s without end is left out, and the others go on in the same process', async (_, fill) => {
  const place = withGreedy(fill);
  const daemon = startDaemon(place);
  await daemon.line(/engine_lost: .* greedy was running/);
  await daemon.line(/ greedy +stopped/);
  await daemon.line(/ busy +placed/, daemon.output().length);
  expect(await daemon.end('SIGINT'), daemon.output()).toBe(0);
});

test('that kills the process twice is left out at the third start', async () => {
  // What V8 does when it finds no memory, at once: the watchdog of a busy machine can be faster than memory that fills.
  const place = withGreedy(
    "const machine = globalThis['pro' + 'cess']; machine.kill(machine.pid, 'SIGABRT'); for (;;);",
  );
  for (let start = 0; start < 2; start += 1) {
    const dying = startDaemon(place);
    expect(await died(dying), dying.output()).toBe('SIGABRT');
  }
  const third = startDaemon(place);
  await third.line(/process_died: .* in the code of greedy,/);
  await third.line(/ greedy +stopped/);
  await third.line(/ busy +placed/, third.output().length);
  expect(await third.end('SIGINT'), third.output()).toBe(0);

  const fourth = startDaemon(place);
  await fourth.line(/ busy +placed/);
  expect(await fourth.end('SIGINT'), fourth.output()).toBe(0);
  expect(fourth.output(), 'its code does not run again').not.toMatch(/engine_lost|process_died/);
});

test('after a third death no strategy runs, and the kill path does', async () => {
  const place = workplace(BUSY_CONFIG);
  for (let start = 0; start < 3; start += 1) {
    const killed = startDaemon(place);
    await killed.line(/ control +http/);
    await killed.end('SIGKILL');
  }
  const fourth = startDaemon(place);
  await fourth.line(
    /CRITICAL +process_died: the daemon died 3 times within 10 minutes: no strategy is started/,
  );
  await fourth.line(/ busy +stopped +the daemon died 3 times/);
  const halt = spawnSync(process.execPath, [MAIN, 'halt', '--state', place.state, '--reason', 'test']);
  expect(halt.status, String(halt.stderr)).toBe(0);
  await fourth.line(/ HALTED: test/);
  const start = ['start-strategy', 'busy', '--state', place.state, '--reason', 'test'];
  const again = spawnSync(process.execPath, [MAIN, ...start]);
  expect(again.status, String(again.stderr)).toBe(0);
  expect(await fourth.end('SIGINT'), fourth.output()).toBe(0);
});

test('that takes all memory while it loads is refused', () => {
  const place = withGreedy('');
  writeFileSync(
    join(place.dir, 'config', 'greedy.js'),
    'const list = []; for (;;) list.push(new Array(1e7).fill(1));',
  );
  const check = spawnSync(process.execPath, [MAIN, 'check', '--config', place.config], { encoding: 'utf8' });
  expect(check.status, check.stderr).toBe(2);
  expect(check.stderr).toContain(
    'strategies: expected strategies that load, was code that ended its process (SIG',
  );
});
