/** How large a position may become at worst. */
import { accountWorstOf, worstOf } from '../exposure.ts';
import type { RiskRule } from '../risk-rule.ts';

/** A position that nobody can vouch for is nothing to build on (failure cases, 16). */
export const positionUnproven: RiskRule = {
  name: 'position_unproven',
  appliesTo: 'entry',
  check(_, { view }) {
    const reason = view.unproven();
    return reason === null ? undefined : { code: 'position_unproven', reason };
  },
};

export const strategyPositionLimit: RiskRule = {
  name: 'strategy_position_limit',
  appliesTo: 'entry',
  check(request, { view, strategy }) {
    const worst = worstOf(view, request.strategy, request);
    const max = strategy?.risk.positionMax ?? 0;
    return worst <= max ? undefined : { code: 'strategy_position_limit', worst, max };
  },
};

export const accountPositionLimit: RiskRule = {
  name: 'account_position_limit',
  appliesTo: 'entry',
  check(request, { view, settings }) {
    const worst = accountWorstOf(view, settings.strategies, request);
    const max = settings.risk.accountPositionMax;
    return worst <= max ? undefined : { code: 'account_position_limit', worst, max };
  },
};
