/**
 * Compares our money of the day with the broker's, after a start, after each reconnect and with each periodic read of the account. Fee and
 * tax agree to the VND once each fill has the broker's own value; so does the profit whenever the account holds nothing and came there by
 * fills alone: while a position is open the broker prices it at another moment. Cash is constant within a day, so a change is a transfer,
 * as long as the rest agrees and no more left than could be withdrawn. Any other proven difference stops entries until a person resumes,
 * which books it under the operator. Overnight cash moves at times that the contract does not state: not compared.
 */
import type { BrokerAccount } from '../../domain/broker-order.ts';
import { dayClose, phaseAt, tradingDayAt } from '../../domain/calendar.ts';
import { taxOn } from '../../domain/costs.ts';
import { minutes, type Money, money, OPERATOR_INDEX, type TsUs, tsUs } from '../../domain/units.ts';
import type { OrderListSnapshot } from '../ports/engine-event.ts';
import type { EntryOf, MoneyFigure } from '../ports/journal-entry.ts';
import type { EngineView } from '../engine-view.ts';
import type { FillSteps } from '../orders/fill-steps.ts';
import type { Adoption } from '../orders/order-reconciler.ts';
import { type BookState, EnclosedProof } from './enclosed-proof.ts';

/** The fills of the closing auction are known within it. */
export const AFTER_CLOSE_US = minutes(10);

/** For the status line, the control API and the commands. */
export interface MoneyView {
  readonly state: 'off' | 'unread' | 'agreed' | 'differs';
  readonly figures: readonly MoneyFigure[];
  /** When that was; null before the first one of the day. */
  readonly comparedUs: TsUs | null;
}

export class MoneyReconciler {
  readonly #view: EngineView;
  readonly #fills: FillSteps;
  readonly #adoption: Adoption;
  readonly #proof: EnclosedProof<BrokerAccount>;
  #state: 'unread' | 'agreed' | 'differs' = 'unread';
  #figures: readonly MoneyFigure[] = [];
  #comparedUs: TsUs | null = null;
  /** Figures and phase that the journal has of the last agreement. */
  #journaled = '';
  /** The account when cash was last explained; null before the first read of the day. */
  #explained: BrokerAccount | null = null;
  /** Profit without a fill of ours behind it, as accepted or paid out in cash. */
  #acceptedProfit = 0;
  /** Tax of today's settlements that is in our books. */
  #settlementTax = 0;

  constructor(view: EngineView, fills: FillSteps, adoption: Adoption) {
    this.#view = view;
    this.#fills = fills;
    this.#adoption = adoption;
    this.#proof = new EnclosedProof(view.calendar);
  }

