/** What the daemon asks of its embedded broker, as plain data that one process hands to another. */
import type { TradingCalendar } from '../../domain/calendar.ts';
import type { CostSchedule } from '../../domain/costs.ts';
import { type TradingDay, tradingDay } from '../../domain/civil-date.ts';
import { tsUs } from '../../domain/units.ts';
import { DEFAULT_OPTIONS, demoAccount } from '../../simulator/default-options.ts';
import type { SimulatorOptions } from '../../simulator/simulator-options.ts';

export interface SimulatorPlan {
  readonly stateDir: string | null;
  readonly linkPath: string;
  readonly lockPath: string;
  readonly fresh: boolean;
  readonly seed: number;
  readonly speed: number;
  readonly cash: number;
  readonly tape: string | null;
  /** Real and market time that belong together; null lets the simulator go on from where it left off. */
  readonly origin: { readonly realUs: number; readonly marketUs: number } | null;
  readonly calendar: Omit<TradingCalendar, 'closures'> & { readonly closures: readonly TradingDay[] };
  readonly costs: CostSchedule;
}

/** Points at which the synthetic front month starts. */
const START_POINTS = 1_900;

export function simulatorOptions(plan: SimulatorPlan): Partial<SimulatorOptions> {
  const { origin, calendar } = plan;
  return {
    port: 0,
    controlPort: 0,
    stateDir: plan.stateDir,
    fresh: plan.fresh,
    accounts: [demoAccount({ derivative: plan.cash })],
    market:
      plan.tape === null
        ? { kind: 'synthetic', seed: plan.seed, startPoints: START_POINTS }
        : { kind: 'tape', path: plan.tape, referencePoints: null },
    time: {
      ...DEFAULT_OPTIONS.time,
      speed: plan.speed,
      originRealUs: origin === null ? null : tsUs(origin.realUs),
      originMarketUs: origin === null ? null : tsUs(origin.marketUs),
    },
    calendar: { ...calendar, closures: new Set(calendar.closures.map(tradingDay)) },
    costs: plan.costs,
  };
}

/** What two plans must share so that a running simulator serves both. */
export const planKey = ({ seed, speed, cash, tape, calendar }: SimulatorPlan): string =>
  JSON.stringify({ seed, speed, cash, tape, calendar: calendar.name });
