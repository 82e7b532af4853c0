#!/usr/bin/env node
import { EXIT, keepOutputQuiet, written } from './cli-io.ts';
import { runCli } from './run-cli.ts';

keepOutputQuiet();
const exitCode = await runCli(process.argv.slice(2));
const isWritten = await written();
process.exit(exitCode === EXIT.ok && !isWritten ? EXIT.failed : exitCode);
