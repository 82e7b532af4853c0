/** What the command line changes of the configuration, for one run. */
import { dirname, join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { tapeMoments, type TapeMoments } from '../simulator/tape-plan.ts';

export interface RunOptions {
  readonly config: Config;
  /** Forgets the paper account, journal and token first. */
  readonly fresh: boolean;
  /** A tape of prints to trade instead of the synthetic market, or null. */
  readonly replay: string | null;
  /** Market seconds in one real second, or null for the configured speed. */
  readonly speed: number | null;
  /** State directory, or null for the configured one. */
  readonly stateDir: string | null;
  /** Ends by itself after so many real milliseconds, or null. */
  readonly durationMs: number | null;
  readonly jsonLogs: boolean;
}

export interface RunPlan {
  readonly config: Config;
  readonly fresh: boolean;
  readonly tape: TapeMoments | null;
  readonly durationMs: number | null;
  readonly jsonLogs: boolean;
  /** What was left out, and why: said at the start. */
  readonly remarks: readonly string[];
}

export function runPlan(options: RunOptions): RunPlan {
  const { durationMs, jsonLogs } = options;
  const speed = options.speed ?? options.config.simulator.speed;
  const tapePath = options.replay ?? options.config.simulator.tape;
  const base = withSpeed(options.config, speed);
  if (tapePath === null || base.mode !== 'paper') {
    const config = { ...base, stateDir: options.stateDir ?? base.stateDir };
    return { config, fresh: options.fresh, tape: null, durationMs, jsonLogs, remarks: [] };
  }
  const tape = tapeMoments(tapePath, base.exchangeCalendar, speed);
  const { config, remarks } = withOneContract(base);
  return {
    config: {
      ...config,
      calendar: base.exchangeCalendar,
      // A recorded day is lived through once: each replay has an account and a journal of its own.
      stateDir: options.stateDir ?? join(dirname(base.stateDir), `replay-${tape.day}`),
      simulator: { ...config.simulator, tape: tapePath },
    },
    fresh: true,
    tape,
    durationMs,
    jsonLogs,
    remarks,
  };
}

const withSpeed = (config: Config, speed: number): Config => ({
  ...config,
  simulator: { ...config.simulator, speed },
});

/** A tape holds one contract: strategies that need another one are left out. */
function withOneContract(config: Config): { readonly config: Config; readonly remarks: readonly string[] } {
  const fits = config.strategies.map(({ symbols }) => new Set(symbols).size === 1);
  const left = config.strategies.filter((_, i) => fits[i] !== true);
  return {
    config: {
      ...config,
      strategies: config.strategies.filter((_, i) => fits[i] === true),
      engine: { ...config.engine, strategies: config.engine.strategies.filter((_, i) => fits[i] === true) },
    },
    remarks: left.map(
      ({ id, symbols }) =>
        `${id} is not started: it needs ${symbols.join(' and ')}, the tape holds one contract`,
    ),
  };
}
