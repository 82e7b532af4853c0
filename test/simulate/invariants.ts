/** Holds the daemon to its promises while it runs: from what leaves it, what reaches the broker, and what it journals. */
import { readFileSync } from 'node:fs';
import { Database } from '../../src/sqlite/database.ts';
import type { EngineView, OpenOrderEntry } from '../../src/engine/engine-snapshot.ts';
import type { JournalEntry } from '../../src/engine/ports/journal-entry.ts';
import type { OrderReport, TriggerReport, VenueEvent } from '../../src/venue/venue-event.ts';
import type { Request } from './network.ts';
import type { World } from './world.ts';

/** Alerts that no fault of the world excuses. */
const NEVER_ALERTED: ReadonlySet<string> = new Set([
  'replay_diverged',
  'system_diverged',
  'engine_lost',
  'duplicate_order',
]);

const WORKING: ReadonlySet<string> = new Set([
  'accepted',
  'partially_filled',
  'pending_trigger',
  'triggered',
]);
const OPEN_AT_EXCHANGE: ReadonlySet<OrderReport['status']> = new Set<OrderReport['status']>([
  'queued',
  'resting',
  'modify_pending',
  'modified',
  'cancel_pending',
  'matched',
  'matched_cancel_pending',
]);

export class Invariants {
  readonly violations: string[] = [];
  readonly #world: World;
  readonly #arrivals = new Map<string, number>();
  readonly #orders = new Map<string, OrderReport>();
  readonly #triggers = new Map<string, TriggerReport>();
  readonly #cancelsSent = new Set<string>();
  /** Net by order code, from fills. */
  readonly #net = new Map<string, number>();
  #journal: Database | undefined = undefined;
  #commits = 0;
  #isForeign = false;
  #isFailing = false;
  #isReplaying = false;
  readonly #underWay = new Set<string>();

  constructor(world: World) {
    this.#world = world;
  }

  get isForeign(): boolean {
    return this.#isForeign;
  }

  get hasFailed(): boolean {
    return this.violations.length > 0;
  }

  violated(text: string): void {
    this.#world.trace.say('INVARIANT', text);
    this.violations.push(text);
  }

  /** Positions and orders that are not ours: limits of risk no longer bind the account. */
  foreign(orderCode: string, net: number): void {
    this.#isForeign = true;
    this.#net.set(orderCode, (this.#net.get(orderCode) ?? 0) + net);
  }

