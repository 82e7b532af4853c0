/** The strategies of one session, also those that left the configuration with positions, orders or rows, and who decided its past. */
import type { Config } from '../../config/config.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import type { JournalReader } from '../../journal/journal-reader.ts';
import type { StrategySettings } from '../../domain/settings.ts';
import { qty, type StrategyIndex } from '../../domain/units.ts';
import type { ConfiguredStrategy, StrategiesConfigured } from '../../engine/ports/engine-event.ts';
import { codeDigest, digestOf } from '../strategy-files/own-strategies.ts';
import type { StrategyNames } from '../../domain/ids.ts';
import { isSameVersion, versionOf } from '../../engine/ports/journal-entry.ts';

type Lists = readonly Pick<StrategiesConfigured, 'seq' | 'strategies'>[];

export type SessionStrategies = ReturnType<typeof sessionStrategies>;

export type StrategyPlan = ReturnType<typeof plannedStrategies>;

/** The strategies of `config` in a session that may have a past. Those that left it get their place here. */
export function plannedStrategies({
  read,
  day,
  config,
  names,
  started = null,
}: {
  readonly read: JournalReader;
  readonly day: TradingDay;
  readonly config: Config;
  readonly names: StrategyNames;
  /** A person starts this one again. */
  readonly started?: string | null;
}) {
  for (const name of read.strategies(day)) names.indexOf(name);
  for (const { id } of config.strategies) names.indexOf(id);
  const lists = read.strategyLists(day);
  const strategies = sessionStrategies(
    config,
    names,
    [...listsBefore(read, day, config, names), ...lists],
    started,
  );
  return { strategies, versionsSince: versionStarts(lists, strategies, names) };
}

/** Lists of the session before, and of older ones back to the last that has a strategy which left the configuration. */
function listsBefore(read: JournalReader, day: TradingDay, config: Config, names: StrategyNames): Lists {
  const before = read.lastDecided(day);
  if (before === undefined) return [];
  let lists: Lists = read.strategyLists(before);
  const hasLeft = (name: string): boolean => config.strategies.every(({ id }) => id !== name);
  const isListed = (name: string): boolean =>
    lists.some(({ strategies }) => strategies.some(({ settings }) => settings.id === name));
  for (const { day: older } of read.sessions().toReversed()) {
    if (names.all.every((name) => !hasLeft(name) || isListed(name))) break;
    if (older !== before && older !== day) lists = [...read.strategyLists(older), ...lists];
  }
  return lists;
}

/** `lists`: of this session and as far back as `listsBefore` looks, oldest first. `started`: a person starts this one again. */
export function sessionStrategies(
  config: Config,
  names: StrategyNames,
  lists: Lists,
  started: string | null = null,
) {
  const listed = new Map(
    lists.flatMap(({ strategies }) => strategies).map((each) => [each.settings.id, each]),
  );
  const configured = config.strategies.flatMap(
    ({ id, strategy: definition, code, symbols, params }, index): ConfiguredStrategy | [] => {
      const settings = config.engine.strategies[index];
      if (settings === undefined) return [];
      return {
        settings,
        definition,
        params,
        paramsDigest: digestOf({ definition, symbols, params }),
        codeDigest: code?.digest ?? codeDigest(definition),
        run: (listed.get(id)?.run ?? 0) + (id === started ? 1 : 0),
      };
    },
  );
  const byName = new Map(configured.map((each) => [each.settings.id, each]));
  const strategies = names.all.map(
    (name) => byName.get(name)?.settings ?? orphan(config, name, listed.get(name)?.settings),
  );
  return {
    configured,
    /** By index, with those that left. */
    settings: { ...config.engine, strategies },
    instances: config.strategies.map(({ symbols: _symbols, ...each }) => ({
      ...each,
      index: names.indexOf(each.id),
    })),
  };
}

/** A position keeps the settings that it was opened with. */
function orphan(config: Config, id: string, last: StrategySettings | undefined): StrategySettings {
  if (last !== undefined) return { ...last, isOrphan: true };
  const { dailyLossMax } = config.engine.risk;
  const risk = { positionMax: qty(1), dailyLossMax, openOrdersMax: 1 };
  return { id, symbols: [], overnight: true, onExpiry: 'hold', risk, isOrphan: true };
}

/** By index: number of the input from which on the present version of each strategy decided; Infinity where it decided none. */
export function versionStarts(
  lists: Lists,
  { configured }: { readonly configured: readonly ConfiguredStrategy[] },
  names: StrategyNames,
): readonly number[] {
  return names.all.map((name) => {
    const last = lists.at(-1);
    if (last !== undefined && !isAlike(name, last.strategies, configured)) return Infinity;
    const change = lists.findLastIndex(
      ({ strategies }, i) => i > 0 && !isAlike(name, lists[i - 1]?.strategies ?? [], strategies),
    );
    return lists[change]?.seq ?? 0;
  });
}

function isAlike(name: string, before: readonly ConfiguredStrategy[], after: readonly ConfiguredStrategy[]) {
  const [one, other] = [before, after].map((list) => list.find(({ settings }) => settings.id === name));
  return one === undefined || other === undefined
    ? one === other
    : isSameVersion(versionOf(one), versionOf(other));
}

/** Strategies that the process stopped for code that hung, unless another version came since; `versionsSince` Infinity: it comes now. */
export function excludedIn(
  read: JournalReader,
  session: TradingDay,
  versionsSince: readonly number[],
): ReadonlyMap<StrategyIndex, string> {
  const changes = read.entries({ session, kinds: ['strategy_changed'] }).map(({ entry }) => entry);
  const excluded = new Map<StrategyIndex, string>();
  // Inputs, which are journaled before anything that is decided without the strategy.
  for (const { by, command, seq } of read.commands(session)) {
    if (by !== 'process' || command.name !== 'stop_strategy') continue;
    const { strategy, reason } = command;
    const isChanged = changes.some((change) => change.strategy === strategy && change.cause > seq);
    if (!isChanged && versionsSince[strategy] !== Infinity) excluded.set(strategy, reason);
  }
  return excluded;
}