  get #reaction(): 'halt' | 'alert' | undefined {
    return this.#view.settings.moneyMismatch;
  }

  get view(): MoneyView {
    return {
      state: this.#reaction === undefined ? 'off' : this.#state,
      figures: this.#figures,
      comparedUs: this.#comparedUs,
    };
  }

  /** A start of the process: compares everything again. */
  restart(): void {
    this.#proof.reset();
    if (this.#state === 'agreed') this.#state = 'unread';
  }

  newDay(): void {
    this.restart();
    this.#state = 'unread';
    this.#figures = [];
    this.#comparedUs = null;
    this.#explained = null;
    this.#acceptedProfit = 0;
    this.#settlementTax = 0;
  }

  onAccount(account: BrokerAccount, startedUs: TsUs, at: TsUs): void {
    if (this.#reaction === undefined || !this.#isOfToday(startedUs)) return;
    // Of the broker's day: a clock of ours that is wrong makes another one of it.
    if (!this.#isOfToday(tsUs(startedUs - this.#view.session.clockSkewUs))) return;
    this.#proof.onRead(account, startedUs, at, this.#fills.count);
  }

  /** Money of the day is shown from the open until shortly after the close; the night settles it. */
  #isOfToday(readUs: TsUs): boolean {
    const { calendar, session } = this.#view;
    const { day } = session;
    if (day === null || tradingDayAt(calendar, readUs) !== day) return false;
    if (!session.isSurelyToday(readUs)) return false;
    if (phaseAt(calendar, readUs) !== 'closed') return true;
    const closeUs = dayClose(calendar, day);
    return closeUs !== undefined && readUs >= closeUs && readUs < closeUs + AFTER_CLOSE_US;
  }

  onOrderList(snapshot: OrderListSnapshot, book: BookState): void {
    if (this.#reaction === undefined) return;
    const verdict = this.#proof.onOrderList(snapshot, book, (account) => keyOf(this.#compare(account)));
    switch (verdict.kind) {
      case 'none':
      case 'moved': // the next periodic read decides
        return;
      case 'suspected':
        return this.#view.reads.request('account');
      case 'agreed':
        this.#comparedUs = this.#view.context.nowUs;
        return this.#agree(verdict.reading);
      case 'differs':
        if (this.#view.positionReconciler.agreedUs < verdict.sinceUs) return;
        this.#comparedUs = this.#view.context.nowUs;
        this.#differ(verdict.reading);
    }
  }

  /** A person resumed: fee and tax that we did not expect are costs of the operator, and the broker's cash and profit count. */
  resume(): void {
    if (this.#state !== 'differs') return;
    const accepted = this.#figures.filter(isDifferent);
    this.#book(accepted);
    this.#append('accepted', accepted);
    this.#explained = null;
    this.#state = 'unread';
    this.#proof.reset();
    this.#view.reads.request('account');
  }

  #book(differing: readonly MoneyFigure[]): void {
    for (const { what, ours, broker } of differing) {
      const difference = broker - ours;
      if (what === 'fee') this.#view.portfolio.charge(OPERATOR_INDEX, difference, 0);
      else if (what === 'tax') this.#view.portfolio.charge(OPERATOR_INDEX, 0, difference);
      else if (what === 'profit') this.#acceptedProfit += difference;
    }
  }

  #compare(account: BrokerAccount): readonly MoneyFigure[] {
    const { portfolio, session, market } = this.#view;
    const { areExact, hasCarriedFills } = this.#fills;
    const figures: MoneyFigure[] = [];
    const add = (what: MoneyFigure['what'], ours: number, broker: Money | null): void => {
      if (broker !== null) figures.push({ what, ours: money(ours), broker });
    };
    if (!this.#adoption.hasUnlisted && !hasCarriedFills && this.#hasBegun()) {
      const { fee, tax } = portfolio.costs();
      add('fee', fee, account.fee);
      if (areExact) add('tax', tax, account.tax);
      // Positions carried over count from the prices of today.
      const isPriced = areExact && session.isSurelyToday(market.referenceUs);
      const profit = isPriced ? portfolio.settledProfit() : null;
      if (profit !== null) add('profit', profit + this.#acceptedProfit, account.profit);
    }
    add('cash', this.#explained?.cash ?? account.cash, account.cash);
    return figures;
  }

  /**
   * Before a price or a fill of today the exchange may be closed against our calendar, and the broker's figures may be of the last session.
   * No entry leaves then.
   */
  #hasBegun(): boolean {
    const { contracts, market, session } = this.#view;
    const seen = contracts.all.map(({ index }) => market.of(index).seenUs);
    return !session.mayShowDayBefore(Math.max(this.#fills.lastUs ?? -Infinity, ...seen));
  }

  /** Journaled where it is news: after a difference, with other figures, and in each phase of the day. */
  #agree(account: BrokerAccount): void {
    this.#explained = account; // the withdrawable amount changes with margin
    this.#state = 'agreed';
    this.#figures = this.#compare(account);
    const now = `${this.#view.session.phase} ${this.#figures.map(({ what, ours }) => `${what}:${ours}`).join(' ')}`;
    if (now === this.#journaled) return;
    this.#append('agreed', this.#figures);
    this.#journaled = now;
  }

  #differ(account: BrokerAccount): void {
    const figures = this.#compare(account);
    const differing = figures.filter(isDifferent);
    if (this.#isExplained(differing)) return this.#bookMoved(differing, account);
    const isKnown = this.#state === 'differs' && keyOf(this.#figures) === keyOf(figures);
    this.#state = 'differs';
    this.#figures = figures;
    if (isKnown) return;
    this.#append('differs', figures);
    const text = `our money is not the broker's: ${figuresText(differing)}; a resume books the difference under the operator`;
    const { context, halt } = this.#view;
    if (this.#reaction === 'halt' && halt.reason === null) halt.halt(text, 'money_mismatch');
    else context.alert(null, 'critical', 'money_mismatch', text);
  }

  /** A transfer, the tax of a settlement, and profit that is paid out as cash within the day. */
  #isExplained(differing: readonly MoneyFigure[]): boolean {
    const withdrawable = this.#explained?.withdrawable ?? null;
    const paid = differing.find(({ what }) => what === 'profit');
    return differing.every(({ what, ours, broker }) => {
      const difference = broker - ours;
      if (what === 'fee') return false;
      // Our price of the settlement may be the last trade.
      if (what === 'tax')
        return difference > 0 && difference <= 2 * this.#taxOfSettlements() - this.#settlementTax;
      const cash = differing.find((each) => each.what === 'cash');
      if (paid !== undefined)
        return cash !== undefined && cash.broker - cash.ours === paid.ours - paid.broker;
      return difference > 0 || (withdrawable !== null && 0 - difference <= withdrawable);
    });
  }

  /** On the positions that expired today, by the price we know. */
  #taxOfSettlements(): Money {
    const { session, portfolio, costs } = this.#view;
    return taxOn(costs, session.tradingDay(), portfolio.settledValue);
  }

  #bookMoved(differing: readonly MoneyFigure[], account: BrokerAccount): void {
    this.#book(differing);
    for (const { what, ours, broker } of differing) if (what === 'tax') this.#settlementTax += broker - ours;
    this.#explained = account;
    this.#append('moved', differing);
    this.#state = 'agreed';
    this.#figures = this.#compare(account);
    const text = `${figuresText(differing)}: a transfer, or the settlement of a contract; if it was neither, ask the broker`;
    this.#view.context.alert(null, 'warning', 'money_moved', text);
  }

  #append(verdict: EntryOf<'money_checked'>['verdict'], figures: readonly MoneyFigure[]): void {
    const { context } = this.#view;
    this.#journaled = '';
    context.append({ ...context.head(null), kind: 'money_checked', verdict, figures });
  }
}

const isDifferent = ({ ours, broker }: MoneyFigure): boolean => ours !== broker;

/** Empty for figures that agree, as those of nearly every poll do. */
function keyOf(figures: readonly MoneyFigure[]): string {
  if (!figures.some(isDifferent)) return '';
  return figures
    .filter(isDifferent)
    .map(({ what, ours, broker }) => `${what}:${ours}:${broker}`)
    .join(' ');
}

const figuresText = (figures: readonly MoneyFigure[]): string =>
  figures.map(({ what, ours, broker }) => `${what} ours ${ours}, broker ${broker} VND`).join('; ');
