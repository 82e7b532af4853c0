/**
 * Imports a file of depth or of single orders of any size, and prints rate and memory: `npm run bench:depth -- lobster 1000` makes
 * a file of 1,000 MB in a temporary directory, measures, and deletes it. `depth` does the same with JSON lines.
 */
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const BYTES_PER_MB = 1_000_000;
const PAGE = 1 << 20;

function draws(): (most: number) => number {
  let state = 1;
  return (most) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % most;
  };
}

/** Orders that come, shrink, trade and go around a price that stays; some thousand of them live at once. */
function* lobsterLines(): Generator<string> {
  const next = draws();
  const live: { readonly id: number; readonly side: number; readonly price: number; left: number }[] = [];
  for (let id = 1; ; id += 1) {
    const time = (34_200 + id * 0.000_4).toFixed(9);
    const order = live[next(Math.max(1, live.length))];
    if (order === undefined || (next(100) < 52 && live.length < 5_000)) {
      const side = next(2) === 0 ? 1 : -1;
      const price = 1_000_000 + side * -100 * (1 + Math.min(next(200), next(200)));
      const left = 1 + next(500);
      live.push({ id, side, price, left });
      yield `${time},1,${id},${left},${price},${side}\n`;
      continue;
    }
    const type = [2, 3, 3, 3, 4][next(5)] ?? 3;
    const size = type === 3 ? order.left : 1 + next(order.left);
    order.left -= size;
    yield `${time},${type},${order.id},${size},${order.price},${order.side}\n`;
    if (order.left > 0) continue;
    const last = live.pop();
    if (last !== undefined && last !== order) live[live.indexOf(order)] = last;
  }
}

function* depthLines(): Generator<string> {
  const next = draws();
  const startMs = Date.UTC(2024, 0, 3);
  const level = (side: number): string => {
    const price = 100 + (side * -(1 + Math.min(next(200), next(200)))) / 100;
    return `["${price.toFixed(2)}","${next(4) === 0 ? 0 : 1 + next(500)}"]`;
  };
  yield `{"type":"snapshot","time":${startMs},"sequence":0,"bids":[["99.99","1"]],"asks":[["100.01","1"]]}\n`;
  for (let sequence = 1; ; sequence += 1) {
    const time = startMs + Math.floor(sequence * 0.8);
    yield next(10) === 0
      ? `{"type":"trade","time":${time},"price":"100.01","qty":"${1 + next(9)}","side":"buy"}\n`
      : `{"type":"update","time":${time},"first":${sequence},"sequence":${sequence},"bids":[${level(1)},${level(1)}],"asks":[${level(-1)}]}\n`;
  }
}

function writeFile(path: string, lines: Iterable<string>, bytes: number): void {
  const file = openSync(path, 'w');
  let page = '';
  let done = 0;
  for (const line of lines) {
    page += line;
    if (page.length < PAGE) continue;
    done += writeSync(file, page);
    page = '';
    if (done >= bytes) break;
  }
  closeSync(file);
}

const [kind = 'lobster', megabytes = '1000'] = process.argv.slice(2);
const dir = mkdtempSync(join(tmpdir(), 'tickwright-depth-'));
try {
  const isLobster = kind === 'lobster';
  const name = isLobster ? 'TEST_2024-01-03_34200000_57600000_message_10.csv' : 'TEST.jsonl';
  const file = join(dir, name);
  writeFile(file, isLobster ? lobsterLines() : depthLines(), Number(megabytes) * BYTES_PER_MB);
  const program = join(import.meta.dirname, '../../src/cli/main.js');
  const asked = [
    'data',
    'import',
    file,
    '--dir',
    join(dir, 'data'),
    '--tick-size',
    '0.01',
    '--zone',
    'UTC',
    '--levels',
    '5',
    '--no-archive',
  ];
  const measured = `const { resourceUsage } = process; process.on('exit', () => console.log('most memory: ' + Math.round(resourceUsage().maxRSS / 1024) + ' MiB'));`;
  const preload = `data:text/javascript,${encodeURIComponent(measured)}`;
  process.stdout.write(
    execFileSync(process.execPath, ['--import', preload, program, ...asked], { encoding: 'utf8' }),
  );
} finally {
  rmSync(dir, { recursive: true, force: true });
}
