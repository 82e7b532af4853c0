/**
 * Closes the position of one owner in one contract (rulings, 38): cancel, confirm, read, a limit order at the touch plus some ticks,
 * repriced a few times, then an alert. Entries are withdrawn at once; protective orders stay until a read has shown that the position can
 * be closed, and until its other orders and those in its way are over: a broker that shows none, or keeps one, must not cost the stop.
 * While the fate of an order is unknown, its own exit too, a stop stays or is put back. Outside continuous trading it waits and alerts; into
 * an auction it sends one order at the edge of the band where a person confirms that, and into the last one of the day where the settings
 * ask. Every exit passes the guard, which bounds it by the position read last: it can neither enlarge nor reverse the position (failure
 * cases, 19).
 */
import { isAuction } from '../../domain/calendar.ts';
import type { Side } from '../../domain/order.ts';
import { type EngineView, mayEnd, ordersOf, type OrderView } from '../engine-view.ts';
import { ExitOrder } from './exit-order.ts';
import { type PositionKey, Target } from './targets.ts';

const BLIND = 'waits for the position to be read: it is not closed blindly';

export class Flattener extends Target {
  readonly #view: EngineView;
  readonly #exit: ExitOrder;
  /** A read counts when it began at or after this moment. */
  #readSinceUs = Infinity;
  /** Why the exit was not asked for. */
  #obstacle = '';
  #tries = 0;
  /** Exits whose answer was lost. */
  #lost = 0;
  /** It gave up before the first trade of the day: the exchange opens late. */
  #isEarly = false;

  constructor(view: EngineView, position: PositionKey, reason: string) {
    super(view, position, reason);
    this.#view = view;
    this.#exit = new ExitOrder(view, this);
  }

  get inWay(): PositionKey | undefined {
    return this.#exit.inWay;
  }

  meets(side: Side, limitPrice: number): boolean {
    return this.#exit.meets(side, limitPrice);
  }

