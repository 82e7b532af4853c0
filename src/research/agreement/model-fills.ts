/** Applies the fill model to the calls of a recorded session: the same orders at the same moments, over the same recording. */
import type { SessionPhase } from '../../domain/calendar.ts';
import type { Side } from '../../domain/order.ts';
import type { BookOrder } from '../../venue/exchange/exchange.ts';
import { TapeExchange } from '../../venue/exchange/tape-exchange.ts';
import type { FillClause, QueueModel } from '../../venue/exchange/fill-models.ts';
import { seconds } from '../../domain/units.ts';
import { type TickRows, firstRowAt, rowsBetween } from '../../recording/columns/tick-file.ts';
import type { SessionOrder, SessionCall } from '../recorded/session-orders.ts';

/** Unmeasured quantities: arrival as a share of the time from sending to answer, and the quantity ahead in the queue. */
export interface Guess {
  readonly place: number;
  readonly change: number;
  readonly queue: QueueModel;
  /** Shares of single calls, where each has its own. */
  readonly ways?: ReadonlyMap<SessionCall, number>;
}

export interface ModelFill {
  qty: number;
  /** Quantity times price in ticks, summed. */
  tickValue: number;
  readonly clauses: Set<FillClause>;
}

export interface MarketOfDay {
  readonly rows: TickRows;
  readonly phases: readonly { readonly atUs: number; readonly phase: SessionPhase }[];
}

/** An order of the session in the exchange of the model. */
class SentOrder implements BookOrder {
  readonly sent: SessionOrder;
  readonly side: Side;
  readonly triggerPrice = null;
  readonly decidedUs: number;
  price: number;
  qty: number;
  leavesQty: number;

  constructor(sent: SessionOrder) {
    this.sent = sent;
    this.side = sent.side;
    this.decidedUs = sent.decidedUs;
    this.price = sent.limitPrice;
    this.qty = sent.qty;
    this.leavesQty = sent.qty;
  }

  changeIn(exchange: TapeExchange<SentOrder>, price: number, qty: number): void {
    const isLess = price === this.price && qty < this.qty;
    if (!isLess) exchange.remove(this);
    this.leavesQty += qty - this.qty;
    this.qty = qty;
    this.price = price;
    if (isLess) exchange.decrease(this);
    else exchange.enter(this);
  }
}

/** By order; an order without an entry was not filled. */
export function modelFills(
  calls: readonly SessionCall[],
  { rows, phases }: MarketOfDay,
  guess: Guess,
): ReadonlyMap<SessionOrder, Readonly<ModelFill>> {
  const filled = new Map<SessionOrder, ModelFill>();
  const placed = new Map<SessionOrder, SentOrder>();
  const exchange = new TapeExchange<SentOrder>(
    rows,
    { on: 'ticks', queue: guess.queue, cancels: 'behind', slippageTicks: 0 },
    {
      fill: (order, price, qty, clause) => {
        const { sent } = order;
        order.leavesQty -= qty;
        const filling = filled.get(sent) ?? { qty: 0, tickValue: 0, clauses: new Set<FillClause>() };
        filling.qty += qty;
        filling.tickValue += qty * price;
        filling.clauses.add(clause);
        filled.set(sent, filling);
      },
    },
  );
  const carryOut = ({ does, order: sent, limitPrice, qty }: SessionCall): void => {
    const order = placed.get(sent);
    if (does === 'place') {
      const entered = new SentOrder(sent);
      placed.set(sent, entered);
      return exchange.enter(entered);
    }
    if (order === undefined || order.leavesQty === 0) return;
    if (does === 'change') return order.changeIn(exchange, limitPrice, qty);
    exchange.remove(order);
    order.leavesQty = 0;
  };
  const steps = inTime([
    ...phases.map(({ atUs, phase }) => ({ atUs, run: () => exchange.setPhase(phase, atUs) })),
    ...arrivals(calls, guess).map(({ call, atUs }) => ({ atUs, run: () => carryOut(call) })),
  ]);
  let next = 0;
  for (let row = 0; row < rows.rows; row += 1) {
    const atUs = rows.tsUs[row] ?? 0;
    for (let step = steps[next]; step !== undefined && step.atUs <= atUs; step = steps[next]) {
      next += 1;
      step.run();
    }
    exchange.row(row);
  }
  return filled;
}

const inTime = <T extends { readonly atUs: number }>(steps: readonly T[]): readonly T[] =>
  steps.toSorted((a, b) => a.atUs - b.atUs);

/** No call of an order overtakes the one before it. */
function arrivals(calls: readonly SessionCall[], guess: Guess) {
  const last = new Map<SessionOrder, number>();
  return calls.map((call) => {
    const { does, order, sentUs, answeredUs } = call;
    const way = guess.ways?.get(call) ?? (does === 'place' ? guess.place : guess.change);
    const atUs = Math.max(sentUs + (answeredUs - sentUs) * way, last.get(order) ?? 0);
    last.set(order, atUs);
    return { call, atUs };
  });
}

/** After the last answer: a fill may be reported until then. */
const AFTER = seconds(30);

/** The stretch of the day in which the calls of one order were on their way. */
export function marketNear(calls: readonly SessionCall[], { rows, phases }: MarketOfDay): MarketOfDay {
  const fromUs = Math.min(...calls.map(({ sentUs }) => sentUs));
  const toUs = Math.max(...calls.map(({ answeredUs }) => answeredUs)) + AFTER;
  const from = Math.max(0, firstRowAt(rows, fromUs) - 1);
  const to = firstRowAt(rows, toUs);
  const phase = phases.findLast(({ atUs }) => atUs <= fromUs)?.phase ?? 'closed';
  const beginUs = rows.tsUs[from] ?? fromUs;
  return {
    rows: rowsBetween(rows, from, to),
    phases: [{ atUs: beginUs, phase }, ...phases.filter(({ atUs }) => atUs > fromUs && atUs <= toUs)],
  };
}

/**
 * The call arrives just before each row between its sending and its answer. In the time of the price stream, which runs behind the
 * venue by `streamBehindUs` at most, the answer may be that much later.
 */
export function waysAtRows(
  { sentUs, answeredUs }: SessionCall,
  rows: TickRows,
  streamBehindUs: number,
): readonly number[] {
  const span = answeredUs - sentUs;
  if (span <= 0) return [0];
  const ways = new Set<number>([0, 1]);
  for (let row = firstRowAt(rows, sentUs); row < rows.rows; row += 1) {
    const atUs = rows.tsUs[row] ?? Infinity;
    if (atUs > answeredUs + streamBehindUs) break;
    ways.add((atUs - sentUs) / span);
  }
  return [...ways];
}
