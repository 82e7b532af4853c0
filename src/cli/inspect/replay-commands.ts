/** `replay` and `agree`: judge a recorded session. */
import type { Command } from 'commander';
import type { SessionQuery } from '../../host/state/read-state.ts';
import type { SessionReplay } from '../../host/state/replay-session.ts';
import {
  CLAUSE_WORDS,
  type FillDifference,
  type FillTotal,
  type SessionAgreement,
} from '../../research/agreement/compare-session.ts';
import { formatCount } from '../../text/numbers.ts';
import { formatTable } from '../../text/table.ts';
import { type CliContext, EXIT, jsonText, needFile } from '../cli-io.ts';
import { readRunConfig } from '../read-config.ts';
import { sessionDay } from '../options.ts';

interface SessionFlags {
  readonly config: string;
  readonly state?: string;
  readonly tape?: string;
  readonly json?: boolean;
}

interface SessionCommand<Found> {
  readonly name: string;
  readonly description: string;
  /** Completes `Exit code 1 when`. */
  readonly failsWhen: string;
  readonly compare: (query: SessionQuery) => Promise<Found>;
  readonly text: (found: Found) => string;
  readonly isGood: (found: Found) => boolean;
}

function addSessionCommand<Found>(program: Command, context: CliContext, of: SessionCommand<Found>): void {
  program
    .command(of.name)
    .description(of.description)
    .argument('[session]', 'trading day (the latest)', sessionDay)
    .option('--config <file>', 'configuration of that session', 'config/paper.yaml')
    .option('--tape <file>', 'recorded day that it traded (paper --replay)')
    .option('--state <dir>', 'state directory instead of the configured one')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `\nExit code 1 when ${of.failsWhen}.\n\nExample:\n  tickwright ${of.name} 2026-03-04 --config config/paper.yaml\n`,
    )
    .action(async (session: string | undefined, flags: SessionFlags) => {
      const found = await of.compare(await queryOf(session, flags));
      context.io.out(flags.json === true ? jsonText(found) : of.text(found));
      if (!of.isGood(found)) context.finish(EXIT.failed);
    });
}

async function queryOf(session: string | undefined, flags: SessionFlags): Promise<SessionQuery> {
  const { config, tape = null, state = null } = flags;
  needFile('--tape', tape);
  const read = await readRunConfig(config);
  return { config: read.config, tape, stateDir: state, session };
}

export function addReplayCommands(program: Command, context: CliContext): void {
  addSessionCommand<SessionReplay>(program, context, {
    name: 'replay',
    description: 'replay a recorded session and compare every decision with the journal',
    failsWhen: 'a decision differs',
    compare: async (query) => (await import('../../host/state/replay-session.ts')).replayStored(query),
    text: replayText,
    isGood: ({ difference }) => difference === null,
  });
  addSessionCommand<SessionAgreement>(program, context, {
    name: 'agree',
    description: 'compare a recorded session with a backtest of its recording, fill by fill',
    failsWhen: 'an order was decided otherwise or a fill is unexplained',
    compare: async (query) =>
      (await import('../../research/agreement/compare-session.ts')).compareSession(query),
    text: agreementText,
    isGood: ({ isDecidedAlike, fills }) =>
      isDecidedAlike && fills.differences.every(({ clause }) => clause !== 'unexplained'),
  });
}

function replayText({
  session,
  events,
  starts,
  facts,
  journalHash,
  replayHash,
  difference,
  lacking,
}: SessionReplay): string {
  const frames = lacking === null ? '' : `the recording is not whole: ${lacking}\n`;
  const head = `session ${session}: ${events} events, ${formatCount(starts, 'start')}, ${facts} facts compared\n${frames}`;
  if (difference === null) return `${head}journal and replay agree: ${journalHash}\n`;
  const killed =
    starts === 1
      ? ''
      : 'A start after a kill repeats decisions that were never written: such a difference is expected.\n';
  return `${head}journal ${journalHash}
replay  ${replayHash}
first difference at event ${difference.seq}
  journal  ${difference.journal ?? '(nothing)'}
  replay   ${difference.replay ?? '(nothing)'}
${killed}`;
}

const SHOWN_MAX = 40;

function agreementText({
  session,
  orders,
  isDecidedAlike,
  lacking,
  fills,
  latency,
}: SessionAgreement): string {
  const { differences } = fills;
  const unexplained = differences.filter(({ clause }) => clause === 'unexplained').length;
  const decided = isDecidedAlike
    ? `all ${orders} decided again, the same`
    : 'decided otherwise: see tickwright replay';
  const frames = lacking === null ? '' : `recording not whole: ${lacking}\n`;
  return `session ${session}
${frames}orders    ${decided}
fills     of ${fills.compared} filled orders: ${fills.alike} alike, ${differences.length - unexplained} explained, ${unexplained} unexplained
latency   call to answer ${latency.callMs} ms, answer to report of the fill ${latency.reportMs} ms (medians, market time)
${differencesShown(differences)}`;
}

function differencesShown(differences: readonly FillDifference[]): string {
  if (differences.length === 0) return '';
  const rows = differences
    .slice(0, SHOWN_MAX)
    .map(({ order: { id, side, qty, limitPrice }, tickPoints, paper, backtest, clause, filledBy }) => [
      id,
      `${side} ${qty} at ${pointsText(limitPrice * tickPoints)}`,
      filledText(paper, tickPoints),
      filledText(backtest, tickPoints),
      clause,
      filledBy,
    ]);
  const clauses = [...new Set(differences.map(({ clause }) => clause))].map((clause) => {
    const count = differences.filter((each) => each.clause === clause).length;
    return `  ${clause} (${count}): ${CLAUSE_WORDS[clause]}\n`;
  });
  const left = differences.length - SHOWN_MAX;
  const more = left > 0 ? `and ${left} more: --json has all of them\n` : '';
  const head = ['order', 'terms', 'on paper', 'by the model', 'clause', 'by the model because it'];
  return `\n${formatTable(head, rows)}\n${more}\n${clauses.join('')}`;
}

const POINT_DECIMALS = 4;
const pointsText = (points: number): string => String(Number(points.toFixed(POINT_DECIMALS)));

/** `2 at 1943.15`. */
const filledText = ({ qty, tickValue }: FillTotal, tickPoints: number): string =>
  qty === 0 ? 'not' : `${qty} at ${pointsText((tickValue / qty) * tickPoints)}`;
