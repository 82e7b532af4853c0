/** The accounts of the ledger, as the margin monitor sees them. */
import type { AccountId, OrderCode } from '../../domain/ids.ts';
import type { TsUs } from '../../domain/units.ts';
import type { Outbox } from '../venue-event.ts';
import { type AccountContext, accountFigures } from './account-figures.ts';
import type { Ledger, LedgerAccount } from './ledger.ts';
import type { Closing, MarginBooks } from '../margin-monitor.ts';
import { contractsToClose, marginOf } from './margin.ts';

export class LedgerMargin implements MarginBooks {
  readonly #ledger: Ledger;
  readonly #outbox: Outbox;
  readonly #context: () => AccountContext;

  constructor(ledger: Ledger, outbox: Outbox, context: () => AccountContext) {
    this.#ledger = ledger;
    this.#outbox = outbox;
    this.#context = context;
  }

  get isExposed(): boolean {
    for (const { holdings, level } of this.#ledger.accounts())
      if (holdings.size > 0 || level !== 'sound') return true;
    return false;
  }

  measure(at: TsUs): AccountId[] {
    const forced: AccountId[] = [];
    for (const account of this.#ledger.accounts()) {
      const { level, usageBps } = accountFigures(account, this.#context());
      const { accountId } = account;
      if (level !== account.level) {
        this.#ledger.setLevel(accountId, level);
        this.#outbox.emit({ kind: 'margin_level', tsUs: at, accountId, level, usageBps });
      }
      if (level === 'forced_close' && holdsAny(account)) forced.push(accountId);
    }
    return forced;
  }

  closings(id: AccountId, alreadyClosing: (code: OrderCode) => number): Closing[] {
    const account = this.#ledger.account(id);
    if (account === undefined) return [];
    const context = this.#context();
    const held = Array.from(account.holdings, ([code, { entry }]) => {
      const { contract, price } = context.mark(code);
      const marginOfOne = marginOf(context.terms, 1, price);
      return { code, expiry: contract.expiry, net: entry.qty, closing: alreadyClosing(code), marginOfOne };
    });
    return contractsToClose(held, accountFigures(account, context), context.rules);
  }
}

const holdsAny = ({ holdings }: LedgerAccount): boolean =>
  [...holdings.values()].some(({ entry }) => entry.qty !== 0);
