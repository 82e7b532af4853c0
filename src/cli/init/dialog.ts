/** Questions to a person at a terminal, or to whatever writes lines. */
import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { InvalidArgumentError } from 'commander';
import { type CliIo, failed } from '../cli-io.ts';

export class Dialog {
  readonly #io: CliIo;
  readonly #lines: Interface;
  /** Several lines may come at once. */
  readonly #typed: AsyncIterator<string>;
  #isOver = false;
  #isHidden = false;

  constructor(io: CliIo, input: NodeJS.ReadableStream & { readonly isTTY?: boolean }) {
    this.#io = io;
    const output = new Writable({
      write: (chunk, _encoding, done) => {
        if (!this.#isHidden) io.err(String(chunk));
        done();
      },
    });
    // No history: the arrow keys must not bring back a secret.
    this.#lines = createInterface({ input, output, terminal: input.isTTY === true, historySize: 0 });
    this.#typed = this.#lines[Symbol.asyncIterator]();
    this.#lines.on('SIGINT', () => this.#lines.close());
    this.#lines.on('close', () => {
      this.#isOver = true;
    });
  }

  /** Asks until the answer can be read; an empty one is `fallback`. */
  async ask<T>(text: string, fallback: string | null, parse: (text: string) => T): Promise<T> {
    for (;;) {
      const shown = fallback === null || fallback === '' ? '' : ` [${fallback}]`;
      // oxlint-disable-next-line eslint/no-await-in-loop -- one answer after the other
      const typed = (await this.#line(`${text}${shown}: `)).trim();
      try {
        return parse(typed === '' && fallback !== null ? fallback : typed);
      } catch (error) {
        if (!(error instanceof InvalidArgumentError)) throw error;
        this.#io.err(`  ${error.message}\n`);
      }
    }
  }

  /** An answer that the terminal does not show. */
  async secret(text: string): Promise<string> {
    const answer = this.#line(`${text} (not shown): `);
    this.#isHidden = true;
    try {
      return (await answer).trim();
    } finally {
      this.#isHidden = false;
      this.#io.err('\n');
    }
  }

  print(text: string): void {
    this.#io.err(`${text}\n`);
  }

  close(): void {
    this.#lines.close();
  }

  async #line(prompt: string): Promise<string> {
    this.#lines.setPrompt(prompt);
    if (this.#isOver) this.#io.err(prompt);
    else this.#lines.prompt();
    const line = await this.#typed.next();
    if (line.done !== true) return line.value;
    throw failed('\nthe answers ended early: nothing was written');
  }
}
