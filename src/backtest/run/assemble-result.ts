/** Makes a run's result. */
import { money, type TsUs, tsUs } from '../../domain/units.ts';
import type { BarFillModel, FillModel, Slippage, TickFillModel } from '../../venue/exchange/fill-models.ts';
import { type BacktestPlan, describeMemory } from '../backtest-plan.ts';
import type { BacktestNotice, BacktestResult } from '../backtest-result.ts';
import type { RunAccount } from './run-account.ts';
import { describeLatency, type LatencyModel } from './latency.ts';
import type { RunInstrument } from './run-instrument.ts';
import type { RunJournal } from './run-journal.ts';
import type { RunPlots } from './run-plots.ts';

export interface Gathered {
  readonly plan: BacktestPlan;
  readonly account: RunAccount;
  readonly facts: RunJournal;
  readonly instruments: readonly RunInstrument[];
  readonly plots: RunPlots;
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
  const { samples, falls } = account;
  if (falls.lostUs !== null) more.push(capitalLost(tsUs(falls.lostUs)));
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
    equity: samples.equity,
    drawdowns: falls.end(),
    funds: account.funds(),
    dayEquity: account.dayEquity.take(),
    dayEndUs: account.dayEndUs.take(),
    statistics: plan.statistics,
    instruments: instruments.map((instrument) => {
      const prices = account.pricesOf(instrument);
      return {
        symbol: instrument.contract.orderCode,
        spec: instrument.contract.spec,
        prices: samples.samplesOf(prices.last),
        ranges: prices.ranges(),
      };
    }),
    strategies: account.ledgers.map((ledger, place) => {
      const instance = plan.strategies[place];
      return {
        id: instance?.id ?? '',
        strategy: instance?.definition.name ?? '',
        symbols: plan.settings.strategies[place]?.symbols ?? [],
        params: instance?.params ?? {},
        profit: samples.samplesOf(ledger.profit),
        fills: ledger.fills,
        trades: ledger.trades,
        denials: ledger.denials,
        denialCount: ledger.denialCount,
        costs: ledger.costs(),
        orders: ledger.orders,
        plots: gathered.plots.of(place),
        heldUs: ledger.heldUs(toUs),
        stopped: ledger.stopped,
        fault: ledger.fault,
      };
    }),
    models: [...describeModels(plan.fill, plan.latency), ['memory', describeMemory(plan.memory)]],
    notices: [...notices, ...facts.notices, ...more],
    counts: gathered.counts,
  };
}

const capitalLost = (at: TsUs): BacktestNotice => ({
  tsUs: at,
  code: 'capital_lost',
  text: 'equity fell to zero or below and the run went on: a broker would have ended it, and ratios of returns have no value',
});

/** The models of a run in words, for the summary and the report. */
function describeModels(fill: FillModel, { order, report }: LatencyModel): [string, string][] {
  const models = fill.on === 'ticks' ? tickModel(fill) : barModel(fill);
  return [...models, ['order latency', describeLatency(order)], ['report latency', describeLatency(report)]];
}

function tickModel(model: TickFillModel): [string, string][] {
  const { queue, cancels } = model;
  const places: Readonly<Record<TickFillModel['queue'], string>> = {
    queue: `behind what stood there first; what is cancelled counts as ${cancels}`,
    touch: 'a trade at the price fills, nobody was ahead',
    through: 'only a trade beyond the price fills',
  };
  return [['fills on ticks', `${queue}: ${places[queue]}`], ...slippage(model)];
}

function barModel(model: BarFillModel): [string, string][] {
  const { bar, path, exitsFrom, volumeBps, impactPpm = 0 } = model;
  const volume: [string, string][] =
    volumeBps === 0 ? [] : [['volume', `at most ${volumeBps / 100} % of a bar's volume`]];
  const impact: [string, string][] =
    impactPpm === 0
      ? []
      : [['impact', `${impactPpm / PPM_PER_PERCENT} % of the price x the square of our share of the volume`]];
  const exits: [string, string][] =
    exitsFrom === 'next_bar' ? [['exits of a bracket', 'from the bar after the fill on']] : [];
  return [['fills on bars', bar], ['path', path], ...exits, ...volume, ...slippage(model), ...impact];
}

const PPM_PER_PERCENT = 10_000;

function slippage({
  slippageTicks,
  slippagePpm = 0,
  slippageOn,
  slippageUpTo,
}: Slippage & Pick<BarFillModel, 'slippageOn' | 'slippageUpTo'>): [string, string][] {
  const part = slippagePpm === 0 ? '' : ` and ${slippagePpm / PPM_PER_PERCENT} % of the price`;
  const taker = slippageOn === 'entries' ? 'an order that takes opens or adds' : 'an order takes';
  const end = slippageUpTo === 'bar' ? ', never beyond the bar' : '';
  return [['slippage', `${slippageTicks} ticks${part} where ${taker}${end}`]];
}
