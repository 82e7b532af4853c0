#!/usr/bin/env node
import { keepPipesQuiet, written } from './cli-io.ts';
import { runCli } from './run-cli.ts';

keepPipesQuiet();
const exitCode = await runCli(process.argv.slice(2));
await written();
process.exit(exitCode);
