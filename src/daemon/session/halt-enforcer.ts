/**
 * Empties the broker's books of entries while a halt holds. It calls them empty only after complete reads that began and ended with no call
 * in flight, and that show each order that our own journal holds as accepted; an order whose fate is unknown counts as there until reads
 * spread over some time don't show it (rulings, 8, 9). Afterwards it watches the periodic reads, cancels orders that turn up late, and
 * revokes the proof when a read contradicts it.
 */
import type { WholeKill } from '../../broker/gateway/kill-all.ts';
import type { RestGateway } from '../../broker/gateway/rest-gateway.ts';
import { nameOf, type OurBooks, type BookRow } from '../../broker/gateway/kill-verdict.ts';
import { type BrokerOrder, type BrokerPosition, mayWork, ScanEvidence } from '../../domain/broker-order.ts';
import type { CancelTimer, Clock, Timers } from '../../domain/clock.ts';
import { errorText } from '../../domain/failure.ts';
import type { ClientOrderId } from '../../domain/ids.ts';
import { getOrCreate } from '../../domain/lists.ts';
import type { LookUpSettings } from '../../domain/settings.ts';
import { type DurationUs, durationUs, seconds, type TsUs, tsUs } from '../../domain/units.ts';
import type { CallAnswer, EngineEvent, UnnumberedInput } from '../../engine/ports/engine-event.ts';
import type { AlertSeverity } from '../../engine/ports/journal-entry.ts';
import { signOf } from '../../domain/order.ts';
import { formatCount } from '../../text/numbers.ts';

/** `unproven`: a person was alerted; the daemon goes on trying. */
export type HaltStatus = 'idle' | 'working' | 'proven' | 'unproven';

export interface HaltEnforcerParts {
  readonly gateway: Pick<RestGateway, 'killAll' | 'settled' | 'inFlight'>;
  readonly clock: Clock;
  /** Reads are stamped with its time. */
  readonly market: Clock;
  readonly timers: Timers;
  readonly lookUp: LookUpSettings;
  readonly isHalted: () => boolean;
  /** Rejects when the journal cannot be read. */
  readonly readOurBooks: () => Promise<unknown>;
  /** Null while the journal is not read. */
  readonly ourBooks: () => OurBooks | null;
  /** An order of this day on which such an in-day book is no evidence: its rows are of the day before alone. */
  readonly unreportedOrder: (rows: readonly BrokerOrder[]) => ClientOrderId | null;
  /** Asks the engine, which answers when it has taken all input of before. */
  readonly heldNow: () => Promise<HoldingsText>;
  /** `held` is absent where the message does not wait for it. */
  readonly alert: (severity: AlertSeverity, code: string, text: string, held?: string) => void;
}

/** Positions in words, for the message of a halt. */
export interface HoldingsText {
  readonly text: string;
  /** The next reads may agree with the engine: these don't, or are older than its last fill. */
  readonly isDoubtful: boolean;
}

/** A doubt that reads alone cannot end is alerted at once. */
interface Doubt {
  readonly text: string;
  readonly isBlind: boolean;
}

/** Doubts that cancels and reads may still end are alerted after this. */
const ALERT_AFTER = seconds(60);
const PAUSE_MIN = seconds(1);
const PAUSE_MAX = seconds(30);
/** The message of a halt waits for positions on which the engine and the broker agree. */
const AGREEMENT_WAIT_MAX = seconds(10);

