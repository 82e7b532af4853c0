/** Questions to a person at a terminal. */
import { type Readable, Writable } from 'node:stream';
import { multiselect, password, select, text as textLine } from '@clack/prompts';
import { InvalidArgumentError } from 'commander';
import { type CliIo, failed, wrongUsage } from '../cli-io.ts';

/** Reads an answer; throws `InvalidArgumentError`. With `choices`, a terminal shows them: several where it takes a list. */
export interface AnswerParser<T> {
  (text: string): T;
  readonly choices?: readonly string[];
  readonly isList?: boolean;
}

export interface Dialog {
  /** Asks until the answer can be read; an empty one is `fallback`. */
  ask<T>(text: string, fallback: string | null, parse: AnswerParser<T>): Promise<T>;
  /** An answer that the terminal does not show. */
  secret(text: string): Promise<string>;
  print(text: string): void;
  close(): void;
}

type TerminalInput = Readable & { readonly isTTY?: boolean };

export function openDialog(io: CliIo, input: TerminalInput): Dialog {
  if (input.isTTY === true) return new TerminalDialog(io, input);
  throw wrongUsage('there is no terminal to ask at: add --yes, and options for what has no default');
}

const written = (write: (text: string) => void): Writable =>
  new Writable({
    write: (chunk, _encoding, done) => {
      write(String(chunk));
      done();
    },
  });

class TerminalDialog implements Dialog {
  readonly #io: CliIo;
  readonly #at: { readonly input: Readable; readonly output: Writable };

  constructor(io: CliIo, input: Readable) {
    this.#io = io;
    this.#at = { input, output: written((text) => io.err(text)) };
  }

  async ask<T>(message: string, fallback: string | null, parse: AnswerParser<T>): Promise<T> {
    const { choices, isList } = parse;
    if (choices === undefined) return this.#line(message, fallback, parse);
    const options = choices.map((value) => ({ value }));
    const initial = fallback?.split(',') ?? [];
    const answer =
      isList === true
        ? await multiselect({
            ...this.#at,
            message,
            options,
            initialValues: initial.filter((each) => choices.includes(each)),
            required: fallback !== 'none',
          })
        : await select({ ...this.#at, message, options, initialValue: initial[0] });
    return parse([answered(answer)].flat().join(',') || 'none');
  }

  async #line<T>(message: string, fallback: string | null, parse: AnswerParser<T>): Promise<T> {
    const answer = await textLine({
      ...this.#at,
      message,
      ...(fallback === null ? {} : { placeholder: fallback, defaultValue: fallback }),
      validate: (typed = '') => {
        const given = typed.trim();
        return given === '' && fallback !== null ? undefined : problemOf(parse, given);
      },
    });
    return parse(answered<string>(answer).trim());
  }

  async secret(message: string): Promise<string> {
    return answered<string>(await password({ ...this.#at, message })).trim();
  }

  print(text: string): void {
    this.#io.err(`${text}\n`);
  }

  close(): void {
    this.#at.input.pause();
  }
}

/** Ctrl-C answers with a symbol. */
function answered<T extends string | string[] | undefined>(answer: T | symbol): T {
  if (typeof answer === 'symbol') throw failed('\nthe answers ended early: nothing was written');
  return answer;
}

function problemOf(parse: AnswerParser<unknown>, text: string): string | undefined {
  try {
    parse(text);
    return undefined;
  } catch (error) {
    if (error instanceof InvalidArgumentError) return error.message;
    throw error;
  }
}
