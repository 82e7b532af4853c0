/** Fills, fees, tax and profit are the broker's to the VND, each order has one owner, and what ended here has ended there. */
import { rateOn } from '../../src/domain/costs.ts';
import { type OrderStatus, signOf, TERMINAL_STATUSES } from '../../src/domain/order.ts';
import { tradingDay } from '../../src/domain/civil-date.ts';
import type { EngineSnapshot } from '../../src/engine/engine-snapshot.ts';
import type { OrderReport } from '../../src/venue/venue-event.ts';
import { type BrokerOrderTruth, isOpenAtBroker, OPERATOR } from './broker-truth.ts';
import type { Body, CommittedRow, JournaledOrder } from './committed-journal.ts';
import type { Scene } from './scene.ts';

/** The end of a day is our calendar's word, and a person's is his own. */
const SEEN_ENDS: ReadonlySet<OrderStatus> = new Set<OrderStatus>([
  'filled',
  'canceled',
  'rejected',
  'not_sent',
  'triggered',
]);

/** VND a tick of a contract. */
const TICK_VND = 10_000n;
const MILLION = 1_000_000n;

export class FillChecks {
  readonly #scene: Scene;
  /** Id here of each order of the broker, by its key. */
  readonly #ids = new Map<string, string>();
  /** Filled unseen before a day ended: taken over from the positions, without rows. */
  readonly #unseen = new Set<string>();

