/**
 * Orders in the broker's books that the journal does not know: adopted under the operator's name, alerted once, never fought
 * (rulings, 40). A call of the emergency record belongs to the strategy that sent it (rulings, 30); a child order to the
 * trigger order or bracket that brought it.
 */
import type { EngineView } from '../engine-view.ts';
import { type BrokerOrder, type BrokerTriggerOrder, mayWork } from '../../domain/broker-order.ts';
import type { Contract } from '../../domain/contract.ts';
import { type ClientOrderId, clientOrderId, type OrderCode } from '../../domain/ids.ts';
import {
  OPERATOR_INDEX,
  type PriceTicks,
  priceTicks,
  type StrategyIndex,
  type TsUs,
} from '../../domain/units.ts';
import type { OrderToSend } from '../ports/approved.ts';
import type { OrderOwner } from '../ports/engine-event.ts';
import { SECOND_DAEMON } from '../risk/entry-halt.ts';
import type { ClientOrderIds } from '../state/client-order-ids.ts';
import { ManagedOrder, NO_PRICE } from './managed-order.ts';

/** Whose an order is that the broker shows and no call of this journal placed. */
type Owner = Pick<
  ManagedOrder,
  'clientOrderId' | 'strategy' | 'purpose' | 'instrument' | 'isAdopted' | 'parent'
>;

export class Adoption {
  readonly #view: EngineView;
  readonly #ids: Pick<ClientOrderIds, 'mayMint' | 'strangerOf'>;
  readonly #unknownContracts = new Set<string>();
  readonly #senders = new Map<string, StrategyIndex>();
  /** Installations of daemons that are no part of this journal. */
  readonly #strangers = new Set<string>();
  /** Their calls, while the contract is not listed. */
  #sent: readonly OrderToSend[] = [];

  constructor(view: EngineView, ids: Pick<ClientOrderIds, 'mayMint' | 'strangerOf'>) {
    this.#view = view;
    this.#ids = ids;
  }

  /** A row of today names a contract that is not listed: our books lack its costs. */
  get hasUnlisted(): boolean {
    return this.#unknownContracts.size > 0;
  }

