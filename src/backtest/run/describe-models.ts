/** The models of a run in words, for the summary and the report. */
import type { BarFillModel, FillModel, TickFillModel } from '../../venue/exchange/fill-models.ts';
import { describeLatency, type LatencyModel } from './latency.ts';

export function describeModels(fill: FillModel, { order, report }: LatencyModel): [string, string][] {
  const models = fill.on === 'ticks' ? tickModel(fill) : barModel(fill);
  return [...models, ['order latency', describeLatency(order)], ['report latency', describeLatency(report)]];
}

function tickModel({ queue, cancels, slippageTicks }: TickFillModel): [string, string][] {
  const places: Readonly<Record<TickFillModel['queue'], string>> = {
    queue: `behind what stood there first; what is cancelled counts as ${cancels}`,
    touch: 'a trade at the price fills, nobody was ahead',
    through: 'only a trade beyond the price fills',
  };
  return [['fills on ticks', `${queue}: ${places[queue]}`], ...slippage(slippageTicks)];
}

function barModel({ bar, path, slippageTicks, volumeBps }: BarFillModel): [string, string][] {
  const volume: [string, string][] =
    volumeBps === 0 ? [] : [['volume', `at most ${volumeBps / 100} % of a bar's volume`]];
  return [['fills on bars', bar], ['path', path], ...volume, ...slippage(slippageTicks)];
}

const slippage = (ticks: number): [string, string][] => [['slippage', `${ticks} ticks where an order takes`]];
