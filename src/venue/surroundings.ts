/** What the desks may ask of the machine they are part of: read when asked, because they are made before the day begins. */
import type { ConditionSurroundings } from './condition-desk.ts';
import type { Machine } from './machine.ts';
import type { DeskSurroundings } from './order-desk.ts';

export const surroundingsOf = (machine: Machine): DeskSurroundings & ConditionSurroundings => ({
  get nowUs() {
    return machine.nowUs;
  },
  get day() {
    return machine.floor.day;
  },
  get phase() {
    return machine.cycle.phase;
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
    machine.gate.placeRefusal(command, machine.cycle.phase, machine.context()) ??
    machine.desk.place(command, origin).orderNo,
});
