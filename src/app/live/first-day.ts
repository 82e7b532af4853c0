/** The first day with real money is traded with the smallest size, whatever the rest of the configuration says. */
import { existsSync } from 'node:fs';
import type { Config } from '../../config/config.ts';
import { type Qty, qty } from '../../domain/units.ts';
import { readJournal } from '../../journal/read-journal.ts';
import { systemClock } from './market-clock.ts';
import { sessionDay } from './trading-session.ts';

/** Counter of the days on which this journal traded real money. */
export const LIVE_DAY = 'live_day';

export interface FirstDay {
  readonly config: Config;
  /** What a person should know; empty after the first day. */
  readonly remarks: readonly string[];
}

export function firstDay(config: Config, journalPath: string): FirstDay {
  if (config.mode !== 'live') return { config, remarks: [] };
  const today = sessionDay(config.calendar, systemClock.nowUs());
  if (liveDays(journalPath).some((day) => day < today)) return { config, remarks: [] };
  const max = config.live.firstDayQtyMax;
  return {
    config: capped(config, max),
    remarks: [
      `first day with real money: orders and positions of at most ${max} until a start on a later day`,
    ],
  };
}

function liveDays(path: string): readonly string[] {
  if (!existsSync(path)) return [];
  const journal = readJournal(path);
  try {
    return journal.read.counterDays(LIVE_DAY);
  } finally {
    journal.close();
  }
}

function capped(config: Config, max: number): Config {
  const { engine } = config;
  const atMost = (value: Qty): Qty => qty(Math.min(value, max));
  return {
    ...config,
    engine: {
      ...engine,
      risk: {
        ...engine.risk,
        orderQtyMax: atMost(engine.risk.orderQtyMax),
        accountPositionMax: atMost(engine.risk.accountPositionMax),
      },
      strategies: engine.strategies.map((strategy) => ({
        ...strategy,
        risk: { ...strategy.risk, positionMax: atMost(strategy.risk.positionMax) },
      })),
    },
  };
}
