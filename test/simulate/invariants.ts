/** Holds the daemon to its promises while it runs: from what leaves it, what reaches the broker, and what it journals. */
import { tradingDayAt } from '../../src/domain/calendar.ts';
import { signOf } from '../../src/domain/order.ts';
import { OPERATOR_INDEX, tsUs } from '../../src/domain/units.ts';
import type { EngineSnapshot, OpenOrderEntry } from '../../src/engine/engine-snapshot.ts';
import type { JournalEntry } from '../../src/engine/ports/journal-entry.ts';
import type { OrderReport, TriggerReport, VenueEvent } from '../../src/venue/venue-event.ts';
import { BrokerTruth, OPERATOR } from './broker-truth.ts';
import { CallChecks } from './call-checks.ts';
import { type Body, CommittedJournal, type CommittedRow } from './committed-journal.ts';
import { CoverChecks } from './cover-checks.ts';
import { FillChecks } from './fill-checks.ts';
import { HaltChecks } from './halt-checks.ts';
import { LimitChecks } from './limit-checks.ts';
import type { Request } from './network.ts';
import { THROWN } from './random-trader.ts';
import { ProofChecks } from './proof-checks.ts';
import type { Scene } from './scene.ts';
import { WithdrawalChecks } from './withdrawal-checks.ts';
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
const UNSEEN_ENDS = /the end of these was not seen/;

const WORKING: ReadonlySet<string> = new Set([
  'accepted',
  'partially_filled',
  'pending_trigger',
  'triggered',
]);
type Adopted = Extract<JournalEntry, { readonly kind: 'order_adopted' | 'order_waiting' }>;

/** Positions are looked at so often, in lived time. */
const COVER_EVERY_US = 250_000;

export class Invariants {
  readonly violations: string[] = [];
  readonly #world: World;
  readonly truth: BrokerTruth;
  readonly #journal: CommittedJournal;
  readonly #calls: CallChecks;
  readonly #fills: FillChecks;
  readonly #limits: LimitChecks;
  readonly #halts: HaltChecks;
  readonly #proofs: ProofChecks;
  readonly #cover: CoverChecks;
  readonly #withdrawals: WithdrawalChecks;
  readonly #cancelsSent = new Set<string>();
  readonly #onPlaced = new Map<'entry' | 'exit', () => void>();
  #isBreaking = false;
  /** Alerts, as entries or as notes, and how many of them were there at the last `listen`. */
  readonly #alerts: string[] = [];
  #heard = 0;
  #heardAtToken = 0;
  #isNoRoomAlerted = false;
  /** Profits of the day count from somewhere within it. */
  #isRestarted = false;
  /** Rows without a name that went to an order just like theirs. */
  readonly #swapped = new Set<string>();
  /** Strategies with an order of which nobody saw how its day ended, or that nobody saw: positions show no owner of fills that set each other off. */
  readonly #unproven = new Map<string, 'agreed' | 'open'>();
  /** Since the last start, and not disproved: an end that was not seen then left fills that set each other off, or none. */
  #doPositionsAgree = false;
  /** Strategies whose position came or went without a fill. */
  readonly #reassigned = new Set<string>();
  readonly #resolved = new Set<string>();
  /** By owner and order code, from committed fills. */
  readonly #journaled = new Map<string, number>();
  #isForeign = false;
  #isFailing = false;
  #isReplaying = false;
  #commits = 0;
  #coveredUs = -Infinity;
  readonly #underWay = new Set<string>();

  constructor(world: World) {
    this.#world = world;
    this.#journal = new CommittedJournal(world.paths, (row) => this.#row(row));
    this.truth = new BrokerTruth((refId) => this.#journal.placed(refId));
    const scene = this.#scene();
    this.#calls = new CallChecks(scene);
    this.#fills = new FillChecks(scene);
    this.#limits = new LimitChecks(scene);
    this.#halts = new HaltChecks(scene, this.#calls);
    this.#calls.onKill = (name) => this.#halts.killing(name);
    this.#proofs = new ProofChecks(scene);
    this.#cover = new CoverChecks(scene);
    this.#withdrawals = new WithdrawalChecks(scene);
  }

  #scene(): Scene {
    const isForeign = (): boolean => this.#isForeign;
    const journaledQty = (owner: string, code: string) => this.#journaled.get(`${owner} ${code}`) ?? 0;
    const { answers } = this.#world.plan.network;
    const isTruthful =
      Object.values(answers).every((chance) => chance === 0) &&
      !this.#world.plan.mishaps.has('contradict_status');
    return {
      world: this.#world,
      truth: this.truth,
      journal: this.#journal,
      violated: (text) => this.violated(text),
      get isForeign() {
        return isForeign();
      },
      isTruthful,
      isResolved: (id) => this.#resolved.has(id),
      isReassigned: (strategy) => this.#reassigned.has(strategy),
      heldBy: (owner, code) =>
        this.#unproven.get(owner) === 'agreed' && !this.#reassigned.has(owner)
          ? journaledQty(owner, code)
          : this.truth.heldBy(owner, code),
      journaledQty,
    };
  }

