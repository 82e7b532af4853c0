/** Calls that leave are committed before, leave once, say what their rows say, and leave no entry in a halt. */
import type { ModifyToSend, OrderToSend } from '../../src/engine/ports/approved.ts';
import type { OrderReport, TriggerReport } from '../../src/venue/venue-event.ts';
import { exitPrices } from '../../src/venue/venue-command.ts';
import type { Request } from './network.ts';
import { isOpenAtBroker } from './broker-truth.ts';
import type { Scene } from './scene.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Ticks a point. */
const TICKS = 10;
const ticksOf = (points: unknown): number => Math.round(Number(points) * TICKS);
const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

export class CallChecks {
  readonly #scene: Scene;
  readonly #arrivals = new Map<string, number>();
  readonly #seen = new Set<string>();
  /** Ids of entries and enlarging changes that left and have not arrived, and when they left. */
  readonly #flying = new Map<string, number>();

  /** A cancel of the kill path leaves. */
  onKill: ((name: string) => void) | undefined = undefined;

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  /** Entries between the daemon's socket and the broker; the change of an order that is over there can do nothing. */
  get entriesInFlight(): readonly string[] {
    const { world, journal, truth } = this.#scene;
    const { livedUs } = world.time;
    // A broker that dies takes what was on its way with it.
    for (const [id, sinceUs] of this.#flying) if (livedUs - sinceUs > FLIGHT_US_MAX) this.#flying.delete(id);
    return [...this.#flying.keys()].filter((id) => {
      const order = truth.named(journal.modifies.get(id)?.clientOrderId ?? '');
      return order === undefined || isOpenAtBroker(order.report);
    });
  }

  /** The first byte is about to leave. */
  sending(request: Request): void {
    const { operation, refId } = request;
    const fields = (request.body ?? {}) as Fields; // oxlint-disable-line typescript/no-unsafe-type-assertion -- a body that was parsed as an object
    switch (
      operation // oxlint-disable-line typescript/switch-exhaustiveness-check -- reads move nothing
    ) {
      case 'place':
      case 'condition-place':
        return this.#placing(refId);
      case 'change':
      case 'condition-change':
        return this.#changing(refId ?? '', fields);
      case 'cancel':
        return this.#canceling(refId, fields);
      case 'condition-cancel':
        return this.#cancelingTrigger(fields);
      default:
    }
  }

  #placing(refId: string | null): void {
    const { journal, violated } = this.#scene;
    if (refId === null) return violated('a place without an id left');
    const place = journal.orders.get(refId)?.place;
    if (place === null || place === undefined || place.isLost) {
      if (this.#isOnEmergencyFile(refId)) return this.#leavesUnjournaled();
      return violated(`${refId} left before its row was committed`);
    }
    if (place.terms.purpose === 'entry') this.#leaves(refId);
  }

