/** Holds the daemon to its promises while it runs: from what leaves it, what reaches the broker, and what it journals. */
import { readFileSync } from 'node:fs';
import { tradingDayAt } from '../../src/domain/calendar.ts';
import { OPERATOR_INDEX, tsUs } from '../../src/domain/units.ts';
import { Database } from '../../src/sqlite/database.ts';
import type { EngineView, OpenOrderEntry } from '../../src/engine/engine-snapshot.ts';
import type { JournalEntry } from '../../src/engine/ports/journal-entry.ts';
import type { OrderReport, TriggerReport, VenueEvent } from '../../src/venue/venue-event.ts';
import type { Request } from './network.ts';
import { THROWN } from './random-trader.ts';
import type { World } from './world.ts';

/** Alerts that no fault of the world excuses. */
const NEVER_ALERTED: ReadonlySet<string> = new Set([
  'replay_diverged',
  'system_diverged',
  'engine_lost',
  'engine_gone',
  'duplicate_order',
  'second_daemon',
]);
/** Those that an engine excuses which somebody broke. */
const OF_A_LOST_ENGINE: ReadonlySet<string> = new Set(['engine_lost', 'engine_gone']);

/** Of a difference that several orders may explain. */
export const UNSEEN_ENDS = /the end of these was not seen/;

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

type Adopted = Extract<JournalEntry, { readonly kind: 'order_adopted' | 'order_waiting' }>;