  get isForeign(): boolean {
    return this.#isForeign;
  }

  /** Nobody saw all that filled in a day: the journal says so or never heard of it, or an empty answer hid it. A person says whose it is. */
  get isUnseen(): boolean {
    return (
      this.#world.seen.counts.has('a stop is gone unseen') ||
      this.everAlerted(UNSEEN_ENDS) ||
      (this.#unproven.size > 0 && this.#world.seen.counts.has('positions come empty')) ||
      this.#ownersOfUnseen.size > 0
    );
  }

  get #ownersOfUnseen(): ReadonlySet<string> {
    return this.truth.ownersOfPast((report, sender) => !this.#journal.hasHeardOf(report, sender));
  }

  get hasFailed(): boolean {
    return this.violations.length > 0;
  }

  /** Somebody breaks the engine. */
  breaking(): void {
    this.#isBreaking = true;
  }

  /** From now on alerts are counted from zero. */
  listen(): void {
    this.#heard = this.#alerts.length;
  }

  /** Since the last token: why there is none is alerted once. */
  get isTokenMissed(): boolean {
    return this.#alerts.slice(this.#heardAtToken).some((text) => text.includes('token'));
  }

  /** It was alerted before, and no session has been open since. */
  get isNoRoomAlerted(): boolean {
    return this.#isNoRoomAlerted;
  }

  get alerts(): readonly string[] {
    return this.#alerts.slice(this.#heard);
  }

  everAlerted(about: RegExp): boolean {
    return this.#alerts.some((text) => about.test(text));
  }

  /** Once, as the row of the next such order is appended: its call has not left, and a disk that is full from now on refuses the row. */
  onPlaced(of: 'entry' | 'exit', run: () => void): void {
    this.#onPlaced.set(of, run);
  }

  forgetPlaced(): void {
    this.#onPlaced.clear();
  }

  #placed(of: 'entry' | 'exit'): void {
    this.#onPlaced.get(of)?.();
    this.#onPlaced.delete(of);
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
    this.truth.net.set(orderCode, this.netOf(orderCode) + net);
  }

  /** A person says how an order ended. */
  resolving(id: string): void {
    this.#resolved.add(id);
  }

  /** A person asks for something that ends a halt. */
  resuming(): void {
    this.#halts.resuming();
  }

  /** A person asks for a strategy that was stopped. */
  startingAgain(strategy: string): void {
    this.#withdrawals.starting(strategy);
  }

  /** A command was answered. */
  confirmed(command: string): void {
    this.#halts.confirmed(command);
  }

  /** A long run keeps what still works, no more. */
  forgetFinished(): void {
    this.truth.forgetFinished();
    this.#journal.forgetFinished();
    this.#calls.forgetFinished();
    this.#limits.forgetFinished();
    this.#cancelsSent.clear();
  }

  netOf(orderCode: string): number {
    return this.truth.net.get(orderCode) ?? 0;
  }

