/** How far a long command is, with rate and time left: on one line of the terminal, and on a page. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { writing } from '../domain/failure.ts';
import { US_PER_SECOND } from '../domain/units.ts';
import { formatSpan } from '../text/durations.ts';
import { formatRate } from '../text/numbers.ts';
import type { CliIo } from './cli-io.ts';

const BAR_CELLS = 24;
/** Least time between two redraws. */
const REDRAW_MS = 100;
const CLEAR = '\r\u001B[K';
const MS_PER_SECOND = 1_000;

export interface Progress {
  readonly done: number;
  readonly all: number;
  readonly what: string;
  /** Counted by the rate, when that differs from `done`: rows of a file measured in bytes. */
  readonly counted?: number;
}

/** `part` of one. */
function stateOf({ done, all, what, counted = done }: Progress, seconds: number, unit: string) {
  const rate = seconds > 0 ? counted / seconds : 0;
  const left = done > 0 ? `${formatSpan(((seconds * (all - done)) / done) * US_PER_SECOND)} left` : '';
  return {
    part: all === 0 ? 1 : Math.min(1, done / all),
    text: `${what}  ${formatRate(rate)} ${unit}/s  ${left}`,
  };
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

  show(progress: Progress): void {
    const nowMs = this.#now();
    if (this.#io.isTerminal !== true || nowMs - this.#drawnMs < REDRAW_MS) return;
    this.#drawnMs = nowMs;
    this.#isShown = true;
    const { part, text } = stateOf(progress, (nowMs - this.#begunMs) / MS_PER_SECOND, this.#unit);
    const full = Math.round(part * BAR_CELLS);
    const bar = '█'.repeat(full) + '░'.repeat(BAR_CELLS - full);
    const percent = `${Math.floor(part * 100)} %`.padStart(5);
    this.#io.err(`${CLEAR}${bar} ${percent}  ${text}`);
  }

  clear(): void {
    if (this.#isShown) this.#io.err(CLEAR);
    this.#isShown = false;
  }
}

const REWRITE_MS = 1_000;

/** A page that reloads itself, and leads to the report in the end. */
export class ProgressPage {
  readonly #path: string;
  readonly #title: string;
  readonly #begunMs = performance.now();
  #writtenMs = -Infinity;

  /** `title` is plain text. */
  constructor(path: string, title: string) {
    this.#path = path;
    this.#title = title.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    writing(path, () => mkdirSync(dirname(path), { recursive: true }));
  }

  show(progress: Progress, unit: string): void {
    const nowMs = performance.now();
    if (nowMs - this.#writtenMs < REWRITE_MS) return;
    this.#writtenMs = nowMs;
    const { part, text } = stateOf(progress, (nowMs - this.#begunMs) / MS_PER_SECOND, unit);
    const count = `${progress.done} of ${progress.all}`;
    this.#write(
      '2',
      `<h1>${this.#title}</h1><progress value="${part}" style="width:100%"></progress>
<p>${Math.floor(part * 100)} %: ${count} ${text}</p>
<p>As of ${new Date().toLocaleTimeString('en-GB')}, when something was done last. Interrupted, it goes on when it is started again.</p>`,
    );
  }

  end(report: string): void {
    this.#write(`0; url=${report}`, `<a href="${report}">${report}</a>`);
  }

  #write(refresh: string, body: string): void {
    writing(this.#path, () =>
      writeFileSync(
        this.#path,
        `<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta http-equiv="refresh" content="${refresh}"><title>${this.#title}</title>
<style>:root{color-scheme:light dark}body{font:16px system-ui;max-width:40rem;margin:2rem auto;padding:0 1rem}</style>
${body}
`,
      ),
    );
  }
}
