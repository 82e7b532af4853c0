/** Changes that a person asks a running daemon for: other strategies or days of the calendar, or a stopped strategy that starts again. */
import type { Config, LoadedConfig } from '../config/config.ts';
import { formatProblem } from '../config/problem.ts';
import { coverageOf, type TradingCalendar, tradingDayAt } from '../domain/calendar.ts';
import type { CommandResult } from '../operator/control-server.ts';
import { calendarChanges } from './inspect/calendar-view.ts';
import type { Daemon } from './daemon.ts';
import { NotReloaded, type PreparedChange, type StrategyChange } from './session/strategy-switch.ts';
import { isDeepStrictEqual } from 'node:util';
import { signOf } from '../domain/order.ts';
import type { StrategyRisk } from '../domain/settings.ts';
import type { EngineSnapshot, StrategyEntry } from '../engine/engine-snapshot.ts';
import type { ConfiguredStrategy } from '../engine/ports/engine-event.ts';
import { formatCount, positionText } from '../text/numbers.ts';

/** Reads the configuration file again, with the overrides of this run. */
export type ReadAgain = () => LoadedConfig | Promise<LoadedConfig>;

/** Reads the configuration again. `isCheck`: reports the changes of a reload, and changes nothing. */
export async function reload(
  daemon: Daemon,
  readAgain: ReadAgain,
  reason: string,
  isCheck: boolean,
): Promise<CommandResult> {
  if (daemon.sessionDay === undefined) return refused('no session is open yet');
  const loaded = await readAgain();
  if (!loaded.ok) return refused(loaded.problems.map(formatProblem).join('\n'));
  const { calendar } = loaded.config;
  // The calendar in use takes the days of the file, once the rest is done.
  const config = { ...loaded.config, calendar: daemon.config.calendar };
  const others = otherSections(daemon.config, loaded.config);
  if (others.length > 0)
    return refused(
      `${others.join(', ')} changed too: only strategies and the days of the calendar can be reloaded, all else needs a restart`,
    );
  const today = tradingDayAt(calendar, daemon.clock.nowUs());
  const days = calendarChanges(daemon.config.calendar, calendar, today);
  const command = { name: 'reload', reason } as const;
  const result = await carryOut(daemon, { config, command, started: null }, isCheck);
  const { changes } = result;
  if (changes === undefined || days.length === 0) return result;
  if (!isCheck) {
    // With other strategies it is journaled already.
    if (changes.length === 0) daemon.command(command);
    daemon.takeCalendar(coverageOf(calendar), days);
  }
  const head = isCheck ? 'a reload would change the calendar' : 'the calendar is changed';
  const text = [`${head}:`, ...days, ...(changes.length === 0 ? [] : [result.message])].join('\n');
  return { ok: result.ok, message: text, changes: [...days, ...changes] };
}

/** A strategy that was stopped runs again at once; its memory is made from the prices of today. */
export async function startStrategy(
  daemon: Daemon,
  id: string,
  reason: string,
  readAgain: ReadAgain = () => ({ ok: true, config: daemon.config }),
): Promise<CommandResult> {
  const { session } = daemon.cycle;
  const view = await daemon.refreshView();
  if (view === undefined) return refused(daemon.cycle.degraded ?? 'no session is open');
  const entry = view.strategies.find((each) => each.id === id);
  const ids = daemon.config.strategies.map((each) => each.id);
  if (entry === undefined || !ids.includes(id))
    return refused(`there is no strategy ${id} in the running configuration, which has ${ids.join(', ')}`);
  if (entry.stopped === null) return refused(`${id} is running`);
  const command = { name: 'start_strategy', strategy: entry.strategy, reason } as const;
  const present = daemon.config.strategies.find((each) => each.id === id);
  const loaded = await readAgain();
  // Stops are numbered by the session.
  if (daemon.cycle.session !== session)
    return refused(`the engine of ${id} was replaced meanwhile; ask again`);
  // Code of the user's own is read again: its author has probably fixed it. Everything else stays as it runs.
  if (!loaded.ok && present?.code !== null) return refused(loaded.problems.map(formatProblem).join('\n'));
  const next = loaded.ok ? loaded.config.strategies.find((each) => each.id === id) : present;
  const isSame = isDeepStrictEqual({ ...next, code: null }, { ...present, code: null });
  const strategies = daemon.config.strategies.map((each) =>
    each.strategy === present?.strategy && next?.strategy === each.strategy
      ? { ...each, code: next.code }
      : each,
  );
  const change = { config: { ...daemon.config, strategies }, command, started: { id, asOf: view.seq } };
  const result = await carryOut(daemon, change, false);
  if (!result.ok || isSame) return result;
  return { ...result, message: `${result.message}\nthe file has another entry of ${id}: reload takes it` };
}

