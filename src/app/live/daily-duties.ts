/** What the hours of the exchange ask of the edges: a token in time, the contract list before the session, another try. */
import type { Timers } from '../../domain/clock.ts';
import type { Config } from '../../config/config.ts';
import { startSchedule } from './start-schedule.ts';
import type { BrokerEdge } from '../edge/broker-edge.ts';
import { systemClock } from './market-clock.ts';
import { watchToken } from './token-watch.ts';

export interface DutyParts {
  readonly config: Config;
  readonly edge: BrokerEdge;
  readonly timers: Timers;
  /** Asks the engine to name the front month anew. */
  readonly rollover: () => void;
}

/** Returns how to stop. Scaled market time has no cron: it is for a look at a day, not for living through many. */
export function startDuties(parts: DutyParts): () => void {
  const stopWatch = watchToken({ tokens: parts.edge.tokens, clock: systemClock, timers: parts.timers });
  if (parts.config.simulator.speed !== 1) return stopWatch;
  const { config, edge, rollover } = parts;
  const schedule = startSchedule({
    calendar: config.calendar,
    tokenRefresh: config.schedule.tokenRefresh,
    rollover: config.schedule.rollover,
    run: ({ kind }) => {
      switch (kind) {
        case 'token_refresh':
          return void edge.tokens.refresh('scheduled');
        case 'rollover':
          edge.reports.read('contracts');
          return rollover();
        case 'session_open':
          edge.tokens.checkClose();
          return edge.stream.resume();
        case 'session_close':
          return edge.reports.read('book');
      }
    },
  });
  return () => {
    schedule.stop();
    stopWatch();
  };
}
