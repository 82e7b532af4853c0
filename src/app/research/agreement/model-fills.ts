/**
 * Applies the fill model to the calls of a recorded session: the same orders at the same moments, over the same recording. Two things
 * are not measured: when a call arrived between its sending and its answer, here in the middle, and what stood ahead in the queue.
 */
import type { SessionPhase } from '../../../domain/calendar.ts';
import type { Side } from '../../../domain/order.ts';
import type { BookOrder } from '../../../venue/exchange/exchange.ts';
import { TapeExchange } from '../../../venue/exchange/tape-exchange.ts';
import type { FillClause } from '../../../venue/exchange/fill-models.ts';
import type { TickRows } from '../../../recording/columns/tick-columns.ts';
import type { SessionOrder, SessionCall } from '../recorded/session-orders.ts';

export interface ModelFill {
  readonly qty: number;
  /** Quantity times price in ticks, summed. */
  readonly tickValue: number;
  readonly clauses: ReadonlySet<FillClause>;
}

export interface MarketOfDay {
  readonly rows: TickRows;
  readonly phases: readonly { readonly atUs: number; readonly phase: SessionPhase }[];
}

interface Filling {
  qty: number;
  tickValue: number;
  readonly clauses: Set<FillClause>;
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
): ReadonlyMap<SessionOrder, ModelFill> {
  const filled = new Map<SessionOrder, Filling>();
  const placed = new Map<SessionOrder, SentOrder>();
  const exchange = new TapeExchange<SentOrder>(
    rows,
    { on: 'ticks', queue: 'queue', cancels: 'behind', slippageTicks: 0 },
    {
      onFill: (order, price, qty, clause) => {
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
    ...arrivals(calls).map(({ call, atUs }) => ({ atUs, run: () => carryOut(call) })),
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
function arrivals(
  calls: readonly SessionCall[],
): readonly { readonly call: SessionCall; readonly atUs: number }[] {
  const last = new Map<SessionOrder, number>();
  return calls.map((call) => {
    const { order, sentUs, answeredUs } = call;
    const atUs = Math.max((sentUs + answeredUs) / 2, last.get(order) ?? 0);
    last.set(order, atUs);
    return { call, atUs };
  });
}
