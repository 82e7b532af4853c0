/** Plays a scenario: arms its timers, counts events, and sets and clears faults when their moment comes. */
import type { CancelTimer, Timers } from '../../domain/clock.ts';
import type { Issue } from '../../domain/parsed.ts';
import { timeOfDayUs } from '../../domain/civil-date.ts';
import { type DurationUs, durationUs, seconds, tsUs, US_PER_DAY, US_PER_SECOND } from '../../domain/units.ts';
import { Random } from '../../venue/market/random.ts';
import type { FaultControl } from './fault-control.ts';
import type { MarketClock } from '../time/market-clock.ts';
import type { Scenario, ScenarioEvent, ScenarioStep, SecondsBetween } from './scenario.ts';

export interface ScenarioParts {
  readonly faults: FaultControl;
  readonly timers: Timers;
  readonly market: MarketClock;
  readonly utcOffsetMinutes: number;
}

/** Counts of one step. */
export interface PlayedStep {
  readonly step: ScenarioStep;
  /** Times that its moment came, and times that it was done. */
  readonly met: number;
  readonly done: number;
  /** Why a fault was refused, the last time. */
  readonly refused: readonly Issue[];
}

interface Playing {
  readonly step: ScenarioStep;
  /** Each step draws from a chance of its own, so that the others do not change what it draws. */
  readonly random: Random;
  met: number;
  done: number;
  refused: readonly Issue[];
}

/** Market time may be held, or run at another speed after a restart of it: it is looked at again this often. */
const LOOK_EVERY: DurationUs = seconds(1);
const DRAWS = 1_000_000;

export class ScenarioRunner {
  readonly #parts: ScenarioParts;
  #playing: readonly Playing[] = [];
  readonly #armed = new Set<CancelTimer>();

  constructor(parts: ScenarioParts) {
    this.#parts = parts;
  }

  /** Ends the scenario that was playing. */
  play({ seed, steps }: Scenario): void {
    this.stop();
    this.#playing = steps.map((step, at) => ({
      step,
      random: new Random(seed + at),
      met: 0,
      done: 0,
      refused: [],
    }));
    for (const playing of this.#playing) this.#begin(playing);
  }

  /** Faults that were set stay. */
  stop(): void {
    for (const cancel of this.#armed) cancel();
    this.#armed.clear();
    this.#playing = [];
  }

  list(): readonly PlayedStep[] {
    return this.#playing.map(({ step, met, done, refused }) => ({ step, met, done, refused }));
  }

  /** Counts one more occurrence. */
  note(event: ScenarioEvent): void {
    for (const playing of this.#playing) {
      const { when } = playing.step;
      if (when.kind !== 'on' || when.event !== event) continue;
      playing.met += 1;
      const past = playing.met - when.nth;
      if (past === 0 || (past > 0 && when.each !== null && past % when.each === 0)) this.#act(playing);
    }
  }

  #begin(playing: Playing): void {
    const { when } = playing.step;
    switch (when.kind) {
      case 'after':
        return this.#after(drawn(when.span, playing.random), () => this.#meet(playing));
      case 'every':
        return this.#after(drawn(when.span, playing.random), () => {
          this.#begin(playing);
          this.#meet(playing);
        });
      case 'at':
        return this.#await(playing, this.#nextMoment(when.secondOfDay));
      case 'on':
    }
  }

  #nextMoment(secondOfDay: number): number {
    const { market, utcOffsetMinutes } = this.#parts;
    const nowUs = market.nowUs();
    const ahead = secondOfDay * US_PER_SECOND - timeOfDayUs(nowUs, utcOffsetMinutes);
    return nowUs + (ahead >= 0 ? ahead : ahead + US_PER_DAY);
  }

  #await(playing: Playing, atUs: number): void {
    const { market } = this.#parts;
    if (market.nowUs() >= atUs) return this.#meet(playing);
    const left = market.held ? LOOK_EVERY : Math.min(LOOK_EVERY, market.realUntil(tsUs(atUs)));
    this.#after(durationUs(left), () => this.#await(playing, atUs));
  }

  #after(span: DurationUs, run: () => void): void {
    const cancel = this.#parts.timers.after(span, () => {
      this.#armed.delete(cancel);
      run();
    });
    this.#armed.add(cancel);
  }

  #meet(playing: Playing): void {
    playing.met += 1;
    this.#act(playing);
  }

  #act(playing: Playing): void {
    const { action, chancePercent } = playing.step;
    if (playing.random.below(DRAWS) >= (chancePercent * DRAWS) / 100) return;
    playing.done += 1;
    if (action.kind === 'clear') return this.#parts.faults.clear(action.name ?? undefined);
    const set = this.#parts.faults.set(action.fault);
    playing.refused = set.ok ? [] : set.issues;
  }
}

function drawn({ from, to }: SecondsBetween, random: Random): DurationUs {
  const share = random.below(DRAWS + 1) / DRAWS;
  return durationUs(Math.round((from + (to - from) * share) * US_PER_SECOND));
}
