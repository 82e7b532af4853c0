/** What a call by hand may not do, whoever says yes (fail closed). */
import type { Config } from '../../config/config.ts';
import { type HandCall, isCancel, isMoneyCall, type MoneyCall } from './broker-call.ts';

export interface Surroundings {
  readonly config: Config;
  /** The derivative sub-account of the configuration. */
  readonly subAccountId: string;
  /** Whether the environment arms real orders. */
  readonly isArmed: boolean;
}

/** Why the call may not leave, or null. */
export function handRefusal(call: HandCall, { config, subAccountId, isArmed }: Surroundings): string | null {
  if (config.mode === 'dry-run') return 'mode dry-run: nothing is sent';
  if (config.mode === 'live' && !isArmed && !isCancel(call)) {
    return 'mode live: expected TICKWRIGHT_ARM=yes in the environment; without it only cancels leave';
  }
  if (isMoneyCall(call)) return moneyRefusal(call, config.money, subAccountId);
  if (!('qty' in call)) return null;
  const { orderQtyMax } = config.engine.risk;
  return call.qty > orderQtyMax
    ? `quantity ${call.qty}: expected at most risk.orderQtyMax, ${orderQtyMax}`
    : null;
}

function moneyRefusal(call: MoneyCall, money: Config['money'], subAccountId: string): string | null {
  if (money === null) {
    return 'money does not move: expected a section money: { accounts: [...], amountMax: ... } in the configuration';
  }
  const named = call.kind === 'transfer' ? [call.from, call.to] : [subAccountId];
  const foreign = named.find((account) => !money.accounts.includes(account));
  if (foreign !== undefined) return `account ${foreign}: expected one that money.accounts names`;
  if (call.kind === 'transfer' && call.from === call.to)
    return 'a transfer has two ends: expected two accounts';
  if (call.amount <= 0) return `amount ${call.amount}: expected VND above zero`;
  return call.amount > money.amountMax
    ? `amount ${call.amount}: expected at most money.amountMax, ${money.amountMax}`
    : null;
}
