/** One of two processes that share a sweep: `sweep-process.js file directory part` prints nanoseconds a trial. */
import { sweepFile } from './sweep-bench.ts';

const [file = '', dir = '', part = '0'] = process.argv.slice(2);
const { run } = await sweepFile(file, Number(part), 2);
process.stdout.write(String(await run(dir, 1)));
