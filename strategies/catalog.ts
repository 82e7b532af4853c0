/** Every strategy that a configuration may name. A new one is a folder next to this file and a line here. */
import type { StrategyDefinition } from '../src/strategy/index.ts';
import { calendarSpread } from './calendar-spread/calendar-spread.ts';
import { emaCross } from './ema-cross/ema-cross.ts';
import { openingRangeBreakout } from './opening-range-breakout/opening-range-breakout.ts';

export const CATALOG: readonly StrategyDefinition[] = [emaCross, openingRangeBreakout, calendarSpread];
