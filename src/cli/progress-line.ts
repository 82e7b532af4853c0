/** How far a long command is, with rate and time left, on one line of the terminal. */
import { US_PER_SECOND } from '../domain/units.ts';
import { formatSpan } from '../text/durations.ts';
import { formatRate } from '../text/numbers.ts';
import type { CliIo } from './cli-io.ts';

const BAR_CELLS = 24;
/** Least time between two redraws. */
const REDRAW_MS = 100;
const CLEAR = '\r\u001B[K';
const MS_PER_SECOND = 1_000;

interface Progress {
  readonly done: number;
  readonly all: number;
  readonly what: string;
  /** Counted by the rate, when that differs from `done`: rows of a file measured in bytes. */
  readonly counted?: number;
}

export class ProgressLine {
  readonly #io: CliIo;
  readonly #unit: string;
  readonly #now: () => number;
  readonly #begunMs: number;
  #drawnMs = -Infinity;
  #isShown = false;

  /** Its clock is taken here: a backtest replaces the global one. */
  constructor(io: CliIo, unit: string, now = performance.now.bind(performance)) {
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
    const seconds = (nowMs - this.#begunMs) / MS_PER_SECOND;
    const rate = seconds > 0 ? counted / seconds : 0;
    const left = done > 0 ? `${formatSpan(((seconds * (all - done)) / done) * US_PER_SECOND)} left` : '';
    const percent = `${Math.floor(part * 100)} %`.padStart(5);
    const full = Math.round(part * BAR_CELLS);
    const bar = '█'.repeat(full) + '░'.repeat(BAR_CELLS - full);
    this.#io.err(`${CLEAR}${bar} ${percent}  ${what}  ${formatRate(rate)} ${this.#unit}/s  ${left}`);
  }
  clear(): void {
    if (this.#isShown) this.#io.err(CLEAR);
    this.#isShown = false;
  }
}
