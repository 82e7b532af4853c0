/** One process of one thread that sweeps: `sweep-process.js file directory` prints nanoseconds a trial. */
import { sweepFile } from './sweep-bench.ts';

const [file = '', dir = ''] = process.argv.slice(2);
const { run } = await sweepFile(file);
process.stdout.write(String(await run(dir, 1)));
