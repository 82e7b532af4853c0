/** One line of a terminal that says how far something is, how fast it goes, and how long it still takes. */
import type { CliIo } from './cli-io.ts';

const BAR_CELLS = 24;
/** The line changes this often at most. */
const REDRAW_MS = 100;
const CLEAR = '\r\u001B[K';
const MS_PER_SECOND = 1_000;
const SECONDS_PER_MINUTE = 60;
/** Below it whole numbers say too little. */
const SLOW = 10;

export interface Progress {
  readonly done: number;
  readonly all: number;
  readonly what: string;
  /** What the rate counts, where it is not what is done: rows, where the file is measured in bytes. */
  readonly counted?: number;
}

export class ProgressLine {
  readonly #io: CliIo;
  readonly #unit: string;
  readonly #now: () => number;
  readonly #begunMs: number;
  #drawnMs = -Infinity;
  #isShown = false;

  constructor(io: CliIo, unit: string, now: () => number) {
    this.#io = io;
    this.#unit = unit;
    this.#now = now;
    this.#begunMs = now();
  }

  show({ done, all, what, counted = done }: Progress): void {
    const nowMs = this.#now();
    if (this.#io.isTerminal !== true || nowMs - this.#drawnMs < REDRAW_MS) return;
    this.#drawnMs = nowMs;
    this.#isShown = true;
    const part = all === 0 ? 1 : Math.min(1, done / all);
    const full = Math.round(part * BAR_CELLS);
    const bar = '█'.repeat(full) + '░'.repeat(BAR_CELLS - full);
    const seconds = (nowMs - this.#begunMs) / MS_PER_SECOND;
    const rate = seconds > 0 ? counted / seconds : 0;
    const left = done > 0 ? `${spanText((seconds * (all - done)) / done)} left` : '';
    const percent = `${Math.floor(part * 100)} %`.padStart(5);
    this.#io.err(`${CLEAR}${bar} ${percent}  ${what}  ${rateText(rate)} ${this.#unit}/s  ${left}`);
  }

  /** Takes the line away. */
  clear(): void {
    if (this.#isShown) this.#io.err(CLEAR);
    this.#isShown = false;
  }
}

/** `0.16`, `850`, `12.3 thousand`, `4.1 million`. */
export function rateText(rate: number): string {
  if (rate >= 1e6) return `${(rate / 1e6).toFixed(1)} million`;
  if (rate >= 1e3) return `${(rate / 1e3).toFixed(1)} thousand`;
  return rate >= SLOW ? String(Math.round(rate)) : String(Number(rate.toPrecision(2)));
}

function spanText(seconds: number): string {
  if (seconds < SECONDS_PER_MINUTE) return `${Math.ceil(seconds)} s`;
  const whole = Math.ceil(seconds);
  return `${Math.floor(whole / SECONDS_PER_MINUTE)} min ${whole % SECONDS_PER_MINUTE} s`;
}
