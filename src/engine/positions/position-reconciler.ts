/**
 * Compares our positions with the broker's: agreement, adoption after a start, or a mismatch that blocks entries until a person
 * resumes (rulings, 39; failure cases, 16).
 */
import { changeWithoutFill, type EngineCore } from '../engine-core.ts';
import { assert } from '../../domain/assert.ts';
import { type BrokerPosition, netsOf } from '../../domain/broker-order.ts';
import { valueAtHundredths } from '../../domain/contract.ts';
import type { Side } from '../../domain/order.ts';
import {
  type InstrumentIndex,
  money,
  OPERATOR_INDEX,
  type SignedQty,
  signedQty,
  type StrategyIndex,
  US_PER_SECOND,
} from '../../domain/units.ts';
import type { CarriedOrders } from '../orders/carried-orders.ts';
import type { OrderListSnapshot, PositionSnapshot } from '../ports/engine-event.ts';
import { type BookState, EnclosedProof } from './enclosed-proof.ts';

const POSITION_AGE_US_MAX = 5 * US_PER_SECOND;

export class PositionReconciler {
  readonly #core: EngineCore;
  readonly #carriedOrders: CarriedOrders;
  readonly #proof: EnclosedProof<readonly BrokerPosition[]>;
  #state: 'unread' | 'agreed' | 'mismatch' = 'unread';
  /** Our positions were right before: a difference needs an explanation. Without a past the broker's positions are taken over. */
  #hasPast = false;
  #differences: readonly Difference[] = [];
  #positions: readonly BrokerPosition[] | undefined = undefined;
  /** Contracts of each code in it, the long less the short ones. */
  #nets: ReadonlyMap<string, number> = new Map();
  #readUs = -Infinity;
  #agreedUs = -Infinity;
  /** Of a mismatch: its end is, too, once a person has resumed. */
  #isAlerted = false;
  readonly #unknownCodes = new Set<string>();

  constructor(core: EngineCore, carriedOrders: CarriedOrders) {
    this.#core = core;
    this.#carriedOrders = carriedOrders;
    this.#proof = new EnclosedProof(core.calendar);
  }

  get readUs(): number {
    return this.#readUs;
  }

  /** Read just now: it may prove the position that an order would close (rulings, 36). */
  get isFresh(): boolean {
    return this.#core.context.nowUs - this.#readUs < POSITION_AGE_US_MAX;
  }

  /** When the read began that last agreed with our positions; -Infinity after a difference or a start. */
  get agreedUs(): number {
    return this.#agreedUs;
  }

