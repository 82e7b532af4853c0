/** Starts one process that measures, and reads the line of figures that it prints. */
import { spawnSync } from 'node:child_process';
import { z } from 'zod';
import type { BenchFigures } from '../bench-figures.ts';

const PROCESS_MS_MAX = 1_800_000;
const LINES_TOLD = 3;

const figures = z.object({
  crosses: z.number(),
  sum: z.number(),
  orders: z.number(),
  fills: z.number(),
  events: z.number(),
  denials: z.number(),
  digest: z.string(),
  seconds: z.array(z.number()).min(1),
  cpuSeconds: z.array(z.number()).min(1),
});

/** The text is why there are no figures. */
export function measureProcess(command: string, args: readonly string[]): BenchFigures | string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    encoding: 'utf8',
    timeout: PROCESS_MS_MAX,
  });
  if (error !== undefined) return error.message;
  const line = stdout.trim().split('\n').at(-1) ?? '';
  if (status !== 0 || !line.startsWith('{')) return stderr.trim().split('\n').slice(-LINES_TOLD).join(' / ');
  const read = figures.safeParse(JSON.parse(line));
  return read.success ? read.data : 'printed something else than figures';
}
