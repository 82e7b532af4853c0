/** Each limit holds for places and changes as the broker sees them: positions, quantities, open orders, rates, losses, own orders that meet. */
import { opposite, type Side, signOf } from '../../src/domain/order.ts';
import { US_PER_MINUTE, US_PER_SECOND } from '../../src/domain/units.ts';
import type { OrderReport, TriggerReport } from '../../src/venue/venue-event.ts';
import { isOpenAtBroker, type OpenTruth, OPERATOR, workingOf } from './broker-truth.ts';
import type { CommittedRow } from './committed-journal.ts';
import type { Scene } from './scene.ts';

/** A protective stop does not wait for exits, nor they for it. */
const isPlaced = ({ isProtective }: OpenTruth): boolean => !isProtective;

interface Sent {
  readonly tsUs: number;
  readonly livedUs: number;
  readonly id: number;
}

/** Money of a day by owner and contract, as the rows of the session show it. */
interface Result {
  /** Paid for what was bought, less what was sold for. */
  paid: number;
  qty: number;
  costs: number;
}

/** A price of this long ago may be the last that the engine knows. */
const PRICE_LAG_US = 5e6;
/** What became of an order since then may not have been read. */
const READ_US = 10e6;
const VND_A_TICK = 10_000;

export class LimitChecks {
  readonly #scene: Scene;
  readonly #seen = new Set<string>();
  #session = '';
  #sent: Sent[] = [];
  #messages: Sent[] = [];
  readonly #results = new Map<string, Result>();
  readonly #codes = new Map<number, string>();
  /** Owners whose loss is measured from elsewhere than the beginning of the session. */
  readonly #unmeasured = new Set<string>();
  #isBroken = false;
  /** The last moment at which the stream may not have been live: it is looked at when a row is committed. */
  #downUs = -Infinity;
  #wasLive = false;
  #daemon: Scene['world']['daemon'] = undefined;
  readonly #reachedBefore = new Set<string>();

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  order(report: OrderReport): void {
    const { world, violated } = this.#scene;
    const { refId, qty } = report;
    if (refId !== null && qty > world.plan.orderQtyMax && !this.#isProtective(refId))
      violated(`${refId} has ${qty} contracts, more than ${world.plan.orderQtyMax}`);
    if (isOpenAtBroker(report)) this.#exposed(report);
  }

  trigger(report: TriggerReport): void {
    const { world, violated } = this.#scene;
    const { refId, qty, status } = report;
    if (refId !== null && qty > world.plan.orderQtyMax && !this.#isProtective(refId))
      violated(`${refId} has ${qty} contracts, more than ${world.plan.orderQtyMax}`);
    if (status === 'pending') this.#exposed(report);
  }

  #isProtective(refId: string): boolean {
    return this.#scene.journal.placed(refId)?.isProtective === true;
  }

  #exposed(report: OrderReport | TriggerReport): void {
    const { refId } = report;
    if (refId === null) return;
    this.#positions(report);
    if (this.#seen.has(refId)) return;
    this.#seen.add(refId);
    const placed = this.#scene.journal.placed(refId);
    if (placed === undefined) return;
    if (placed.purpose === 'reduce') this.#reduces(report, placed.owner, placed.isProtective);
    else this.#counts(refId, placed.owner);
    if ('filledQty' in report) this.#crosses(report, placed.purpose);
  }

  /** If everything on its side fills, no strategy is above its limit, and the account is not, opposite positions not set off. */
  #positions({ orderCode: code, side }: OrderReport | TriggerReport): void {
    const { truth, world, violated, isForeign, isReassigned } = this.#scene;
    const { accountPositionMax, strategies } = world.plan;
    // What it closes makes room for nothing that was asked for before.
    if (truth.fills.some(({ order }) => this.#isOfStop(order.report))) return;
    const open = truth.open();
    let account = 0;
    for (const { id, positionMax } of strategies) {
      const worst = this.#heldOn(side, id, code) + workingOf(open, id, code, side, isPlaced);
      account += Math.max(0, worst);
      if (worst > positionMax && !isReassigned(id))
        violated(`${id} ${code}: up to ${worst} by its ${side} orders, more than ${positionMax}`);
    }
    if (account > accountPositionMax && !isForeign)
      violated(`${code}: up to ${account} by all ${side} orders, more than ${accountPositionMax}`);
  }

  /** Booked or filled, whichever is less: a fill that nobody saw may count for another order, and the journal trails what just filled. */
  #heldOn(side: Side, owner: string, code: string): number {
    const { heldBy, truth } = this.#scene;
    return Math.min(signOf(side) * heldBy(owner, code), signOf(side) * truth.heldBy(owner, code));
  }

  /** With the orders that were asked for before and close it already, a reduction is no more than the position. */
  #reduces(
    { refId, orderCode: code, side }: OrderReport | TriggerReport,
    owner: string,
    isProtective: boolean,
  ): void {
    const { truth, violated, isForeign, isReassigned, journal } = this.#scene;
    if (refId === null || isForeign || isReassigned(owner)) return;
    const row = journal.orders.get(refId)?.place?.row;
    const rowId = row?.id ?? -1;
    const knownUs = (row?.tsUs ?? Infinity) - READ_US;
    const closing = workingOf(truth.open(), owner, code, side, ({ root, ...order }) => {
      if (root === null || this.#rowOf(root) > rowId) return false;
      if (!isProtective) return !order.isProtective;
      // A trailing stop protects from its activation on, which has to be read first.
      const { activatedUs = -Infinity } = order;
      return order.isWaiting && order.isStop && activatedUs !== null && activatedUs <= knownUs;
    });
    const held = Math.max(0, -this.#heldOn(side, owner, code));
    // What came after it, and a protective stop, have closed some of it meanwhile.
    let closed = 0;
    for (const { order, qty } of truth.fills) {
      const { report } = order;
      if (report.side !== side || report.orderCode !== code || truth.ownerOf(report) !== owner) continue;
      const root = truth.rootOf(report);
      if (root === null) continue;
      // A protective stop is judged with entries that may fill before it arrives.
      if (isProtective || this.#rowOf(root) > rowId || this.#isProtective(root)) closed += qty;
    }
    if (closing > held + closed)
      violated(`${refId} reduces: ${closing} in all would ${side} where ${owner} holds ${held}`);
  }

  /** Orders are asked for in this order. */
  #rowOf(id: string): number {
    return this.#scene.journal.orders.get(id)?.place?.row.id ?? -1;
  }

  /** What a protective stop sent. */
  #isOfStop(report: OrderReport): boolean {
    const root = this.#scene.truth.rootOf(report);
    return root !== null && this.#isProtective(root);
  }

  /**
   * An entry finds fewer orders open than the limit; exits that came with a bracket may not be known yet. A reduction is allowed above it:
   * one that was asked for later may arrive first. An exit of the emergency file has no row, and ids grow with each call.
   */
  #counts(refId: string, owner: string): void {
    const { truth, world, violated } = this.#scene;
    const rowId = this.#rowOf(refId);
    const isLater = (other: string): boolean =>
      this.#rowOf(other) === -1 ? other > refId : this.#rowOf(other) > rowId;
    const own = truth
      .open()
      .filter((order) => order.refId !== null && !order.isProtective && !isLater(order.refId));
    const { openOrdersMax, accountOrdersMax } = world.plan;
    const ofOwner = own.filter((order) => order.owner === owner).length;
    if (ofOwner > openOrdersMax)
      violated(`${refId}: ${owner} has ${ofOwner} open orders, more than ${openOrdersMax}`);
    if (own.length > accountOrdersMax)
      violated(`${refId}: ${own.length} orders are open, more than ${accountOrdersMax}`);
  }

