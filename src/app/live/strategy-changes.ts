/** Differences between two lists of strategies, and what each means for positions and orders. */
import { isDeepStrictEqual } from 'node:util';
import type { StrategyEntry } from '../../engine/engine-snapshot.ts';
import type { ConfiguredStrategy } from '../../engine/ports/engine-event.ts';
import { formatCount } from '../../text/numbers.ts';

/** One line for each strategy that changes. */
export function strategyChanges(
  before: readonly ConfiguredStrategy[],
  after: readonly ConfiguredStrategy[],
  running: readonly StrategyEntry[],
  onOrphan: string,
): readonly string[] {
  const entryOf = (id: string): StrategyEntry | undefined => running.find((each) => each.id === id);
  const lines: string[] = [];
  for (const now of after) {
    const { id } = now.settings;
    const was = before.find(({ settings }) => settings.id === id);
    const changes = was === undefined ? ['starts to run'] : changesOf(was, now);
    if (changes.length > 0)
      lines.push([`${id}: ${changes.join(', ')}`, ...meaning(entryOf(id), now)].join('; '));
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

function meaning(entry: StrategyEntry | undefined, { settings }: ConfiguredStrategy): readonly string[] {
  if (entry === undefined) return [];
  const { positionMax } = settings.risk;
  const held = heldText(entry);
  const orders = entry.openOrders === 0 ? '' : formatCount(entry.openOrders, 'open order');
  const keeps = [held, orders].filter((text) => text !== '').join(' and ');
  const large = entry.positions.filter(({ qty }) => Math.abs(qty) > positionMax);
  return [
    ...(keeps === '' ? [] : [`keeps ${keeps}; its exits keep their prices`]),
    ...large.map(
      ({ qty, orderCode }) =>
        `holds ${qty} of ${orderCode}, above its positionMax ${positionMax}: it can only reduce that`,
    ),
    ...(entry.halted === null ? [] : [`its entries stay off until you resume it: ${entry.halted}`]),
  ];
}

const heldText = (entry: StrategyEntry | undefined): string =>
  (entry?.positions ?? [])
    .filter(({ qty }) => qty !== 0)
    .map(({ qty, orderCode }) => `${qty} of ${orderCode}`)
    .join(', ');