  /** Sessions with fills of another day of the broker, and that day: each side books the profit in its own. */
  readonly #late = new Set<string>();

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  /** The broker's own figures, by the tariff and not by its code. */
  atBroker({ orderNo, day, filledQty, filledValue, fee, tax }: OrderReport): void {
    const { costs } = this.#scene.world.config;
    const on = tradingDay(day);
    const each = rateOn(costs.brokerFee, on) + rateOn(costs.exchangeFee, on) + rateOn(costs.clearingFee, on);
    const rate = BigInt(rateOn(costs.taxPpm, on)) * BigInt(rateOn(costs.marginBps, on));
    const whole = 2n * MILLION * 10_000n;
    const exact = BigInt(filledValue) * rate;
    const due = Number((2n * exact + whole) / (2n * whole));
    if (fee === each * filledQty && tax === due && BigInt(filledValue) % TICK_VND === 0n) return;
    this.#scene.violated(
      `order ${orderNo} was charged ${fee} and ${tax}, not ${each * filledQty} and ${due}`,
    );
  }

  row(row: CommittedRow): void {
    const { entry } = row;
    switch (
      entry.kind // oxlint-disable-line typescript/switch-exhaustiveness-check -- the others say nothing of it
    ) {
      case 'fill':
      case 'fill_correction':
        return this.#fill(entry, row.session);
      case 'order_adopted':
        if (entry.order.orderKey !== null) this.#owns(entry.order.orderKey, entry.clientOrderId);
        return;
      case 'order_waiting':
        return this.#owns(entry.row.orderKey, entry.clientOrderId);
      case 'order_status':
        return this.#status(entry);
      case 'alert':
        if (entry.code === 'fill_unseen') this.#unseen.add(entry.text.split(' ', 1)[0] ?? '');
        return;
      default:
    }
  }

  #owns(key: string, id: string): void {
    const { orders } = this.#scene.journal;
    const before = this.#ids.get(key);
    this.#ids.set(key, id);
    if (before === undefined || before === id) return;
    const [earlier, now] = [orders.get(before), orders.get(id)];
    // An exit that was over in the session before is shown in this one too, as its bracket's.
    const isOver = earlier !== undefined && TERMINAL_STATUSES.has(earlier.status);
    const isSame = earlier?.owner === now?.owner && earlier?.parent === now?.parent;
    if (!isOver || !isSame) this.#scene.violated(`the broker's ${key} has two owners: ${before} and ${id}`);
  }

  hasLate(session: string): boolean {
    return this.#late.has(session);
  }

  #fill(fill: Body<'fill' | 'fill_correction'>, session: string): void {
    const { journal, violated } = this.#scene;
    const order = journal.orders.get(fill.clientOrderId);
    const there = order === undefined ? undefined : this.#there(order);
    if (order === undefined || there === undefined)
      return violated(`${fill.clientOrderId} has filled here, and the broker has no such order`);
    const { report, states } = there;
    if (report.day !== session) this.#late.add(session).add(report.day);
    this.#owns(report.orderKey, order.id);
    if (fill.side !== report.side) violated(`${order.id} filled as a ${fill.side}, and is a ${report.side}`);
    if (order.filledQty > report.filledQty)
      violated(`${order.id} has filled ${order.filledQty} here and ${report.filledQty} at the broker`);
    if (this.#unseen.has(order.id)) return;
    if (fill.kind === 'fill' && fill.cumQty !== order.filledQty)
      violated(`${order.id} has filled ${fill.cumQty}, by its rows ${order.filledQty}`);
    const state = states.get(order.filledQty);
    if (state === undefined) return;
    if (order.fee !== state.fee)
      violated(`${order.id} paid a fee of ${order.fee}, ${state.fee} at the broker`);
    // A row that has lost contracts shows the average of all of them: the money is looked at once they are there again.
    const isShrinking = this.#scene.world.plan.network.answers.shrunk > 0;
    if (fill.quality === 'estimated' || (isShrinking && order.filledQty < report.filledQty)) return;
    if (order.tax !== state.tax)
      violated(`${order.id} paid a tax of ${order.tax}, ${state.tax} at the broker`);
    if (order.filledValue !== state.value)
      violated(`${order.id} filled for ${order.filledValue}, for ${state.value} at the broker`);
  }

  #there(order: JournaledOrder): BrokerOrderTruth | undefined {
    const { truth } = this.#scene;
    const key = order.adopted?.orderKey ?? null;
    if (key !== null) return truth.orders.get(key);
    return truth.named(order.id) ?? this.#nameless(order);
  }

  /** A row without a reference that agrees with an order of unknown fate in every term is taken for it. */
  #nameless({ place, numbered, waitingKey }: JournaledOrder): BrokerOrderTruth | undefined {
    // Numbers of the trigger book are its own.
    if (place === null || numbered === null || waitingKey !== null) return undefined;
    const there = this.#scene.truth.order(numbered.session, numbered.orderNo);
    if (there === undefined || there.report.refId !== null) return undefined;
    const { side, qty, orderCode, limitPrice } = place.terms;
    const { report } = there;
    const isAlike =
      report.side === side &&
      report.qty === qty &&
      report.orderCode === orderCode &&
      report.limitPrice === limitPrice;
    return isAlike ? there : undefined;
  }

  #status({ clientOrderId: id, from, to, event }: Body<'order_status'>): void {
    const { truth, journal, violated, isResolved } = this.#scene;
    const order = journal.orders.get(id);
    if (order === undefined || isResolved(id)) return;
    const there = this.#there(order);
    // Of two that are alike the journal may have taken the other one's row.
    const trigger = truth.triggers.get(order.waitingKey ?? '') ?? truth.triggerNamed(id);
    const isOpen =
      trigger === undefined
        ? there !== undefined && isOpenAtBroker(there.report)
        : trigger.status === 'pending';
    // Letters of an end on a row that nobody can cancel: there is nothing else to believe until a row shows it working again.
    const isLie = event === 'seen_canceled' && this.#scene.world.plan.mishaps.has('contradict_status');
    if (SEEN_ENDS.has(to) && isOpen && !isLie)
      violated(`${id} ended here as ${to} by ${event} and is open at the broker`);
    const isKnown = there !== undefined || trigger !== undefined;
    if (!this.#scene.isTruthful || !isKnown || isOpen || !TERMINAL_STATUSES.has(from)) return;
    // A stop that triggered is over once it has sent its order.
    if (!TERMINAL_STATUSES.has(to) && to !== 'triggering' && from !== 'expired_unproven')
      violated(`${id} was ${from} and is ${to} again by ${event}, and is over at the broker`);
  }

  /** Why what was booked is not what the broker booked, or null; at rest. */
  difference(view: EngineSnapshot): string | null {
    return this.#orderDifference() ?? this.#foldDifference(view);
  }

  #orderDifference(): string | null {
    const { journal, truth } = this.#scene;
    for (const order of journal.orders.values()) {
      const there = this.#there(order);
      const isUnseen = this.#unseen.has(order.id) || order.status === 'expired_unproven';
      if (there === undefined || isUnseen || truth.triggerNamed(order.id) !== undefined) continue;
      // Its day ended while nobody looked: positions alone show it.
      if (there.report.day !== truth.day && !SEEN_ENDS.has(order.status)) continue;
      const { filledQty, filledValue, fee, tax } = there.report;
      const here = [order.filledQty, order.filledValue, order.fee, order.tax].join(' ');
      const broker = [filledQty, filledValue, fee, tax].join(' ');
      if (here !== broker)
        return `${order.id}: quantity, value, fee and tax ${here} here, ${broker} at the broker`;
    }
    return null;
  }

  /** Positions and costs of the view are the sums of the session's rows: no profit comes from nowhere. */
  #foldDifference({ strategies, tradingDay: day }: EngineSnapshot): string | null {
    if (day === null) return null;
    const { journal } = this.#scene;
    const begins = journal.inputs(day, 'session_started').at(-1)?.seq ?? 0;
    const sums = new Map<string, { paid: number; qty: number }>();
    const costs = new Map<string, { fee: number; tax: number }>();
    for (const { owner, entry } of journal.moneyRows(day, begins))
      fold(owner ?? OPERATOR, entry, sums, costs);
    for (const { id, fee, tax, positions } of strategies) {
      const paid = costs.get(id) ?? { fee: 0, tax: 0 };
      if (fee !== paid.fee || tax !== paid.tax)
        return `${id}: fee ${fee} and tax ${tax}, by its rows ${paid.fee} and ${paid.tax}`;
      for (const { instrument, qty, realised, openValue } of positions) {
        const key = `${id} ${instrument}`;
        const sum = sums.get(key) ?? { paid: 0, qty: 0 };
        sums.delete(key);
        const gained = realised - Math.sign(qty) * openValue;
        if (qty !== sum.qty || gained !== 0 - sum.paid)
          return `${key}: holds ${qty} and gained ${gained}, by its rows ${sum.qty} and ${0 - sum.paid}`;
      }
    }
    const left = [...sums].find(([, { qty, paid }]) => qty !== 0 || paid !== 0);
    return left === undefined
      ? null
      : `${left[0]} is not in the view: ${JSON.stringify(left[1])} by its rows`;
  }
}

