#!/usr/bin/env node
import module from 'node:module';
import { join } from 'node:path';
import { EXIT, keepOutputQuiet, written } from './cli-io.ts';

// Node.js 22 keeps its compile cache next to the program: in a directory that others may write to it would run their code.
if ('enableCompileCache' in module && typeof module.enableCompileCache === 'function')
  module.enableCompileCache(join(import.meta.dirname, '../../.compile-cache'));
keepOutputQuiet();
const isResearch = ['backtest', 'sweep'].includes(process.argv[2] ?? '');
let isDone = !isResearch;
// Code of a strategy may end the process from a promise or a timer: that is no finished run.
process.on('exit', (code) => {
  if (isDone || code !== EXIT.ok) return;
  process.exitCode = EXIT.failed;
  process.stderr.write(
    'failed: the process was ended before the run was over: no strategy may call process.exit\n',
  );
});
const { runCli } = await import('./run-cli.ts');
const exitCode = await runCli(process.argv.slice(2));
const isWritten = await written();
isDone = true;
process.exit(exitCode === EXIT.ok && !isWritten ? EXIT.failed : exitCode);
