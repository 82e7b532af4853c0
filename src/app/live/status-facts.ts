import { formatTime } from '../../domain/civil-date.ts';
import { US_PER_MS } from '../../domain/units.ts';
import type { EngineView } from '../../engine/engine-view.ts';
import type { StatusFacts } from '../../operator/status-line.ts';
import type { Daemon } from './daemon.ts';
import { systemClock } from './market-clock.ts';

export function statusFacts(daemon: Daemon, view: EngineView, utcOffsetMinutes: number): StatusFacts {
  const net = new Map<string, number>();
  for (const { orderCode, qty } of view.strategies.flatMap(({ positions }) => positions)) {
    net.set(orderCode, (net.get(orderCode) ?? 0) + qty);
  }
  const token = daemon.edge.tokens.current();
  return {
    time: formatTime(daemon.clock.nowUs(), utcOffsetMinutes).slice(0, 8),
    phase: view.phase,
    stream: view.stream,
    positions: [...net].map(([code, qty]) => ({ code, qty })),
    dayPnl: view.dayPnl,
    openOrders: view.orders.length,
    tokenLeftMs: token === undefined ? null : (token.expiresAt - systemClock.nowUs()) / US_PER_MS,
    halted: daemon.latch.reason ?? view.halted,
    unproven: view.unproven,
    procedure: view.procedure,
  };
}