  /** Starts, or restarts a flatten that waits or was given up. */
  start(): void {
    const isOver = this.progress === 'resting' && !this.#isInAuction;
    if (this.progress !== 'queued' && this.progress !== 'given_up' && !isOver) return;
    if (!this.#mayBegin) return;
    this.#tries = 0;
    this.#lost = 0;
    this.#exit.forget();
    if (this.#canTrade) this.#check();
    else this.#queue();
  }

  drop(): void {
    this.#waitIdle('done');
  }

  /** Nobody wants it flat any more: its exit is withdrawn, one without an answer as soon as it turns up. */
  abandon(): void {
    this.#exit.withdraw();
    this.drop();
  }

  /** A new process reads again; its clock may be behind that of the process before. */
  restart(): void {
    this.#readSinceUs = Math.min(this.#readSinceUs, this.#view.context.nowUs);
  }

  /** One step; called after every event that can change its inputs. */
  step(): void {
    if (this.progress === 'done') return;
    if (!this.#canTrade && this.progress !== 'given_up') this.#queue();
    if (this.#isInAuction && this.progress === 'repricing') this.progress = 'working';
    const isRead = this.#view.positionReconciler.readUs >= this.#readSinceUs;
    switch (this.progress) {
      case 'queued':
        if (this.#isFlat) return this.drop();
        return this.#canTrade ? this.start() : undefined;
      case 'given_up':
        if (this.#isFlat) return this.drop();
        return this.#exit.isWayFree || (this.#isEarly && this.#hasTraded) ? this.start() : undefined;
      case 'checking':
        if (!isRead || !this.#mayBegin || !this.#exit.canBePriced) return;
        return this.#doubtful === undefined ? this.#proceed() : undefined;
      case 'withdrawing':
        if (this.#ordersToCancel.length === 0) return this.#read();
        return this.#cancel(this.#nextToCancel.filter(({ extras }) => extras.cancelFailedUs === Infinity));
      case 'reading':
        return isRead ? this.#place() : undefined;
      case 'repricing':
        return isRead ? this.#reprice() : undefined;
      case 'working':
        if (this.#exit.lost !== undefined) return this.#noteLostExit(this.#exit.lost);
        if (this.#isInAuction && this.#exit.isResting) return this.#read();
        // After a denial the flatten waits: an immediate retry would be denied again.
        return this.#exit.status === 'filled' ? this.#afterProgress() : undefined;
      case 'resting':
        if (this.#isFlat) return this.drop();
        if (this.#isInAuction) return this.#exit.isAllResting ? undefined : this.#check();
        return this.#canTrade ? this.start() : undefined;
      case 'pausing':
        return undefined;
    }
  }

  /** A read failed after its stops were withdrawn: the read before it serves while it is fresh, as all fills since then are booked. */
  readFailed(): void {
    if (this.progress !== 'reading') return;
    if (this.#view.positionReconciler.isFresh) return this.#place();
    if (this.#exit.held !== 0)
      this.alertOnce('unread', 'critical', 'flatten_waits', `${BLIND}, and has no stop`);
  }

  describe(): Pick<Target, 'progress'> & { readonly text: string } {
    const { progress } = this;
    return { progress, text: `flattening ${this.orderCode} ${this.#exit.held}: ${progress}` };
  }

  /** A process that leaves would leave the position without its stops; in an auction it waits. */
  get #mayBegin(): boolean {
    return !this.#view.targets.isLeaving || this.requesters.has('stop') || this.#isInAuction;
  }

  get #canTrade(): boolean {
    return this.#view.session.phase === 'continuous' || this.#isInAuction;
  }

  /** A person has confirmed an auction; the settings ask for the last one of the day, as nothing follows it. */
  get #isInAuction(): boolean {
    const phase = this.#view.session.phase;
    if (!isAuction(phase)) return false;
    return (
      this.requesters.has('person_in_auction') ||
      (phase === 'closing_auction' && this.requesters.has('settings'))
    );
  }

  get #orders(): readonly OrderView[] {
    return ordersOf(this.#view, this).filter(mayEnd);
  }

  /** Orders that go before its exit is sent: at the exchange nothing can be canceled in an auction. */
  get #ordersToCancel(): readonly OrderView[] {
    return this.#isInAuction ? this.#orders.filter(({ isTriggerOrder }) => isTriggerOrder) : this.#orders;
  }

  /** Stops that fit the position go last: an order that the broker keeps does not cost them. */
  get #nextToCancel(): readonly OrderView[] {
    const held = Math.abs(this.#exit.held);
    const isFirst = (order: OrderView): boolean => order.leavesQty > held || !this.#mayProtect(order);
    const others = this.#ordersToCancel.filter(isFirst);
    return others.length === 0 && this.#mayBegin ? this.#ordersToCancel : others;
  }

  /** Once each, and again when a cancel failed. */
  #cancel(orders: readonly OrderView[]): void {
    for (const { isBeingCanceled, strategy, clientOrderId } of orders)
      if (!isBeingCanceled) this.#view.context.cancel(strategy, clientOrderId);
  }

  #cancelEntries(): void {
    this.#cancel(this.#ordersToCancel.filter((order) => !this.#mayProtect(order)));
  }

  get #isFlat(): boolean {
    return this.#exit.held === 0 && this.#orders.length === 0;
  }

  #queue(): void {
    const phase = this.#view.session.phase;
    // The book read after the close shows the fills of the auction; until then its exit may have filled.
    if (phase === 'closed' && (this.progress === 'resting' || this.#exit.isOpen))
      return this.#waitIdle('resting');
    if (this.progress === 'queued' && this.hasAlerted(`queued ${phase}`)) return;
    this.#waitIdle('queued');
    if (this.#isFlat) return;
    const severity = phase === 'closing_auction' ? 'critical' : 'warning';
    this.alertOnce(`queued ${phase}`, severity, 'flatten_queued', this.#exit.queuedText);
  }

  #check(): void {
    const isReady = this.#view.positionReconciler.isFresh && this.#exit.canBePriced;
    if (this.#doubtful === undefined && (isReady || !this.#isCovered)) return this.#proceed();
    this.#await('checking');
  }

  get #isCovered(): boolean {
    return this.#orders.some((order) => this.#mayProtect(order));
  }

  /** An order of unknown fate that may leave nothing to close: protective orders stay until it is found, or proven absent. */
  get #doubtful(): OrderView | undefined {
    const isLost = (order: OrderView): boolean => order.status === 'unknown' && !this.#mayProtect(order);
    return this.#orders.find(isLost) ?? this.#exit.absent;
  }

  /** A stop, one that a person placed too, or the order that it has sent; also one that was placed before its entry filled. */
  #mayProtect({ clientOrderId, purpose, isAdopted, isTriggerOrder, parent }: OrderView): boolean {
    const isStop = isTriggerOrder || parent !== null;
    return (isStop && (purpose === 'reduce' || isAdopted)) || this.#view.withdrawal.isCover(clientOrderId);
  }

  #alertDoubt({ clientOrderId: id, status }: OrderView): void {
    const text =
      status === 'unknown'
        ? `waits for the end of ${id}, whose answer was lost: it is looked up; a stop stays meanwhile, or is put back once positions are proven`
        : `waits for positions to agree: ${id} is in no scan of the book, and may have closed the position; its stops stay`;
    this.alertOnce(`${id} ${status}`, 'critical', 'flatten_waits', text);
  }

  /** It counts until it is found, or proven absent. */
  #noteLostExit(exit: OrderView): void {
    this.#lost += 1;
    this.#view.targets.lostExits.set(exit.clientOrderId, this);
    this.#alertDoubt(exit);
    this.#exit.forget();
    this.#check();
  }

  #proceed(): void {
    const isTooOften = this.#lost > this.#view.settings.flatten.attempts;
    if (!isTooOften || this.#exit.held === 0) return this.#withdraw();
    this.#giveUp(`the answers to its last ${this.#lost} exits were lost, and the exits never arrived`);
  }

  /** Protective orders stay where the exit could not follow. */
  #withdraw(): void {
    const obstacle = this.#isCovered ? this.#exit.makeWay() : null;
    if (obstacle !== null) {
      this.#cancelEntries();
      return this.#pause(obstacle);
    }
    this.#enter('withdrawing');
    this.#cancel(this.#nextToCancel);
    if (this.#ordersToCancel.length === 0) this.#read();
  }

  #read(): void {
    this.#await('reading');
  }

  #place(): void {
    if (this.#isFlat) return this.drop();
    if (this.#isInAuction && this.#exit.isAllResting) return this.#restInAuction();
    // The exits of a bracket arrive after its fill.
    if (this.#exit.held === 0 || this.#ordersToCancel.length > 0) return this.#withdraw();
    const isFirst = !this.#exit.isPlaced;
    const obstacle = this.#exit.place();
    if (obstacle === null) {
      // The waits for cancels and reads before it, as without a token, cost it no attempt.
      if (isFirst) this.#tries = 0;
      return this.#enter('working');
    }
    if (this.#isFlat) return this.drop();
    this.#pause(obstacle);
  }

  #pause(obstacle: string): void {
    this.#obstacle = obstacle;
    this.#enter('pausing');
    if (!this.#exit.isWayInDoubt || this.#tries < this.#view.settings.flatten.attempts) return;
    // The answer comes, and then the order is withdrawn.
    this.#tries = 0;
    const text = `waits: ${obstacle}, and the answer to it is under way`;
    this.alertOnce('unanswered', 'critical', 'flatten_waits', text);
  }

  /** Waits for the auction: its orders cover all that is held, or nothing is held and an entry rests there. */
  #restInAuction(): void {
    this.#waitIdle('resting');
    this.alertOnce('auction', 'warning', 'orders_in_auction', this.#exit.restingText);
  }

  /** One exit of several has filled: the next one starts with all its tries. */
  #afterProgress(): void {
    this.#tries = 0;
    this.#exit.forget();
    this.#read();
  }

  #onUnfilled(): void {
    if (this.#exit.status === 'submitted') this.#tries = 0;
    if (this.#isInAuction && this.#exit.isOpen) return this.#enter(this.progress);
    if (this.#isLate) return this.#giveUp(this.#exit.outcome);
    if (!this.#exit.isOpen || this.#exit.mustBeReplaced) return this.#withdraw();
    this.#await('repricing');
  }

  #reprice(): void {
    this.#enter('working');
    // The wait for a read, as without a token, costs it no attempt.
    if (this.#isLate) this.#tries = 0;
    this.#exit.reprice();
  }

  get #hasTraded(): boolean {
    const { contracts, market, session } = this.#view;
    const lastUs = contracts.all.map(({ index }) => market.of(index).last.tick(index)?.tsUs ?? -Infinity);
    return !session.mayShowDayBefore(Math.max(...lastUs));
  }

  #giveUp(why: string): void {
    this.#waitIdle('given_up');
    this.#isEarly = !this.#hasTraded;
    const { attempts } = this.#view.settings.flatten;
    const { held, side } = this.#exit;
    const text = `is not flat after ${attempts} attempts, ${Math.abs(held)} left to ${side}: ${why}`;
    this.alert('critical', 'flatten_failed', text);
  }

  get #isLate(): boolean {
    return this.#tries > this.#view.settings.flatten.attempts;
  }

  /** A state that waits for something else than time. */
  #waitIdle(progress: Target['progress']): void {
    this.#view.timers.stop(this);
    this.progress = progress;
  }

  /** A state that does not wait for ever. */
  #enter(progress: Target['progress']): void {
    const { settings, timers } = this.#view;
    this.progress = progress;
    timers.after(this, settings.flatten.retryAfter, () => this.#onSlow());
  }

  /** A state that waits for positions to be read. While it checks, protective orders stay, and entries are withdrawn where that is possible. */
  #await(progress: 'checking' | 'reading' | 'repricing', sinceUs: number = this.#view.context.nowUs): void {
    this.#enter(progress);
    if (progress === 'checking') this.#cancelEntries();
    this.#readSinceUs = sinceUs;
    this.#view.reads.request('positions');
  }

  #onSlow(): void {
    this.#tries += 1;
    const { progress } = this;
    if (progress === 'pausing') return this.#isLate ? this.#giveUp(this.#obstacle) : this.#read();
    if (
      progress !== 'checking' &&
      progress !== 'withdrawing' &&
      progress !== 'reading' &&
      progress !== 'repricing'
    )
      return this.#onUnfilled();
    if (this.#isLate) this.#alertWait(progress);
    if (progress === 'withdrawing') return this.#withdraw();
    // The read failed, or its answer was lost in a restart.
    this.#await(progress, this.#readSinceUs);
  }

  #alertWait(progress: 'checking' | 'withdrawing' | 'reading' | 'repricing'): void {
    const doubtful = this.#doubtful;
    if (progress === 'withdrawing') {
      const waiting = this.#nextToCancel.map((order) => order.clientOrderId).join(', ');
      this.alertOnce('slow', 'critical', 'flatten_waits', `waits for the end of ${waiting}`);
    } else if (progress !== 'checking') this.alertOnce('unread', 'critical', 'flatten_waits', BLIND);
    else if (doubtful !== undefined) this.#alertDoubt(doubtful);
    else {
      const text = 'waits for the position and a price to be read: until then its stops stay';
      this.alertOnce('unread', 'critical', 'flatten_waits', text);
    }
  }
}