export class Invariants {
  readonly violations: string[] = [];
  readonly #world: World;
  readonly #arrivals = new Map<string, number>();
  readonly #orders = new Map<string, OrderReport>();
  readonly #triggers = new Map<string, TriggerReport>();
  readonly #cancelsSent = new Set<string>();
  /** Strategy of each order that was placed, by its id. */
  readonly #owners = new Map<string, string>();
  #onEntryPlaced: (() => void) | undefined = undefined;
  readonly #fills: {
    readonly day: string;
    readonly orderNo: string;
    readonly code: string;
    readonly qty: number;
  }[] = [];
  /** Day of the last order with each number. */
  readonly #dayOf = new Map<string, string>();
  #day = '';
  readonly #expired = new Set<string>();
  #isBreaking = false;
  /** Alerts, as entries or as notes, and how many of them were there at the last `listen`. */
  readonly #alerts: string[] = [];
  #heard = 0;
  #heardAtToken = 0;
  /** Rows without a name that went to an order just like theirs. */
  readonly #swapped = new Set<string>();
  /** Strategies with an order of which nobody saw how its day ended: positions tell no owner of fills that set each other off. */
  readonly #unproven = new Set<string>();
  /** By owner and order code, from fills. */
  readonly #held = new Map<string, number>();
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

  /** Somebody breaks the engine. */
  breaking(): void {
    this.#isBreaking = true;
  }

  /** From now on alerts are counted anew. */
  listen(): void {
    this.#heard = this.#alerts.length;
  }

  /** Since the last token: why there is none is told once. */
  get isTokenMissed(): boolean {
    return this.#alerts.slice(this.#heardAtToken).some((text) => text.includes('token'));
  }

  get alerts(): readonly string[] {
    return this.#alerts.slice(this.#heard);
  }

  everAlerted(about: RegExp): boolean {
    return this.#alerts.some((text) => about.test(text));
  }

  /** Once, as the row of the next entry is appended: its call has not left. */
  onEntryPlaced(run: (() => void) | undefined): void {
    this.#onEntryPlaced = run;
  }

  /** Without a session there is only the screen to say it. */
  note(text: string): void {
    if (/^(warning|critical): |could not be read/.test(text)) this.#alerts.push(text);
    if (text.startsWith('token from exchange')) this.#heardAtToken = this.#alerts.length;
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
    this.#fills.length = 0;
    this.#owners.clear();
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

  /** In the books as they are read: they show what is over until the day ends. */
  #isInBooks(refId: string): boolean {
    const today = tradingDayAt(this.#world.config.calendar, tsUs(this.#world.time.nowUs));
    const todays = [...this.#orders.values(), ...this.#triggers.values()].filter(({ day }) => day === today);
    const rows = [...todays, ...this.openAtBroker(), ...this.waitingAtBroker()];
    return rows.some((row) => row.refId === refId && !this.#swapped.has(row.orderKey));
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
    this.#alerts.push(`critical: the process ended: ${reason}`);
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

  arrived({ operation, refId, isMove }: Request): void {
    if (isMove && this.#world.plan.isDryRun)
      this.violated(`${operation} ${refId ?? ''} of a dry run reached the broker`);
    if (operation !== 'place' && operation !== 'condition-place') return;
    const id = refId ?? '';
    const times = (this.#arrivals.get(id) ?? 0) + 1;
    this.#arrivals.set(id, times);
    if (times > 1) this.violated(`${id} reached the broker ${times} times`);
  }

  entry(entry: JournalEntry): void {
    const { trace } = this.#world;
    trace.journaled(entry);
    this.#commits += 1;
    this.#isReplaying = false;
    switch (entry.kind) {
      case 'alert':
        return this.#alert(entry);
      case 'strategy_fault':
        if (!entry.message.includes(THROWN))
          return this.violated(`strategy fault in ${entry.where}: ${entry.message}`);
        return this.#world.saw('a strategy throws and is stopped');
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
        if (entry.parent !== undefined) return;
        this.#checkForeign(entry, this.#orders.get(`${this.#day} ${entry.order.orderNo}`));
        return this.#world.saw('a foreign order is adopted');
      case 'order_waiting':
        if (entry.parent !== null) return;
        return this.#checkForeign(
          entry,
          [...this.#triggers.values()].find(({ orderKey }) => orderKey === entry.row.orderKey),
        );
      case 'position_mismatch':
        return this.#world.saw('a position mismatch is proven');
      case 'place':
        if (entry.strategy !== null)
          this.#owners.set(entry.order.clientOrderId, this.#nameOf(entry.strategy));
        if (entry.isLost) this.#world.saw('a tail is cut off and decided again');
        else if (entry.order.purpose === 'entry') {
          this.#onEntryPlaced?.();
          this.#onEntryPlaced = undefined;
        }
        return;
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
      case 'strategy_changed':
        if (entry.from !== null && (entry.heldQty !== 0 || entry.openOrders > 0))
          this.#world.saw('an edited strategy goes on');
        return;
      case 'policy_acted':
        return this.#world.saw('a failure is answered by its policy');
      case 'position_event':
        // Days without the daemon hide which of several orders has filled: a person took the difference over.
        if (isTakenOver(entry.event) && this.everAlerted(UNSEEN_ENDS)) this.#isForeign = true;
        return;
      case 'proposal':
      case 'fill_correction':
      case 'position_agreed':
      case 'phase':
      case 'gap':
      case 'command':
      case 'remote_command':
      case 'strategy_started':
      case 'strategy_stopped':
      case 'strategy_note':
      case 'equity_peak':
      case 'money_checked':
      case 'stop_ready':
    }
  }

  /** An order with an id of ours at the broker is a strategy's. */
  #checkForeign({ strategy, clientOrderId }: Adopted, there: OrderReport | TriggerReport | undefined): void {
    const refId = there?.refId ?? null;
    if (there !== undefined && refId !== clientOrderId) this.#swapped.add(there.orderKey);
    if (strategy === OPERATOR_INDEX && refId !== null)
      this.violated(
        `${refId} of ${this.#strategyOf(refId)} was taken for an order of the operator: ${clientOrderId}`,
      );
  }

  venue(event: VenueEvent): void {
    const world = this.#world;
    if (event.kind === 'order') {
      const { order } = event;
      world.trace.say(
        'broker',
        `order ${order.orderNo} ${order.refId ?? order.origin} ${order.side} ${order.filledQty}/${order.qty} at ${order.limitPrice}: ${order.status} ${order.reason}`,
      );
      this.#orders.set(`${order.day} ${order.orderNo}`, order);
      this.#dayOf.set(order.orderNo, order.day);
      if (order.origin === 'forced') world.saw('the broker closes a position by force');
      if (order.refId !== null && order.qty > world.plan.orderQtyMax)
        this.violated(`${order.refId} has ${order.qty} contracts, more than ${world.plan.orderQtyMax}`);
      this.#checkExposure(order);
    } else if (event.kind === 'trigger') {
      const { trigger } = event;
      const key = `${trigger.placedUs} ${trigger.orderKey}`;
      const before = this.#triggers.get(key);
      this.#triggers.set(key, trigger);
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
      const day = this.#dayOf.get(event.orderNo) ?? '';
      const qty = sign * event.qty;
      this.#fills.push({ day, orderNo: event.orderNo, code: event.orderCode, qty });
      const key = `${this.#ownerOf(day, event.orderNo)} ${event.orderCode}`;
      this.#held.set(key, (this.#held.get(key) ?? 0) + qty);
      if (!world.isUp) world.saw('a fill while the daemon is down');
    } else if (event.kind === 'contract_expired') {
      this.#net.delete(event.orderCode);
      for (const key of this.#held.keys()) if (key.endsWith(` ${event.orderCode}`)) this.#held.delete(key);
      this.#expired.add(event.orderCode);
    } else if (event.kind === 'day_started') {
      if (this.#day !== '' && this.#day !== event.day) world.saw('a trading day ends and another begins');
      this.#day = event.day;
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
    return (
      this.#orderDifference(view.orders) ??
      this.#waitingDifference(view.orders) ??
      this.#positionDifference(view) ??
      this.#ownerDifference(view) ??
      this.#coverDifference(view)
    );
  }

  /** With a protective stop every position of a strategy is covered by stops at the broker, or by what they sent; ours is never the larger. */
  #coverDifference({ strategies, phase }: EngineView): string | null {
    const { protectiveTicks, isDryRun } = this.#world.plan;
    if (protectiveTicks === null || isDryRun || phase !== 'continuous' || this.#isForeign) return null;
    const stops = this.waitingAtBroker().map((stop) => ({ ...stop, owner: this.#ownerOfTrigger(stop) }));
    const sent = this.openAtBroker()
      .filter(({ refId }) => refId === null)
      .map((order) => ({ ...order, half: null, owner: this.#ownerOf(order.day, order.orderNo) }));
    for (const { id, positions } of strategies) {
      for (const { orderCode, qty: held } of positions) {
        const closing = [...stops, ...sent].filter(
          ({ owner, orderCode: code, side, half }) =>
            owner === id &&
            code === orderCode &&
            side === (held > 0 ? 'sell' : 'buy') &&
            half !== 'take_profit',
        );
        const cover = closing.reduce((sum, { qty }) => sum + qty, 0);
        const kept = closing
          .filter(({ refId }) => refId !== null && this.#isOfSystem(refId))
          .reduce((sum, { qty }) => sum + qty, 0);
        if (kept > 0) this.#world.saw('a protective stop stands');
        if (kept > Math.abs(held)) return `${id} ${orderCode}: ${held} held, protective stops over ${kept}`;
        if (cover < Math.abs(held)) return `${id} ${orderCode}: ${held} held, stops over ${cover}`;
      }
    }
    return null;
  }

  #ownerOfTrigger({ refId, parentOrderNo, day }: TriggerReport): string {
    if (refId !== null) return this.#strategyOf(refId);
    return parentOrderNo === null ? 'operator' : this.#ownerOf(day, parentOrderNo);
  }

  #isOfSystem(id: string): boolean {
    const body = this.#read("SELECT body FROM entries WHERE client_order_id = ? AND kind = 'proposal'", id);
    return body?.includes('"by":"system"') === true;
  }

  /** Both sides know the same orders that wait for a trigger. */
  #waitingDifference(orders: readonly OpenOrderEntry[]): string | null {
    const waiting = orders.filter(({ status }) => status === 'pending_trigger');
    const ours = new Set(waiting.map(({ orderNo }) => String(orderNo)));
    for (const { orderNo, kind } of this.waitingAtBroker())
      if (!ours.delete(orderNo)) return `${kind} ${orderNo} waits at the broker alone`;
    const [first] = ours;
    return first === undefined ? null : `${first} waits here alone`;
  }

  /** A strategy holds what its own orders filled; where nobody else traded, that is everything. */
  #ownerDifference({ strategies }: EngineView): string | null {
    if (this.#isForeign) return null;
    const owned = new Map<string, number>();
    for (const { day, orderNo, code, qty } of this.#fills) {
      const owner = this.#ownerOf(day, orderNo);
      if (this.#expired.has(code) || this.#unproven.has(owner)) continue;
      const key = `${owner} ${code}`;
      owned.set(key, (owned.get(key) ?? 0) + qty);
    }
    for (const { id, positions } of strategies) {
      if (this.#unproven.has(id)) continue;
      for (const { orderCode, qty } of positions) {
        const key = `${id} ${orderCode}`;
        const there = owned.get(key) ?? 0;
        owned.delete(key);
        if (qty !== there) return `${key}: ${qty} here, ${there} by its orders at the broker`;
      }
    }
    const left = [...owned].find(([, qty]) => qty !== 0);
    return left === undefined ? null : `${left[0]}: nothing here, ${left[1]} by its orders at the broker`;
  }

  /** Strategy whose order it is: by its id, or by the order that sent it. */
  #ownerOf(day: string, orderNo: string): string {
    const order = this.#orders.get(`${day} ${orderNo}`);
    if (order !== undefined && order.refId !== null) return this.#strategyOf(order.refId);
    // Numbers begin anew each day.
    const parents = [...this.#triggers.values()].filter(({ children }) =>
      children.some((no) => no === orderNo),
    );
    const parent = parents.findLast((each) => each.day === day) ?? parents.at(-1);
    if (parent === undefined) return 'operator';
    return this.#ownerOfTrigger(parent);
  }

  /** As committed; an exit on the emergency file has no row. */
  #strategyOf(id: string): string {
    const known = this.#owners.get(id);
    if (known !== undefined) return known;
    const row = this.#read(
      "SELECT strategy AS body FROM entries WHERE client_order_id = ? AND kind = 'place'",
      id,
    );
    if (row !== undefined) this.#owners.set(id, row);
    return row ?? 'operator';
  }

  #nameOf(strategy: number): string {
    return this.#world.plan.strategies[strategy]?.id ?? 'operator';
  }

  #alert({ severity, code, text }: Extract<JournalEntry, { readonly kind: 'alert' }>): void {
    if (severity !== 'info') this.#alerts.push(`${severity}: ${code}: ${text}`);
    if (OF_A_LOST_ENGINE.has(code) && this.#isBreaking)
      return this.#world.saw('the engine is lost and made anew');
    if (NEVER_ALERTED.has(code)) this.violated(`${code}: ${text}`);
  }

  #orderDifference(orders: readonly OpenOrderEntry[]): string | null {
    const working = orders.filter(({ status }) => status === 'accepted' || status === 'partially_filled');
    const ours = new Set(working.map(({ orderNo }) => String(orderNo)));
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
    if (to === 'not_sent' && this.#isInBooks(clientOrderId))
      this.violated(`${clientOrderId} is at the broker and ended as not sent`);
    if (to === 'presumed_absent' && this.#isInBooks(clientOrderId))
      this.violated(`${clientOrderId} is presumed absent and is at the broker`);
    if (to === 'presumed_absent') world.saw('an unknown order is proven absent');
    else if (from === 'unknown' && to !== 'unknown') world.saw('an unknown order is resolved by look-up');
    if (to === 'expired_unproven') this.#unproven.add(this.#strategyOf(clientOrderId));
    if (to !== 'submitted') this.#underWay.delete(clientOrderId);
  }

  /**
   * If everything on its side fills, no strategy is above its limit, and the account is not, opposite positions not set off. A
   * protective stop does not wait for exits, nor they for it.
   */
  #checkExposure({ orderCode: code, side, refId }: OrderReport): void {
    const { accountPositionMax, strategies, protectiveTicks } = this.#world.plan;
    if (refId === null || this.#isForeign || protectiveTicks !== null) return;
    const worst = new Map<string, number>();
    for (const [key, held] of this.#held) {
      const [owner = '', of] = key.split(' ');
      if (of === code) worst.set(owner, side === 'buy' ? held : -held);
    }
    for (const order of this.openAtBroker()) {
      if (order.orderCode !== code || order.side !== side) continue;
      const owner = this.#ownerOf(order.day, order.orderNo);
      worst.set(owner, (worst.get(owner) ?? 0) + order.qty - order.filledQty);
    }
    for (const { id, positionMax } of strategies) {
      const most = worst.get(id) ?? 0;
      if (most > positionMax)
        this.violated(`${id} ${code}: up to ${most} by its ${side} orders, more than ${positionMax}`);
    }
    const account = [...worst.values()].reduce((sum, each) => sum + Math.max(0, each), 0);
    if (account > accountPositionMax)
      this.violated(`${code}: up to ${account} by all ${side} orders, more than ${accountPositionMax}`);
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

const isTakenOver = (event: Extract<JournalEntry, { readonly kind: 'position_event' }>['event']): boolean =>
  event === 'adopted' || event === 'forced_close';

const isOpen = ({ status, filledQty, qty }: OrderReport): boolean =>
  OPEN_AT_EXCHANGE.has(status) && filledQty < qty;
