/**
 * The door for whoever writes a strategy: everything a strategy module may use comes from here, from `src/domain`, from
 * `rxjs` (without its timers), from `zod` and from `trading-signals`. Nothing here reads a clock or touches the world.
 */
export type { Bar, BarSpec } from './bar.ts';
export { defineStrategy, type StrategyDefinition } from './define-strategy.ts';
export type { ParamRow } from './describe-params.ts';
export type { Desk, LegDesk, OrderChange, OrderRequest } from './desk.ts';
export { mayEnter } from './entry-window.ts';
export type { Params } from './parse-params.ts';
export { PositionWorker, type Urgency, type WorkerSettings } from './position-worker.ts';
export { ProtectiveStop } from './protective-stop.ts';
export { createStrategyHost, type StrategyHostOptions } from './strategy-host.ts';
export type { StrategyInstance } from './strategy-seat.ts';
export type { LegTicks, Rollover, Ticks } from './ticks.ts';
export { touchPrice, type TouchSide } from './touch-price.ts';
export { minutes, seconds } from '../domain/units.ts';
export type { FeedChange, OrderUpdate, PhaseChange } from '../engine/ports/strategy-port.ts';
