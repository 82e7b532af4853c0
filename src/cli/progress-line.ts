/** How far a long command is, with rate and time left: on one line of the terminal, and on a page that reloads itself. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { withPath } from '../domain/failure.ts';
import { US_PER_SECOND } from '../domain/units.ts';
import { formatSpan } from '../text/durations.ts';
import { escapeHtml } from '../text/html.ts';
import { formatRate } from '../text/numbers.ts';
import type { CliIo } from './cli-io.ts';

const BAR_CELLS = 24;
/** Least time between two redraws. */
const REDRAW_MS = 100;
const CLEAR = '\r\u001B[K';
/** As a browser reads it. */
const REWRITE_MS = 1_000;
const MS_PER_SECOND = 1_000;

interface Progress {
  readonly done: number;
  readonly all: number;
  readonly what: string;
  /** Counted by the rate, when that differs from `done`: rows of a file measured in bytes. */
  readonly counted?: number;
}

/** A page next to the results. */
interface ProgressPage {
  readonly path: string;
  /** Plain text. */
  readonly title: string;
}

const pageText = ({ title }: ProgressPage, reloadAfter: string, body: string): string =>
  `<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta http-equiv="refresh" content="${reloadAfter}"><title>${title}</title>
<style>:root{color-scheme:light dark}body{font:16px system-ui;max-width:40rem;margin:2rem auto;padding:0 1rem}</style>
${body}
`;

export class ProgressLine {
  readonly #io: CliIo;
  readonly #unit: string;
  readonly #now: () => number;
  readonly #begunMs: number;
  readonly #page: ProgressPage | undefined;
  #drawnMs = -Infinity;
  #writtenMs = -Infinity;
  #isShown = false;

  /** Its clock is taken here: a backtest replaces the global one. */
  constructor(io: CliIo, unit: string, page?: ProgressPage, now = performance.now.bind(performance)) {
    this.#io = io;
    this.#unit = unit;
    this.#now = now;
    this.#begunMs = now();
    if (page === undefined) return;
    this.#page = { ...page, title: escapeHtml(page.title) };
    withPath(page.path, () => mkdirSync(dirname(page.path), { recursive: true }));
  }

  show({ done, all, what, counted = done }: Progress): void {
    const nowMs = this.#now();
    const isDrawn = this.#io.isTerminal === true && nowMs - this.#drawnMs >= REDRAW_MS;
    const isWritten = this.#page !== undefined && nowMs - this.#writtenMs >= REWRITE_MS;
    if (!isDrawn && !isWritten) return;
    const part = all === 0 ? 1 : Math.min(1, done / all);
    const seconds = (nowMs - this.#begunMs) / MS_PER_SECOND;
    const rate = seconds > 0 ? counted / seconds : 0;
    const left = done > 0 ? `${formatSpan(((seconds * (all - done)) / done) * US_PER_SECOND)} left` : '';
    const percent = `${Math.floor(part * 100)} %`;
    const text = `${what}  ${formatRate(rate)} ${this.#unit}/s  ${left}`;
    if (isDrawn) {
      this.#drawnMs = nowMs;
      this.#isShown = true;
      const full = Math.round(part * BAR_CELLS);
      const bar = '█'.repeat(full) + '░'.repeat(BAR_CELLS - full);
      this.#io.err(`${CLEAR}${bar} ${percent.padStart(5)}  ${text}`);
    }
    if (!isWritten) return;
    this.#writtenMs = nowMs;
    const at = new Date().toLocaleTimeString('en-GB');
    this.#write(
      '2',
      `<h1>${this.#page?.title}</h1><progress value="${part}" style="width:100%"></progress>
<p>${percent}: ${done} of ${all} ${text}</p>
<p>As of ${at}, when something was done last. Interrupted, it goes on when it is started again.</p>`,
    );
  }

  clear(): void {
    if (this.#isShown) this.#io.err(CLEAR);
    this.#isShown = false;
  }

  /** The page leads to `report` from here on. */
  end(report: string): void {
    this.clear();
    this.#write(`0; url=${report}`, `<a href="${report}">${report}</a>`);
  }

  #write(reloadAfter: string, body: string): void {
    const page = this.#page;
    if (page !== undefined)
      withPath(page.path, () => writeFileSync(page.path, pageText(page, reloadAfter, body)));
  }
}
