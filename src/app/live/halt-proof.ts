/** What a halt was proven by: later reads and answers are held against it. */
import type { WholeKill } from '../../broker/gateway/kill-all.ts';
import { nameOf, type OwnBooks, type Row } from '../../broker/gateway/kill-verdict.ts';
import { type BrokerOrder, type BrokerPosition, mayWork } from '../../domain/broker-order.ts';
import type { ClientOrderId } from '../../domain/ids.ts';
import { signOf } from '../../domain/order.ts';
import type { TsUs } from '../../domain/units.ts';
import type { CallReturned, EngineEvent, Unsequenced } from '../../engine/ports/engine-event.ts';

export class HaltProof {
  readonly #sinceUs: TsUs;
  readonly #kept: readonly Row[];
  readonly #names: ReadonlySet<string>;
  /** Contracts filled of each order that the in-day book showed. */
  readonly #filled: ReadonlyMap<string, number>;
  readonly #held: ReadonlyMap<string, number>;
  /** Orders of ours that had ended. */
  readonly #over: ReadonlySet<ClientOrderId>;

  /** `sinceUs`: reads that began earlier show less than the proof. */
  constructor({ kept, rows, held }: WholeKill, own: OwnBooks, sinceUs: TsUs) {
    this.#sinceUs = sinceUs;
    this.#kept = kept;
    this.#names = new Set(kept.map(nameOf));
    this.#filled = new Map(rows.map((row) => [keyOf(row), row.filledQty]));
    this.#held = held ?? new Map();
    this.#over = new Set(own.orders.flatMap(({ isOpen, clientOrderId }) => (isOpen ? [] : [clientOrderId])));
  }

  /** Why the proof is wrong, or null. */
  deniedBy(event: Unsequenced<EngineEvent>, own: OwnBooks): string | null {
    if (this.#isOlder(event)) return null;
    if (event.kind === 'call_outcome') return this.#deniedByAnswer(event, own);
    if (event.kind === 'position_snapshot') return this.#deniedByPositions(event.positions, own);
    if (event.kind !== 'book_snapshot' || event.list !== 'orders') return null;
    return this.#deniedByRows(event.orders, own);
  }

  /** It shows something to judge: an order that the proof does not know, or another position that stops have to fit. */
  isNews(event: Unsequenced<EngineEvent>): boolean {
    if (this.#isOlder(event)) return false;
    if (event.kind === 'book_snapshot')
      return event.orders.some((row) => mayWork(row) && !this.#names.has(nameOf(row)));
    if (event.kind !== 'position_snapshot' || this.#kept.length === 0) return false;
    return event.positions.length !== this.#held.size || event.positions.some((each) => this.#hasMoved(each));
  }

  #deniedByAnswer(
    { call, clientOrderId, outcome: { status } }: Pick<CallReturned, 'call' | 'clientOrderId' | 'outcome'>,
    { orders, unknown }: OwnBooks,
  ): string | null {
    if (call !== 'place' || (status !== 'accepted' && status !== 'unknown')) return null;
    const known = [...orders, ...unknown].find((each) => each.clientOrderId === clientOrderId);
    if (known?.isReduction === true) return null;
    return `${clientOrderId} was on its way, and was ${status === 'accepted' ? 'accepted' : 'not answered'}`;
  }

  /** An order that was over works or fills again. */
  #deniedByRows(rows: readonly BrokerOrder[], own: OwnBooks): string | null {
    for (const row of rows) {
      const before = this.#filled.get(keyOf(row));
      if (before === undefined && this.#hasTurnedUp(row, own))
        return `${row.refId} turned up, and has filled ${row.filledQty}`;
      if (before === undefined && this.#wasSentUnknown(row, own))
        return `order no. ${row.orderNo}, which a stop sent that no scan showed, has filled ${row.filledQty}`;
      if (before === undefined || this.#names.has(row.orderNo)) continue;
      const isOurs = own.orders.some(({ row: known }) => !('kind' in known) && known.orderNo === row.orderNo);
      const what = `order no. ${row.orderNo}${isOurs ? '' : ', which is not ours,'}`;
      if (row.filledQty > before) return `${what} has filled ${row.filledQty - before} more`;
      if (mayWork(row)) return `${what} works again`;
    }
    return null;
  }

  /** An entry of ours that counted as absent has filled: the net position may be smaller for it. */
  #hasTurnedUp({ refId, filledQty }: BrokerOrder, { orders, unknown }: OwnBooks): boolean {
    const isIt = ({ clientOrderId, isReduction }: OwnBooks['unknown'][number]): boolean =>
      clientOrderId === refId && !isReduction && !this.#over.has(clientOrderId);
    const known = orders.find(isIt);
    // What a stop that stays has sent may bear its reference.
    const isKept = known !== undefined && this.#names.has(nameOf(known.row));
    return filledQty > 0 && !isKept && (known !== undefined || unknown.some(isIt));
  }

  /** Filled, sent by a stop, and neither by one that stays nor by a reduction since. */
  #wasSentUnknown({ source, orderCode, side, filledQty }: BrokerOrder, own: OwnBooks): boolean {
    return source === 'system' && this.#mayTrade(orderCode, signOf(side), own) < filledQty;
  }

  #deniedByPositions(positions: readonly BrokerPosition[], own: OwnBooks): string | null {
    for (const position of positions) {
      const { orderCode, qty } = position;
      const before = this.#held.get(orderCode) ?? 0;
      const isLarger = Math.abs(qty) > Math.abs(before) || qty * before < 0;
      const change = qty - before;
      if (!isLarger || this.#mayTrade(orderCode, Math.sign(change), own) >= Math.abs(change)) continue;
      return `the position of ${orderCode} went from ${before} to ${qty}`;
    }
    return null;
  }

  /** Contracts that orders which stay, and reductions since, may trade on one side. */
  #mayTrade(code: string, sign: number, own: OwnBooks): number {
    const since = own.orders.filter(
      ({ isReduction, clientOrderId, row }) =>
        isReduction && !this.#over.has(clientOrderId) && !this.#names.has(nameOf(row)),
    );
    const rows = [...this.#kept, ...since.map(({ row }) => row)];
    return rows.reduce(
      (sum, { orderCode, side, qty }) => (orderCode === code && signOf(side) === sign ? sum + qty : sum),
      0,
    );
  }

  #isOlder(event: Unsequenced<EngineEvent>): boolean {
    return 'startedUs' in event && event.startedUs < this.#sinceUs;
  }

  #hasMoved({ orderCode, qty }: BrokerPosition): boolean {
    return (this.#held.get(orderCode) ?? 0) !== qty;
  }
}

/** Numbers begin anew each day. */
const keyOf = ({ orderNo, orderKey, refId }: BrokerOrder): string => `${orderNo} ${refId ?? orderKey ?? ''}`;
