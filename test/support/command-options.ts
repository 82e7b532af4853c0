/** Options of the scripts under `test`: `--help`, or a wrong option, shows what there is. */
import { parseArgs } from 'node:util';

interface Option {
  readonly type: 'string' | 'boolean';
  readonly default: string | boolean;
  readonly help: string;
}

type Values<Options extends Record<string, Option>> = {
  readonly [Name in keyof Options]: Options[Name]['type'] extends 'boolean' ? boolean : string;
};

/** Ends the process when help is asked for, or an option is wrong. `script` is how it is called, `--` included. */
export function commandOptions<const Options extends Record<string, Option>>(
  script: string,
  does: string,
  options: Options,
): Values<Options> {
  const usage = (): string =>
    [
      `npm run ${script} [options]: ${does}`,
      ...Object.entries(options).map(([name, option]) => {
        const value = option.default === '' ? '' : ` (${option.default})`;
        return `  --${name.padEnd(12)} ${option.help}${option.type === 'boolean' ? '' : value}`;
      }),
    ].join('\n');
  try {
    const all: Readonly<Record<string, Option>> = {
      ...options,
      help: { type: 'boolean', default: false, help: 'shows this' },
    };
    const values: Readonly<Record<string, unknown>> = parseArgs({ options: all }).values;
    if (values['help'] !== true) return values as Values<Options>; // oxlint-disable-line typescript/no-unsafe-type-assertion -- each has a default of its type
    console.log(usage());
    process.exit(0);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage()}`);
    process.exit(2);
  }
}
