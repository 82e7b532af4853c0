/** Strategy code that ends its thread or the whole process: the daemon comes back without it, with kill path and alerts. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BUSY_CONFIG } from './busy-config.ts';
import { MAIN, type RunningDaemon, startDaemon, type Workplace, workplace } from './daemon-process.ts';

/** Beside the busy strategy others: each does its own at a trade, the next one twenty trades later. */
function placeWith(own: Readonly<Record<string, string>>): Workplace {
  const ids = Object.keys(own);
  const lines = ids.map((id) => `  - { id: ${id}, strategy: ./${id}.js, symbols: [VN30F1M] }\n`);
  const place = workplace(`${BUSY_CONFIG}${lines.join('')}`);
  for (const [at, id] of ids.entries())
    writeFileSync(
      join(place.dir, 'config', `${id}.js`),
      `import { defineStrategy } from 'tickwright/strategy';
import { z } from 'zod';
export default defineStrategy({
  name: '${id}', summary: 'fails', params: z.object({}), legs: ['contract'],
  connect(ticks) {
    const list = [];
    let trades = 0;
    ticks.trades$.subscribe((tick) => {
      trades += 1;
      if (trades === ${20 * (at + 1)}) { ${own[id]} }
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

test('that fails in a promise, or keeps objects or bytes without end, is left out, and the others go on in the same process', async () => {
  const failing = {
    late: "Promise.resolve().then(() => { throw new Error('late'); });",
    hoard: 'for (;;) list.push({ tick });',
    // Outside of the heap.
    bytes: 'for (;;) list.push(new Uint8Array(1_000_000).fill(1));',
  };
  const daemon = startDaemon(placeWith(failing));
  for (const id of Object.keys(failing)) {
    await daemon.line(new RegExp(`engine_lost: .* ${id} was running`));
    await daemon.line(new RegExp(` ${id} +stopped`));
    await daemon.line(/ busy +placed/, daemon.output().length);
  }
  expect(await daemon.end('SIGINT'), daemon.output()).toBe(0);
});

test('that kills the process twice is left out at the third start', async () => {
  // What V8 does when it finds no memory, at once: the watchdog of a busy machine can be faster than memory that fills.
  const place = placeWith({
    greedy: "const machine = globalThis['pro' + 'cess']; machine.kill(machine.pid, 'SIGABRT'); for (;;);",
  });
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
  const place = placeWith({ greedy: '' });
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
