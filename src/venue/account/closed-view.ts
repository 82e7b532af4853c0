/** Rows of what was closed today, a contract and direction each. */
import { valueAtHundredths } from '../../domain/contract.ts';
import { signOf } from '../../domain/order.ts';
import { openProfit } from '../../domain/position.ts';
import { money, qty, tsUs } from '../../domain/units.ts';
import type { AccountContext } from './account-view.ts';
import type { ClosedPosition } from './closed-position.ts';
import type { LedgerAccount } from './ledger.ts';

export function closedPositions(account: LedgerAccount, context: AccountContext): ClosedPosition[] {
  const rows: ClosedPosition[] = [];
  for (const [code, holding] of account.holdings) {
    const { price } = context.mark(code);
    const open = openProfit(holding.entry, valueAtHundredths(context.terms.spec, price, 1));
    for (const side of ['buy', 'sell'] as const) {
      const round = side === 'buy' ? holding.rounds.long : holding.rounds.short;
      if (round.qty === 0) continue;
      const held = Math.max(0, signOf(side) * holding.entry.qty);
      const gain = round.closeValue - round.openValue;
      rows.push({
        orderCode: code,
        side,
        closedQty: qty(round.qty),
        totalQty: qty(round.qty + held),
        openValue: money(round.openValue),
        closeValue: money(round.closeValue),
        fee: money(round.fee),
        tax: money(round.tax),
        closedProfit: money(side === 'buy' ? gain : -gain),
        openProfit: money(held === 0 ? 0 : open),
        lastClosedUs: tsUs(round.lastUs),
      });
    }
  }
  return rows;
}
