/** Margin of a run's one account: its figures, what it is refused, and what the broker closes. */
import type { BrokerAccount } from '../../domain/broker-order.ts';
import { maintenanceMargin } from '../../domain/costs.ts';
import type { AccountId, OrderCode } from '../../domain/ids.ts';
import { signOf } from '../../domain/order.ts';
import { money } from '../../domain/units.ts';
import { type AccountContext, marginFigures, marginView } from '../../venue/account/account-figures.ts';
import {
  contractsToClose,
  DEFAULT_MARGIN_RULES,
  marginOf,
  type MarginRules,
  riskRefusal,
  type WorkingQty,
} from '../../venue/account/margin.ts';
import type { Closing, MarginBooks } from '../../venue/margin-monitor.ts';
import type { PlaceLimit, Refusal } from '../../venue/venue-command.ts';
import { ACCOUNT, type RunParts } from './run-account.ts';

const WHOLE_BPS = 10_000;
/** As few contracts are closed as bring maintenance margin down to equity. */
const AT_MAINTENANCE = { warnBps: WHOLE_BPS + 1, forceBps: WHOLE_BPS + 1 };
/** Where the broker has no ratios, all of the cash buys. */
const NO_RATIOS: MarginRules = { ...DEFAULT_MARGIN_RULES, entryBps: WHOLE_BPS };

interface RunMarginParts extends RunParts {
  /** `cash`: the broker closes where equity falls below maintenance margin. Null where it takes any order and closes nothing. */
  readonly margin: MarginRules | 'cash' | null;
  readonly working: () => ReadonlyMap<OrderCode, WorkingQty>;
}

export class RunMargin implements MarginBooks {
  readonly #parts: RunMarginParts;
  /** The broker's ratios, where it has any. */
  readonly #rules: MarginRules | null;

  constructor(parts: RunMarginParts) {
    this.#parts = parts;
    this.#rules = parts.margin === 'cash' ? null : parts.margin;
  }

  get isExposed(): boolean {
    for (const { entry } of this.#parts.account.broker.holdings.values()) if (entry.qty !== 0) return true;
    return false;
  }

  measure(): readonly AccountId[] {
    const { account, margin } = this.#parts;
    const isReached =
      margin === 'cash'
        ? account.equityNow() < account.maintenance()
        : marginFigures(account.broker, this.#context()).level === 'forced_close';
    return isReached ? [ACCOUNT] : [];
  }

  figures(): BrokerAccount {
    const figures = marginFigures(this.#parts.account.broker, this.#context());
    const { cash, netAssetValue, initialMargin, requiredMargin, buyingPower, uncollected, usageBps } =
      figures;
    return {
      cash,
      netAssetValue,
      initialMargin,
      requiredMargin,
      buyingPower,
      profit: figures.dayProfit,
      uncollected,
      fee: money(0),
      tax: money(0),
      withdrawable: null,
      usageBps,
    };
  }

  refusal(command: PlaceLimit): Refusal | null {
    const rules = this.#rules;
    if (rules === null) return null;
    const { broker } = this.#parts.account;
    const context = this.#context();
    return riskRefusal(command, marginView(broker, context), rules, () => marginFigures(broker, context));
  }

  /** From those strategies whose position lies on the side of the account's net. */
  closings(_id: AccountId, alreadyClosing: (code: OrderCode) => number): readonly Closing[] {
    const { account, instruments, clock, margin } = this.#parts;
    if (margin === null) return [];
    const { day } = account;
    const isMaintained = margin === 'cash';
    const held = instruments.map((instrument) => {
      const { contract, costs, unitValue } = instrument;
      const { index, orderCode: code, expiry } = contract;
      const marginOfOne = isMaintained
        ? maintenanceMargin(costs, day, unitValue, 1)
        : marginOf(instrument, day, 1);
      return { code, expiry, net: account.netOf(index), closing: alreadyClosing(code), marginOfOne };
    });
    const closings: Closing[] = [];
    for (const { code, side, qty: total } of contractsToClose(
      held.filter(({ marginOfOne }) => marginOfOne > 0),
      isMaintained
        ? { requiredMargin: account.maintenance(), collateral: account.equityNow() }
        : marginFigures(account.broker, this.#context()),
      isMaintained ? AT_MAINTENANCE : margin,
    )) {
      const { midTwice: decidedMidTwice } = account.instrument(code);
      let left = total;
      account.broker.owners.forEach(({ holdings }, owner) => {
        const position = holdings.get(code)?.entry.qty ?? 0;
        const qty = Math.min(left, -signOf(side) * position);
        if (qty <= 0) return;
        left -= qty;
        const sender = { owner, triggerPrice: null, decidedUs: clock.nowUs, decidedMidTwice };
        closings.push({ code, side, qty, sender });
      });
    }
    return closings;
  }

  #context(): AccountContext {
    const { account, working } = this.#parts;
    const rules = this.#rules;
    return {
      day: account.day,
      rules: rules ?? NO_RATIOS,
      mark: (code) => account.instrument(code),
      working,
    };
  }
}
