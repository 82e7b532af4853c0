/** Pays out what is held of contracts that were traded for the last time, at their last price; the tax on it falls due. */
import { taxOn } from '../../domain/costs.ts';
import { money, tsUs } from '../../domain/units.ts';
import { lastSession } from '../../engine/session/day-plan.ts';
import type { BacktestDay, BacktestPlan } from '../backtest-plan.ts';
import type { Account } from './account.ts';
import type { RunInstrument } from './run-instrument.ts';

export function settleExpired(
  { day }: BacktestDay,
  { costs, calendar }: BacktestPlan,
  account: Account,
  instruments: readonly RunInstrument[],
  nowUs: number,
): void {
  for (const instrument of instruments) {
    const { contract, last, unit } = instrument;
    if (lastSession(calendar, contract) > day || last === 0) continue;
    account.ledgers.forEach((ledger, strategy) => {
      const held = ledger.holdingOf(contract.index)?.position.qty ?? 0;
      if (held === 0) return;
      const value = money(Math.abs(held) * last * unit);
      const execution = {
        tsUs: tsUs(nowUs),
        decidedUs: tsUs(nowUs),
        side: held > 0 ? ('sell' as const) : ('buy' as const),
        qty: Math.abs(held),
        priceTicks: last,
        value,
        fee: money(0),
        tax: taxOn(costs, day, value),
        liquidity: 'taker' as const,
        clause: 'settlement' as const,
        cause: 'settled' as const,
        midTwice: 0,
        decidedMidTwice: 0,
      };
      account.execute(strategy, instrument, execution, { schedule: costs, day });
    });
  }
}
