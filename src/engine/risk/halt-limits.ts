/** Limits that halt entries until a person resumes: on losses of the day, on refusals, on the rate of messages, and on a fall since the peak. */
import type { EngineCore } from '../engine-core.ts';
import { assert } from '../../domain/assert.ts';
import { valueOf } from '../../domain/contract.ts';
import {
  type InstrumentIndex,
  money,
  type Money,
  OPERATOR_INDEX,
  priceTicks,
  strategyIndex,
  type StrategyIndex,
  type TsUs,
  US_PER_MINUTE,
} from '../../domain/units.ts';
import type { SessionStarted, HaltCode } from '../ports/engine-event.ts';
import type { EntryHalt } from './entry-halt.ts';
import { firstAtLeast } from '../../domain/lists.ts';
import type { Side, Trigger } from '../../domain/order.ts';

/** Contracts of the account from which on a fill costs more to measure than to bound. */
const MANY_CONTRACTS = 8;
/** Part of the remaining room that the band of a fill may use. */
const PART_OF_ROOM = 1 / 16;

export const grouped = (amount: number): string => amount.toLocaleString('en-US');

/** `base`: the loss that was accepted, from which this one counts. */
const since = (loss: number, base: number): string =>
  base <= 0 ? grouped(loss) : `${grouped(loss)} since the resume (day: ${grouped(0 - loss - base)})`;

/**
 * The day's losses against their limits (rulings, 37): halts entries of the account, or of one strategy, when a limit is
 * reached. Caches the prices within which none can be reached, so that a trade pays one comparison. A loss changes with the
 * price of a held contract by a fixed amount a tick: the room up to a limit, shared among the contracts held, gives each a
 * band around its price. The first price outside a band has all losses measured again; a fill has those of its owner and of
 * the account measured again and narrows the bands for them. Bands may be too narrow, never too wide.
 *
 * With many contracts a fill does not add up the account again. It raises an upper bound of the account's loss, by what the fill lost and by
 * what its new band may lose; half of the room is kept back for that. When the bound has used it up, all positions are added up again.
 */
export class LossLimits {
  readonly #core: EngineCore;
  readonly #halt: EntryHalt;
  /** The bands hold for all owners, those apart whose positions changed since. */
  #areBandsValid = false;
  /** The account has lost no more than this, with any prices within the bands; NaN where it is added up. */
  #accountBound = NaN;
  /**
   * Losses that a person has accepted by resuming after a limit was reached; zero or more. Losses count from there, or the same
   * loss would halt entries again at once. Below zero: lost before the day restarted, and not in its books.
   */
  #accountBase = 0;
  readonly #bases: number[];

  constructor(core: EngineCore, halt: EntryHalt) {
    this.#core = core;
    this.#halt = halt;
    this.#bases = core.settings.strategies.map(() => 0);
  }

