/** Other strategies in a session: a second engine replays the day under the new list, and takes over if it comes through. */
import type { Config } from '../../config/config.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import { thrownText } from '../../domain/failure.ts';
import { StrategyNames } from '../../domain/ids.ts';
import { type Seq, type StrategyIndex, strategyIndex } from '../../domain/units.ts';
import type { Command } from '../../engine/ports/engine-event.ts';
import type { ReplayFault } from '../../engine/session/strategy-stopper.ts';
import type { JournalStore } from '../../journal/journal-store.ts';
import { frameLogPath } from '../../recording/frame-log.ts';
import { type EngineLink, EngineLost, type EngineThreadOptions } from '../../host/engine-thread.ts';
import { olderVersionsAt } from '../../host/session-past.ts';
import {
  plannedStrategies,
  type SessionStrategies,
  type StrategyPlan,
} from '../../host/state/session-strategies.ts';
import type { StatePaths } from '../../host/state/state-paths.ts';
import type { Inbox } from './inbox.ts';

/** The change was refused: everything is as before. */
export class NotReloaded extends Error {
  override readonly name = 'NotReloaded';
}

export interface StrategyChange {
  readonly config: Config;
  /** Journaled before the list. */
  readonly command: Extract<Command, { readonly name: 'reload' | 'start_strategy' }>;
  /** A person starts this one again, or null. `asOf`: input up to which its stop was seen; a later stop is meant to last. */
  readonly started: { readonly id: string; readonly asOf: Seq } | null;
  /** Strategies that no engine runs: their code hung. A new version of one runs again. */
  readonly excluded: ReadonlySet<StrategyIndex>;
}

export interface PreparedChange {
  readonly after: SessionStrategies;
  readonly changed: ReadonlySet<StrategyIndex>;
  /** Between two events; resolves when the new list has decided. Throws `NotReloaded` when the session has ended or moved on. */
  commit(): Promise<void>;
  drop(): Promise<void>;
}

export interface StrategySwitchParts {
  readonly context: {
    readonly journal: JournalStore;
    readonly names: StrategyNames;
    readonly paths: StatePaths;
    readonly followPath: string | null;
  };
  readonly day: TradingDay;
  readonly engine: EngineLink;
  readonly inbox: Inbox;
  readonly strategies: SessionStrategies;
  readonly isShut: () => boolean;
  /** Number of the last input that stops it; 0: none since this engine began. */
  readonly lastStopOf: (strategy: StrategyIndex) => number;
}

export class StrategySwitch {
  readonly #parts: StrategySwitchParts;
  present: SessionStrategies;
  #isBusy = false;

  constructor(parts: StrategySwitchParts) {
    this.#parts = parts;
    this.present = parts.strategies;
  }

