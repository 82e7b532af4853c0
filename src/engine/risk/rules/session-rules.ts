/** Rules on the session, on halts and on stopped strategies. */
import type { SessionPhase } from '../../../domain/calendar.ts';
import { addUs } from '../../../domain/units.ts';
import type { Purpose } from '../../ports/approved.ts';
import type { Denial } from '../../ports/denial.ts';
import type { RiskRequest, RiskRule, RiskScene } from '../risk-rule.ts';

export const contractExpired: RiskRule = {
  name: 'contract_expired',
  appliesTo: 'entry_and_reduce',
  check({ contract: { expiry } }, { view }) {
    const tradingDay = view.tradingDay();
    return tradingDay <= expiry ? undefined : { code: 'contract_expired', expiry, tradingDay };
  },
};

/**
 * Continuous trading allows everything; an auction allows reductions, and entries where the settings allow them, but no change;
 * break and night allow nothing. For an entry near an edge the stricter of our clock and the broker's counts (rulings, 28).
 */
export const sessionClosed: RiskRule = {
  name: 'session_closed',
  appliesTo: 'entry_and_reduce',
  check(request, scene) {
    const ours = scene.view.phase();
    if (!isAllowed(ours, request, scene)) return { code: 'session_closed', phase: ours };
    const brokers = brokersPhase(scene);
    if (scene.purpose === 'reduce' || isAllowed(brokers, request, scene)) return undefined;
    return { code: 'session_closed', phase: brokers };
  },
};

/** Computed here: timers fire before the phase of their moment is set. */
const brokersPhase = ({ view, hours }: RiskScene): SessionPhase =>
  hours.phaseAt(addUs(view.nowUs(), 0 - Math.round(view.clockSkewUs())));

/** In an auction an order can be placed but not changed (market rules, section 3). */
const TAKES: Readonly<Record<SessionPhase, 'all' | 'new_orders' | 'nothing'>> = {
  continuous: 'all',
  opening_auction: 'new_orders',
  closing_auction: 'new_orders',
  break: 'nothing',
  closed: 'nothing',
};

function isAllowed(phase: SessionPhase, { changed }: RiskRequest, { purpose, settings }: RiskScene): boolean {
  const takes = TAKES[phase];
  if (takes !== 'new_orders') return takes === 'all';
  return changed === null && (purpose === 'reduce' || settings.risk.auctionEntries === true);
}

/** No new entries while the session controller closes positions and withdraws orders. */
export const closingOut: RiskRule = {
  name: 'closing_out',
  appliesTo: 'entry',
  check(request, scene) {
    if (scene.view.isFlattening(request.strategy)) return { code: 'closing_out', because: 'flatten' };
    return beforeClose(request, scene) ?? beforeAuction(scene);
  },
};

function beforeClose({ contract }: RiskRequest, { view, hours, strategy }: RiskScene): Denial | undefined {
  const [day, now] = [view.tradingDay(), view.nowUs()];
  if (now >= hours.expiry(day, contract)) return { code: 'closing_out', because: 'expiry' };
  const isFlatAtNight = strategy !== undefined && !strategy.overnight;
  if (isFlatAtNight && now >= hours.night(day)) return { code: 'closing_out', because: 'overnight' };
  return undefined;
}

/** An entry this shortly before an auction would be carried into it, and could not be taken back there. */
function beforeAuction({ view, hours, settings }: RiskScene): Denial | undefined {
  if (settings.risk.auctionEntries === true) return undefined;
  const now = view.nowUs();
  for (const start of hours.auctions(view.tradingDay()))
    if (now < start && now >= start - settings.cancelBeforeAuction)
      return { code: 'closing_out', because: 'auction' };
  return undefined;
}

/** A stopped strategy sends nothing; exits that the system sends or changes for it go on. */
export const strategyStopped: RiskRule = {
  name: 'strategy_stopped',
  appliesTo: 'entry_and_reduce',
  check(request, { view, purpose }) {
    return view.isStopped(request.strategy) && !isSystemExit(request, purpose)
      ? { code: 'strategy_stopped' }
      : undefined;
  },
};

/** The engine closes a position on the strategy's behalf. */
const isSystemExit = ({ isSystem, changed }: RiskRequest, purpose: Purpose): boolean =>
  isSystem && (changed === null || purpose === 'reduce');

/** While the daemon is stopping, strategies send nothing: a call in flight would be left behind. */
export const stopping: RiskRule = {
  name: 'stopping',
  appliesTo: 'entry_and_reduce',
  check(request, { view, purpose }) {
    return view.isStopping() && !isSystemExit(request, purpose) ? { code: 'stopping' } : undefined;
  },
};

export const halted: RiskRule = {
  name: 'halted',
  appliesTo: 'entry',
  check({ strategy }, { view }) {
    const reason = view.halted() ?? view.strategyHalted(strategy);
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
    const stepUs = view.clockStepUs();
    const skewUs = stepUs === 0 ? view.clockSkewUs() : -stepUs;
    const maxUs = settings.risk.clockSkewMax;
    return Math.abs(skewUs) <= maxUs ? undefined : { code: 'clock_skew', skewUs, maxUs };
  },
};
