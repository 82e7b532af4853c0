/** `tickwright new-strategy`: writes a strategy, its backtest, prices and a test into one folder. */
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { packageRoot } from '../../host/program-files.ts';
import { isInstalled } from '../../host/strategy-files/strategy-code.ts';
import { failureText } from '../../domain/failure.ts';
import { type CliContext, failed, wrongUsage } from '../cli-io.ts';
import { type NewStrategyFile, strategyFiles } from './strategy-template.ts';

const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const NAME_MAX = 60;

const AFTER_HELP = `
Writes NAME.ts, NAME.yaml, NAME.csv and NAME.test.mjs into this directory, and
replaces none that is there. Where the directory does not know the package
tickwright, or rxjs or trading-signals, node_modules gets links to those of this
program.

Example:
  tickwright new-strategy three-up
`;

export function addNewStrategyCommand(program: Command, { io }: CliContext): void {
  program
    .command('new-strategy')
    .description('write a strategy of your own, with a backtest and a test that run at once')
    .argument('<name>', 'its name: small letters, digits and hyphens, like three-up')
    .addHelpText('after', AFTER_HELP)
    .action((name: string) => {
      if (!NAME.test(name) || name.length > NAME_MAX)
        throw wrongUsage(
          `expected a name of small letters, digits and hyphens, like three-up, at most ${NAME_MAX} of them, ` +
            `was ${JSON.stringify(name)}; nothing was written`,
        );
      if (isKnown('tickwright/package.json') && !isKnown('tickwright/strategy'))
        throw failed(
          'the checkout of tickwright above this folder is not built: run npm ci && npm run build there, or choose a folder outside of it; nothing was written',
        );
      const files = strategyFiles(name);
      write(files);
      io.out(`wrote ${files.map((file) => file.name).join(', ')}\n`);
      for (const { from, to } of linkPackages()) io.out(`linked ${from} to ${to}\n`);
      io.out(`\nNext:\n  tickwright backtest ${name}.yaml\n  node --test ${name}.test.mjs\n`);
    });
}

function write(files: readonly NewStrategyFile[]): void {
  const there = files.find(({ name }) => existsSync(name));
  if (there !== undefined)
    throw wrongUsage(
      `${there.name} is there already: choose another name, or move it away; nothing was written`,
    );
  const written: string[] = [];
  try {
    for (const { name, text } of files) {
      writeFileSync(name, text, { flag: 'wx' });
      written.push(name);
    }
  } catch (error) {
    for (const name of written) rmSync(name, { force: true });
    throw failed(`${failureText(error)}; nothing was written`);
  }
}

/** So that editors, tests and compilers resolve the imports of the files; none where they resolve already. */
function linkPackages(): readonly { readonly from: string; readonly to: string }[] {
  const root = packageRoot();
  const links = PACKAGES.filter((name) => !isKnown(`${name}/package.json`)).map((name) => ({
    from: join('node_modules', name),
    to: name === 'tickwright' ? root : join(root, 'node_modules', name),
  }));
  if (links.length > 0) mkdirSync('node_modules', { recursive: true });
  for (const { from, to } of links) symlinkSync(to, from);
  return links;
}

const isKnown = (name: string): boolean => isInstalled(name, 'strategy.js');

const PACKAGES = ['tickwright', 'rxjs', 'trading-signals'];
