/**
 * Our books beside the broker's: what the journal's fills add up to, and what the account says. Equal to the VND, or the
 * difference is shown (house plan: it tells the truth).
 */
import type { BrokerAccount, BrokerPosition } from '../../domain/broker-order.ts';
import { type Contract, valueAtHundredths } from '../../domain/contract.ts';
import { openProfit } from '../../domain/position.ts';
import { type InstrumentIndex, type Money, money } from '../../domain/units.ts';
import { foldSession, foldSessions, type StrategyAccount } from '../../journal/fold-session.ts';
import type { JournalReader } from '../../journal/journal-reader.ts';

export interface CheckedFigure {
  readonly what: string;
  readonly ours: number;
  readonly broker: number;
}

export interface StrategyResult extends StrategyAccount {
  /** Profit of what is still open, at the broker's last price. */
  readonly open: Money;
  /** Realised and open, less fees and tax. */
  readonly net: Money;
}

export interface AccountCheck {
  readonly strategies: readonly StrategyResult[];
  readonly figures: readonly CheckedFigure[];
}

export interface CheckInputs {
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

export function checkAccount(inputs: CheckInputs): AccountCheck {
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
