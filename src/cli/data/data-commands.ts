/** `tickwright data`: what was recorded and imported. */
import type { Command } from 'commander';
import type { CliContext } from '../cli-io.ts';
import { addDataExport } from './data-export.ts';
import { addDataImport } from './data-import.ts';
import { addDataList } from './data-list.ts';
import { addDataSynth } from './data-synth.ts';
import { addDataVerify } from './data-verify.ts';

export function addDataCommands(program: Command, context: CliContext): void {
  const data = program
    .command('data')
    .description('market data as columns: list, import, export, verify, make')
    .addHelpText(
      'after',
      `
Ticks lie in <dir>/ticks/<symbol>/<day>.arrow, bars in <dir>/bars/<symbol>/<length>/<year>.arrow: Arrow files that
Polars, pandas and DuckDB read as they are. See data/README.md.

Exit codes:
  0  done
  1  something is wrong with the data: bad rows, damage, or other data in the place of the new
  2  wrong usage
  4  nothing there

Examples:
  tickwright data import 2026-03-04_vn30f2603.csv.gz
  tickwright data ls --gaps
`,
    );
  addDataList(data, context);
  addDataImport(data, context);
  addDataExport(data, context);
  addDataVerify(data, context);
  addDataSynth(data, context);
}
