/** A recorded session as data of a backtest: frames compiled into columns, contracts and reference prices from its inputs. */
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import type { BacktestData, BacktestDay, DayTape } from '../../../backtest/backtest-plan.ts';
import type { TradingDay } from '../../../domain/civil-date.ts';
import type { Contract } from '../../../domain/contract.ts';
import { minutes, type PriceHundredths } from '../../../domain/units.ts';
import type { Config } from '../../../config/config.ts';
import type { JournaledInput } from '../../../journal/compact-input.ts';
import { readColumns } from '../../../recording/columns/tick-file.ts';
import { compileFrames } from '../recorded/compile-frames.ts';

export interface SessionRecording {
  readonly config: Config;
  readonly day: TradingDay;
  readonly framesPath: string;
  readonly inputs: Iterable<JournaledInput>;
  /** Temporary directory of the columns. */
  readonly workDir: string;
}

export async function sessionDay(recording: SessionRecording): Promise<BacktestData> {
  const { config, day, framesPath, workDir } = recording;
  rmSync(workDir, { recursive: true, force: true });
  const { stored } = await compileFrames(framesPath, {
    dir: workDir,
    market: config,
    silence: minutes(5),
    skipBad: true,
    replace: true,
    archive: false,
  });
  const { contracts, references } = latestMarket(recording.inputs);
  const tapes = stored.flatMap(({ symbol, path }): DayTape[] => {
    const contract =
      contracts.find(({ orderCode }) => orderCode === symbol) ?? byStreamCode(contracts, symbol);
    return contract === undefined ? [] : [{ contract, rows: readColumns(path) }];
  });
  const opened: BacktestDay = { day, contracts, references, tapes, notices: [] };
  return {
    digest: createHash('sha256').update(framesPath).digest('hex'),
    days: [day],
    rows: tapes.reduce((sum, { rows }) => sum + rows.rows, 0),
    open: () => opened,
  };
}

const byStreamCode = (contracts: readonly Contract[], symbol: string): Contract | undefined =>
  contracts.find(({ streamCode }) => streamCode === symbol);

interface SessionMarket {
  readonly contracts: readonly Contract[];
  readonly references: ReadonlyMap<Contract, PriceHundredths>;
}

/** The latest of each in the inputs of the session. */
function latestMarket(inputs: Iterable<JournaledInput>): SessionMarket {
  let contracts: readonly Contract[] = [];
  const references = new Map<Contract, PriceHundredths>();
  for (const input of inputs) {
    if (input.kind === 'contracts') ({ contracts } = input);
    if (input.kind !== 'reference') continue;
    for (const { instrument, reference } of input.rows) {
      const contract = contracts.find(({ index }) => index === instrument);
      if (contract !== undefined) references.set(contract, reference);
    }
  }
  return { contracts, references };
}
