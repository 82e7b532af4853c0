/** The command line for research, which starts often: the build makes one file of it. */
export { runCli } from './run-cli.ts';
