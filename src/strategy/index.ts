/**
 * The door for whoever writes a strategy: everything a strategy module may use comes from here, from `src/domain`, from
 * `rxjs` (without its timers), from `zod` and from `trading-signals`. Nothing here reads a clock or touches the world.
 * `@public`: a name stays though none of the strategies in this repository uses it yet.
 */

/** @public */
export type { Bar, BarSpec } from './bar.ts';
/** @public */
export { defineStrategy, type StrategyDefinition } from './define-strategy.ts';
/** @public */
export type { ParamRow } from './describe-params.ts';
/** @public */
export type { Trader, LegTrader, OrderChange, OrderRequest, SubmitRequest } from './trader.ts';
/** @public */
export { mayEnter } from './entry-window.ts';
/** @public */
export type { Params } from './parse-params.ts';
/** @public */
export { PositionWorker, type Urgency, type WorkerSettings } from './position-worker.ts';
/** @public */
export { ProtectiveStop } from './protective-stop.ts';
/** @public */
export { createStrategyHost, type StrategyHostOptions } from './strategy-host.ts';
/** @public */
export type { StrategyInstance } from './strategy-seat.ts';
/** @public */
export type { LegTicks, Rollover, Ticks } from './ticks.ts';
/** @public */
export { touchPrice, type TouchSide } from './touch-price.ts';
/** @public */
export { minutes, seconds } from '../domain/units.ts';
/** @public */
export type { FeedChange, OrderUpdate, PhaseChange } from '../engine/ports/strategy-port.ts';
