/** Changes that a person asks a running daemon for: other strategies or days of the calendar, or a stopped strategy that starts again. */
import type { Config } from '../../config/config.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import { formatProblem } from '../../config/problem.ts';
import { knownDays, type TradingCalendar, tradingDayAt } from '../../domain/calendar.ts';
import type { CommandResult } from '../../operator/control-server.ts';
import { calendarChanges } from '../inspect/calendar-view.ts';
import type { Daemon } from './daemon.ts';
import { differing, strategyChanges } from './strategy-changes.ts';
import { NotReloaded, type PreparedChange, type StrategyChange } from './strategy-switch.ts';

/** Reads the configuration file again, and makes of it what this run makes of it. */
export type ReadAgain = () => LoadedConfig | Promise<LoadedConfig>;

const NOTHING_CHANGED = 'nothing was changed';

/** Reads the configuration again. `isCheck`: tells what a reload would change, and changes nothing. */
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
  const result = await carryOut(
    daemon,
    { config, command: { name: 'reload', reason }, started: null },
    isCheck,
  );
  if (!result.ok || days.length === 0) return result;
  if (!isCheck) daemon.takeCalendar(knownDays(calendar), days);
  const { changes = [] } = result;
  const head = isCheck ? 'a reload would change the calendar' : 'the calendar is changed';
  const text = [`${head}:`, ...days, ...(changes.length === 0 ? [] : [result.message])].join('\n');
  return { ok: true, message: text, changes: [...days, ...changes] };
}

/** A strategy that was stopped runs again at once; its memory is made from the prices of today. */
export async function startStrategy(
  daemon: Daemon,
  id: string,
  reason: string,
  readAgain: ReadAgain = () => ({ ok: true, config: daemon.config }),
): Promise<CommandResult> {
  const view = await daemon.refreshView();
  const entry = view?.strategies.find((each) => each.id === id);
  const ids = daemon.config.strategies.map((each) => each.id);
  if (view === undefined || entry === undefined || !ids.includes(id))
    return refused(
      `there is no strategy ${id} in the running configuration; its strategies: ${ids.join(', ')}`,
    );
  if (entry.stopped === null) return refused(`${id} is running`);
  const command = { name: 'start_strategy', strategy: entry.strategy, reason } as const;
  const read = await withNewCode(daemon.config, id, readAgain);
  if (!read.ok) return refused(read.problems.map(formatProblem).join('\n'));
  return carryOut(daemon, { config: read.config, command, started: { id, asOf: view.seq } }, false);
}

/** A file of the user's own is read again: its author mended it, most likely. Everything else stays as it runs. */
async function withNewCode(config: Config, id: string, readAgain: ReadAgain): Promise<LoadedConfig> {
  const present = config.strategies.find((each) => each.id === id);
  if (present === undefined || present.code === null) return { ok: true, config };
  const loaded = await readAgain();
  if (!loaded.ok) return loaded;
  const next = loaded.config.strategies.find((each) => each.id === id && each.strategy === present.strategy);
  const code = next?.code ?? present.code;
  const strategies = config.strategies.map((each) =>
    each.strategy === present.strategy ? { ...each, code } : each,
  );
  return { ok: true, config: { ...config, strategies } };
}

async function carryOut(
  daemon: Daemon,
  change: Omit<StrategyChange, 'excluded'>,
  isCheck: boolean,
): Promise<CommandResult> {
  const problem = daemon.programProblem;
  if (problem !== null) return refused(problem);
  const began = performance.now();
  const before = daemon.strategies ?? [];
  const running = (await daemon.refreshView()) ?? { strategies: [], orders: [] };
  try {
    const prepared = await daemon.prepare(change);
    const changes = strategyChanges(before, prepared.after.configured, running, onOrphanOf(daemon));
    const took = `${Math.round(performance.now() - began)} ms of replay beside the running engine`;
    const isNothing = changes.length === 0;
    const done = isCheck ? 'a reload would change' : 'changed between two events';
    await (isNothing || isCheck ? prepared.drop() : commit(prepared));
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

/** Its code met events after its replay began: a fault there stops it. */
async function endedBy(daemon: Daemon, { changed }: PreparedChange): Promise<readonly string[]> {
  const view = await daemon.refreshView();
  return (view?.strategies ?? []).flatMap(({ strategy, id, stopped }) =>
    changed.has(strategy) && stopped === 'fault'
      ? [`${id} is stopped: its new version failed at the switch; what protects its position stays`]
      : [],
  );
}

async function commit(prepared: PreparedChange): Promise<void> {
  try {
    await prepared.commit();
  } catch (error) {
    await prepared.drop();
    throw error;
  }
}

const onOrphanOf = ({ config }: Daemon): string => config.engine.risk.onOrphan ?? 'hold';

const refused = (why: string): CommandResult => ({ ok: false, message: `${why}\n${NOTHING_CHANGED}` });

/** Names of the settings besides strategies that differ. */
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

/** What a restart alone can change. */
const hoursOf = ({ name, timeZone, utcOffsetMinutes, weekdays, phases }: TradingCalendar): object => ({
  name,
  timeZone,
  utcOffsetMinutes,
  weekdays,
  phases,
});