/** Money paid for what was bought, less what was sold for, by owner and contract. */
function fold(
  owner: string,
  entry: CommittedRow['entry'],
  sums: Map<string, { paid: number; qty: number }>,
  costs: Map<string, { fee: number; tax: number }>,
): void {
  const charge = (whose: string, fee: number, tax: number): void => {
    const paid = costs.get(whose) ?? { fee: 0, tax: 0 };
    costs.set(whose, { fee: paid.fee + fee, tax: paid.tax + tax });
  };
  const add = (instrument: number, qty: number, paid: number): void => {
    const key = `${owner} ${instrument}`;
    const sum = sums.get(key) ?? { paid: 0, qty: 0 };
    sums.set(key, { paid: sum.paid + paid, qty: sum.qty + qty });
  };
  switch (
    entry.kind // oxlint-disable-line typescript/switch-exhaustiveness-check -- the others say nothing of it
  ) {
    case 'fill':
      charge(owner, entry.fee, entry.tax);
      return add(entry.instrument, signOf(entry.side) * entry.qty, signOf(entry.side) * entry.value);
    case 'fill_correction':
      charge(owner, 0, entry.tax);
      return add(entry.instrument, 0, signOf(entry.side) * entry.value);
    case 'position_event':
      return add(entry.instrument, entry.qty, Math.sign(entry.qty) * entry.value);
    case 'money_checked':
      if (entry.verdict !== 'accepted' && entry.verdict !== 'moved') return;
      for (const { what, ours, broker } of entry.figures) {
        if (what === 'fee') charge(OPERATOR, broker - ours, 0);
        if (what === 'tax') charge(OPERATOR, 0, broker - ours);
      }
      return;
    default:
  }
}
