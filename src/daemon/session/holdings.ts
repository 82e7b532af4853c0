/** Positions, their stops, and the time of the last comparison of the books, in words for a person. */
import { avgPoints, type Contract, formatPoints } from '../../domain/contract.ts';
import { isAuction } from '../../domain/calendar.ts';
import { waitingRole } from '../../domain/cover.ts';
import { shortOrderId, type StrategyNames } from '../../domain/ids.ts';
import type { PriceTicks, TsUs } from '../../domain/units.ts';
import type { EngineSnapshot, OpenOrderEntry, PositionEntry } from '../../engine/engine-snapshot.ts';
import type { OurBooks } from '../../broker/gateway/kill-verdict.ts';
import type { HaltEnforcer, HoldingsText } from './halt-enforcer.ts';
import { formatShownTime } from '../../text/dates.ts';
import {
  formatAverage,
  formatCompared,
  formatNumber,
  formatSigned,
  positionText,
} from '../../text/numbers.ts';

/** Prices of a contract that the broker lists no more stay ticks. */
export function listedPoints(contracts: readonly Contract[], code: string, ticks: PriceTicks): string {
  const listing = contracts.find(({ orderCode }) => orderCode === code);
  return listing === undefined ? `${formatNumber(ticks)} ticks` : formatPoints(listing.spec, ticks);
}

/** One line a position. `rests`: the broker still has this stop. */
export function holdings(
  { strategies, orders }: EngineSnapshot,
  contracts: readonly Contract[],
  rests: (stop: OpenOrderEntry) => boolean = () => true,
): readonly string[] {
  return strategies.flatMap(({ id, strategy, positions }) =>
    positions
      .filter(({ qty }) => qty !== 0)
      .map((position) => {
        const { orderCode, qty, coveredBy } = position;
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
            `stop for ${stop.qty - stop.filledQty} at ${listedPoints(contracts, orderCode, stop.triggerPrice ?? stop.limitPrice)}`,
        );
        return holdingLine(id, qty, `${orderCode}${figuresText(position, contracts)}`, cover, coveredBy);
      }),
  );
}

/** Orders of this owner, or of all, that the auction of now holds as they are, exits too; empty without one. */
export function restingText(
  { phase, strategies, orders }: EngineSnapshot,
  contracts: readonly Contract[],
  id: string | null,
): string {
  const isOwn = ({ strategy }: OpenOrderEntry): boolean =>
    id === null || strategies.some((each) => each.id === id && each.strategy === strategy);
  const resting = orders.filter((order) => order.triggerPrice === null && isOwn(order));
  const texts = resting.map((order) => orderText(order, contracts));
  if (!isAuction(phase) || resting.length === 0) return '';
  return `; already resting in the auction, unchangeable, and may not fill: ${texts.join(', ')}`;
}

/** `#01000007 buy 2 VN30F1M at 1295.0`. */
export const orderText = (
  {
    clientOrderId,
    side,
    qty,
    filledQty,
    orderCode,
    limitPrice,
  }: Pick<OpenOrderEntry, 'clientOrderId' | 'side' | 'qty' | 'filledQty' | 'orderCode' | 'limitPrice'>,
  contracts: readonly Contract[],
): string =>
  `${shortOrderId(clientOrderId)} ${side} ${qty - filledQty} ${orderCode} at ${listedPoints(contracts, orderCode, limitPrice)}`;

/** ` at 1295.0, last 1296.2, open +120,000 VND`. Without any price the result is zero too, and no last price is shown. */
function figuresText({ orderCode, qty, openValue, open }: PositionEntry, contracts: readonly Contract[]) {
  const result = `, open ${formatSigned(open)} VND`;
  const spec = contracts.find((each) => each.orderCode === orderCode)?.spec;
  if (spec === undefined) return result;
  const points = (value: number): string => formatAverage(avgPoints(spec, value, qty));
  const last = open === 0 ? '' : `, last ${points(openValue + Math.sign(qty) * open)}`;
  return ` at ${points(openValue)}${last}${result}`;
}

/** Positions by the journal, where no engine answers. */
export function ourHoldings(
  { positions, orders }: OurBooks,
  names: StrategyNames,
  contracts: readonly Contract[],
): readonly string[] {
  return positions
    .filter(({ qty }) => qty !== 0)
    .map(({ owner, orderCode, qty }) => {
      const side = qty > 0 ? 'sell' : 'buy';
      const cover = orders.flatMap(({ row, isOpen, owner: whose }) => {
        const isOwn = isOpen && whose === owner && row.orderCode === orderCode && row.side === side;
        if (!isOwn || !('kind' in row) || row.triggerPrice === null) return [];
        if (waitingRole(side, row.triggerWhen) !== 'stop') return [];
        return [`stop for ${row.qty} at ${listedPoints(contracts, orderCode, row.triggerPrice)}`];
      });
      return holdingLine(names.nameOf(owner), qty, orderCode, cover, null);
    });
}