  /** In the books as they are read: they show what is over until the day ends. */
  #isInBooks(refId: string): boolean {
    const today = tradingDayAt(this.#world.config.calendar, tsUs(this.#world.time.nowUs));
    const orders = [...this.truth.orders.values()].map(({ report }) => report);
    const todays = [...orders, ...this.truth.triggers.values()].filter(({ day }) => day === today);
    const rows = [...todays, ...this.truth.openOrders(), ...this.truth.waiting()];
    return rows.some((row) => row.refId === refId && !this.#swapped.has(row.orderKey));
  }

  starting(): void {
    const world = this.#world;
    this.#commits = 0;
    this.#isReplaying = true;
    this.#isNoRoomAlerted = false;
    this.#doPositionsAgree = false;
    if (this.truth.openOrders().some(({ refId, filledQty }) => refId !== null && filledQty > 0))
      world.saw('a partly filled order over a restart');
    if (this.truth.waiting().some(({ refId }) => refId !== null)) world.saw('a waiting stop over a restart');
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
  sending(request: Request): void {
    const { isMove, refId } = request;
    if (!isMove) return;
    if (refId !== null && refId !== '') this.#underWay.add(refId);
    this.#follow();
    this.#calls.sending(request);
  }

  arrived(request: Request): void {
    this.#calls.arrived(request);
  }

  /** The broker answers a read with a success. */
  served(request: Request): void {
    this.#proofs.served(request);
  }

  /** The request never arrives. */
  lost(request: Request): void {
    this.#calls.lost(request);
  }

  entry(entry: JournalEntry): void {
    const { trace } = this.#world;
    trace.journaled(entry);
    this.#journal.add(entry);
    this.#commits += 1;
    this.#isReplaying = false;
    if (this.#world.daemon?.cycle.degraded === null) this.#isNoRoomAlerted = false;
    if ('isLost' in entry && entry.isLost) this.#world.saw('a tail is cut off and decided again');
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
        this.#checkForeign(entry, this.truth.order(this.truth.day, entry.order.orderNo)?.report);
        return this.#world.saw('a foreign order is adopted');
      case 'order_waiting':
        if (entry.parent !== null) return;
        return this.#checkForeign(entry, this.truth.triggers.get(entry.row.orderKey));
      case 'position_mismatch':
        this.#doPositionsAgree = false;
        return this.#world.saw('a position mismatch is proven');
      case 'place':
        if (entry.isLost) return;
        return this.#placed(entry.order.purpose === 'entry' ? 'entry' : 'exit');
      case 'cancel':
        this.#cancelsSent.add(entry.cancel.clientOrderId);
        return;
      case 'fill':
        if (this.#cancelsSent.has(entry.clientOrderId))
          this.#world.saw('an order fills after its cancel was sent');
        return;
      case 'halt':
        if (entry.halted && this.#underWay.size > 0) this.#world.saw('a halt while an order is under way');
        return this.#halts.shown(entry);
      case 'strategy_changed':
        if (entry.from !== null && (entry.heldQty !== 0 || entry.openOrders > 0))
          this.#world.saw('an edited strategy goes on');
        return;
      case 'policy_acted':
        return this.#world.saw('a failure is answered by its policy');
      case 'position_event':
        // Days without the daemon hide which of several orders has filled: a person took the difference over.
        if (isTakenOver(entry.event) && this.isUnseen) this.#isForeign = true;
        return;
      case 'position_agreed':
        this.#doPositionsAgree = true;
        for (const owner of [...this.#unproven.keys(), ...this.#ownersOfUnseen])
          this.#unproven.set(owner, 'agreed');
        return;
      case 'modify':
      case 'proposal':
      case 'fill_correction':
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
    if (there !== undefined) this.truth.takenAs(there, clientOrderId);
    if (strategy === OPERATOR_INDEX && refId !== null)
      this.violated(
        `${refId} of ${this.#ownerHere(refId)} was taken for an order of the operator: ${clientOrderId}`,
      );
  }

  venue(event: VenueEvent): void {
    const world = this.#world;
    const before = event.kind === 'trigger' ? this.truth.triggers.get(event.trigger.orderKey) : undefined;
    const { day } = this.truth;
    this.#follow();
    this.truth.take(event);
    if (event.kind === 'order') {
      const { order } = event;
      world.trace.say(
        'broker',
        `order ${order.orderNo} ${order.refId ?? order.origin} ${order.side} ${order.filledQty}/${order.qty} at ${order.limitPrice}: ${order.status} ${order.reason}`,
      );
      if (order.origin === 'forced') world.saw('the broker closes a position by force');
      this.#calls.order(order);
      this.#limits.order(order);
      this.#fills.atBroker(order);
    } else if (event.kind === 'trigger') this.#trigger(event.trigger, before);
    else if (event.kind === 'fill') {
      world.trace.say('broker', `fill ${event.orderNo} ${event.side} ${event.qty}`);
      if (!world.isUp) world.saw('a fill while the daemon is down');
    } else if (event.kind === 'day_started' && day !== '' && day !== event.day)
      world.saw('a trading day ends and another begins');
  }

  #trigger(trigger: TriggerReport, before: TriggerReport | undefined): void {
    const world = this.#world;
    world.trace.say(
      'broker',
      `${trigger.kind} ${trigger.orderKey} ${trigger.refId ?? ''} ${trigger.side} ${trigger.qty}: ${trigger.status} ${trigger.reason}`,
    );
    this.#calls.trigger(trigger);
    this.#limits.trigger(trigger);
    if (trigger.kind === 'exit') world.saw('a bracket brings its exits');
    if (trigger.status !== 'activated' || before?.status === 'activated') return;
    if (trigger.kind === 'trailing_stop') world.saw('a trailing stop triggers');
    if (world.daemon?.edge.stream.status().state !== 'live') world.saw('a stop triggers while disconnected');
  }

  #follow(): void {
    this.#journal.follow(this.#world.disk.commits);
  }

  /** Rows as they are committed. */
  #row(row: CommittedRow): void {
    const { entry, owner } = row;
    this.#fills.row(row);
    this.#limits.row(row);
    this.#withdrawals.row(row);
    if (entry.kind === 'alert' && entry.severity !== 'info') this.#cover.alerted(entry.code, entry.text);
    if (entry.kind === 'position_event' && (isTakenOver(entry.event) || entry.event === 'settled'))
      this.#reassigned.add(owner ?? OPERATOR);
    if (entry.kind !== 'fill') return;
    const { place, adopted } = this.#journal.orders.get(entry.clientOrderId) ?? {
      place: null,
      adopted: null,
    };
    const key = `${owner} ${place?.terms.orderCode ?? adopted?.orderCode}`;
    this.#journaled.set(key, (this.#journaled.get(key) ?? 0) + signOf(entry.side) * entry.qty);
  }

  afterEvent(): void {
    const world = this.#world;
    const isFailing = world.disk.isFull;
    if (isFailing && !this.#isFailing) world.saw('the journal fails');
    if (!isFailing && this.#isFailing) world.saw('the journal recovers');
    this.#isFailing = isFailing;
    this.#follow();
    this.#halts.afterEvent();
    this.#proofs.afterEvent();
    if (world.time.livedUs - this.#coveredUs < COVER_EVERY_US) return;
    this.#coveredUs = world.time.livedUs;
    this.#cover.afterEvent();
  }

  /** Why the daemon is not at rest and at one with the broker, or null. */
  unsettled(view: EngineSnapshot): string | null {
    const world = this.#world;
    const state = world.daemon?.edge.stream.status().state;
    if (state !== 'live') return `the stream is ${state ?? 'not there'}`;
    if (view.unproven !== null) return `unproven: ${view.unproven}`;
    if (view.procedure !== '' && !view.procedure.includes('given_up')) return `under way: ${view.procedure}`;
    const odd = view.orders.find(({ status }) => !WORKING.has(status));
    if (odd !== undefined) return `${odd.clientOrderId} is ${odd.status}`;
    return (
      this.#orderDifference(view.orders) ??
      this.truth.waitingDifference(view.orders) ??
      this.#positionDifference(view) ??
      this.#ownerDifference(view) ??
      this.#cover.difference(view) ??
      this.#withdrawals.difference() ??
      this.#moneyDifference(view)
    );
  }

  /** To the VND, wherever nobody but the journal's orders moved money. */
  #moneyDifference(view: EngineSnapshot): string | null {
    return this.#fills.difference(view) ?? this.#profitDifference(view);
  }

  /** The account's profit of the day is that of its owners, and where nothing is held the broker's, whatever prices do. */
  #profitDifference({ strategies, dayPnl, fee, tax, tradingDay: day }: EngineSnapshot): string | null {
    const sum = strategies.reduce((total, each) => total + each.dayPnl, 0);
    // A person who holds nothing any more is not listed.
    const isListed = !this.#isForeign && this.#reassigned.size === 0;
    if (isListed && sum !== dayPnl) return `the account has a profit of ${dayPnl}, its owners of ${sum}`;
    const { simulator, account } = this.#world;
    const there = simulator.brokerage.account(account);
    const isHeld = [...this.truth.net.values()].some((net) => net !== 0);
    const isElsewhere = this.#isForeign || this.#reassigned.size > 0 || day !== this.truth.day;
    const isPartial = this.#isRestarted || (day !== null && this.#fills.hasLate(day));
    if (there === undefined || isHeld || isElsewhere || isPartial) return null;
    const here = dayPnl + fee + tax;
    return here === there.dayProfit
      ? null
      : `a profit of the day of ${here} before costs, ${there.dayProfit} at the broker`;
  }

  /** A strategy holds what its own orders filled; where nobody else traded, that is everything. */
  #ownerDifference({ strategies }: EngineSnapshot): string | null {
    if (this.#isForeign) return null;
    const owned = new Map<string, number>();
    for (const { order, qty } of this.truth.fills) {
      const { orderCode: code, side } = order.report;
      const owner = this.truth.ownerOf(order.report);
      if (this.truth.expired.has(code) || this.#unproven.has(owner)) continue;
      const key = `${owner} ${code}`;
      owned.set(key, (owned.get(key) ?? 0) + signOf(side) * qty);
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

  #alert({ severity, code, text }: Extract<JournalEntry, { readonly kind: 'alert' }>): void {
    if (severity !== 'info') this.#alerts.push(`${severity}: ${code}: ${text}`);
    if (code === 'no_room') this.#isNoRoomAlerted = true;
    if (code === 'session_restarted') this.#isRestarted = true;
    if (OF_A_LOST_ENGINE.has(code) && this.#isBreaking)
      return this.#world.saw('the engine is lost and replaced');
    if (NEVER_ALERTED.has(code)) this.violated(`${code}: ${text}`);
  }

  #orderDifference(orders: readonly OpenOrderEntry[]): string | null {
    const working = orders.filter(({ status }) => status === 'accepted' || status === 'partially_filled');
    const ours = new Set(working.map(({ orderNo }) => String(orderNo)));
    for (const { orderNo, refId } of this.truth.openOrders()) {
      if (!ours.has(orderNo))
        return `order ${orderNo} (${refId ?? 'without an id'}) works at the broker alone`;
      ours.delete(orderNo);
    }
    const [first] = ours;
    return first === undefined ? null : `order ${first} works here alone`;
  }

  #positionDifference({ strategies }: EngineSnapshot): string | null {
    const ours = new Map<string, number>();
    for (const { orderCode, qty } of strategies.flatMap(({ positions }) => positions))
      ours.set(orderCode, (ours.get(orderCode) ?? 0) + qty);
    for (const code of new Set([...ours.keys(), ...this.truth.net.keys()])) {
      const [here, there] = [ours.get(code) ?? 0, this.netOf(code)];
      if (here !== there) return `${code}: ${here} here, ${there} at the broker`;
    }
    return null;
  }

  close(): void {
    this.#journal.close();
  }

  #status({ clientOrderId, from, to, event, detail }: Body<'order_status'>): void {
    const world = this.#world;
    const isAbsent = to === 'presumed_absent' || event === 'resolved_absent';
    if ((isAbsent || to === 'not_sent') && this.#isInBooks(clientOrderId))
      if (!isAbsent || !this.#isTwinAbsent(clientOrderId))
        this.violated(`${clientOrderId} is at the broker and became ${to} here`);
    if (to === 'presumed_absent') world.saw('an unknown order is proven absent');
    else if (from === 'unknown' && to !== 'unknown') world.saw('an unknown order is resolved by look-up');
    // A stop that the new day does not show may have sent its order in the old one; books that disagreed already wait for a person.
    const isUnseen = event === 'seen_gone' && detail === 'not in the book of the new day';
    if (isUnseen && world.seen.counts.has('a position mismatch is proven'))
      world.saw('a stop is gone unseen');
    if (to === 'expired_unproven' || isUnseen)
      this.#unproven.set(this.#ownerHere(clientOrderId), this.#doPositionsAgree ? 'agreed' : 'open');
    if (to !== 'submitted') this.#underWay.delete(clientOrderId);
  }

  /** Of two equal stops with one row either is the one that never arrived. */
  #isTwinAbsent(id: string): boolean {
    return this.#journal.unknownTwins(id).some((twin) => !this.#isInBooks(twin));
  }

  /** As committed; a child is known by the order that sent it. */
  #ownerHere(id: string): string {
    return this.#journal.orders.get(id)?.owner ?? OPERATOR;
  }
}

const isTakenOver = (event: Body<'position_event'>['event']): boolean => /adopted|forced_close/.test(event);
