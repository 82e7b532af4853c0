/** What the desks may ask of the machine they are part of: read when asked, because they are made before the day begins. */
import type { SessionPhase } from '../domain/calendar.ts';
import type { TsUs } from '../domain/units.ts';
import type { AccountContext } from './account/account-view.ts';
import type { ConditionDesk, ConditionSurroundings } from './conditions/condition-desk.ts';
import type { EntryGate } from './orders/entry-gate.ts';
import type { DeskSurroundings, OrderEntry } from './orders/order-entry.ts';
import type { TradingFloor } from './exchange/trading-floor.ts';

/** The machine, as far as its desks see it. */
interface Around {
  readonly nowUs: TsUs;
  readonly phase: SessionPhase;
  readonly floor: TradingFloor;
  readonly gate: EntryGate;
  readonly desk: OrderEntry;
  readonly conditions: ConditionDesk;
  context(): AccountContext;
}

export const surroundingsOf = (machine: Around): DeskSurroundings & ConditionSurroundings => ({
  get nowUs() {
    return machine.nowUs;
  },
  get day() {
    return machine.floor.day;
  },
  get phase() {
    return machine.phase;
  },
  get isClosed() {
    return machine.floor.isClosed;
  },
  book: (code) => machine.floor.book(code),
  listing: (code) => machine.floor.book(code)?.listing,
  unknownRefusal: (id, code) => machine.gate.unknownRefusal(id, code),
  riskRefusal: (command) => machine.gate.riskRefusal(command, machine.context()),
  filled: (order, quantity, at) => machine.conditions.onFill(order, quantity, at),
  takeKey: () => machine.desk.takeKey(),
  send: (command, origin) =>
    machine.gate.placeRefusal(command, machine.phase, machine.context()) ??
    machine.desk.place(command, origin).orderNo,
});
