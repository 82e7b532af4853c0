/** How long calls and reports took in all sessions that a journal remembers: what a run draws its delays from. */
import { existsSync } from 'node:fs';
import type { Problem } from '../../../config/problem.ts';
import type { YamlSource } from '../../../config/yaml-source.ts';
import { readJournal } from '../../../journal/read-journal.ts';
import { type MeasuredLatencies, measureLatencies } from '../../inspect/agreement/measure-latencies.ts';
import { OrderFacts } from '../../inspect/agreement/order-facts.ts';
import { sessionCalls } from '../../inspect/agreement/session-calls.ts';
import { statePaths } from '../../restart/state-paths.ts';
import type { BacktestFile } from './backtest-schema.ts';

/** By state directory, sorted, so that the same journal makes the same run. */
export type JournalLatencies = ReadonlyMap<string, MeasuredLatencies>;

const KINDS = ['order', 'report'] as const;

export function readJournalLatencies(
  source: YamlSource,
  { models: { latency } }: BacktestFile,
): { readonly latencies: JournalLatencies; readonly problems: readonly Problem[] } {
  const latencies = new Map<string, MeasuredLatencies>();
  const problems: Problem[] = [];
  for (const kind of KINDS) {
    const { measured } = latency[kind];
    if (measured === undefined) continue;
    const path = ['models', 'latency', kind, 'measured'];
    const { journal } = statePaths(measured);
    if (!existsSync(journal)) {
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
    const sessions = opened.read.sessions().map(({ day: session }) => {
      const entries = opened.read.entries({ session });
      const orders = new OrderFacts();
      for (const entry of entries) orders.add(entry);
      const calls = sessionCalls(entries, [...opened.read.inputs(session)], orders);
      return measureLatencies(entries, calls, orders);
    });
    return {
      calls: sessions.flatMap(({ calls }) => calls).toSorted((a, b) => a - b),
      reports: sessions.flatMap(({ reports }) => reports).toSorted((a, b) => a - b),
    };
  } finally {
    opened.close();
  }
}