  #leavesUnjournaled(): void {
    const { world } = this.#scene;
    world.saw('an exit is sent on the emergency file');
    if (world.plan.diesOnEmergency && world.draws.chance(0.5))
      world.after(world.draws.between(0, 2), () => world.kill('with an exit on the emergency file'));
  }

  #leaves(id: string): void {
    const { journal, violated, world } = this.#scene;
    this.#flying.set(id, world.time.livedUs);
    const reason = world.daemon?.halt.reason ?? journal.halted;
    if (reason !== null) violated(`${id} is an entry and left during the halt: ${reason}`);
  }

  #changing(callId: string, fields: Fields): void {
    const { journal, violated, world } = this.#scene;
    const modify = journal.modifies.get(callId);
    if (modify === undefined) {
      if (this.#isOnEmergencyFile(callId)) return world.saw('an exit is sent on the emergency file');
      return violated(`change ${callId} left before its row was committed`);
    }
    if (modify.purpose === 'entry') this.#leaves(callId);
    const asked = askedOf(modify);
    const sent =
      modify.orderKey === null
        ? [textOf(fields['orderNo']), Number(fields['nvol']), ticksOf(fields['nprice'])]
        : [textOf(fields['pkOrderNo']), ticksOf(fields['soPrice'])];
    if (sent.join(' ') !== asked.join(' '))
      violated(`change ${callId} says ${sent.join(' ')}, its row ${asked.join(' ')}`);
    if (modify.orderKey === null) this.#namesTheOrder(modify.clientOrderId, modify.orderNo);
  }

  /** A number names another order on another day of the broker: only within one day of both it has to be the right one. */
  #namesTheOrder(id: string, orderNo: string): void {
    const { journal, truth, violated, world } = this.#scene;
    if (world.daemon?.sessionDay !== truth.day) return;
    const there = truth.order(truth.day, orderNo)?.report;
    const key = journal.orders.get(id)?.adopted?.orderKey;
    const isThat = there !== undefined && (key === undefined ? there.refId === id : there.orderKey === key);
    if (there !== undefined && !isThat)
      violated(`a call on ${id} names ${orderNo}, which is ${there.refId ?? there.orderKey} at the broker`);
  }

  #canceling(callId: string | null, fields: Fields): void {
    const { journal, violated } = this.#scene;
    const orderNo = textOf(fields['orderNo']);
    if (callId === null || callId === '') return this.#isKilling(orderNo);
    const cancel = journal.cancels.get(callId);
    if (cancel === undefined) {
      if (!this.#isOnEmergencyFile(callId) && !this.#isDiskRefusing)
        violated(`cancel ${callId} left before its row was committed`);
      return;
    }
    if (cancel.orderNo !== orderNo) violated(`cancel ${callId} names ${orderNo}, its row ${cancel.orderNo}`);
    this.#namesTheOrder(cancel.clientOrderId, orderNo);
  }

  /** The book of orders that wait knows no id of a call. */
  #cancelingTrigger(fields: Fields): void {
    const { journal } = this.#scene;
    const key = textOf(fields['orderNo']);
    for (const { orderKey } of journal.cancels.values()) if (orderKey === key) return;
    if (!this.#isDiskRefusing) this.#isKilling(key);
  }

  #isKilling(name: string): void {
    const { world, violated } = this.#scene;
    if (world.daemon?.halt.reason === null)
      violated(`a cancel of ${name} left without a row, and no halt holds`);
    this.onKill?.(name);
  }

  /** A cancel without a record can do no harm. */
  get #isDiskRefusing(): boolean {
    const { world } = this.#scene;
    return world.disk.isFull || world.daemon?.journal.isFailing === true;
  }

  #isOnEmergencyFile(id: string): boolean {
    return this.#scene.journal.emergencyLines().some((line) => line.includes(id));
  }

  arrived({ operation, refId, isMove }: Request): void {
    const { violated, world } = this.#scene;
    if (!isMove) return;
    if (world.plan.isDryRun) violated(`${operation} ${refId ?? ''} of a dry run reached the broker`);
    if (refId === null || refId === '') return;
    this.#flying.delete(refId);
    const times = (this.#arrivals.get(refId) ?? 0) + 1;
    this.#arrivals.set(refId, times);
    if (times > 1) violated(`${refId} reached the broker ${times} times`);
  }

  /** It never arrives. */
  lost({ refId }: Request): void {
    if (refId !== null) this.#flying.delete(refId);
  }

  /** Every order that bears an id of ours is in the journal with the terms that it has at the broker. */
  order(report: OrderReport): void {
    const terms = this.#termsOf(report.refId);
    if (terms === undefined) return;
    const { trigger } = terms;
    this.#isAsPlaced(terms, report);
    const exits = trigger?.kind === 'bracket' ? [trigger.stopLossPrice, trigger.takeProfitPrice] : [];
    const { bracket, side, limitPrice } = report;
    const there = bracket === null ? null : exitPrices(bracket, side, limitPrice);
    const theirs = there === null ? [] : [there.stopLoss, there.takeProfit];
    if (exits.join(' ') !== theirs.join(' '))
      this.#scene.violated(`${report.refId} has exits at ${theirs.join(' ')}, not ${exits.join(' ')}`);
  }

  trigger(report: TriggerReport): void {
    const terms = this.#termsOf(report.refId);
    if (terms === undefined) return;
    this.#isAsPlaced(terms, report);
    const { trigger } = terms;
    const { kind, triggerPrice, triggerWhen, trailing } = report;
    const asked =
      trigger?.kind === 'stop'
        ? ['stop', trigger.triggerPrice, trigger.triggerWhen]
        : trigger?.kind === 'trailing_stop'
          ? ['trailing_stop', trigger.activationPrice, trigger.trailingOffset]
          : [trigger?.kind];
    const there =
      trailing === null
        ? [kind, triggerPrice, triggerWhen]
        : [kind, trailing.activationPrice, trailing.offset];
    if (asked.join(' ') !== there.join(' '))
      this.#scene.violated(`${report.refId} is ${there.join(' ')} at the broker, its row ${asked.join(' ')}`);
  }

  /** At the first report of an order of ours. */
  #termsOf(refId: string | null): OrderToSend | undefined {
    if (refId === null || this.#seen.has(refId)) return undefined;
    this.#seen.add(refId);
    const { journal, violated } = this.#scene;
    const order = journal.orders.get(refId);
    const place = order?.place ?? null;
    if (place !== null && !place.isLost) return place.terms;
    if (!this.#isOnEmergencyFile(refId)) violated(`${refId} is at the broker, and no row of it is committed`);
    return undefined;
  }

  #isAsPlaced(terms: OrderToSend, report: OrderReport | TriggerReport): void {
    const asked = [terms.side, terms.qty, terms.orderCode, terms.limitPrice].join(' ');
    const there = [report.side, report.qty, report.orderCode, report.limitPrice].join(' ');
    if (asked !== there) this.#scene.violated(`${report.refId} is ${there} at the broker, its row ${asked}`);
  }

  forgetFinished(): void {
    this.#arrivals.clear();
    this.#seen.clear();
  }
}

/** Longer than any way to the broker. */
const FLIGHT_US_MAX = 10e6;

const askedOf = ({ orderKey, orderNo, qty, limitPrice, triggerPrice }: ModifyToSend) =>
  orderKey === null ? [orderNo, qty, limitPrice] : [orderKey, triggerPrice];
