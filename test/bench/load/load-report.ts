/** What a run under load has seen, for people, and what of it should not have been. */
import type { CallCounts } from './rest-caller.ts';
import type { ListenerCounts } from './stream-listener.ts';

export interface LoadSeen {
  /** Seconds. */
  readonly elapsed: number;
  readonly contracts: readonly string[];
  readonly listeners: readonly ListenerCounts[];
  readonly calls: CallCounts;
  /** That each listener heard. */
  readonly tradesEachSecond: readonly number[];
  /** Null where the system does not tell. */
  readonly simulator: { readonly cpuSeconds: number; readonly memoryMib: number } | null;
  readonly ownCpuSeconds: number;
  /** What the simulator itself found worth counting. */
  readonly counted: Readonly<Record<string, number>>;
}

export interface LoadReport {
  readonly lines: readonly string[];
  /** Empty when nothing was lost. */
  readonly broken: readonly string[];
}

const FAILURES_SHOWN = 5;
const MIB = 2 ** 20;

export const whole = (value: number): string => Math.round(value).toLocaleString('en-US');

/** `p50 1.2, p99 3.4, max 5.6 ms`. */
export function spread(ms: readonly number[]): string {
  if (ms.length === 0) return 'none';
  const sorted = ms.toSorted((a, b) => a - b);
  const at = (share: number): string =>
    (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN).toFixed(1);
  return `p50 ${at(0.5)}, p99 ${at(0.99)}, max ${at(1)} ms`;
}

export function reportOf({ elapsed, listeners, calls, ...seen }: LoadSeen): LoadReport {
  const { contracts, tradesEachSecond, simulator, counted } = seen;
  const total = (of: (counts: ListenerCounts) => number): number =>
    listeners.reduce((sum, counts) => sum + of(counts), 0);
  const closes = listeners.flatMap((counts) => counts.closes);
  const pongs = listeners.flatMap((counts) => counts.pongs);
  const missedPongs = total((counts) => counts.missedPongs);
  const gaps = total((counts) => counts.gaps);
  const frames = whole(total((counts) => counts.frames) / elapsed);
  const mib = (total((counts) => counts.bytes) / elapsed / MIB).toFixed(1);
  const sorted = tradesEachSecond.toSorted((a, b) => a - b);
  const trades = whole(sorted.reduce((sum, count) => sum + count, 0) / elapsed);
  const percent = (cpuSeconds: number): string =>
    `${((cpuSeconds / elapsed) * 100).toFixed(0)} % of one core`;
  const counts = Object.entries(counted).map(([what, times]) => `${what} ${times}`);
  const lines = [
    `${elapsed.toFixed(1)} s, ${listeners.length} stream clients, ${contracts.length} contracts (${contracts.join(', ')})`,
    `trades         ${trades} a second (${whole(sorted[0] ?? NaN)} to ${whole(sorted.at(-1) ?? NaN)}), each to every client; ${gaps} missed`,
    `frames         ${frames} a second to all clients, ${mib} MiB/s`,
    `heartbeats     ${whole(pongs.length)} answered: ${spread(pongs)}; ${missedPongs} not before the next one`,
    `closed         ${closes.length === 0 ? 'none' : closes.join(', ')}`,
    `REST           ${(calls.calls / elapsed).toFixed(1)} calls a second: ${spread(calls.ms)}; ${calls.failures.length} failed, ${calls.refusals} refused in the broker's own words`,
    ...(simulator === null
      ? []
      : [`simulator      ${percent(simulator.cpuSeconds)}, ${simulator.memoryMib.toFixed(0)} MiB`]),
    `these clients  ${percent(seen.ownCpuSeconds)}`,
    `it counted     ${counts.length === 0 ? 'nothing' : counts.join(', ')}`,
  ];
  const broken = [
    ...closes.map((code) => `a connection was closed with ${code}`),
    ...(missedPongs > 0 ? [`${missedPongs} heartbeats had no answer when the next one was due`] : []),
    ...(gaps > 0 ? [`${gaps} trades were missed`] : []),
    ...calls.failures.slice(0, FAILURES_SHOWN),
  ];
  return { lines, broken };
}
