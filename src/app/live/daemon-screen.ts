/** What the daemon shows: banner, a line an event, a status line, and the summary at the end. */
import { US_PER_MS } from '../../domain/units.ts';
import type { Contract } from '../../domain/contract.ts';
import { banner } from '../../operator/banner.ts';
import { entryLine } from '../../operator/entry-line.ts';
import { createLog, type Log } from '../../operator/log.ts';
import { createNaming, type Naming } from '../../operator/naming.ts';
import { redactText } from '../../operator/redact.ts';
import { statusLine } from '../../operator/status-line.ts';
import { summaryText } from '../../operator/summary.ts';
import { createPaint, isColourWanted, type Paint } from '../../operator/terminal.ts';
import { bannerFacts } from './banner-facts.ts';
import type { BrokerAddress } from '../edge/broker-address.ts';
import type { Daemon } from './daemon.ts';
import { systemClock } from './market-clock.ts';
import { packageVersion } from '../inspect/package-version.ts';
import type { RunPlan } from './run-options.ts';
import type { Screen } from './screen.ts';
import { statusFacts } from './status-facts.ts';
import { summaryFacts } from './summary-facts.ts';

export interface DaemonScreen extends Screen {
  /** Begins to show this daemon; returns how to stop. */
  watch(daemon: Daemon, address: BrokerAddress, controlUrl: string): () => void;
  summary(daemon: Daemon): Promise<void>;
}

const STATUS_EVERY_MS = 1_000;
const DEADLINE_MS = 10_000;

/** `secrets` are never written to the log, whatever field they are in. */
export function createDaemonScreen(plan: RunPlan, secrets: readonly string[]): DaemonScreen {
  let table: { readonly contracts: readonly Contract[] } = { contracts: [] };
  const { config } = plan;
  const naming = createNaming({
    strategies: config.strategies.map(({ id }) => id),
    contracts: () => table.contracts,
    utcOffsetMinutes: config.calendar.utcOffsetMinutes,
    stateDir: config.stateDir,
  });
  const isColour = isColourWanted(process.stdout.isTTY, process.env) && !plan.jsonLogs;
  const paint = createPaint(isColour);
  const out: Log = plan.jsonLogs
    ? createLog({
        destination: process.stdout,
        secrets: secrets.filter((secret) => secret !== ''),
        say: (entry) => entryLine(entry, naming, createPaint(false)),
      })
    : textLog(naming, paint, secrets);
  return {
    note: (text) => out.note(text),
    entry: (entry) => out.entry(entry),
    block: (text) => out.block(text),
    status: (text) => out.status(text),
    watch(daemon, address, controlUrl) {
      table = daemon.edge.table;
      out.block(banner(bannerFacts(plan, address, controlUrl, packageVersion()), paint));
      return showStatus(daemon, plan, out, paint);
    },
    async summary(daemon) {
      const facts = await Promise.race([summaryFacts(daemon), timeout(DEADLINE_MS)]);
      if (facts === undefined) return out.note('the summary could not be made: the broker did not answer');
      out.block(`\n${summaryText(facts, paint)}`);
    },
  };
}

const timeout = (ms: number): Promise<undefined> =>
  new Promise((resolve) => {
    setTimeout(() => resolve(undefined), ms).unref();
  });

const write = (text: string): void => void process.stdout.write(`${text}\n`);

/** What the broker or an error says may repeat what we sent: secrets are taken out of each line. */
function textLog(naming: Naming, paint: Paint, secrets: readonly string[]): Log {
  const said = (text: string): void => write(redactText(text, secrets));
  return {
    note: (text) => said(paint.dim(`· ${text}`)),
    entry: (entry) => {
      const line = entryLine(entry, naming, paint);
      if (line !== null) said(line);
    },
    block: (text) => said(`${text}\n`),
    status: (text) => said(text),
  };
}

/** The view is refreshed every second, for the control API; the line is written as often as configured. */
function showStatus(daemon: Daemon, plan: RunPlan, out: Log, paint: Paint): () => void {
  let shownAt = 0;
  const everyMs = plan.config.operator.statusEvery / US_PER_MS;
  const show = async (): Promise<void> => {
    const view = await daemon.refreshView();
    const now = systemClock.nowUs() / US_PER_MS;
    if (view === undefined || now - shownAt < everyMs) return;
    shownAt = now;
    const facts = statusFacts(daemon, view, plan.config.calendar.utcOffsetMinutes);
    out.status(statusLine(facts, paint), facts);
  };
  const timer = setInterval(() => void show(), STATUS_EVERY_MS);
  return () => clearInterval(timer);
}
