/** What stops a strategy, or everybody, whatever the order. */
import type { RiskRule } from '../risk-rule.ts';

/** A stopped strategy has no voice; what the house does for it (an exit, a change of that exit) goes on. */
export const strategyStopped: RiskRule = {
  name: 'strategy_stopped',
  appliesTo: 'entry_and_reduce',
  check({ strategy, hint, changed }, { view, purpose }) {
    const isHouse = hint === 'exit' || (changed !== null && purpose === 'reduce');
    return view.isStopped(strategy) && !isHouse ? { code: 'strategy_stopped' } : undefined;
  },
};

/** Between the wish to end and the end a strategy opens and closes nothing: what is in flight would be left behind. */
export const stopping: RiskRule = {
  name: 'stopping',
  appliesTo: 'entry_and_reduce',
  check({ hint, changed }, { view, purpose }) {
    const isHouse = hint === 'exit' || (changed !== null && purpose === 'reduce');
    return view.isStopping() && !isHouse ? { code: 'stopping' } : undefined;
  },
};

export const halted: RiskRule = {
  name: 'halted',
  appliesTo: 'entry',
  check({ strategy }, { view }) {
    const reason = view.halted() ?? view.latched(strategy);
    return reason === null ? undefined : { code: 'halted', reason };
  },
};

/** Past its last day the calendar knows no holidays (rulings, 5). */
export const calendarEnded: RiskRule = {
  name: 'calendar_ended',
  appliesTo: 'entry',
  check(_, { view, calendar: { validTo } }) {
    const tradingDay = view.tradingDay();
    return tradingDay <= validTo ? undefined : { code: 'calendar_ended', validTo, tradingDay };
  },
};

export const clockSkew: RiskRule = {
  name: 'clock_skew',
  appliesTo: 'entry',
  check(_, { view, settings }) {
    const skewUs = view.clockSkewUs();
    const maxUs = settings.risk.clockSkewMax;
    return Math.abs(skewUs) <= maxUs ? undefined : { code: 'clock_skew', skewUs, maxUs };
  },
};