  /** Orders of the emergency record, for when the book shows them. */
  expect(owners: readonly OrderOwner[]): void {
    for (const { clientOrderId: id, strategy } of owners) this.#senders.set(id, strategy);
    this.#sent = owners.flatMap(({ order, strategy }) =>
      order === undefined ? [] : [{ ...order, strategy }],
    );
  }

  /** Orders of the emergency record whose contract is listed: calls without an answer, to be looked up, and until then exits that count. */
  takeSent(): readonly ManagedOrder[] {
    const taken: ManagedOrder[] = [];
    const unlisted: OrderToSend[] = [];
    for (const order of this.#sent) {
      const contract = this.#view.contracts.byOrderCode(order.orderCode);
      if (contract === undefined) unlisted.push(order);
      else if (this.#view.orders.get(order.clientOrderId) === undefined)
        taken.push(this.#addSent({ ...order, instrument: contract.index }));
    }
    this.#sent = unlisted;
    return taken;
  }

  #addSent(sent: OrderToSend): ManagedOrder {
    const { strategy } = sent;
    const order = new ManagedOrder(sent, this.#view.context.nowUs);
    this.#view.orders.add(order);
    const { context } = this.#view;
    context.append({ kind: 'place', ...context.head(strategy), order: sent, isLost: false });
    return order;
  }

  /**
   * Undefined when the row names a contract that is not listed: one alert, then it is left to the operator. The order has the same name in
   * every run: its own `refId`, else day and number. An unknown `refId` of our form comes from a lost journal or another process: an order
   * of ours may get the same one later.
   */
  adopt(row: BrokerOrder, readUs: TsUs): ManagedOrder | undefined {
    const contract = this.#contractOf(row, row.orderNo, 'order');
    if (contract === undefined) return undefined;
    const refId = this.#view.orders.get(row.refId) === undefined ? row.refId : null;
    const strategy = (refId === null ? undefined : this.#senders.get(refId)) ?? OPERATOR_INDEX;
    const isAdopted = strategy === OPERATOR_INDEX;
    const isNamed = refId !== null && (this.#senders.has(refId) || !this.#ids.mayMint(refId));
    const order = this.#addOrder(row, readUs, row.limitPrice ?? this.#priceNear(contract), {
      clientOrderId: isNamed ? refId : this.#dayName('A', row.orderNo),
      strategy,
      // The emergency record is for exits only.
      purpose: isAdopted ? 'entry' : 'reduce',
      instrument: contract.index,
      isAdopted,
      parent: null,
    });
    this.#alertAdopted(row, order);
    return order;
  }

  /** An order that one of our trigger orders sent. */
  adoptChild(row: BrokerOrder, sender: ManagedOrder, readUs: TsUs): ManagedOrder {
    const child = this.#addOrder(row, readUs, row.limitPrice ?? sender.limitPrice, {
      clientOrderId: this.#dayName('C', row.orderNo),
      strategy: sender.strategy,
      purpose: sender.purpose,
      instrument: sender.instrument,
      isAdopted: sender.isAdopted,
      parent: sender.clientOrderId,
    });
    // A trailing stop sends a stop, whichever way it was last shown to trigger.
    child.ownTrigger().when = sender.triggerState.kind === 'trailing_stop' ? null : sender.triggerWhen;
    // An exit lasts like the bracket that brought it.
    const bracket = this.#view.orders.get(sender.parent);
    child.isGtc = sender.isGtc || bracket?.isGtc === true;
    return child;
  }

  /** `bracket`: the row is one half of its exits. Undefined for a foreign row that has ended, and for a contract that is not listed. */
  adoptTrigger(row: BrokerTriggerOrder, bracket: ManagedOrder | null): ManagedOrder | undefined {
    if (bracket === null && !mayWork(row)) return undefined;
    const contract = this.#contractOf(row, row.orderKey, 'trigger order');
    if (contract === undefined) return undefined;
    const owner: Owner = {
      clientOrderId: this.#dayName(bracket === null ? 'W' : 'X', row.orderKey),
      strategy: bracket?.strategy ?? OPERATOR_INDEX,
      purpose: bracket === null ? 'entry' : 'reduce',
      instrument: contract.index,
      isAdopted: bracket === null,
      parent: bracket?.clientOrderId ?? null,
    };
    const order = this.#create(row, owner, row.limitPrice ?? row.triggerPrice ?? NO_PRICE, true);
    this.#view.life.addWaiting(order, row);
    if (bracket !== null) return order;
    const trigger = row.triggerPrice === null ? '' : ` at ${row.triggerPrice} ticks`;
    const text = `not ours: ${row.kind} ${row.side} ${row.qty} ${row.orderCode}${trigger} waits at the broker, no. ${row.orderNo}`;
    this.#view.context.alert(OPERATOR_INDEX, 'warning', 'trigger_adopted', text);
    return order;
  }

  #addOrder(row: BrokerOrder, readUs: TsUs, limitPrice: PriceTicks, owner: Owner): ManagedOrder {
    const order = this.#create(row, owner, limitPrice, false);
    order.become('accepted');
    this.#view.orders.add(order);
    order.refId = row.refId;
    order.orderKey = row.orderKey;
    // An order that is over takes no number from a working one.
    this.#view.orders.names.bind(order, row.orderNo, mayWork(row) ? readUs : -Infinity);
    const { clientOrderId: id, strategy, parent } = owner;
    const head = this.#view.context.head(strategy);
    this.#haltForStranger(row);
    if (parent === null)
      this.#view.context.append({ ...head, kind: 'order_adopted', clientOrderId: id, order: row });
    else this.#view.context.append({ ...head, kind: 'order_adopted', clientOrderId: id, order: row, parent });
    return order;
  }

  /** A daemon of ours placed it, and this journal knows nothing of it: entries wait for a person (rulings, 40). */
  #haltForStranger({ refId, orderNo }: BrokerOrder): void {
    if (refId === null || this.#senders.has(refId) || this.#view.orders.get(refId) !== undefined) return;
    const installation = this.#ids.strangerOf(refId);
    if (installation === null) return;
    const text = `${SECOND_DAEMON}, or this state directory was lost, copied or put back: order no. ${orderNo} was placed by a Tickwright (installation ${installation}) that is not of this journal`;
    const { reason } = this.#view.halt;
    this.#view.halt.halt(text, 'second_daemon');
    this.#view.entries.withdraw(null);
    if (this.#view.halt.reason === reason && !this.#strangers.has(installation))
      this.#view.context.alert(null, 'critical', 'second_daemon', text);
    this.#strangers.add(installation);
  }

  #create(
    { orderCode, side, qty }: BrokerOrder | BrokerTriggerOrder,
    owner: Owner,
    limitPrice: PriceTicks,
    isWaiting: boolean,
  ): ManagedOrder {
    const terms = { ...owner, orderCode, side, qty, limitPrice, trigger: null };
    const order = new ManagedOrder(terms, this.#view.context.nowUs, owner.parent, isWaiting);
    order.isAdopted = owner.isAdopted;
    if (owner.isAdopted) order.refId = null;
    return order;
  }

  #alertAdopted(row: BrokerOrder, order: ManagedOrder): void {
    const twin = this.#view.orders.get(row.refId);
    const what = `${row.side} ${row.qty} ${row.orderCode}, order no. ${row.orderNo}, ${row.filledQty} filled`;
    if (twin !== undefined && twin !== order) {
      const text = `the book shows ${what} with the refId of ${twin.clientOrderId}, which is another order`;
      return this.#view.context.alert(OPERATOR_INDEX, 'critical', 'duplicate_order', text);
    }
    if (!order.isAdopted) {
      const text = `sent when no row could be written: ${what}`;
      return this.#view.context.alert(order.strategy, 'warning', 'order_recovered', text);
    }
    const isForced = row.source === 'forced';
    const isOver = row.filledQty === 0 && !mayWork(row);
    const by = isForced ? 'the broker closed a position' : 'not ours';
    const severity = isForced ? 'critical' : isOver ? 'info' : 'warning';
    this.#view.context.alert(OPERATOR_INDEX, severity, 'order_adopted', `${by}: ${what}`);
  }

  /** The broker's day may begin before ours: a number may come twice. */
  #dayName(letter: string, name: string): ClientOrderId {
    const first = clientOrderId(`${letter}.${this.#view.session.tradingDay()}.${name}`);
    let free = first;
    for (let count = 2; this.#view.orders.get(free) !== undefined; count += 1)
      free = clientOrderId(`${first}.${count}`);
    return free;
  }

  /** An order without a price needs one until its fills show it. */
  #priceNear(contract: Contract): PriceTicks {
    const band = this.#view.market.band(contract.index);
    const reference = band === undefined ? 0 : Math.round(band.reference / contract.spec.hundredthsPerTick);
    return this.#view.market.lastPrice(contract.index) ?? priceTicks(reference);
  }

  #contractOf(
    row: { readonly orderCode: OrderCode; readonly orderNo: string },
    name: string,
    what: string,
  ): Contract | undefined {
    const contract = this.#view.contracts.byOrderCode(row.orderCode);
    const key = `${what} ${name}`;
    if (contract !== undefined || this.#unknownContracts.has(key)) return contract;
    this.#unknownContracts.add(key);
    const text = `${what} no. ${row.orderNo} is for ${row.orderCode}, which is not in the contract list`;
    this.#view.context.alert(OPERATOR_INDEX, 'critical', 'order_in_unknown_contract', text);
    return undefined;
  }
}