  brokerQty(instrument: InstrumentIndex): SignedQty | undefined {
    if (this.#positions === undefined) return undefined;
    const code = this.#core.contracts.at(instrument)?.orderCode;
    return signedQty(code === undefined ? 0 : (this.#nets.get(code) ?? 0));
  }

  unproven(): string | null {
    if (this.#state === 'agreed') return null;
    if (this.#state === 'unread') {
      const ended =
        this.#positions === undefined ? [] : this.#compare().filter((each) => this.#areEnded([each]));
      if (ended.length === 0) return 'positions have not been compared with the broker since the start';
      return `the broker's closed positions have not shown how ${this.#describe(ended)} was settled`;
    }
    return this.#differences.length === 0
      ? "positions differed from the broker's and agree again: resume to go on"
      : `positions differ from the broker's: ${this.#describe(this.#differences)}`;
  }

  /** A start, or a new day: reads and compares everything again; a proven mismatch still waits for a person. */
  restart(): void {
    this.#proof.reset();
    this.#positions = undefined;
    this.#readUs = -Infinity;
    this.#agreedUs = -Infinity;
    if (this.#state === 'agreed') this.#state = 'unread';
  }

  /** The day follows one whose positions are carried over. */
  expectCarriedOver(): void {
    this.#hasPast = true;
  }

  /** The next step of a comparison that should not wait for the periodic reads. A person answers a proven mismatch: no hurry. */
  nextRead(): 'positions' | 'book' | null {
    if (this.#state === 'mismatch') return null;
    if (this.#state === 'agreed' && !this.#proof.isSuspicious) return null;
    return this.#proof.isWaiting ? 'book' : 'positions';
  }

  onPositions(snapshot: PositionSnapshot, fillVersion: number): void {
    this.#positions = snapshot.positions;
    this.#nets = netsOf(snapshot.positions);
    this.#readUs = snapshot.startedUs;
    this.#proof.onRead(snapshot.positions, snapshot.startedUs, snapshot.tsUs, fillVersion);
    for (const { orderCode, qty } of snapshot.positions) this.#checkCode(orderCode, qty);
  }

  onOrderList(snapshot: OrderListSnapshot, book: BookState): void {
    const verdict = this.#proof.onOrderList(snapshot, book, () => this.#keyOf());
    switch (verdict.kind) {
      case 'none':
        return;
      case 'moved':
      case 'suspected':
        return this.#core.reads.request('positions');
      case 'agreed':
        this.#agreedUs = this.#readUs;
        return this.#agree();
      case 'differs':
        return this.#differ(this.#compare());
    }
  }

  #keyOf(): string {
    return this.#compare()
      .map(({ instrument, qty }) => `${instrument}:${qty}`)
      .join(' ');
  }

  /** What was read last with ours: an earlier read is compared no more. */
  #compare(): readonly Difference[] {
    const differences: Difference[] = [];
    for (const contract of this.#core.contracts.all) {
      const difference =
        (this.#nets.get(contract.orderCode) ?? 0) - this.#core.portfolio.accountQty(contract.index);
      if (difference !== 0) differences.push({ instrument: contract.index, qty: signedQty(difference) });
    }
    return differences;
  }

  /**
   * A person resumed: a loss that only one strategy can explain is booked to it, the rest to the operator. `lostOrder`: an order of ours, of
   * that side, that no scan shows and that nobody has resolved: its fill may be the difference, which then waits.
   */
  resume(lostOrder: (instrument: InstrumentIndex, side: Side) => string | undefined): void {
    if (this.#state !== 'mismatch') return;
    const left: Difference[] = [];
    const whys: string[] = [];
    for (const difference of this.#differences) {
      const lost = lostOrder(difference.instrument, difference.qty > 0 ? 'buy' : 'sell');
      const isPriced = this.#unitValue(difference.instrument) !== undefined;
      if (lost === undefined && isPriced) this.#adopt(this.#bookClosed(difference));
      else left.push(difference);
      const what = this.#describe([difference]);
      if (lost !== undefined) whys.push(`${what} may be a fill of ${lost}: resolve that order first`);
      else if (!isPriced) whys.push(`no price is known for ${what}: wait until prices were read`);
    }
    this.#differences = left;
    if (left.length > 0) {
      const text = `entries stay blocked, and nobody gets these: ${whys.join('; ')}; then resume again`;
      return this.#core.context.alert(null, 'warning', 'position_unsettled', text);
    }
    this.#state = 'unread';
    this.#proof.reset();
    this.#core.reads.request('positions');
  }

  #agree(): void {
    const isNews = this.#state === 'unread' || this.#differences.length > 0;
    // The difference has been settled.
    if (this.#areEnded(this.#differences)) this.#state = 'unread';
    this.#differences = [];
    const isExplained = this.#carriedOrders.onPositionsAgreed(this.#readUs);
    if (this.#state === 'unread') this.#state = 'agreed';
    this.#hasPast = true;
    if (this.#isAlerted && this.#state === 'agreed') {
      this.#isAlerted = false;
      this.#core.context.alert(null, 'info', 'positions_agree', "our positions are the broker's again");
    }
    if (isNews || isExplained)
      this.#core.context.append({ kind: 'position_agreed', ...this.#core.context.head(null) });
  }

  #differ(all: readonly Difference[]): void {
    this.#agreedUs = -Infinity;
    // The settlement of a contract that has ended explains it: the closed positions are being read.
    const differences = all.filter(
      (each) => !this.#areEnded([each]) || this.brokerQty(each.instrument) !== 0,
    );
    if (differences.length === 0) return;
    // An order that no scan shows may be the difference.
    if (!this.#hasPast && this.#core.orders.presumedAbsent === null) {
      // Without a price it cannot be booked: the reference prices are on their way.
      if (differences.some(({ instrument }) => this.#unitValue(instrument) === undefined)) return;
      for (const difference of differences) this.#adopt(difference);
      this.#agree();
      return;
    }
    const left =
      this.#state === 'mismatch'
        ? differences
        : differences.filter(({ instrument, qty }) => !this.#carriedOrders.explain(instrument, qty));
    if (left.length === 0) return this.#agree();
    const isKnown = this.#state === 'mismatch' && this.#describe(this.#differences) === this.#describe(left);
    this.#state = 'mismatch';
    this.#differences = left;
    if (!isKnown) this.#alertMismatch(left);
  }

  #areEnded(differences: readonly Difference[]): boolean {
    return (
      differences.length > 0 &&
      differences.every(({ instrument }) => this.#core.contracts.isEnded(instrument))
    );
  }

  #alertMismatch(differences: readonly Difference[]): void {
    this.#core.context.append({
      kind: 'position_mismatch',
      ...this.#core.context.head(null),
      broker: this.#positions ?? [],
      ours: this.#core.contracts.all.map(({ index, orderCode }) => ({
        orderCode,
        qty: this.#core.portfolio.accountQty(index),
      })),
    });
    this.#isAlerted = true;
    const orders = this.#carriedOrders.describe();
    const hint = orders === '' ? '' : `; the end of these was not seen: ${orders}`;
    const text = `the broker's position less ours is ${this.#describe(differences)}; entries are blocked until you resume${hint}`;
    this.#core.context.alert(null, 'critical', 'position_mismatch', text);
  }

  /**
   * Contracts closed at the broker leave the one owner of such a position: its stop or its exit would open an unwanted position. Returns
   * the rest; where several may have lost them, that is all.
   */
  #bookClosed({ instrument, qty }: Difference): Difference {
    const holders = this.#core.portfolio
      .held()
      .filter((held) => held.instrument === instrument && Math.sign(held.qty) === -Math.sign(qty));
    const [holder] = holders;
    if (holder === undefined || holders.length > 1 || holder.strategy === OPERATOR_INDEX)
      return { instrument, qty };
    const closed = signedQty(Math.sign(qty) * Math.min(Math.abs(qty), Math.abs(holder.qty)));
    this.#book(holder.strategy, 'forced_close', { instrument, qty: closed });
    const text = `${this.#describe([{ instrument, qty: closed }])} of it were closed at the broker: its position is ${holder.qty + closed} now`;
    this.#core.context.alert(holder.strategy, 'warning', 'position_closed', text);
    return { instrument, qty: signedQty(qty - closed) };
  }

  #book(strategy: StrategyIndex, event: 'adopted' | 'forced_close', { instrument, qty }: Difference): void {
    const unit = this.#unitValue(instrument);
    assert(unit !== undefined, 'a position is booked at a price');
    const value = money(Math.abs(qty) * unit);
    changeWithoutFill(this.#core, { strategy, instrument }, event, qty, value);
  }

  #adopt({ instrument, qty }: Difference): void {
    if (qty === 0) return;
    this.#book(OPERATOR_INDEX, 'adopted', { instrument, qty });
    const text = `the broker's position differs by ${this.#describe([{ instrument, qty }])}: it belongs to the operator`;
    this.#core.context.alert(OPERATOR_INDEX, 'warning', 'position_adopted', text);
  }

  #unitValue(instrument: InstrumentIndex): number | undefined {
    const ours = this.#core.portfolio.unitValue(instrument);
    const contract = this.#core.contracts.at(instrument);
    if (ours !== undefined || contract === undefined) return ours;
    const row = this.#positions?.find(({ orderCode }) => orderCode === contract.orderCode);
    return row?.lastPrice ? valueAtHundredths(contract.spec, row.lastPrice, 1) : undefined;
  }

  #describe(differences: readonly Difference[]): string {
    return differences
      .map(
        ({ instrument, qty }) =>
          `${this.#core.contracts.at(instrument)?.orderCode ?? instrument} ${qty > 0 ? '+' : ''}${qty}`,
      )
      .join(', ');
  }

  #checkCode(code: string, qty: number): void {
    if (qty === 0 || this.#core.contracts.byOrderCode(code) !== undefined || this.#unknownCodes.has(code))
      return;
    this.#unknownCodes.add(code);
    const text = `the broker holds ${qty} of ${code}, which is not in the contract list: it is yours to watch`;
    this.#core.context.alert(OPERATOR_INDEX, 'critical', 'position_in_unknown_contract', text);
  }
}

interface Difference {
  readonly instrument: InstrumentIndex;
  /** Broker's minus ours. */
  readonly qty: SignedQty;
}