  /** Replays the day under the new list. Throws `NotReloaded`, with nothing changed, when that does not come through. */
  async prepare(change: StrategyChange): Promise<PreparedChange> {
    if (this.#isBusy) throw new NotReloaded('another change is under way');
    const { context, inbox } = this.#parts;
    this.#isBusy = true;
    const names = new StrategyNames(context.names.all);
    try {
      inbox.flush();
      const problem = inbox.settle() ?? thrownText(() => context.journal.flush());
      if (problem !== null)
        throw new NotReloaded(`the disk does not take what a replay has to read: ${problem}`);
      return await this.#prepare(change, names);
    } catch (error) {
      this.#isBusy = false;
      if (error instanceof EngineLost) throw new NotReloaded(lossText(error, names));
      throw error;
    }
  }

  async #prepare(change: StrategyChange, names: StrategyNames): Promise<PreparedChange> {
    const { context, day, engine, inbox } = this.#parts;
    const { config, started } = change;
    const { read } = context.journal;
    const plan = plannedStrategies({ read, day, config, names, started: started?.id ?? null });
    const changed = changedStrategies(plan);
    const view = await engine.thread.view();
    if (view === undefined) throw new EngineLost('the engine thread has ended', null);
    const stopped = view.strategies.filter((each) => each.stopped !== null);
    inbox.flush();
    const until = inbox.lastSeq;
    const excluded = new Set([...change.excluded].filter((index) => !changed.has(index)));
    const next = engine.prepareNext(engineData(config, plan.strategies, excluded, context.followPath));
    try {
      await engine.idle();
      context.journal.flush();
      const { past, faults } = await next.replay({
        journal: context.paths.journal,
        session: day,
        framesPath: frameLogPath(context.paths.frames, day),
        fromSeq: read.replayedFrom(day),
        versionsSince: plan.versionsSince,
        decidedUntil: until,
        sent: { owners: [], changes: [], cancels: [] },
        names: names.all,
      });
      for (const name of past.names) names.indexOf(name);
      const isOver = (strategy: StrategyIndex | null): boolean =>
        strategy !== null && !changed.has(strategy) && stopped.some((each) => each.strategy === strategy);
      assertNoFaults(
        faults.filter(({ strategy }) => !isOver(strategy)),
        names,
      );
    } catch (error) {
      await next.close();
      throw error;
    }
    return {
      after: plan.strategies,
      changed,
      drop: () => {
        this.#isBusy = false;
        return next.close();
      },
      commit: () => {
        this.#isBusy = false;
        this.#assertStill(names);
        this.#assertNoStopSince(change);
        for (const name of names.all) context.names.indexOf(name);
        this.present = plan.strategies;
        inbox.post({ kind: 'command', by: 'operator', command: change.command });
        inbox.flush();
        next.takeOver(olderVersionsAt(until, plan.versionsSince));
        inbox.post({ kind: 'strategies', strategies: plan.strategies.configured });
        inbox.flush();
        // A failure is reported by the journal itself, and freezes entries.
        thrownText(() => context.journal.flush());
        return engine.idle();
      },
    };
  }

  #assertNoStopSince({ started, command }: StrategyChange): void {
    if (started === null || command.name !== 'start_strategy') return;
    if (this.#parts.lastStopOf(command.strategy) > started.asOf)
      throw new NotReloaded(`${started.id} was stopped again meanwhile`);
  }

  /** The places of the new names hold only while no other name is added. */
  #assertStill(names: StrategyNames): void {
    const { context, engine, isShut } = this.#parts;
    if (isShut() || engine.thread.isOver)
      throw new NotReloaded('the session ended or its engine failed meanwhile; ask again');
    if (context.names.all.some((name, index) => names.all[index] !== name))
      throw new NotReloaded('another strategy was named meanwhile; ask again');
  }
}

export const engineData = (
  { calendar, costs }: Config,
  { settings, instances }: SessionStrategies,
  excluded: Pick<ReadonlySet<StrategyIndex>, 'has'>,
  followPath: string | null,
): EngineThreadOptions['data'] => ({
  followPath,
  settings,
  calendar,
  costs,
  strategies: instances.filter(({ index }) => !excluded.has(index)),
});

const changedStrategies = ({ versionsSince }: StrategyPlan): ReadonlySet<StrategyIndex> =>
  new Set(versionsSince.flatMap((since, index) => (since === Infinity ? [strategyIndex(index)] : [])));

function assertNoFaults(faults: readonly ReplayFault[], names: StrategyNames): void {
  if (faults.length === 0) return;
  const texts = faults.map(
    ({ strategy, text }) => `${strategy === null ? 'the engine' : names.nameOf(strategy)}: ${text}`,
  );
  throw new NotReloaded(`replaying today under the new list found a fault: ${texts.join('; ')}`);
}

function lossText({ message, culprit }: EngineLost, names: StrategyNames): string {
  const whose = culprit === null ? '' : ` while ${names.nameOf(culprit)} was running`;
  return `the engine of the new list failed${whose}: ${message}`;
}
