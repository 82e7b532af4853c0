/**
 * The API for strategy authors: everything a strategy module may use comes from here, from `src/domain`, from
 * `rxjs` (without its timers), from `zod` and from `trading-signals`. Nothing here reads a clock or touches the world.
 * `@public`: a name stays though none of the strategies in this repository uses it yet.
 */

/** @public */
export type { BarSpec } from '../domain/bars.ts';

/** For `params`: a strategy needs no package of its own then. @public */
export { z } from 'zod';

/** @public */
export { defineStrategy, type ParamRow, type Params, type StrategyDefinition } from './define-strategy.ts';

/** @public */
export type { LegTrader, OrderChange, OrderRequest, SubmitRequest, Trader } from './trader.ts';

/** @public */
export { mayEnter, PositionWorker, type Urgency, type WorkerSettings } from './position-worker.ts';

/** @public */
export { ProtectiveStop } from './position-worker.ts';

/** @public */
export { createStrategyHost, type StrategyHostOptions, type StrategyInstance } from './strategy-host.ts';

/** @public */

/** @public */
export type { Bar, LegTicks, Rollover, Ticks } from './leg-ticks.ts';

/** @public */
export type { BookLevel, BookTick, DaySummary, FeedGap, TradeTick } from '../domain/ticks.ts';

/** @public */
export type { Position } from '../domain/position.ts';

/** @public */
export type { PriceBand } from '../domain/contract.ts';

/** @public */
export { indicate, type Indicated, lookBack } from './operators.ts';

/** @public */
export { touchPrice, type TouchSide } from './position-worker.ts';

/** @public */
export { days, hours, minutes, seconds } from '../domain/units.ts';

/** @public */
export type { FeedChange, OrderUpdate, PhaseChange, WorkingOrder } from '../engine/ports/strategy-port.ts';
