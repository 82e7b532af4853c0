/** `agree`: a recorded session against a backtest of its own recording. */
import type { Command } from 'commander';
import type { FillDifference, SessionAgreement } from '../../app/research/agreement/compare-session.ts';
import { CLAUSE_WORDS, type Filled } from '../../app/research/agreement/explain-fill.ts';
import type { CliContext } from '../cli-io.ts';
import { formatTable } from '../../text/table.ts';
import { addSessionCommand } from './session-command.ts';

export function addAgreeCommand(program: Command, context: CliContext): void {
  addSessionCommand<SessionAgreement>(program, context, {
    name: 'agree',
    description:
      'compare a recorded session with the backtest of its own recording: every order, and every fill that differs with its reason',
    failsWhen: 'an order was decided otherwise or a fill is unexplained',
    look: async (query) =>
      (await import('../../app/research/agreement/compare-session.ts')).compareSession(query),
    shown,
    isGood: isExplained,
  });
}

function isExplained({ isDecidedAlike, fills }: SessionAgreement): boolean {
  return isDecidedAlike && fills.differences.every(({ clause }) => clause !== 'unexplained');
}

const SHOWN_MAX = 40;

function shown({ session, orders, isDecidedAlike, fills, freeRun, latency }: SessionAgreement): string {
  const { differences } = fills;
  const unexplained = differences.filter(({ clause }) => clause === 'unexplained').length;
  const decided = isDecidedAlike
    ? `all ${orders} decided again, the same`
    : 'decided otherwise: see tickwright replay';
  return `session ${session}
orders    ${decided}
fills     of ${fills.compared} filled orders: ${fills.alike} alike, ${differences.length - unexplained} explained, ${unexplained} unexplained
left alone  the backtest with the measured latencies sends ${freeRun.orders} orders, ${freeRun.same} of them the same
latency   call to answer ${latency.callMs} ms, answer to news of the fill ${latency.reportMs} ms (medians, market time)
${differencesShown(differences)}`;
}

function differencesShown(differences: readonly FillDifference[]): string {
  if (differences.length === 0) return '';
  const rows = differences
    .slice(0, SHOWN_MAX)
    .map(({ order: { id, side, qty, limitPrice }, paper, backtest, clause, filledBy }) => [
      id,
      `${side} ${qty} at ${limitPrice}`,
      filledText(paper),
      filledText(backtest),
      clause,
      filledBy,
    ]);
  const clauses = [...new Set(differences.map(({ clause }) => clause))].map((clause) => {
    const count = differences.filter((each) => each.clause === clause).length;
    return `  ${clause} (${count}): ${CLAUSE_WORDS[clause]}\n`;
  });
  const left = differences.length - SHOWN_MAX;
  const more = left > 0 ? `and ${left} more: --json has all of them\n` : '';
  const head = ['order', 'terms, ticks', 'on paper', 'by the model', 'clause', 'by the model because it'];
  return `\n${formatTable(head, rows)}\n${more}\n${clauses.join('')}`;
}

/** `2 at 19,431.5`. */
const filledText = ({ qty, tickValue }: Filled): string =>
  qty === 0 ? 'not' : `${qty} at ${Math.round((tickValue / qty) * 100) / 100}`;