export class HaltEnforcer {
  readonly #parts: HaltEnforcerParts;
  /** Reads that began after the last answer, and did not show the order. */
  readonly #unknown = new Map<ClientOrderId, ScanEvidence>();
  readonly #canceled = new Set<string>();
  /** Names of orders that protect a position, as the last complete reads showed them. */
  kept: ReadonlySet<string> = new Set();
  /** Net positions by contract, as the broker showed them last; null where they were not read. */
  held: ReadonlyMap<string, number> | null = null;
  /** The read of `held` began no earlier. */
  heldUs = tsUs(0);
  #excess = 0;
  #proof: HaltProof | null = null;
  /** The last proof, from news on until the next: effects of the news meanwhile are compared with it. */
  #lastProof: HaltProof | null = null;
  /** State of the message of this proof, which is corrected once. */
  #message: 'due' | 'sent' | 'outdated' | 'corrected' = 'due';
  #unreadReason = '';
  progress: { readonly status: HaltStatus; readonly text: string } = { status: 'idle', text: '' };
  #isRunning = false;
  #isStale = false;
  #isOver = false;
  #endPause: (() => void) | null = null;

  constructor(parts: HaltEnforcerParts) {
    this.#parts = parts;
  }

  onFill(): void {
    if (this.#message !== 'sent') return;
    this.#message = 'outdated';
    this.begin();
  }

  /** Starts, or reads the books again at once. */
  begin(): void {
    this.#isStale = true;
    this.#endPause?.();
    if (!this.#isRunning) void this.#run();
  }

  /** A person resumed: the next halt needs a new proof. Reads under way see the resume by themselves. */
  end(): void {
    this.#canceled.clear();
    this.kept = new Set();
    this.#dropProof('idle', '');
  }

  close(): void {
    this.#isOver = true;
    this.#endPause?.();
  }

  /** Reports and answers on their way to the engine. */
  observe(event: UnnumberedInput<EngineEvent>): void {
    if (!this.#parts.isHalted()) return;
    // Reads under way may be older than the answer to a placement.
    const answer = event.kind === 'execution_report' ? event.answer : null;
    if (answer?.call === 'place' && answer.outcome.status !== 'not_sent') this.#isStale = true;
    const ours = this.#parts.ourBooks();
    if (this.#proof === null || ours === null) return;
    const refutation = this.#proof.refutedBy(event, ours);
    if (refutation !== null) {
      this.#dropProof('unproven', `not proven any more that no entry works: ${refutation}`);
      this.#parts.alert('critical', 'halt_unproven', this.progress.text);
    } else if (this.#proof.isNews(event)) {
      this.#lastProof = this.#proof;
      this.#proof = null;
      this.#setProgress('working', `${this.#counts}; checks changes since the proof`);
    } else return;
    this.begin();
  }

  async #run(): Promise<void> {
    const { gateway, clock, readOurBooks } = this.#parts;
    this.#isRunning = true;
    const startedUs = clock.nowUs();
    let before = this.#canceled.size;
    let provenUs = Infinity;
    if (this.progress.status === 'idle') this.#setProgress('working', 'reads the books of the broker');
    await readOurBooks().catch((error: unknown) => {
      this.#unreadReason = `: ${errorText(error)}`;
    });
    for (let pause: DurationUs = PAUSE_MIN; this.#goesOn;) {
      this.#isStale = false;
      const isQuiet = this.#isQuiet;
      const found = await this.#clearBooks(isQuiet);
      if (!this.#goesOn) break;
      if (!isQuiet || !this.#isQuiet) {
        await gateway.settled();
        continue;
      }
      if (this.#isStale) continue;
      if (found instanceof HaltProof) {
        this.#prove(found, this.#canceled.size - before);
        before = this.#canceled.size;
        provenUs = Math.min(provenUs, clock.nowUs());
        const isSent = await this.#send(found, provenUs);
        if (this.#isStale) continue;
        if (isSent) break;
        await this.#pause(PAUSE_MIN);
        continue;
      }
      const isLate = clock.nowUs() - startedUs >= ALERT_AFTER;
      if (found.isBlind || isLate || this.progress.status === 'unproven') this.#report(found.text);
      else this.#setProgress('working', `${this.#counts}; ${found.text}`);
      await this.#pause(pause);
      pause = durationUs(Math.min(PAUSE_MAX, pause * 2));
    }
    this.#isRunning = false;
    if (!this.#parts.isHalted()) this.#dropProof('idle', '');
  }

  get #goesOn(): boolean {
    return !this.#isOver && this.#parts.isHalted();
  }

  get #isQuiet(): boolean {
    return this.#parts.gateway.inFlight === 0;
  }

  get #counts(): string {
    const kept = this.kept.size === 0 ? '' : `, what protects a position stays (${this.kept.size})`;
    const excess = this.#excess === 0 ? '' : `: together they could close ${this.#excess} more than is held`;
    return `${formatCount(this.#canceled.size, 'order')} canceled${kept}${excess}`;
  }

  /** The proof that nothing works that can enlarge a position, or why there is none. `isQuiet`: no call was in flight when it began. */
  async #clearBooks(isQuiet: boolean): Promise<HaltProof | Doubt> {
    const startedUs = this.#parts.clock.nowUs();
    const known = new Set(this.#parts.ourBooks()?.orders.map(({ clientOrderId }) => clientOrderId));
    const readUs = this.#parts.market.nowUs();
    try {
      const kill = await this.#parts.gateway.killAll(() => this.#goesOn, this.#parts.ourBooks);
      for (const name of [...kill.orders.canceled, ...kill.triggers.canceled]) this.#canceled.add(name);
      this.kept = new Set(kill.kept.map(nameOf));
      this.#excess = kill.excess;
      this.held = kill.held;
      this.heldUs = readUs;
      const ours = this.#parts.ourBooks();
      const doubt = doubtOf(kill) ?? this.#doubtOfBook(kill);
      if (doubt !== null) return doubt;
      if (!isQuiet) return { text: 'calls were on their way', isBlind: false };
      if (ours === null)
        return { text: `the journal is not read${this.#unreadReason}`, isBlind: this.#unreadReason !== '' };
      return (
        doubtOfNews(known, ours) ??
        this.#doubtOfUnknown(startedUs, kill.rows, ours) ??
        this.#doubtOfPast(kill, ours) ??
        new HaltProof(kill, ours, this.#parts.market.nowUs(), this.#proof ?? this.#lastProof)
      );
    } catch (error) {
      return { text: errorText(error), isBlind: true };
    }
  }

  /** Doubt about a book that has only rows of the day before: it proves no absence. */
  #doubtOfBook({ rows }: WholeKill): Doubt | null {
    const id = this.#parts.unreportedOrder(rows);
    if (id === null) return null;
    const text = `the in-day book shows orders of the day before alone: it does not show whether ${id} works`;
    return { text, isBlind: false };
  }

  /** Call after complete reads of this day's books. One that lacks any order of the day proves nothing of another. */
  #doubtOfUnknown(startedUs: TsUs, rows: readonly BrokerOrder[], ours: OurBooks): Doubt | null {
    const { lookUp } = this.#parts;
    const shown = new Set<string>(rows.map(({ orderNo }) => orderNo));
    const isWhole = ours.orders.every(({ row }) => 'kind' in row || !row.canCancel || shown.has(row.orderNo));
    for (const { clientOrderId: id } of isWhole ? ours.unknown : [])
      getOrCreate(this.#unknown, id, () => new ScanEvidence(tsUs(0))).add(startedUs, lookUp);
    const isAbsent = ({ clientOrderId: id }: OurBooks['unknown'][number]): boolean =>
      this.#unknown.get(id)?.isEnough(lookUp) === true;
    const open = ours.unknown.find((each) => !isAbsent(each));
    if (open === undefined) return null;
    const text = `the fate of ${open.clientOrderId} is not known yet: it is canceled if it turns up`;
    return { text, isBlind: false };
  }

  /** Orders that turned up since the last proof may have filled before they were canceled. */
  #doubtOfPast(kill: WholeKill, ours: OurBooks): Doubt | null {
    const refutation = (this.#proof ?? this.#lastProof)?.refutedByKill(kill, ours) ?? null;
    return refutation === null ? null : { text: refutation, isBlind: true };
  }

  #prove(proof: HaltProof, canceled: number): void {
    this.#proof = proof;
    this.#lastProof = null;
    const worse = 'no entry works, but a stop that stays can turn a position round';
    const text = this.#excess === 0 ? 'no order works that can enlarge a position' : worse;
    this.#setProgress('proven', `${text}: ${this.#counts}`);
    const late = `canceled since the proof: ${formatCount(canceled, 'order')} that turned up during the halt`;
    if (this.#message !== 'due' && canceled > 0) this.#parts.alert('warning', 'halt_late_order', late);
  }

  /** One message for a halt, and one correction. False where it has to wait for another read. */
  async #send(proof: HaltProof, provenUs: number): Promise<boolean> {
    if (this.#message === 'sent' || this.#message === 'corrected') return true;
    const { text, isDoubtful } = await this.#parts.heldNow();
    if (this.#proof !== proof || !this.#goesOn) return false;
    if (isDoubtful && this.#parts.clock.nowUs() - provenUs < AGREEMENT_WAIT_MAX) return false;
    const isFirst = this.#message === 'due';
    this.#message = isFirst || isDoubtful ? 'sent' : 'corrected';
    const why = isFirst ? '' : 'corrected after a fill (later ones: tickwright status): ';
    this.#parts.alert(this.#excess === 0 ? 'info' : 'warning', 'halt_proven', why + this.progress.text, text);
    return true;
  }

  #report(text: string): void {
    const wasAlerted = this.progress.status === 'unproven';
    const doubt = `not proven that no entry works: ${text}; the daemon goes on trying`;
    this.#dropProof('unproven', `${this.#counts}; ${doubt}`);
    if (!wasAlerted) this.#parts.alert('critical', 'halt_unproven', this.progress.text);
  }

  #dropProof(status: 'idle' | 'unproven', text: string): void {
    this.#proof = null;
    this.#lastProof = null;
    this.#message = 'due';
    this.#setProgress(status, text);
  }

  #setProgress(status: HaltStatus, text: string): void {
    this.progress = { status, text };
  }

  #pause(span: DurationUs): Promise<void> {
    return new Promise((resolve) => {
      const cancel: CancelTimer = this.#parts.timers.after(span, () => this.#endPause?.());
      this.#endPause = () => {
        cancel();
        this.#endPause = null;
        resolve();
      };
    });
  }
}

/** Other reads have shown it meanwhile: those of the proof may be older, and were judged without it. */
function doubtOfNews(known: ReadonlySet<ClientOrderId>, { orders }: OurBooks): Doubt | null {
  const news = orders.find(
    ({ clientOrderId: id, isOpen, isReduction }) => isOpen && !isReduction && !known.has(id),
  );
  if (news === undefined) return null;
  return { text: `${news.clientOrderId} turned up while the books were read`, isBlind: false };
}

function doubtOf({ orders, triggers, keptReason }: WholeKill): Doubt | null {
  if (!orders.isProven)
    return { text: `the in-day book was not read whole: ${orders.reason}`, isBlind: true };
  if (!triggers.isProven)
    return { text: `the trigger book was not read whole: ${triggers.reason}`, isBlind: true };
  const open = [...orders.open, ...triggers.open];
  const [failure] = [...orders.failed, ...triggers.failed];
  const why = failure === undefined ? '' : ` (${failure.reason})`;
  const unshown = [...orders.unshown, ...triggers.unshown];
  if (unshown.length > 0) {
    const which = `no row shows order no. ${unshown.join(', ')}, which the broker accepted`;
    return { text: `${which}${why}: it counts as open until one ends it`, isBlind: false };
  }
  if (open.length > 0)
    return { text: `still open: ${open.map(({ orderNo }) => orderNo).join(', ')}${why}`, isBlind: false };
  return keptReason === '' ? null : { text: keptReason, isBlind: true };
}

// Evidence of a halt: later reads and answers are compared with it.

class HaltProof {
  readonly #sinceUs: TsUs;
  readonly #kept: readonly BookRow[];
  readonly #names: ReadonlySet<string>;
  /** Contracts filled of each order that the in-day book showed. */
  readonly #filled: ReadonlyMap<string, number>;
  /** As they were read last; null while they were not: the first read of them is news, and contradicts nothing. */
  readonly #held: ReadonlyMap<string, number> | null;
  /** By our journal and the fills that these rows show: positions are read separately from the book, and a fill may fall between. */
  readonly #known: ReadonlyMap<string, number>;
  /** Contracts filled of each order of ours that had a row. */
  readonly #booked: ReadonlyMap<ClientOrderId, number>;
  readonly #over: ReadonlySet<ClientOrderId>;

  /** `sinceUs`: reads that began earlier show less than the proof. */
  constructor({ kept, rows, held }: WholeKill, ours: OurBooks, sinceUs: TsUs, before: HaltProof | null) {
    this.#sinceUs = sinceUs;
    this.#kept = kept;
    this.#names = new Set(kept.map(nameOf));
    this.#filled = new Map(rows.map((row) => [keyOf(row), row.filledQty]));
    this.#held = held ?? (before === null ? null : before.#held);
    this.#known = knownNet(rows, ours);
    this.#booked = new Map(
      ours.orders.flatMap(({ clientOrderId, row }) =>
        'kind' in row ? [] : [[clientOrderId, row.filledQty]],
      ),
    );
    this.#over = new Set(ours.orders.flatMap(({ isOpen, clientOrderId }) => (isOpen ? [] : [clientOrderId])));
  }

  refutedBy(event: UnnumberedInput<EngineEvent>, ours: OurBooks): string | null {
    if (this.#isOlder(event)) return null;
    if (event.kind === 'execution_report')
      return event.answer === null ? null : this.#refutedByAnswer(event.answer, ours);
    if (event.kind === 'position_snapshot') return this.#refutedByPositions(event.positions, ours);
    if (event.kind !== 'book_snapshot' || event.list !== 'orders') return null;
    return this.#refutedByRows(event.orders, ours);
  }

  refutedByKill({ rows, held }: WholeKill, ours: OurBooks): string | null {
    const positions = [...(held ?? [])].map(([orderCode, qty]) => ({ orderCode, qty }));
    return this.#refutedByRows(rows, ours) ?? this.#refutedByPositions(positions, ours);
  }

  /** The event shows an order that the proof does not know, or another position that stops have to fit. */
  isNews(event: UnnumberedInput<EngineEvent>): boolean {
    if (this.#isOlder(event)) return false;
    if (event.kind === 'book_snapshot')
      return event.orders.some((row) => mayWork(row) && !this.#names.has(nameOf(row)));
    if (event.kind !== 'position_snapshot') return false;
    const held = this.#held;
    if (held === null) return true;
    if (this.#kept.length === 0) return false;
    const hasMoved = ({ orderCode, qty }: BrokerPosition): boolean => (held.get(orderCode) ?? 0) !== qty;
    return event.positions.length !== held.size || event.positions.some(hasMoved);
  }

  #refutedByAnswer({ call, clientOrderId, outcome: { status } }: CallAnswer, { orders, unknown }: OurBooks) {
    if (call !== 'place' || (status !== 'accepted' && status !== 'unknown')) return null;
    const known = [...orders, ...unknown].find((each) => each.clientOrderId === clientOrderId);
    if (known?.isReduction === true) return null;
    return `${clientOrderId} was on its way, and was ${status === 'accepted' ? 'accepted' : 'not answered'}`;
  }

  /** An order that was over works or fills again. */
  #refutedByRows(rows: readonly BrokerOrder[], ours: OurBooks): string | null {
    for (const row of rows) {
      const before = this.#filled.get(keyOf(row));
      if (before === undefined && this.#hasTurnedUp(row, ours))
        return `${row.refId} turned up, and has filled ${row.filledQty}`;
      if (before === undefined && this.#wasSentUnknown(row, ours))
        return `order no. ${row.orderNo}, which a stop sent that no scan showed, has filled ${row.filledQty}`;
      if (before === undefined || this.#names.has(row.orderNo)) continue;
      const isOurs = ours.orders.some(
        ({ row: known }) => !('kind' in known) && known.orderNo === row.orderNo,
      );
      const what = `order no. ${row.orderNo}${isOurs ? '' : ', which is not ours,'}`;
      if (row.filledQty > before) return `${what} has filled ${row.filledQty - before} more`;
      if (mayWork(row)) return `${what} works again`;
    }
    return null;
  }

  /** An entry of ours that counted as absent, or as over, has filled: the net position may be smaller for it. */
  #hasTurnedUp({ refId, filledQty }: BrokerOrder, { orders, unknown, gone }: OurBooks): boolean {
    const isIt = ({ clientOrderId, isReduction }: OurBooks['unknown'][number]): boolean =>
      clientOrderId === refId && !isReduction;
    const known = orders.find(isIt);
    if (known === undefined) return filledQty > 0 && [...unknown, ...gone].some(isIt);
    // An order that a remaining stop has sent may bear its reference.
    if (this.#names.has(nameOf(known.row))) return false;
    if (!('kind' in known.row)) return filledQty > (this.#booked.get(known.clientOrderId) ?? 0);
    return filledQty > 0 && !this.#over.has(known.clientOrderId);
  }

  /** Filled, sent by a stop, and neither by one that stays nor by a reduction since. */
  #wasSentUnknown({ source, orderCode, side, filledQty }: BrokerOrder, ours: OurBooks): boolean {
    return source === 'system' && this.#mayTrade(orderCode, signOf(side), ours) < filledQty;
  }

  #refutedByPositions(
    positions: readonly { readonly orderCode: string; readonly qty: number }[],
    ours: OurBooks,
  ): string | null {
    if (this.#held === null) return null;
    for (const { orderCode, qty } of positions) {
      if (qty === this.#known.get(orderCode)) continue;
      const before = this.#held.get(orderCode) ?? 0;
      const isLarger = Math.abs(qty) > Math.abs(before) || qty * before < 0;
      const change = qty - before;
      if (!isLarger || this.#mayTrade(orderCode, Math.sign(change), ours) >= Math.abs(change)) continue;
      return `the position of ${orderCode} went from ${before} to ${qty}`;
    }
    return null;
  }

  /** Contracts that orders which stay, and reductions since, may trade on one side. */
  #mayTrade(code: string, sign: number, ours: OurBooks): number {
    const since = ours.orders.filter(
      ({ isReduction, clientOrderId, row }) =>
        isReduction && !this.#over.has(clientOrderId) && !this.#names.has(nameOf(row)),
    );
    const rows = [...this.#kept, ...since.map(({ row }) => row)];
    return rows.reduce(
      (sum, { orderCode, side, qty }) => (orderCode === code && signOf(side) === sign ? sum + qty : sum),
      0,
    );
  }

  #isOlder(event: UnnumberedInput<EngineEvent>): boolean {
    return 'startedUs' in event && event.startedUs < this.#sinceUs;
  }
}

function knownNet(rows: readonly BrokerOrder[], ours: OurBooks): ReadonlyMap<string, number> {
  const net = new Map<string, number>();
  const add = (code: string, qty: number): void => void net.set(code, (net.get(code) ?? 0) + qty);
  for (const { orderCode, qty } of ours.positions) add(orderCode, qty);
  for (const { orderCode, side, refId, filledQty } of rows) {
    const order = ours.orders.find(({ clientOrderId }) => clientOrderId === refId);
    if (order === undefined || 'kind' in order.row) continue;
    add(orderCode, signOf(side) * Math.max(0, filledQty - order.row.filledQty));
  }
  return net;
}

/** Numbers restart each day. */
const keyOf = ({ orderNo, orderKey, refId }: BrokerOrder): string => `${orderNo} ${refId ?? orderKey ?? ''}`;
