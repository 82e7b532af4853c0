/** Latencies that a run draws from, measured in the journals of other runs. */
import type { Problem } from '../../../config/problem.ts';
import type { YamlSource } from '../../../config/yaml-source.ts';
import { isJournalThere } from '../../../journal/journal-database.ts';
import { readJournal } from '../../../journal/journal-reader.ts';
import { statePaths } from '../../restart/state-paths.ts';
import { type MeasuredLatencies, sessionRecord } from '../recorded/session-orders.ts';
import type { BacktestFile } from './backtest-schema.ts';

/** Latencies of calls and reports that a run draws from, by state directory; sorted, so that the same journal gives the same run. */
export type JournalLatencies = ReadonlyMap<string, MeasuredLatencies>;

export interface FoundLatencies {
  readonly latencies: JournalLatencies;
  readonly problems: readonly Problem[];
}

const KINDS = ['order', 'report'] as const;

export function readJournalLatencies(
  source: YamlSource,
  { models: { latency } }: BacktestFile,
): FoundLatencies {
  const latencies = new Map<string, MeasuredLatencies>();
  const problems: Problem[] = [];
  for (const kind of KINDS) {
    const { measured } = latency[kind];
    if (measured === undefined) continue;
    const path = ['models', 'latency', kind, 'measured'];
    const { journal } = statePaths(measured);
    if (!isJournalThere(journal)) {
      const hint = 'the path counts from where the program is started';
      problems.push(source.problem(path, 'a state directory with a journal', hint, `no ${journal}`));
      continue;
    }
    const found = latencies.get(measured) ?? measuredIn(journal);
    latencies.set(measured, found);
    const spans = kind === 'order' ? found.calls : found.reports;
    if (spans.length === 0)
      problems.push(
        source.problem(path, 'a journal with orders that were answered and filled', '', 'none in it'),
      );
  }
  return { latencies, problems };
}

function measuredIn(journal: string): MeasuredLatencies {
  const opened = readJournal(journal);
  try {
    const sessions = opened.read
      .sessions()
      .map(({ day: session }) => {
        const read = opened.of(session);
        return sessionRecord(read.entries({ session }), read.inputs(session));
      })
      .map(({ latencies }) => latencies);
    return {
      calls: sessions.flatMap(({ calls }) => calls).toSorted((a, b) => a - b),
      reports: sessions.flatMap(({ reports }) => reports).toSorted((a, b) => a - b),
    };
  } finally {
    opened.close();
  }
}