  /** No order of ours meets another one of ours that was decided before; one of the emergency file has no row that says when. */
  #crosses({ refId, orderCode, side, limitPrice }: OrderReport, purpose: 'entry' | 'reduce'): void {
    const { truth, violated } = this.#scene;
    if (refId === null || purpose !== 'entry') return;
    for (const other of truth.openOrders()) {
      if (other.refId === null || other.orderCode !== orderCode || other.side !== opposite(side)) continue;
      const isMet = signOf(side) * (limitPrice - other.limitPrice) >= 0;
      const rowId = this.#rowOf(other.refId);
      if (isMet && other.status !== 'modified' && rowId >= 0 && rowId < this.#rowOf(refId))
        violated(`${refId} at ${limitPrice} meets ${other.refId} at ${other.limitPrice}, which is ours too`);
    }
  }

  row(row: CommittedRow): void {
    const { entry, owner, session } = row;
    const { world } = this.#scene;
    const { daemon } = world;
    const isLive = daemon === this.#daemon && daemon?.edge.stream.status().state === 'live';
    if (!isLive || !this.#wasLive) this.#downUs = world.time.nowUs;
    this.#wasLive = isLive;
    this.#daemon = daemon;
    // A halt may come before any session.
    if (session !== '' && session !== this.#session) this.#begin(session);
    switch (
      entry.kind // oxlint-disable-line typescript/switch-exhaustiveness-check -- the others say nothing of it
    ) {
      case 'place':
        return this.#sends(
          row,
          entry.isLost,
          entry.order.purpose === 'entry',
          entry.order.instrument,
          entry.order.orderCode,
        );
      case 'modify':
        return this.#sends(row, entry.isLost, entry.modify.purpose === 'entry', null, entry.modify.orderCode);
      case 'cancel':
        return this.#message(row, entry.isLost);
      case 'fill':
        return this.#book(
          owner,
          entry.instrument,
          signOf(entry.side) * entry.qty,
          signOf(entry.side) * entry.value,
          entry.fee + entry.tax,
        );
      case 'fill_correction':
        return this.#book(owner, entry.instrument, 0, signOf(entry.side) * entry.value, entry.tax);
      case 'money_checked':
        if (entry.verdict !== 'accepted' && entry.verdict !== 'moved') return;
        return this.#unmeasure(owner);
      case 'position_event':
        // From another price than that of a fill, or accepted by a person.
        return this.#unmeasure(owner);
      case 'alert':
        if (entry.code === 'loss_accepted') this.#unmeasured.add(owner ?? '');
        if (entry.code === 'session_restarted') this.#begin(session);
        return;
      case 'halt':
        if (owner === null && !entry.halted) this.#isBroken = false;
        if (entry.halted) this.#reached(row, entry.reason);
        return;
      default:
    }
  }