  /** A long run keeps what still works, no more. */
  forgetFinished(): void {
    for (const [id, order] of this.#orders) if (!isOpen(order)) this.#orders.delete(id);
    for (const [id, { status }] of this.#triggers) if (status !== 'pending') this.#triggers.delete(id);
    this.#arrivals.clear();
    this.#cancelsSent.clear();
  }

  netOf(orderCode: string): number {
    return this.#net.get(orderCode) ?? 0;
  }

  get net(): ReadonlyMap<string, number> {
    return this.#net;
  }

  openAtBroker(): readonly OrderReport[] {
    return [...this.#orders.values()].filter(isOpen);
  }

  waitingAtBroker(): readonly TriggerReport[] {
    return [...this.#triggers.values()].filter(({ status }) => status === 'pending');
  }

  isAtBroker(refId: string): boolean {
    return [...this.#orders.values(), ...this.#triggers.values()].some((row) => row.refId === refId);
  }

  starting(): void {
    const world = this.#world;
    this.#commits = 0;
    this.#isReplaying = true;
    if (this.openAtBroker().some(({ refId, filledQty }) => refId !== null && filledQty > 0))
      world.saw('a partly filled order over a restart');
    if (this.waitingAtBroker().some(({ refId }) => refId !== null))
      world.saw('a waiting stop over a restart');
  }

  dying(where: string): void {
    const world = this.#world;
    if (where === 'before a commit') world.saw('a crash before a commit');
    if (where === 'after a commit') world.saw('a crash between commit and send');
    if (this.#underWay.size > 0) world.saw('a crash while a call is under way');
    if (this.#commits === 0 && world.starts > 1) world.saw('a second crash before the first commit');
    if (this.#isReplaying && world.starts > 1) world.saw('a crash while the past is replayed');
    this.#underWay.clear();
  }

  stopped(): void {
    this.#world.saw('a clean stop and start');
  }

  ended(reason: string): void {
    if (/ENOSPC|SQLITE_FULL|full/.test(reason)) return;
    this.violated(`the daemon ended by itself: ${reason}`);
  }

  /** The first byte of a call is about to leave. */
  sending({ operation, refId, isMove }: Request): void {
    if (!isMove) return;
    const { daemon } = this.#world;
    if (refId !== null && refId !== '') this.#underWay.add(refId);
    if (operation !== 'place' && operation !== 'condition-place') return;
    if (refId === null) return this.violated('a place without an id left');
    const placed = this.#placeOf(refId);
    if (placed === undefined) {
      if (readFileSync(this.#world.paths.emergency, 'utf8').includes(refId))
        return this.#world.saw('an exit is sent on the emergency file');
      return this.violated(`${refId} left before its row was committed`);
    }
    if (placed !== 'entry') return;
    const reason = daemon?.halt.reason ?? this.#committedHalt();
    if (reason !== null) this.violated(`${refId} is an entry and left during the halt: ${reason}`);
  }

  arrived({ operation, refId }: Request): void {
    if (operation !== 'place' && operation !== 'condition-place') return;
    const id = refId ?? '';
    const times = (this.#arrivals.get(id) ?? 0) + 1;
    this.#arrivals.set(id, times);
    if (times > 1) this.violated(`${id} reached the broker ${times} times`);
  }

  entry(entry: JournalEntry): void {
    const { trace } = this.#world;
    trace.say('journal', textOf(entry));
    this.#commits += 1;
    this.#isReplaying = false;
    switch (entry.kind) {
      case 'alert':
        if (NEVER_ALERTED.has(entry.code)) this.violated(`${entry.code}: ${entry.text}`);
        return;
      case 'strategy_fault':
        return this.violated(`strategy fault in ${entry.where}: ${entry.message}`);
      case 'order_status':
        return this.#status(entry);
      case 'outcome':
        this.#underWay.delete(entry.clientOrderId);
        if (entry.outcome.status === 'rejected') this.#world.saw('the broker rejects a call');
        if (entry.outcome.status === 'not_sent') this.#world.saw('a call never leaves');
        return;
      case 'denied':
        return this.#world.saw('an entry is denied');
      case 'order_adopted':
        if (entry.parent === undefined) this.#world.saw('a foreign order is adopted');
        return;
      case 'position_mismatch':
        return this.#world.saw('a position mismatch is proven');
      case 'place':
      case 'modify':
        if (entry.isLost) this.#world.saw('a tail is cut off and decided again');
        return;
      case 'cancel':
        if (entry.isLost) this.#world.saw('a tail is cut off and decided again');
        this.#cancelsSent.add(entry.cancel.clientOrderId);
        return;
      case 'fill':
        if (this.#cancelsSent.has(entry.clientOrderId))
          this.#world.saw('an order fills after its cancel was sent');
        return;
      case 'halt':
        if (entry.halted && this.#underWay.size > 0) this.#world.saw('a halt while an order is under way');
        return;
      case 'proposal':
      case 'fill_correction':
      case 'position_event':
      case 'order_waiting':
      case 'position_agreed':
      case 'phase':
      case 'gap':
      case 'command':
      case 'strategy_started':
      case 'strategy_stopped':
      case 'strategy_note':
      case 'strategy_changed':
      case 'equity_peak':
      case 'stop_ready':
    }
  }

  venue(event: VenueEvent): void {
    const world = this.#world;
    if (event.kind === 'order') {
      const { order } = event;
      world.trace.say(
        'broker',
        `order ${order.orderNo} ${order.refId ?? order.origin} ${order.side} ${order.filledQty}/${order.qty} at ${order.limitPrice}: ${order.status} ${order.reason}`,
      );
      this.#orders.set(order.orderNo, order);
      if (order.refId !== null && order.qty > world.plan.orderQtyMax)
        this.violated(`${order.refId} has ${order.qty} contracts, more than ${world.plan.orderQtyMax}`);
      this.#checkExposure(order.orderCode);
    } else if (event.kind === 'trigger') {
      const { trigger } = event;
      const before = this.#triggers.get(trigger.orderKey);
      this.#triggers.set(trigger.orderKey, trigger);
      world.trace.say(
        'broker',
        `${trigger.kind} ${trigger.orderKey} ${trigger.refId ?? ''} ${trigger.side} ${trigger.qty}: ${trigger.status} ${trigger.reason}`,
      );
      if (trigger.kind === 'exit') world.saw('a bracket brings its exits');
      if (trigger.status !== 'activated' || before?.status === 'activated') return;
      if (trigger.kind === 'trailing_stop') world.saw('a trailing stop triggers');
      if (world.daemon?.edge.stream.status().state !== 'live')
        world.saw('a stop triggers while disconnected');
    } else if (event.kind === 'fill') {
      const sign = event.side === 'buy' ? 1 : -1;
      world.trace.say('broker', `fill ${event.orderNo} ${event.side} ${event.qty}`);
      this.#net.set(event.orderCode, (this.#net.get(event.orderCode) ?? 0) + sign * event.qty);
      if (!world.isUp) world.saw('a fill while the daemon is down');
    }
  }

  afterEvent(): void {
    const world = this.#world;
    const isFailing = world.disk.isFull;
    if (isFailing && !this.#isFailing) world.saw('the journal fails');
    if (!isFailing && this.#isFailing) world.saw('the journal recovers');
    this.#isFailing = isFailing;
  }

  /** Why the daemon is not at rest and at one with the broker, or null. */
  unsettled(view: EngineView): string | null {
    const world = this.#world;
    const state = world.daemon?.edge.stream.status().state;
    if (state !== 'live') return `the stream is ${state ?? 'not there'}`;
    if (view.unproven !== null) return `unproven: ${view.unproven}`;
    if (view.procedure !== '' && !view.procedure.includes('given_up')) return `under way: ${view.procedure}`;
    const odd = view.orders.find(({ status }) => !WORKING.has(status));
    if (odd !== undefined) return `${odd.clientOrderId} is ${odd.status}`;
    return this.#orderDifference(view.orders) ?? this.#positionDifference(view);
  }

  #orderDifference(orders: readonly OpenOrderEntry[]): string | null {
    const ours = new Set(
      orders
        .filter(({ status }) => status === 'accepted' || status === 'partially_filled')
        .map(({ orderNo }) => String(orderNo)),
    );
    for (const { orderNo, refId } of this.openAtBroker()) {
      if (!ours.has(orderNo))
        return `order ${orderNo} (${refId ?? 'without an id'}) works at the broker alone`;
      ours.delete(orderNo);
    }
    const [first] = ours;
    return first === undefined ? null : `order ${first} works here alone`;
  }

  #positionDifference({ strategies }: EngineView): string | null {
    const ours = new Map<string, number>();
    for (const { orderCode, qty } of strategies.flatMap(({ positions }) => positions))
      ours.set(orderCode, (ours.get(orderCode) ?? 0) + qty);
    for (const code of new Set([...ours.keys(), ...this.#net.keys()])) {
      const [here, there] = [ours.get(code) ?? 0, this.netOf(code)];
      if (here !== there) return `${code}: ${here} here, ${there} at the broker`;
    }
    return null;
  }

  close(): void {
    this.#journal?.close();
  }

  #status({ clientOrderId, from, to }: Extract<JournalEntry, { readonly kind: 'order_status' }>): void {
    const world = this.#world;
    if (to === 'not_sent' && this.isAtBroker(clientOrderId))
      this.violated(`${clientOrderId} is at the broker and ended as not sent`);
    if (to === 'presumed_absent') world.saw('an unknown order is proven absent');
    else if (from === 'unknown' && to !== 'unknown') world.saw('an unknown order is resolved by look-up');
    if (to !== 'submitted') this.#underWay.delete(clientOrderId);
  }

  #checkExposure(code: string): void {
    if (this.#isForeign) return;
    const { accountPositionMax } = this.#world.plan;
    const net = this.netOf(code);
    let [bought, sold] = [0, 0];
    for (const { orderCode, side, qty, filledQty } of this.openAtBroker()) {
      if (orderCode !== code) continue;
      if (side === 'buy') bought += qty - filledQty;
      else sold += qty - filledQty;
    }
    if (net + bought > accountPositionMax || net - sold < -accountPositionMax) {
      this.violated(`${code}: ${net} held, ${bought} bid, ${sold} offered: more than ${accountPositionMax}`);
    }
  }

  /** Purpose of a placed order as committed; undefined when no row is. */
  #placeOf(id: string): string | undefined {
    const row = this.#read(
      "SELECT body FROM entries WHERE client_order_id = ? AND kind = 'place' AND body NOT LIKE '%\"isLost\":true%'",
      id,
    );
    return row === undefined ? undefined : /"purpose":"(\w+)"/.exec(row)?.[1];
  }

  #committedHalt(): string | null {
    const row = this.#read(
      "SELECT body FROM entries WHERE kind = 'halt' AND strategy IS NULL AND ? = ? ORDER BY id DESC LIMIT 1",
      1,
      1,
    );
    return row !== undefined && /"halted":true/.test(row) ? row : null;
  }

  #read(sql: string, ...given: (string | number)[]): string | undefined {
    this.#journal ??= new Database(this.#world.paths.journal, { readonly: true });
    return this.#journal.prepare<(string | number)[], { body: string }>(sql).get(...given)?.body;
  }
}

const isOpen = ({ status, filledQty, qty }: OrderReport): boolean =>
  OPEN_AT_EXCHANGE.has(status) && filledQty < qty;

function textOf(entry: JournalEntry): string {
  const { cause, tsUs: _, strategy, kind, ...rest } = entry;
  return `${kind} [${cause}${strategy === null ? '' : `, ${strategy}`}] ${JSON.stringify(rest).slice(0, 400)}`;
}