  /** Below zero is a gain. */
  accountLoss(): Money {
    return money(0 - this.#core.portfolio.accountDayPnl() - this.#accountBase);
  }

  /** No less than the account has lost at the prices of now. */
  accountLossBound(): number {
    return this.isMeasured && !Number.isNaN(this.#accountBound) ? this.#accountBound : this.accountLoss();
  }

  /** Below zero is a gain. The operator has no accepted base. */
  strategyLoss(strategy: StrategyIndex): Money {
    const base = strategy === OPERATOR_INDEX ? 0 : this.#bases[strategy];
    assert(base !== undefined, 'each strategy has an accepted loss');
    return money(0 - this.#core.portfolio.dayPnl(strategy) - base);
  }

  /** All owners were measured since positions changed. */
  get isMeasured(): boolean {
    return this.#areBandsValid && this.#core.portfolio.changedOwners.length === 0;
  }

  /** True where this price reaches no limit that was not reached before. */
  isWithinBand(instrument: InstrumentIndex, price: number): boolean {
    return this.isMeasured && this.#core.market.of(instrument).safePrices.has(price);
  }

  /** Something other than a price or a position changed. */
  invalidate(): void {
    this.#areBandsValid = false;
    this.#core.market.emptyQuietPrices();
  }

  /** After an event: measures the owners whose positions changed. */
  measureChanged(): void {
    if (!this.#areBandsValid) return this.measure();
    const { changedOwners } = this.#core.portfolio;
    if (changedOwners.length === 0) return;
    if (Number.isNaN(this.#accountBound)) this.#checkAccount();
    else if (!this.#boundAccount()) return this.measure();
    for (let at = 0; at < changedOwners.length; at += 1) {
      const owner = changedOwners[at];
      if (owner !== undefined && owner !== OPERATOR_INDEX) this.#checkStrategy(owner);
    }
    this.#core.portfolio.forgetChanges();
  }

  /** Measures all losses and computes the bands again around the present prices. */
  measure(): void {
    this.#core.market.emptyQuietPrices();
    for (const instrument of this.#core.portfolio.touchedBy(null))
      this.#core.market.of(instrument).safePrices.set(-Infinity, Infinity);
    this.#checkAccount();
    for (let index = 0; index < this.#bases.length; index += 1) this.#checkStrategy(strategyIndex(index));
    this.#core.portfolio.forgetChanges();
    this.#areBandsValid = true;
  }

  /** What a resume would accept now, of the account (null) or of a strategy. */
  acceptableLoss(strategy: StrategyIndex | null): Money {
    const { portfolio } = this.#core;
    const isShown =
      strategy === null ? this.#halt.isLossTheReason : this.#halt.isStrategyLossTheReason(strategy);
    const pnl = strategy === null ? portfolio.accountDayPnl() : portfolio.dayPnl(strategy);
    return money(isShown ? Math.max(0, 0 - pnl) : 0);
  }

  /**
   * Call before the halts end: they show which limits were reached. A resume for another reason accepts no loss. `only`: null for the
   * account; undefined for it and all strategies, as a backtest resumes.
   */
  resume(only?: StrategyIndex | null): void {
    const { risk, strategies } = this.#core.settings;
    if (typeof only !== 'number' && this.#halt.isLossTheReason)
      this.#accountBase = this.#accept(null, risk.dailyLossMax);
    strategies.forEach(({ risk: { dailyLossMax } }, index) => {
      const strategy = strategyIndex(index);
      if (only !== undefined && only !== strategy) return;
      if (!this.#halt.isStrategyLossTheReason(strategy)) return;
      this.#bases[index] = this.#accept(strategy, dailyLossMax);
    });
  }

  /** A new trading day, or one that restarts after it has `earned` something: a gain gives no more to lose. */
  beginDay(earned: NonNullable<SessionStarted['earned']>): void {
    const total = earned.reduce((sum, { net }) => sum + net, 0);
    this.#accountBase = Math.min(0, total);
    this.#bases.fill(0);
    for (const { strategy, net } of earned)
      if (strategy in this.#bases) this.#bases[strategy] = Math.min(0, net);
  }

  #accept(strategy: StrategyIndex | null, max: number): number {
    const loss = this.acceptableLoss(strategy);
    if (loss === 0) return 0;
    const whose = strategy === null ? "the account's loss" : 'its loss';
    const text = `${whose} of the day is ${grouped(loss)} and was accepted: the next ${grouped(max)} are measured from there`;
    this.#core.context.alert(strategy, 'warning', 'loss_accepted', text, { loss });
    return loss;
  }

  #checkAccount(): void {
    this.#accountBound = NaN;
    if (this.#halt.isLossReached) return;
    const max = this.#core.settings.risk.dailyLossMax;
    const loss = this.accountLoss();
    if (loss >= max)
      this.#halt.onLossReached(
        `the account's loss of the day, ${since(loss, this.#accountBase)}, has reached ${grouped(max)} (risk.dailyLossMax)`,
      );
    else if (!this.#holdsMany()) this.#narrowBands(null, max - loss);
    else {
      this.#accountBound = (loss + max) / 2;
      this.#narrowBands(null, max - this.#accountBound);
    }
  }

  /** The account holds many contracts, and each of them has traded: then the loss moves with trades alone. */
  #holdsMany(): boolean {
    const touched = this.#core.portfolio.touchedBy(null);
    if (touched.length <= MANY_CONTRACTS) return false;
    let held = 0;
    for (const instrument of touched) {
      if (this.#core.portfolio.pricedQty(null, instrument) === 0) continue;
      if (this.#core.market.of(instrument).last.price === undefined) return false;
      held += 1;
    }
    return held > MANY_CONTRACTS;
  }

  /** Adds the changes to the bound of the account. False where it no longer shows that the limit is not reached. */
  #boundAccount(): boolean {
    const { changedContracts, lostSince } = this.#core.portfolio;
    const max = this.#core.settings.risk.dailyLossMax;
    this.#accountBound += lostSince;
    for (let at = 0; at < changedContracts.length; at += 1) {
      const instrument = changedContracts[at];
      const price = instrument === undefined ? undefined : this.#core.market.of(instrument).last.price;
      if (
        instrument === undefined ||
        price === undefined ||
        this.#core.contracts.at(instrument) === undefined
      )
        return false;
      // The bound holds within the bands alone.
      if (!this.#core.market.of(instrument).safePrices.has(price)) return false;
      const part = (max - this.#accountBound) * PART_OF_ROOM;
      if (!(part > 0)) return false;
      const qty = Math.abs(this.#core.portfolio.pricedQty(null, instrument));
      if (qty === 0) continue;
      this.#accountBound += part;
      this.#narrowBand(instrument, qty, part);
    }
    return this.#accountBound < max;
  }

  #checkStrategy(strategy: StrategyIndex): void {
    if (this.#halt.strategyReason(strategy) !== null) return;
    const max = this.#core.settings.strategies[strategy]?.risk.dailyLossMax;
    assert(max !== undefined, 'each strategy has a limit on its loss');
    const loss = this.strategyLoss(strategy);
    if (loss >= max)
      this.#halt.onStrategyLossReached(
        strategy,
        `its loss of the day, ${since(loss, this.#bases[strategy] ?? 0)}, has reached ${grouped(max)} (strategies[].risk.dailyLossMax)`,
      );
    else this.#narrowBands(strategy, max - loss);
  }

  /** `room`: money to the limit of a strategy, or of the account. */
  #narrowBands(strategy: StrategyIndex | null, room: number): void {
    const touched = this.#core.portfolio.touchedBy(strategy);
    let held = 0;
    for (const instrument of touched)
      if (this.#core.portfolio.pricedQty(strategy, instrument) !== 0) held += 1;
    for (const instrument of touched) {
      const qty = Math.abs(this.#core.portfolio.pricedQty(strategy, instrument));
      if (qty !== 0) this.#narrowBand(instrument, qty, room / held);
    }
  }

  /**
   * `room`: money that may be lost on the way from the last price; the price at which it is used up is outside, and with no room at all, so is
   * every price. A contract without a price may be at its limit with any price.
   */
  #narrowBand(instrument: InstrumentIndex, qty: number, room: number): void {
    const contract = this.#core.contracts.at(instrument);
    const price = this.#core.market.of(instrument).lastPrice;
    const { quietPrices, safePrices } = this.#core.market.of(instrument);
    quietPrices.empty();
    if (contract === undefined || price === null) return safePrices.empty();
    const ticks = Math.ceil(room / valueOf(contract.spec, priceTicks(1), qty)) - 1;
    safePrices.set(Math.max(safePrices.low, price - ticks), Math.min(safePrices.high, price + ticks));
  }
}

/** The peak is journaled when it has risen by this part of the limit. */
const PEAK_PARTS = 100;

/**
 * Halts entries until a person resumes when the broker refuses too many orders, when too many messages are sent, or when the account
 * has lost too much since its peak. The halt outlives restarts; so does the peak, which the next session begins with.
 */
export class CircuitBreakers {
  readonly #core: EngineCore;
  readonly #halt: EntryHalt;
  /** Places and changes, for the rules on rates. */
  readonly rate = new SendRate();
  readonly refusals = new RejectionMemory();
  readonly #messages = new SendRate();
  readonly #rejections = new SendRate();
  /** Highest net asset value since a person resumed; -Infinity when none was read. */
  #peak = -Infinity;
  #journaledPeak = -Infinity;
  #netAssetValue = -Infinity;
  /** The fall came while entries were off for another reason, and is alerted. */
  #isAlerted = false;

  constructor(core: EngineCore, halt: EntryHalt) {
    this.#core = core;
    this.#halt = halt;
  }

  setClockBack(at: TsUs): void {
    for (const each of [this.rate, this.refusals, this.#messages, this.#rejections]) each.setClockBack(at);
  }

  /** A place, a change or a cancel leaves. */
  onSent(): void {
    const max = this.#core.settings.risk.messagesPerMinuteMax;
    if (max === undefined) return;
    this.#messages.add(this.#core.context.nowUs);
    const sent = this.messages;
    if (sent >= max)
      this.#halt.onLimitReached(
        `${sent} messages within a minute, the limit is ${max} (risk.messagesPerMinuteMax)`,
        'message_rate',
      );
  }

  /** The broker refused a place. A change refused because its order has just filled is ordinary; the message rate bounds those. */
  onRejected(): void {
    const max = this.#core.settings.risk.rejectionsPerMinuteMax;
    if (max === undefined) return;
    this.#rejections.add(this.#core.context.nowUs);
    const { rejections: rejected } = this;
    if (rejected < max) return;
    this.#halt.onLimitReached(
      `the broker refused ${rejected} orders within a minute, the limit is ${max} (risk.rejectionsPerMinuteMax)`,
      'rejections',
    );
  }

  /** Deposits raise the peak, and a withdrawal counts like a loss: only a person can distinguish them. */
  onAccount(netAssetValue: Money): void {
    const max = this.#core.settings.risk.drawdownMax;
    if (max === undefined) return;
    this.#netAssetValue = netAssetValue;
    this.#peak = Math.max(this.#peak, netAssetValue);
    this.#journalPeak(max);
    this.#checkDrawdown(max);
  }

  carryOver(peak: Money): void {
    this.#peak = Math.max(this.#peak, peak);
    this.#journalPeak(this.#core.settings.risk.drawdownMax ?? Infinity);
  }

  /** `ended`: what a person has seen. A fall that was the reason is accepted, and measured from here; another one goes on. */
  resume(ended: HaltCode | undefined): void {
    const max = this.#core.settings.risk.drawdownMax;
    if (max === undefined) return;
    this.#isAlerted = false;
    if (ended !== 'drawdown') return this.#checkDrawdown(max);
    this.#peak = this.#netAssetValue;
    this.#journaledPeak = -Infinity;
    if (this.#netAssetValue !== -Infinity) this.#journalPeak(max);
  }

  /** Within the last minute. */
  get messages(): number {
    return this.#messages.count(US_PER_MINUTE, this.#core.context.nowUs);
  }

  /** Within the last minute. */
  get rejections(): number {
    return this.#rejections.count(US_PER_MINUTE, this.#core.context.nowUs);
  }

  get drawdown(): number {
    return this.#netAssetValue === -Infinity ? 0 : this.#peak - this.#netAssetValue;
  }

  #checkDrawdown(max: number): void {
    const { drawdown } = this;
    if (drawdown < max) return;
    const text = `the account has lost ${grouped(drawdown)} VND since its peak of ${grouped(this.#peak)}, the limit is ${grouped(max)} (risk.drawdownMax)`;
    if (this.#halt.reason === null) return this.#halt.onLimitReached(text, 'drawdown');
    if (this.#isAlerted || this.#halt.code === 'drawdown') return;
    this.#isAlerted = true;
    this.#core.context.alert(null, 'critical', 'drawdown', `${text}, while entries are off already`);
  }

  #journalPeak(max: number): void {
    if (max === Infinity || this.#peak - this.#journaledPeak < max / PEAK_PARTS) return;
    this.#journaledPeak = this.#peak;
    this.#core.context.append({
      kind: 'equity_peak',
      ...this.#core.context.head(null),
      value: money(this.#peak),
    });
  }
}

/** Longest span that `count` can cover. */
const KEPT_US = US_PER_MINUTE;

/** When places and modifies were sent, or orders refused: for limits of rates. */
class SendRate {
  #times: number[] = [];
  #start = 0;

  add(at: TsUs): void {
    this.#times.push(at);
    while ((this.#times[this.#start] ?? Infinity) < at - KEPT_US) this.#start += 1;
    if (this.#start < 1024) return;
    this.#times = this.#times.slice(this.#start);
    this.#start = 0;
  }

  setClockBack(at: TsUs): void {
    this.#times = this.#times.slice(this.#start).map((each) => Math.min(each, at));
    this.#start = 0;
  }

  /** How many were added after `now - spanUs`. */
  count(spanUs: number, now: TsUs): number {
    const { length } = this.#times;
    return length - firstAtLeast(this.#times, now - spanUs + 1, this.#start, length);
  }

  /** At least `max` were sent after `now - spanUs`. */
  reaches(max: number, spanUs: number, now: TsUs): boolean {
    const at = this.#times.length - max;
    return max <= 0 || (at >= this.#start && (this.#times[at] ?? -Infinity) > now - spanUs);
  }
}

/** Requests remembered; the one refused longest ago leaves first. */
const REQUESTS_MAX = 256;

interface Terms {
  readonly instrument: InstrumentIndex;
  readonly side: Side;
  readonly qty: number;
  readonly limitPrice: number;
  readonly trigger: Trigger | null;
}

/** How often the broker refused this very request lately, in a row. */
interface RejectionRecord {
  readonly count: number;
  readonly text: string;
  readonly lastUs: TsUs;
}

/** A stop that is refused says nothing about an exit of the same terms: at the floor of the day both have one limit. */
const keyOf = (strategy: StrategyIndex, { instrument, side, qty, limitPrice, trigger }: Terms): string =>
  `${strategy}|${instrument}|${side}|${qty}|${limitPrice}|${JSON.stringify(trigger)}`;

/** Remembers identical requests that were refused, in a row (failure cases, 32). */
class RejectionMemory {
  readonly #records = new Map<string, RejectionRecord>();

  onRejected(strategy: StrategyIndex, request: Terms, text: string, at: TsUs): void {
    const key = keyOf(strategy, request);
    const count = (this.#records.get(key)?.count ?? 0) + 1;
    this.#records.delete(key);
    this.#records.set(key, { count, text, lastUs: at });
    if (this.#records.size <= REQUESTS_MAX) return;
    for (const oldest of this.#records.keys()) {
      this.#records.delete(oldest);
      break;
    }
  }

  setClockBack(at: TsUs): void {
    for (const [key, record] of this.#records)
      if (record.lastUs > at) this.#records.set(key, { ...record, lastUs: at });
  }

  onAccepted(strategy: StrategyIndex, request: Terms): void {
    if (this.#records.size > 0) this.#records.delete(keyOf(strategy, request));
  }

  find(strategy: StrategyIndex, request: Terms): RejectionRecord | undefined {
    return this.#records.size === 0 ? undefined : this.#records.get(keyOf(strategy, request));
  }
}
