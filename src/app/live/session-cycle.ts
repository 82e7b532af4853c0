/**
 * One session after the other behind one gate: opens a day, follows it into the next, and rebuilds it when the engine
 * thread is lost.
 */
import { momentOf } from '../../domain/civil-date.ts';
import { milliseconds, seconds, type StrategyIndex, tsUs, US_PER_DAY } from '../../domain/units.ts';
import type { ContractsListed } from '../../engine/ports/engine-event.ts';
import type { Unsequenced } from '../../engine/ports/input-sink.ts';
import { EngineLost } from '../host/engine-thread.ts';
import { LIVE_DAY } from '../host/run-plan.ts';
import type { InputGate } from '../edge/input-gate.ts';
import { realMsUntil, sessionDay } from '../host/market-clock.ts';
import { prepareSession, type SessionParts, TradingSession } from './trading-session.ts';

export interface CycleParts extends Omit<SessionParts, 'excluded' | 'onLost'> {
  readonly gate: InputGate;
  readonly note: (text: string) => void;
  /** The engine thread is gone; it is being rebuilt. */
  readonly onLost: (reason: string, culprit: StrategyIndex | null) => void;
  /** What cannot be gone on with. */
  readonly onFailure: (error: unknown) => void;
}

const CONTRACTS_RETRY = seconds(2);
/** The engine thread lost so often in one day is no strategy's fault any more. */
const LOSSES_MAX = 5;

export class SessionCycle {
  readonly #parts: CycleParts;
  readonly #excluded = new Set<StrategyIndex>();
  /** Excluded, and the engine of now has not been told. */
  readonly #culprits = new Map<StrategyIndex, string>();
  #session: TradingSession | undefined = undefined;
  #losses = 0;
  #isEnding = false;

  constructor(parts: CycleParts) {
    this.#parts = parts;
  }

  /** Undefined between two sessions. */
  get session(): TradingSession | undefined {
    return this.#session;
  }

  /** By replay where the day has a past; without a strategy that hangs or breaks it (rulings, 32). */
  async open(): Promise<void> {
    for (;;) {
      try {
        await this.#open();
        break;
      } catch (error) {
        if (!(error instanceof EngineLost)) throw error;
        this.#exclude(error.message, error.culprit);
      }
    }
    for (const [strategy, reason] of this.#culprits) {
      const command = { name: 'stop_strategy', strategy, reason } as const;
      this.#session?.post({ kind: 'command', by: 'process', command });
    }
    this.#culprits.clear();
  }

  async #open(): Promise<void> {
    const { edge, gate, note } = this.#parts;
    const parts: SessionParts = {
      ...this.#parts,
      excluded: this.#excluded,
      onLost: (reason, culprit) => void this.#rebuild(reason, culprit),
    };
    const prepared = prepareSession(parts);
    edge.table.reset(prepared.past?.contracts ?? prepared.carried.contracts);
    const contracts = await this.#contracts();
    if (prepared.past !== null) {
      note(`session ${prepared.day}: living through its ${prepared.past.lastSeq} inputs again`);
    }
    if (parts.config.mode === 'live') parts.journal.setCounter(LIVE_DAY, prepared.day, 1);
    const session = await TradingSession.open(parts, prepared, contracts);
    this.#session = session;
    gate.open(session);
    edge.stream.subscribe(edge.table.listed);
    if (edge.stream.status().state === 'live') {
      session.post({ kind: 'stream', state: 'live', reason: 'still connected' });
    }
    this.#armDayEnd(session);
  }

  /** The last inputs are in; returns when they are decided. */
  async drain(): Promise<void> {
    this.#isEnding = true;
    await this.#session?.drain();
  }

  async close(): Promise<void> {
    this.#isEnding = true;
    await this.#leave();
  }

  async #leave(): Promise<void> {
    const session = this.#session;
    this.#parts.gate.shut();
    this.#session = undefined;
    await session?.close();
    this.#parts.journal.flush();
  }

  /** The contract table, asked for until it comes. */
  #contracts(): Promise<Unsequenced<ContractsListed>> {
    const { edge, gate, note, timers } = this.#parts;
    const ask = (): void => edge.reports.read('contracts');
    return new Promise((resolve) => {
      gate.shut((event) => {
        if (event.kind === 'contracts') {
          gate.shut();
          resolve(event);
        } else if (event.kind === 'read_failed' && event.what === 'contracts') {
          note(`the contract list could not be read: ${event.reason}; again in 2 s`);
          timers.after(CONTRACTS_RETRY, ask);
        }
      });
      ask();
    });
  }

  /** When the trading day changes, the next session begins with what this one left. */
  #armDayEnd(session: TradingSession): void {
    const { config, clock, clockMap, timers, onFailure } = this.#parts;
    const { calendar } = config;
    const midnight = tsUs(momentOf(session.day, 0, calendar.utcOffsetMinutes) + US_PER_DAY);
    // At least a second: a session that was opened for a day ahead is looked at again and again.
    const wait = milliseconds(Math.max(1_000, realMsUntil(clockMap, midnight) + 1));
    timers.after(wait, () => {
      if (this.#isEnding || this.#session !== session) return;
      if (sessionDay(calendar, clock.nowUs()) === session.day) return this.#armDayEnd(session);
      this.#losses = 0;
      void this.#leave()
        .then(() => this.open())
        .catch(onFailure);
    });
  }

  async #rebuild(reason: string, culprit: StrategyIndex | null): Promise<void> {
    if (this.#isEnding) return this.#parts.onLost(reason, culprit);
    try {
      this.#exclude(reason, culprit);
      await this.#leave();
      await this.open();
    } catch (error) {
      this.#parts.onFailure(error);
    }
  }

  #exclude(reason: string, culprit: StrategyIndex | null): void {
    this.#losses += 1;
    this.#parts.onLost(reason, culprit);
    if (this.#losses > LOSSES_MAX) throw new Error(`the engine was lost ${this.#losses} times: ${reason}`);
    if (culprit === null) return;
    this.#excluded.add(culprit);
    this.#culprits.set(culprit, reason);
  }
}
