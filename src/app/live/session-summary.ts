/** What the summary shows: the journal's session, and the broker's books read at one moment. */
import type { BrokerAccount, BrokerPosition } from '../../domain/broker-order.ts';
import { type Contract, valueAtHundredths } from '../../domain/contract.ts';
import { openProfit } from '../../domain/position.ts';
import { type InstrumentIndex, type Money, money } from '../../domain/units.ts';
import { foldSession, foldSessions, type StrategyAccount } from '../../journal/fold-session.ts';
import type { JournalReader } from '../../journal/journal-reader.ts';
import type { SummaryFacts } from '../../operator/summary.ts';
import type { Daemon } from './daemon.ts';

interface BrokerBooks {
  readonly account: BrokerAccount;
  readonly positions: readonly BrokerPosition[];
}

const LOOKS_MAX = 20;
const UNRESOLVED: ReadonlySet<string> = new Set([
  'submitting',
  'unknown',
  'presumed_absent',
  'expired_unproven',
]);

export async function summaryFacts(daemon: Daemon): Promise<SummaryFacts | undefined> {
  const session = daemon.sessionDay;
  if (session === undefined) return undefined;
  daemon.journal.flush();
  const { read } = daemon.journal;
  const entries = read.entries({ session });
  const last = new Map<string, string>();
  for (const { entry } of entries) if (entry.kind === 'order_status') last.set(entry.clientOrderId, entry.to);
  const books = await brokerBooks(daemon);
  const check = checkAccount({
    read,
    session,
    contracts: daemon.edge.table.contracts,
    books,
    firstNetAssetValue: firstNetAssetValue(read),
  });
  return {
    session,
    strategies: check.strategies,
    figures: check.figures,
    unresolved: [...last.values()].filter((status) => UNRESOLVED.has(status)).length,
    alerts: entries.filter(({ entry }) => entry.kind === 'alert' && entry.severity !== 'info').length,
  };
}

/** Positions and account are two reads: they are of one moment when neither changed over two looks in turn. */
async function brokerBooks({ edge }: Daemon): Promise<BrokerBooks | undefined> {
  let before = '';
  for (let look = 0; look < LOOKS_MAX; look += 1) {
    const positions = await edge.rest.positions({ priority: 'positions' });
    const account = await edge.rest.account({ priority: 'positions' });
    if (!positions.ok || !account.ok) return undefined;
    const books: BrokerBooks = { account: account.value, positions: positions.value };
    const now = JSON.stringify(books);
    if (now === before) return books;
    before = now;
  }
  return undefined;
}

/** What the account was worth before the journal's first order. */
function firstNetAssetValue(read: JournalReader): Money | null {
  for (const { day } of read.sessions()) {
    for (const input of read.inputs(day)) {
      if (input.kind === 'account_snapshot') return input.account.netAssetValue;
    }
  }
  return null;
}

/**
 * Our books beside the broker's: what the journal's fills add up to, and what the account says. Equal to the VND, or the
 * difference is shown (house plan: it tells the truth).
 */

interface CheckedFigure {
  readonly what: string;
  readonly ours: number;
  readonly broker: number;
}

interface StrategyResult extends StrategyAccount {
  /** Profit of what is still open, at the broker's last price. */
  readonly open: Money;
  /** Realised and open, less fees and tax. */
  readonly net: Money;
}

interface AccountCheck {
  readonly strategies: readonly StrategyResult[];
  readonly figures: readonly CheckedFigure[];
}

interface CheckInputs {
  readonly read: JournalReader;
  readonly session: string;
  readonly contracts: readonly Contract[];
  /** The broker's figures, read at one moment; undefined when they could not be read. */
  readonly books:
    | { readonly account: BrokerAccount; readonly positions: readonly BrokerPosition[] }
    | undefined;
  /** Net asset value when the journal began, or null when it is not known. */
  readonly firstNetAssetValue: Money | null;
}

function checkAccount(inputs: CheckInputs): AccountCheck {
  const { read, session, books } = inputs;
  const today = read.entries({ session });
  const strategies = foldSession(today).map((each) => resultOf(each, inputs));
  if (books === undefined) return { strategies, figures: [] };
  const { account } = books;
  const figures: CheckedFigure[] = [
    { what: 'fees today', ours: sum(strategies, ({ fee }) => fee), broker: account.fee },
    { what: 'tax today', ours: sum(strategies, ({ tax }) => tax), broker: account.tax },
  ];
  const carriesNothing = !today.some(({ entry }) => entry.kind === 'position_event');
  if (carriesNothing) {
    const ours = sum(strategies, ({ realised, open }) => realised + open);
    figures.push({ what: 'profit today', ours, broker: account.profit });
  }
  if (inputs.firstNetAssetValue !== null) {
    const all = foldSessions(read.entries()).map((each) => resultOf(each, inputs));
    const ours = inputs.firstNetAssetValue + sum(all, ({ net }) => net);
    figures.push({ what: 'net asset value', ours, broker: account.netAssetValue });
    figures.push({ what: 'cash', ours: ours - account.profit + account.uncollected, broker: account.cash });
  }
  return { strategies, figures: [...figures, ...positionFigures(strategies, inputs)] };
}

function resultOf(account: StrategyAccount, inputs: CheckInputs): StrategyResult {
  const open = money(
    sum(account.positions, ({ instrument, position }) => openProfit(position, unitValue(instrument, inputs))),
  );
  return { ...account, open, net: money(account.realised + open - account.fee - account.tax) };
}

function unitValue(instrument: InstrumentIndex, { contracts, books }: CheckInputs): number {
  const contract = contracts[instrument];
  const last = books?.positions.find(({ orderCode }) => orderCode === contract?.orderCode)?.lastPrice;
  if (contract === undefined || last === undefined || last === null) return 0;
  return valueAtHundredths(contract.spec, last, 1);
}

function positionFigures(
  strategies: readonly StrategyResult[],
  inputs: CheckInputs,
): readonly CheckedFigure[] {
  const theirs = inputs.books?.positions ?? [];
  const codes = new Set(theirs.filter(({ qty }) => qty !== 0).map(({ orderCode }): string => orderCode));
  const ours = new Map<string, number>();
  for (const { instrument, position } of strategies.flatMap(({ positions }) => positions)) {
    const code = inputs.contracts[instrument]?.orderCode ?? `instrument ${instrument}`;
    ours.set(code, (ours.get(code) ?? 0) + position.qty);
    codes.add(code);
  }
  return [...codes].map((code) => ({
    what: `position ${code}`,
    ours: ours.get(code) ?? 0,
    broker: theirs.find(({ orderCode }) => orderCode === code)?.qty ?? 0,
  }));
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  let total = 0;
  for (const item of items) total += of(item);
  return total;
}
