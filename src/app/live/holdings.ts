/** What is held and which stops protect it, in words for a person. */
import { type Contract, formatPoints } from '../../domain/contract.ts';
import type { PriceTicks } from '../../domain/units.ts';
import type { EngineView, OpenOrderEntry } from '../../engine/engine-snapshot.ts';
import { formatNumber, formatSigned } from '../../text/numbers.ts';

/** Prices of a contract that the broker lists no more stay ticks. */
export function pointsOf(contracts: readonly Contract[], code: string, ticks: PriceTicks): string {
  const listing = contracts.find(({ orderCode }) => orderCode === code);
  return listing === undefined ? `${formatNumber(ticks)} ticks` : formatPoints(listing.spec, ticks);
}

/** One line a position. `rests`: the broker still has this stop. */
export function holdings(
  { strategies, orders }: EngineView,
  contracts: readonly Contract[],
  rests: (stop: OpenOrderEntry) => boolean = () => true,
): readonly string[] {
  return strategies.flatMap(({ id, strategy, positions }) =>
    positions
      .filter(({ qty }) => qty !== 0)
      .map(({ orderCode, qty }) => {
        const stops = orders.filter(
          (order) =>
            order.isStop &&
            order.strategy === strategy &&
            order.orderCode === orderCode &&
            order.side === (qty > 0 ? 'sell' : 'buy') &&
            rests(order),
        );
        const cover = stops.map(
          (stop) =>
            `stop for ${stop.qty - stop.filledQty} at ${pointsOf(contracts, orderCode, stop.triggerPrice ?? stop.limitPrice)}`,
        );
        return `${id} ${formatSigned(qty)} ${orderCode}, ${cover.length === 0 ? 'NO stop of its own at the broker' : cover.join(' and ')}`;
      }),
  );
}

export function holdingsText(...given: Parameters<typeof holdings>): string {
  const lines = holdings(...given);
  return lines.length === 0 ? 'nothing is held' : `held: ${lines.join('; ')}`;
}
