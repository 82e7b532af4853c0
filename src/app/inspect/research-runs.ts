/** Results of backtests and sweeps, as the page lists them. */
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { failureOf, ifThere } from '../../domain/failure.ts';
import type { ResearchRun, ResearchRuns } from '../../operator/cockpit/cockpit-model.ts';
import { formatNumber } from '../../text/numbers.ts';

const RUNS_MAX = 200;
const JSON_BYTES_MAX = 32_000_000;
const REPORT_BYTES_MAX = 64_000_000;
const REPORT = 'report.html';

/** Folders of `dir` with the files of a run, the newest first. */
export function researchRuns(dir: string): ResearchRuns {
  const names = (ifThere(() => readdirSync(dir, { withFileTypes: true })) ?? [])
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  const runs = names.flatMap((name) => runOf(dir, name) ?? []);
  return runs.toSorted((a, b) => b.realMs - a.realMs).slice(0, RUNS_MAX);
}

/** Null for a name that is no run: nothing outside of `dir` is read, and nothing that a link leads to. */
export function researchReport(dir: string, run: string): string | null {
  if (!/^[\p{L}\p{N}_][\p{L}\p{N}_. -]{0,100}$/u.test(run) || run.includes('..')) return null;
  const path = join(dir, run, REPORT);
  const real = ifThere(() => realpathSync(path));
  if (real === undefined || real !== join(realpathSync(dir), run, REPORT)) return null;
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? Infinity;
  return size > REPORT_BYTES_MAX ? null : readFileSync(path, 'utf8');
}

function runOf(dir: string, run: string): ResearchRun | null {
  for (const [kind, file] of [
    ['backtest', 'report.json'],
    ['sweep', 'sweep.json'],
  ] as const) {
    const path = join(dir, run, file);
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) continue;
    const hasReport = statSync(join(dir, run, REPORT), { throwIfNoEntry: false }) !== undefined;
    const head = { run, kind, realMs: Math.floor(found.mtimeMs), title: run, hasReport };
    return { ...head, figures: found.size > JSON_BYTES_MAX ? [] : figuresOf(kind, path) };
  }
  return null;
}

type Figures = ResearchRun['figures'];

function figuresOf(kind: ResearchRun['kind'], path: string): Figures {
  let figures: Figures = [];
  failureOf(() => {
    const content = fields(JSON.parse(readFileSync(path, 'utf8')));
    figures = kind === 'backtest' ? backtestFigures(content) : sweepFigures(content);
  });
  return figures;
}

type Fields = Readonly<Record<string, unknown>>;

const fields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};

const count = (value: unknown): string => (Array.isArray(value) ? formatNumber(value.length) : 'unknown');

const percent = (value: unknown): string =>
  typeof value === 'number' ? `${(value * 100).toFixed(2)} %` : 'unknown';

const ratio = (value: unknown): string => (typeof value === 'number' ? value.toFixed(2) : 'unknown');

function backtestFigures({ currency, days, statistics }: Fields): Figures {
  const found = fields(statistics);
  const money = (value: unknown): string =>
    typeof value === 'number' ? `${formatNumber(Math.round(value))} ${String(currency)}` : 'unknown';
  const { trades } = fields(found['trades']);
  return [
    { what: 'net profit', value: money(found['netProfit']) },
    { what: 'return', value: percent(found['totalReturn']) },
    { what: 'Sharpe ratio', value: ratio(found['sharpe']) },
    { what: 'largest drawdown', value: money(found['maxDrawdown']) },
    { what: 'trades', value: typeof trades === 'number' ? formatNumber(trades) : 'unknown' },
    { what: 'days', value: count(days) },
  ];
}

function sweepFigures({ trials, days, best, currency }: Fields): Figures {
  const { params, netProfit } = fields(best);
  const profit =
    typeof netProfit === 'number' ? `${formatNumber(Math.round(netProfit))} ${String(currency)}` : 'unknown';
  const chosen = Object.entries(fields(params)).map(([name, value]) => `${name} ${String(value)}`);
  return [
    { what: 'trials', value: count(trials) },
    { what: 'best', value: chosen.length === 0 ? 'none' : chosen.join(', ') },
    { what: 'net profit of the best', value: profit },
    { what: 'days', value: count(days) },
  ];
}
