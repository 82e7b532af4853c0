/** Puts what a run has gathered into its result. */
import { money, type TsUs } from '../../domain/units.ts';
import type { BacktestPlan } from '../backtest-plan.ts';
import type { BacktestNotice, BacktestResult } from '../backtest-result.ts';
import { describeModels } from './describe-models.ts';
import type { Account } from './account.ts';
import type { RunInstrument } from './run-instrument.ts';
import type { RunJournal } from './run-journal.ts';

export interface Gathered {
  readonly plan: BacktestPlan;
  readonly account: Account;
  readonly facts: RunJournal;
  readonly instruments: readonly RunInstrument[];
  readonly notices: readonly BacktestNotice[];
  readonly journalHash: string;
  readonly fromUs: TsUs;
  readonly toUs: TsUs;
  readonly counts: BacktestResult['counts'];
}

export function assembleResult(gathered: Gathered): BacktestResult {
  const { plan, account, facts, instruments, notices, toUs } = gathered;
  const dropped = facts.dropped;
  const more: BacktestNotice[] =
    dropped === 0 ? [] : [{ tsUs: null, code: 'notices_dropped', text: `${dropped} more are not shown` }];
  return {
    version: 1,
    configDigest: plan.configDigest,
    dataDigest: plan.data.digest,
    journalHash: gathered.journalHash,
    seed: plan.seed,
    currency: plan.currency,
    moneyScale: plan.moneyScale,
    timeZone: plan.calendar.timeZone,
    utcOffsetMinutes: plan.calendar.utcOffsetMinutes,
    days: plan.data.days,
    warmUpDays: plan.warmUpDays,
    fromUs: gathered.fromUs,
    toUs,
    capital: money(plan.capital),
    equity: account.equity.samples(),
    instruments: instruments.map(({ contract, prices }) => ({
      symbol: contract.orderCode,
      spec: contract.spec,
      prices: prices.samples(),
    })),
    strategies: account.ledgers.map((ledger, place) => {
      const instance = plan.strategies[place];
      return {
        id: instance?.id ?? '',
        strategy: instance?.definition.name ?? '',
        symbols: plan.settings.strategies[place]?.symbols ?? [],
        params: instance?.params ?? {},
        profit: ledger.profit.samples(),
        fills: ledger.fills,
        trades: ledger.trades,
        denials: ledger.denials,
        denialCount: ledger.denialCount,
        costs: ledger.costs(),
        orders: ledger.orders,
        heldUs: ledger.heldUs(toUs),
        stopped: ledger.stopped,
      };
    }),
    models: describeModels(plan.fill, plan.latency),
    notices: [...notices, ...facts.notices, ...more],
    counts: gathered.counts,
  };
}