const holdingLine = (id: string, qty: number, code: string, stops: readonly string[], by: string | null) => {
  const none = by === null ? 'NO stop of its own at the broker' : `no stop: covered by ${by}`;
  const others = by === null ? '' : ` and the rest covered by ${by}`;
  const cover = stops.length === 0 ? none : stops.join(' and ') + others;
  return `${id} ${positionText([{ orderCode: code, qty }])}, ${cover}`;
};

/** Positions, and the broker's where they are others: either may lack a fill. `view`: undefined where no engine answers. */
export function holdingsText(
  view: EngineSnapshot | undefined,
  ours: OurBooks,
  { kept, held, heldUs }: Pick<HaltEnforcer, 'kept' | 'held' | 'heldUs'>,
  names: StrategyNames,
  contracts: readonly Contract[],
  time: (at?: TsUs) => string,
): HoldingsText {
  const rests = ({ orderKey }: OpenOrderEntry): boolean => orderKey !== null && kept.has(orderKey);
  const lines = view === undefined ? ourHoldings(ours, names, contracts) : holdings(view, contracts, rests);
  const text = lines.length === 0 ? 'nothing is held' : `held: ${lines.join('; ')}`;
  const isStale = held !== null && heldUs < (view?.lastFillUs ?? -Infinity);
  const booked = new Map<string, number>();
  for (const { orderCode, qty } of ours.positions) booked.set(orderCode, (booked.get(orderCode) ?? 0) + qty);
  const codes = held === null ? [] : [...new Set([...booked.keys(), ...held.keys()])];
  const apart = codes.filter((code) => (booked.get(code) ?? 0) !== (held?.get(code) ?? 0));
  const isUnread = view?.orders.some((each) => each.isStop && !rests(each)) === true;
  if (apart.length === 0) return { text, isDoubtful: isStale || isUnread };
  const net = (of: typeof held): string =>
    apart.map((code) => `${formatSigned(of?.get(code) ?? 0)} ${code}`).join(' and ');
  const read = comparedText({ time: time(heldUs), isStale });
  const differs = `the broker shows ${net(held)}${read}, our fills until ${time()} come to ${net(booked)}`;
  return { text: `${text}; ${differs}`, isDoubtful: true };
}

export type Fact = readonly [label: string, text: string];

export const bookFacts = (
  { unproven, stopsUnproven, money }: EngineSnapshot,
  compared: ReturnType<typeof comparisons>,
): readonly Fact[] => [
  [
    'books',
    unproven === null
      ? `our positions are the broker’s${comparedText(compared.positions)}`
      : `NOT proven: ${unproven}`,
  ],
  ...(stopsUnproven === null ? [] : [['stops', `NOT proven: ${stopsUnproven}`] as const]),
  ...moneyFact(money, comparedText(compared.money)),
];

function moneyFact({ state, figures }: EngineSnapshot['money'], at: string): readonly Fact[] {
  if (state === 'off') return [];
  if (state === 'unread') return [['money', 'not yet compared with the broker’s']];
  const compared = figures.map(({ what }) => what).join(', ');
  if (state === 'agreed') return [['money', `the broker’s to the VND${at}: ${compared}`]];
  const rows = figures.filter(({ ours, broker }) => ours !== broker).map(formatCompared);
  return [['money', `DIFFERS from the broker’s${at}: ${rows.join('; ')}`]];
}

interface BrokerComparison {
  readonly time: string;
  /** Something has filled since. */
  readonly isStale: boolean;
}

export function comparisons(
  { positionsReadUs, money, lastFillUs }: EngineSnapshot,
  utcOffsetMinutes: number,
  now: TsUs,
): { readonly positions: BrokerComparison | null; readonly money: BrokerComparison | null } {
  const compared = (at: TsUs | null): BrokerComparison | null =>
    at === null
      ? null
      : { time: formatShownTime(at, now, utcOffsetMinutes), isStale: at < (lastFillUs ?? -Infinity) };
  return { positions: compared(positionsReadUs), money: compared(money.comparedUs) };
}

/** ` at 10:02:03`, and whether that is too long ago; empty before the first one. */
const comparedText = (compared: BrokerComparison | null): string =>
  compared === null ? '' : ` at ${compared.time}${compared.isStale ? ', BEFORE the last fill' : ''}`;
