/** `kill -9` of workers, coordinator and server at drawn moments: no trial is lost or counted twice. `TICKWRIGHT_KILLS` sets how many. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { natsServer, WITHOUT_NATS } from '../support/nats-server.ts';
import { createRandom, SEED } from '../support/seed.ts';
import { tempDir } from '../support/temp-dir.ts';
import { MAIN, until } from './daemon-process.ts';

const KILLS = Number(process.env['TICKWRIGHT_KILLS'] ?? 4);
const ROOT = join(import.meta.dirname, '../..');
const TRIALS = 168;

function start(
  dir: string,
  ...args: readonly string[]
): { child: ChildProcess; ended: Promise<number | null>; text: () => string } {
  const child = spawn(process.execPath, [MAIN, ...args], { cwd: dir });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, ended: new Promise((resolve) => child.on('close', resolve)), text: () => text };
}

const digestIn = (text: string): string | undefined => /^sweep +([0-9a-f]{64})$/m.exec(text)?.[1];

test(
  `${KILLS} kills of workers, coordinator and server change no byte`,
  { timeout: 1_200_000 },
  async ({ skip }) => {
    skip(WITHOUT_NATS !== null, WITHOUT_NATS ?? '');
    const dir = tempDir();
    mkdirSync(join(dir, 'out'));
    const file = join(dir, 'run.yaml');
    writeFileSync(
      file,
      `market: ${join(ROOT, 'config/vn30f.yaml')}
capital: 2000000000
data: { prints: [${join(ROOT, 'data/sample')}] }
state: ${join(dir, 'state')}
strategies: [{ id: ema, strategy: ema-cross, symbols: [VN30F1M], params: { barSeconds: 60 } }]
sweep: { tradesMin: 0, objective: net_profit, parameters: { ema: { fast: { from: 3, to: 14 }, slow: { from: 15, to: 45, step: 5 }, direction: [long, short] } } }
`,
    );
    const alone = start(dir, 'sweep', file, '--out', 'alone', '--workers', '2');
    expect(await alone.ended, alone.text()).toBe(0);
    const server = await natsServer();
    const random = createRandom(SEED);
    const worker = (cache: string) => start(dir, 'worker', server.url, '--threads', '1', '--cache', cache);
    const sweep = () => start(dir, 'sweep', file, '--out', 'out', '--cluster', server.url);
    const workers = [worker('one'), worker('two')];
    let coordinator = sweep();
    const log = (): string =>
      join(dir, 'out', readdirSync(join(dir, 'out')).find((name) => name.endsWith('.jsonl')) ?? '-');
    const lines = (): readonly string[] =>
      existsSync(log()) ? readFileSync(log(), 'utf8').trimEnd().split('\n') : [];
    const step = Math.max(1, Math.floor((TRIALS - 10) / KILLS));
    for (let kill = 0, at = 0; kill < KILLS; kill += 1) {
      at += 1 + Math.floor(random() * step);
      await until(() => (lines().length >= at ? true : undefined));
      const who = Math.floor(random() * 4);
      if (who === 3) await server.kill().then(() => server.start());
      else if (who === 2) {
        coordinator.child.kill('SIGKILL');
        await coordinator.ended;
        coordinator = sweep();
      } else {
        workers[who]!.child.kill('SIGKILL');
        await workers[who]!.ended;
        workers[who] = worker(['one', 'two'][who]!);
      }
    }
    expect(await coordinator.ended, coordinator.text()).toBe(0);
    expect(digestIn(coordinator.text())).toBe(digestIn(alone.text()));
    for (const name of ['trials.csv', 'sweep.json', 'report.html'])
      expect(readFileSync(join(dir, 'out', name), 'utf8')).toBe(
        readFileSync(join(dir, 'alone', name), 'utf8'),
      );
    const keys = lines().map((line) => (JSON.parse(line) as { key: string }).key);
    expect([keys.length, new Set(keys).size]).toEqual([TRIALS, TRIALS]);
  },
);