async function carryOut(
  daemon: Daemon,
  change: Omit<StrategyChange, 'excluded'>,
  isCheck: boolean,
): Promise<CommandResult> {
  const problem = daemon.programProblem;
  if (problem !== null) return refused(problem);
  const began = performance.now();
  const before = daemon.cycle.session?.strategies.present.configured ?? [];
  const running = (await daemon.refreshView()) ?? { strategies: [], orders: [] };
  try {
    const prepared = await daemon.cycle.prepare(change);
    const onOrphan = daemon.config.engine.risk.onOrphan ?? 'hold';
    const changes = strategyChanges(before, prepared.after.configured, running, onOrphan);
    const took = `${Math.round(performance.now() - began)} ms of replay next to the running engine`;
    const isNothing = changes.length === 0;
    const done = isCheck ? 'a reload would change' : 'changed between two events';
    if (isNothing || isCheck) await prepared.drop();
    else
      await prepared.commit().catch(async (error: unknown) => {
        await prepared.drop();
        throw error;
      });
    if (isNothing) return { ok: true, message: 'the strategies run as configured already', changes };
    const ended = isCheck ? [] : await endedBy(daemon, prepared);
    if (ended.length > 0)
      return { ok: false, message: [`${done}:`, ...changes, ...ended].join('\n'), changes };
    return { ok: true, message: `${done}, after ${took}:\n${changes.join('\n')}`, changes };
  } catch (error) {
    if (!(error instanceof NotReloaded)) throw error;
    return refused(error.message);
  }
}

/** Its code got events after its replay began: a fault there stops it. */
async function endedBy(daemon: Daemon, { changed }: PreparedChange): Promise<readonly string[]> {
  const view = await daemon.refreshView();
  // The day may have changed instead.
  if (view === undefined && (daemon.sessionDay ?? daemon.cycle.degraded) !== null)
    return ['the engine was lost at the switch: tickwright status shows what runs'];
  return (view?.strategies ?? []).flatMap(({ strategy, id, stopped }) =>
    changed.has(strategy) && stopped === 'fault'
      ? [`${id} is stopped: its new version failed at the switch; what protects its position stays`]
      : [],
  );
}

const refused = (why: string): CommandResult => ({ ok: false, message: `${why}\nnothing was changed` });

/** Names of the settings other than strategies that differ. */
function otherSections(before: Config, after: Config): readonly string[] {
  const sections = [
    ...differing(withHours(before), withHours(after)),
    ...differing(before.engine, after.engine),
  ];
  return sections.map(([name]) => name).filter((name) => name !== 'strategies' && name !== 'engine');
}

const withHours = (config: Config): object => ({
  ...config,
  calendar: hoursOf(config.calendar),
  exchangeCalendar: hoursOf(config.exchangeCalendar),
});

/** Settings that only a restart changes. */
const hoursOf = ({ name, timeZone, utcOffsetMinutes, weekdays, phases }: TradingCalendar): object => ({
  name,
  timeZone,
  utcOffsetMinutes,
  weekdays,
  phases,
});

// Differences between two lists of strategies, with their effect on positions and orders.

export function strategyChanges(
  before: readonly ConfiguredStrategy[],
  after: readonly ConfiguredStrategy[],
  running: Pick<EngineSnapshot, 'strategies' | 'orders'>,
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
      lines.push([`${id}: ${changes.join(', ')}`, ...effects(entryOf(id), now, running.orders)].join('; '));
  }
  for (const { settings } of before) {
    if (after.some((each) => each.settings.id === settings.id)) continue;
    const held = positionText(entryOf(settings.id)?.positions ?? []);
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

function differing(was: object, now: object) {
  const before = new Map<string, unknown>(Object.entries(was));
  const after = new Map<string, unknown>(Object.entries(now));
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((key) => [key, before.get(key), after.get(key)] as const)
    .filter(([, old, value]) => !isDeepStrictEqual(old, value));
}

const valueText = (value: unknown): string => (value === undefined ? 'unset' : JSON.stringify(value));

function effects(
  entry: StrategyEntry | undefined,
  { settings }: ConfiguredStrategy,
  all: EngineSnapshot['orders'],
): readonly string[] {
  if (entry === undefined) return [];
  const held = positionText(entry.positions);
  const orders = entry.openOrders === 0 ? '' : formatCount(entry.openOrders, 'open order');
  const keeps = [held, orders].filter((text) => text !== '').join(' and ');
  // A target that an earlier version aimed at is nobody's any more, and its order may fill.
  const entries = orders === '' ? '' : ', its entries rest until they fill or are canceled';
  return [
    ...(keeps === '' ? [] : [`keeps ${keeps}; its exits keep their prices${entries}`]),
    ...overLimits(entry, settings.risk, all),
    ...(entry.halted === null ? [] : [`its entries stay off until you resume it: ${entry.halted}`]),
  ];
}

/** Positions and orders from the time before its limits were lowered. */
export function overLimits(
  entry: StrategyEntry,
  { positionMax, openOrdersMax }: StrategyRisk,
  all: EngineSnapshot['orders'],
): readonly string[] {
  const own = all.filter(({ strategy }) => strategy === entry.strategy);
  const large = entry.positions.filter(({ qty }) => Math.abs(qty) > positionMax);
  return [
    ...large.map(
      ({ qty, orderCode }) =>
        `holds ${qty} of ${orderCode}, above its positionMax ${positionMax}: it can only reduce that`,
    ),
    ...overLimitText(entry, own, positionMax),
    ...(entry.openOrders > openOrdersMax
      ? [
          `has ${formatCount(entry.openOrders, 'open order')}, above its openOrdersMax ${openOrdersMax}: it places none until fewer are open`,
        ]
      : []),
  ];
}

/** Orders that rest at the exchange and fill whole would bring the position above its limit: no limit takes them back. */
function overLimitText({ positions }: StrategyEntry, orders: EngineSnapshot['orders'], positionMax: number) {
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