  #begin(session: string): void {
    this.#session = session;
    this.#sent = [];
    this.#messages = [];
    this.#results.clear();
    this.#unmeasured.clear();
    this.#isBroken = false;
  }

  /** One that never left counts, and nobody was alerted of a limit that it reached: the next message judges. */
  #message({ tsUs, id }: CommittedRow, isLost: boolean): void {
    const { messagesPerMinuteMax } = this.#scene.world.plan;
    this.#messages = [
      ...this.#messages.filter((each) => each.tsUs > tsUs - US_PER_MINUTE),
      { tsUs, livedUs: this.#scene.world.time.livedUs, id },
    ];
    const count = this.#messages.filter((each) => each.tsUs <= tsUs).length;
    if (messagesPerMinuteMax !== null && count >= messagesPerMinuteMax && !isLost) this.#isBroken = true;
  }

  #sends(
    row: CommittedRow,
    isLost: boolean,
    isEntry: boolean,
    instrument: number | null,
    code: string,
  ): void {
    if (instrument !== null) this.#codes.set(instrument, code);
    const { world, violated } = this.#scene;
    if (isEntry && !isLost) {
      const { ordersPerSecondMax, ordersPerMinuteMax } = world.plan;
      this.#rate(row, US_PER_SECOND, ordersPerSecondMax);
      this.#rate(row, US_PER_MINUTE, ordersPerMinuteMax);
      this.#loses(row);
      if (this.#isBroken) violated(`row ${row.id} is an entry after too many messages within a minute`);
    }
    this.#sent = [
      ...this.#sent.filter(({ tsUs }) => tsUs > row.tsUs - US_PER_MINUTE),
      { tsUs: row.tsUs, livedUs: world.time.livedUs, id: row.id },
    ];
    this.#message(row, isLost);
  }

  #rate({ tsUs, id }: CommittedRow, spanUs: number, max: number): void {
    // A clock that was set back comes to the time of earlier orders again.
    const sinceUs = this.#scene.world.time.livedUs - spanUs;
    const before = this.#sent.filter(
      (each) => each.tsUs > tsUs - spanUs && each.tsUs <= tsUs && each.livedUs > sinceUs,
    ).length;
    if (before >= max)
      this.#scene.violated(
        `row ${id} is an entry after ${before} orders within ${spanUs / 1e6} s, ${max} are allowed`,
      );
  }

  #book(owner: string | null, instrument: number, qty: number, paid: number, costs: number): void {
    const key = `${owner ?? OPERATOR} ${instrument}`;
    const result = this.#results.get(key) ?? { paid: 0, qty: 0, costs: 0 };
    result.paid += paid;
    result.qty += qty;
    result.costs += costs;
    this.#results.set(key, result);
  }

  /** At the best price of the last moments it has lost less than its limit. */
  #loses({ owner, id }: CommittedRow): void {
    const { world, violated } = this.#scene;
    const { dailyLossMax, accountLossMax } = world.plan;
    const losses = this.#losses('best');
    const own = losses.get(owner ?? OPERATOR) ?? 0;
    if (own >= dailyLossMax && !this.#unmeasured.has(owner ?? OPERATOR))
      violated(`row ${id} is an entry of ${owner}, which has lost ${own} of ${dailyLossMax}`);
    const all = [...losses.values()].reduce((sum, each) => sum + each, 0);
    if (all >= accountLossMax && this.#unmeasured.size === 0)
      violated(`row ${id} is an entry, and the account has lost ${all} of ${accountLossMax}`);
  }

  #unmeasure(owner: string | null): void {
    this.#unmeasured.add(owner ?? OPERATOR);
    this.#unmeasured.add('');
  }

  /** A limit that is reached was reached at one of the prices of the last moments. */
  #reached({ owner, tsUs }: CommittedRow, reason: string): void {
    const [, first, ofDay = first] =
      /loss of the day, (-?[\d,]+)(?: since the resume \(day: (-?[\d,]+)\))?, has reached/.exec(reason) ?? [];
    const reported = ofDay?.replaceAll(',', '');
    // One of the day before is reported again.
    const isRepeated = this.#reachedBefore.has(reason);
    this.#reachedBefore.add(reason);
    const { world, isForeign } = this.#scene;
    // Without a stream, and until it has brought a price, that may be of any moment; a full disk commits the row long after it.
    const isOld = world.time.nowUs - this.#downUs <= PRICE_LAG_US;
    if (isRepeated || isOld || isForeign || Math.abs(world.time.nowUs - tsUs) > PRICE_LAG_US) return;
    if (reported === undefined || (owner === null ? this.#unmeasured.size > 0 : this.#unmeasured.has(owner)))
      return;
    const [least, most] = (['best', 'worst'] as const).map((which) => {
      const losses = this.#losses(which);
      return owner === null
        ? [...losses.values()].reduce((sum, each) => sum + each, 0)
        : (losses.get(owner) ?? 0);
    });
    const loss = Number(reported);
    if (least !== undefined && most !== undefined && loss >= least && loss <= most) return;
    this.#scene.violated(
      `${owner ?? 'the account'} is halted for a loss of ${loss}, and lost ${least} to ${most}`,
    );
  }

  #losses(which: 'best' | 'worst'): ReadonlyMap<string, number> {
    const { truth, world } = this.#scene;
    const sinceUs = world.time.nowUs - PRICE_LAG_US;
    const losses = new Map<string, number>();
    for (const [key, { paid, qty, costs }] of this.#results) {
      const [owner = '', instrument] = key.split(' ');
      const prices = truth.pricesSince(this.#codes.get(Number(instrument)) ?? '', sinceUs);
      const isHigh = qty > 0 === (which === 'best');
      const price = prices === null ? 0 : isHigh ? prices.high : prices.low;
      const unknown = which === 'best' ? -Infinity : Infinity;
      const loss = prices === null && qty !== 0 ? unknown : paid - qty * price * VND_A_TICK + costs;
      losses.set(owner, (losses.get(owner) ?? 0) + loss);
    }
    return losses;
  }

  forgetFinished(): void {
    this.#seen.clear();
  }
}
