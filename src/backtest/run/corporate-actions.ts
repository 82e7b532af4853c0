/**
 * Splits, dividends and ends of listings on the morning of their ex-date, before the first event of the day: positions, prices of before, orders, and
 * cash. A day without data passes its actions on to the next day that has some.
 */
import { assert } from '../../domain/assert.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import { ratesOf } from '../../domain/contract.ts';
import {
  adjustmentOf,
  type CorporateAction,
  type Delisting,
  type Dividend,
  dividendMoney,
  DIVIDEND_PARTS,
  type Split,
} from '../../domain/corporate-action.ts';
import { carryCost, type CostSchedule } from '../../domain/costs.ts';
import { FLAT_POSITION, type Position } from '../../domain/position.ts';
import { money, type Money, tsUs } from '../../domain/units.ts';
import type { ActionTerms } from '../backtest-plan.ts';
import type { BacktestAction } from '../backtest-result.ts';
import { payOut, type RunAccount } from './run-account.ts';
import type { RunInstrument } from './run-instrument.ts';
import type { RunVenue } from './run-venue.ts';

interface ActionParts {
  readonly terms: ActionTerms;
  readonly costs: CostSchedule;
  readonly account: RunAccount;
  readonly instruments: readonly RunInstrument[];
  readonly venue: Pick<RunVenue, 'adjust'>;
  /** Facts for the hash of the run. */
  readonly note: (...numbers: readonly number[]) => void;
}

/** Counted on its pay date. */
interface Owed {
  readonly strategy: number;
  readonly instrument: RunInstrument;
  readonly dividend: Dividend;
  readonly qty: number;
  /** Of the contract. */
  readonly cash: Money;
}

/** An action that took effect. */
export interface Applied {
  readonly instrument: RunInstrument;
  readonly action: CorporateAction;
}

export class CorporateActions {
  readonly #parts: ActionParts;
  readonly #done: BacktestAction[] = [];
  /** Those before it are over. */
  #next = 0;
  #owed: Owed[] = [];

  constructor(parts: ActionParts) {
    this.#parts = parts;
  }

  /** The run begins: nothing was held before. */
  begin(day: TradingDay): void {
    const { actions } = this.#parts.terms;
    for (let action = actions[0]; action !== undefined && action.exDay <= day; action = actions[this.#next])
      this.#next += 1;
  }

  isDue(day: TradingDay): boolean {
    const action = this.#parts.terms.actions[this.#next];
    return action !== undefined && action.exDay <= day;
  }

  /** After the instruments of the day were opened. */
  apply(day: TradingDay, nowUs: number): readonly Applied[] {
    this.#pay(day, nowUs);
    const { actions, orders } = this.#parts.terms;
    const applied: Applied[] = [];
    for (let action = actions[this.#next]; action !== undefined; action = actions[this.#next]) {
      if (action.exDay > day) break;
      this.#next += 1;
      const instrument = this.#instrumentOf(action.code);
      if (instrument === undefined) continue;
      this.#toPositions(action, instrument, day, nowUs);
      instrument.adjust(action);
      const { orderCode, spec } = instrument.contract;
      const adjustment = adjustmentOf(action, spec, orders);
      if (adjustment !== null) this.#parts.venue.adjust(orderCode, adjustment);
      applied.push({ instrument, action });
    }
    return applied;
  }

  /** Everything that happened, and the dividends that were not paid yet. */
  end(nowUs: number): readonly BacktestAction[] {
    return [...this.#done, ...this.#owed.map((each) => rowOf(each, nowUs, true))];
  }

  #instrumentOf(code: string): RunInstrument | undefined {
    return this.#parts.instruments.find(({ contract }) => contract.orderCode === code);
  }

  #toPositions(action: CorporateAction, instrument: RunInstrument, day: TradingDay, nowUs: number): void {
    const { index } = instrument.contract;
    const held = this.#parts.account.ledgers.flatMap((ledger, strategy) => {
      const position = ledger.holdingOf(index)?.position;
      return position === undefined || position.qty === 0 ? [] : [{ strategy, position }];
    });
    if (action.kind === 'dividend')
      for (const { strategy, position } of held)
        this.#owe(action, { strategy, instrument, qty: position.qty }, day, nowUs);
    else this.#change(action, instrument, held, day, nowUs);
    if (held.length > 0) return;
    const nothing = { strategy: null, qtyBefore: 0, qtyAfter: 0, cash: money(0), isOwed: false };
    this.#tell({ ...nothing, tsUs: tsUs(nowUs), instrument: index, action });
  }

  /** Of positions; the cash of a split is for the fraction of a lot. */
  #change(
    action: Split | Delisting,
    instrument: RunInstrument,
    held: readonly { readonly strategy: number; readonly position: Position }[],
    day: TradingDay,
    nowUs: number,
  ): void {
    const { account, costs } = this.#parts;
    const { contract, mark, rate } = instrument;
    if (action.kind === 'delisting') {
      const { partsPerPoint = 100, hundredthsPerTick } = contract.spec;
      const price =
        action.price === null ? mark : (action.price * partsPerPoint) / hundredthsPerTick / DIVIDEND_PARTS;
      payOut(account, instrument, price, { schedule: costs, day }, nowUs);
    } else for (const { strategy } of held) account.split(strategy, instrument, action, nowUs);
    for (const { strategy, position: before } of held) {
      const after = account.ledgers[strategy]?.holdingOf(contract.index)?.position ?? FLAT_POSITION;
      const sign = Math.sign(before.qty);
      const cash = after.realised - before.realised + sign * (before.openValue - after.openValue);
      this.#tell({
        tsUs: tsUs(nowUs),
        instrument: contract.index,
        strategy,
        action,
        qtyBefore: before.qty,
        qtyAfter: after.qty,
        cash: money(rate.of(cash)),
        isOwed: false,
      });
    }
  }

  #owe(
    dividend: Dividend,
    holder: Pick<Owed, 'strategy' | 'instrument' | 'qty'>,
    day: TradingDay,
    nowUs: number,
  ): void {
    const { spec } = holder.instrument.contract;
    const rates = ratesOf(spec, this.#parts.costs);
    const cash = money(0 - carryCost(rates, -holder.qty, dividendMoney(dividend, spec), DIVIDEND_PARTS));
    this.#owed.push({ ...holder, dividend, cash });
    this.#pay(day, nowUs);
  }

  #pay(day: TradingDay, nowUs: number): void {
    const { account, terms } = this.#parts;
    const isDue = ({ dividend: { payDay } }: Owed): boolean =>
      terms.dividendsOn === 'ex_date' || payDay === null || payDay <= day;
    for (const owed of this.#owed.filter(isDue)) {
      account.carry(owed.strategy, owed.instrument, 'dividends', 0 - owed.cash);
      this.#tell(rowOf(owed, nowUs, false));
    }
    this.#owed = this.#owed.filter((each) => !isDue(each));
  }

  #tell(row: BacktestAction): void {
    const { strategy, instrument, qtyBefore, qtyAfter, cash } = row;
    assert(Number.isSafeInteger(cash), 'the cash of a corporate action is whole money');
    this.#done.push(row);
    this.#parts.note(row.tsUs, instrument, strategy ?? -1, qtyBefore, qtyAfter, cash);
  }
}

const rowOf = ({ strategy, instrument, dividend, qty, cash }: Owed, nowUs: number, isOwed: boolean) => ({
  tsUs: tsUs(nowUs),
  instrument: instrument.contract.index,
  strategy,
  action: dividend,
  qtyBefore: qty,
  qtyAfter: qty,
  cash: money(instrument.rate.of(cash)),
  isOwed,
});
