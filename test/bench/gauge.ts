/**
 * `npm run bench -- gauge`: what an order costs in a backtest. Prints processor time with orders / without, and ends with 1 when an order takes
 * more bytes of the heap than the figure below: time differs from run to run, bytes do not.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { BenchFigures } from './bench-figures.ts';
import { measureProcess } from './peers/measured-process.ts';
import { medianOf } from './rounds.ts';

/**
 * From the strategy's call to its fill and all that follows, by the major version of Node.js. To change it: run `npm run bench -- gauge`, write what
 * it prints and one per cent, and say in the commit why an order may take more. A change that needs less lowers it.
 */
const BYTES_AN_ORDER_MAX: Readonly<Record<string, number>> = { 20: 4_830, 24: 12_930 };

const TICKS = 1_000_000;
const ROUNDS = 5;
const REPEATS = 3;
const SEMI_SPACE_MIB = 512;

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const script = (name: string): string => join(import.meta.dirname, name);

/** Bytes between two crosses, printed before any collection: one in between would have taken most of them away. */
function bytesOf(what: 'orders' | 'looks'): number {
  const flags = [
    '--single-threaded',
    '--trace-gc',
    `--min-semi-space-size=${SEMI_SPACE_MIB}`,
    `--max-semi-space-size=${SEMI_SPACE_MIB}`,
  ];
  const args = [...flags, script('order-bytes.js'), what];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  const [first = ''] = stdout.split('\n');
  if (!/^[\d.]+$/.test(first))
    throw new Error(`expected bytes before the first collection, was ${stdout}${stderr}`);
  return Number(first);
}

function cpuSeconds(what: 'orders' | 'looks'): number {
  const args = [script('backtest-run.js'), TICKS, 1, what, ROUNDS, 1].map(String);
  const figures: BenchFigures | string = measureProcess(process.execPath, args);
  if (typeof figures === 'string') throw new Error(figures);
  return medianOf(figures.cpuSeconds);
}

const ratio = cpuSeconds('orders') / cpuSeconds('looks');
say(`a backtest with orders takes ${ratio.toFixed(2)} times the processor of one without`);
const orders = Array.from({ length: REPEATS }, () => bytesOf('orders') - bytesOf('looks'));
const worst = Math.round(Math.max(...orders));
const all = orders.map((bytes) => Math.round(bytes)).join(', ');
const [major = ''] = process.versions.node.split('.');
const most = BYTES_AN_ORDER_MAX[major] ?? Math.max(...Object.values(BYTES_AN_ORDER_MAX));
say(`an order takes ${worst} bytes (${all}) on Node.js ${major}; at most ${most}`);
if (worst > most) {
  say(
    'That is more than test/bench/gauge.ts allows: find the waste, or change the figure there and say why.',
  );
  process.exitCode = 1;
}
