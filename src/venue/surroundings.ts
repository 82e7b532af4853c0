/** The venue as its parts see it, read when asked; and the messages and bookings that follow from orders. */
import type { SessionPhase } from '../domain/calendar.ts';
import { money, priceTicks, qty, type TsUs } from '../domain/units.ts';
import { type AccountContext, riskRefusal } from './account/account-view.ts';
import type { Ledger } from './account/ledger.ts';
import type { ConditionDesk, ConditionSurroundings } from './conditions/condition-desk.ts';
import type { TradingFloor } from './exchange/trading-floor.ts';
import { type CheckSurroundings, placeRefusal } from './orders/order-checks.ts';
import type { EntrySurroundings, OrderEntry, OrderListener } from './orders/order-entry.ts';
import { reportOf, sentNow, type VenueOrder } from './orders/venue-order.ts';
import type { Outbox } from './outbox.ts';
import { refusal } from './venue-command.ts';

interface Around {
  readonly nowUs: TsUs;
  readonly phase: SessionPhase;
  readonly outbox: Outbox;
  readonly ledger: Ledger;
  readonly floor: TradingFloor;
  readonly entry: OrderEntry;
  readonly conditions: ConditionDesk;
  context(): AccountContext;
  noticeMargin(): void;
}

export type Surroundings = EntrySurroundings & ConditionSurroundings & CheckSurroundings;

export function surroundingsOf(venue: Around): Surroundings {
  const around: Surroundings = {
    get nowUs() {
      return venue.nowUs;
    },
    get day() {
      return venue.floor.day;
    },
    get phase() {
      return venue.phase;
    },
    get isClosed() {
      return venue.floor.isClosed;
    },
    book: (code) => venue.floor.book(code),
    listing: (code) => venue.floor.book(code)?.listing,
    unknownRefusal(id, code) {
      if (venue.ledger.account(id) === undefined) return refusal(-6001);
      if (venue.floor.book(code) !== undefined) return null;
      return refusal(venue.floor.hasExpired(code) ? -6033 : -6003);
    },
    riskRefusal: (command) => riskRefusal(command, venue.ledger, venue.context()),
    takeKey: () => venue.entry.takeKey(),
    send: (command, origin, sender) =>
      placeRefusal(command, around) ??
      venue.entry.place(command, origin, { ...sentNow(venue.nowUs), ...sender }).orderNo,
  };
  return around;
}

/** Books executions, and tells each change of an order as its whole row. */
export function orderReporter(venue: Around): OrderListener {
  const tell = (order: VenueOrder, at: TsUs): void =>
    venue.outbox.emit({ kind: 'order', tsUs: at, order: reportOf(order, venue.phase) });
  return {
    onAccepted: tell,
    onEntered: tell,
    onChange: tell,
    onFill(order, { price, qty: filled, value, tax, clause }, at) {
      const { accountId, orderCode, side } = order;
      const { day } = venue.floor;
      venue.ledger.bookFill({ accountId, orderCode, side, qty: filled, value, tax }, day, at);
      venue.outbox.emit({
        kind: 'fill',
        tsUs: at,
        accountId,
        orderNo: order.orderNo,
        orderKey: order.orderKey,
        orderCode,
        side,
        price: priceTicks(price),
        qty: qty(filled),
        filledQty: qty(order.filledQty),
        filledValue: money(order.filledValue),
        clause,
      });
      tell(order, at);
      venue.conditions.onFill(order, filled, at);
      // Over a tape our own fills are no trades of the market.
      venue.noticeMargin();
    },
  };
}
