/** `tickwright status` in words and units; `--json` gives the same facts as data. */
import type { DaemonStatus } from '../../daemon/program/daemon-control.ts';
import { statusFacts } from '../../daemon/program/status-facts.ts';
import { formatNumber, formatSigned, positionText } from '../../text/numbers.ts';
import { formatRows, pad, SCREEN_WIDTH, wrapText } from '../../text/table.ts';

const LABEL_WIDTH = 8;
const TEXT_WIDTH = SCREEN_WIDTH - LABEL_WIDTH - 2;

export function statusText(status: DaemonStatus): string {
  const { engine } = status;
  const blank = ' '.repeat(LABEL_WIDTH + 2);
  const head = statusFacts(status).map(
    ([label, text]) => `${pad(label, LABEL_WIDTH)}  ${wrapText(text, TEXT_WIDTH).join(`\n${blank}`)}\n`,
  );
  return `${head.join('')}${engine === null ? '' : `\n${strategiesTable(engine, status.contractNames)}\n`}`;
}

type Engine = NonNullable<DaemonStatus['engine']>;
type StrategyStatus = Engine['strategies'][number];

const strategiesTable = ({ strategies }: Engine, names: DaemonStatus['contractNames']): string =>
  formatRows(strategies, {
    strategy: ({ id }) => id,
    position: ({ positions }) =>
      positionText(
        positions.map(({ orderCode, qty }) => ({ orderCode: names[orderCode] ?? orderCode, qty })),
      ) || 'flat',
    'open orders': ({ openOrders }) => formatNumber(openOrders),
    fills: ({ fills }) => formatNumber(fills),
    'day VND': ({ dayPnl }) => formatSigned(dayPnl),
    state: (each) => nakedText(each) + stateOf(each),
  });

function stateOf({ id, stopped, halted }: StrategyStatus): string {
  if (stopped !== null) return `stopped: ${stopped}`;
  return halted === null ? 'runs' : `entries off until tickwright resume --strategy ${id}: ${halted}`;
}

/** How many contracts should have a stop at the broker and have none; empty for none. */
function nakedText({ positions }: StrategyStatus): string {
  const naked = positions.reduce((sum, { uncoveredQty }) => sum + uncoveredQty, 0);
  return naked === 0 ? '' : `${naked} WITHOUT A STOP; `;
}
