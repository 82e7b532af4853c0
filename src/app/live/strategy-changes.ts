/** Differences between two lists of strategies, and what each means for positions and orders. */
import { isDeepStrictEqual } from 'node:util';
import { signOf } from '../../domain/order.ts';
import type { EngineView, StrategyEntry } from '../../engine/engine-snapshot.ts';
import type { ConfiguredStrategy } from '../../engine/ports/engine-event.ts';
import { formatCount } from '../../text/numbers.ts';

export function strategyChanges(
  before: readonly ConfiguredStrategy[],
  after: readonly ConfiguredStrategy[],
  running: Pick<EngineView, 'strategies' | 'orders'>,
  onOrphan: string,
): readonly string[] {
  const entryOf = (id: string): StrategyEntry | undefined =>
    running.strategies.find((each) => each.id === id);
  const lines: string[] = [];
  for (const now of after) {
    const { id } = now.settings;
    const was = before.find(({ settings }) => settings.id === id);
    const changes = was === undefined ? ['starts to run'] : changesOf(was, now);
    if (changes.length > 0)
      lines.push([`${id}: ${changes.join(', ')}`, ...meaning(entryOf(id), now, running.orders)].join('; '));
  }
  for (const { settings } of before) {
    if (after.some((each) => each.settings.id === settings.id)) continue;
    const held = heldText(entryOf(settings.id));
    const position = held === '' ? 'it holds nothing' : `its ${held} follow risk.onOrphan (${onOrphan})`;
    lines.push(
      `${settings.id}: leaves; its entries are canceled, what protects a position stays; ${position}`,
    );
  }
  return lines;
}

function changesOf(was: ConfiguredStrategy, now: ConfiguredStrategy): readonly string[] {
  return [
    ...differences({ strategy: was.definition, ...was.params }, { strategy: now.definition, ...now.params }),
    ...differences(limitsOf(was), limitsOf(now)),
    ...(was.codeDigest === now.codeDigest ? [] : [`code ${was.codeDigest} to ${now.codeDigest}`]),
    ...(was.run === now.run ? [] : ['starts again']),
  ];
}

const limitsOf = ({ settings: { symbols, overnight, onExpiry, risk } }: ConfiguredStrategy): object => ({
  symbols,
  overnight,
  onExpiry,
  ...risk,
});

const differences = (was: object, now: object): readonly string[] =>
  differing(was, now).map(([key, old, value]) => `${key} ${valueText(old)} to ${valueText(value)}`);

/** Each key whose values differ, with the value of both. */
export function differing(
  was: object,
  now: object,
): readonly (readonly [key: string, was: unknown, now: unknown])[] {
  const before = new Map<string, unknown>(Object.entries(was));
  const after = new Map<string, unknown>(Object.entries(now));
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((key) => [key, before.get(key), after.get(key)] as const)
    .filter(([, old, value]) => !isDeepStrictEqual(old, value));
}

const valueText = (value: unknown): string => (value === undefined ? 'unset' : JSON.stringify(value));

function meaning(
  entry: StrategyEntry | undefined,
  { settings }: ConfiguredStrategy,
  all: EngineView['orders'],
): readonly string[] {
  if (entry === undefined) return [];
  const { positionMax, openOrdersMax } = settings.risk;
  const held = heldText(entry);
  const orders = entry.openOrders === 0 ? '' : formatCount(entry.openOrders, 'open order');
  const own = all.filter(({ strategy }) => strategy === entry.strategy);
  const keeps = [held, orders].filter((text) => text !== '').join(' and ');
  const large = entry.positions.filter(({ qty }) => Math.abs(qty) > positionMax);
  return [
    ...(keeps === '' ? [] : [`keeps ${keeps}; its exits keep their prices`]),
    ...large.map(
      ({ qty, orderCode }) =>
        `holds ${qty} of ${orderCode}, above its positionMax ${positionMax}: it can only reduce that`,
    ),
    ...tooMuch(entry, own, positionMax),
    ...(entry.openOrders > openOrdersMax
      ? [
          `has ${formatCount(entry.openOrders, 'open order')}, above its openOrdersMax ${openOrdersMax}: it places none until fewer are open`,
        ]
      : []),
    ...(entry.halted === null ? [] : [`its entries stay off until you resume it: ${entry.halted}`]),
  ];
}

/** Orders that rest at the exchange and fill whole would bring the position above its limit: no limit takes them back. */
function tooMuch(
  { positions }: StrategyEntry,
  orders: EngineView['orders'],
  positionMax: number,
): readonly string[] {
  const lines: string[] = [];
  for (const orderCode of new Set(orders.map((order) => order.orderCode)))
    for (const side of ['buy', 'sell'] as const) {
      let resting = 0;
      for (const order of orders)
        if (order.orderCode === orderCode && order.side === side && order.status !== 'pending_trigger')
          resting += order.qty - order.filledQty;
      const held = positions.find((each) => each.orderCode === orderCode)?.qty ?? 0;
      const worst = signOf(side) * held + resting;
      if (resting > 0 && worst > positionMax)
        lines.push(
          `its orders to ${side} ${resting} of ${orderCode} stay, and may fill up to ${worst}, above its positionMax ${positionMax}: cancel them where that is too much`,
        );
    }
  return lines;
}

const heldText = (entry: StrategyEntry | undefined): string =>
  (entry?.positions ?? [])
    .filter(({ qty }) => qty !== 0)
    .map(({ qty, orderCode }) => `${qty} of ${orderCode}`)
    .join(', ');
