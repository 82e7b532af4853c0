/** What a person, or the clock on his behalf, asks for. Each is journaled before it is done. */
import type { ClientOrderId } from '../domain/ids.ts';
import type { EngineParts } from './engine-parts.ts';
import type { CommandReceived } from './ports/engine-event.ts';

export class CommandEvents {
  readonly #parts: EngineParts;

  constructor(parts: EngineParts) {
    this.#parts = parts;
  }

  take({ by, command }: CommandReceived): void {
    const { turn, latch, losses, truth, stops, keeper } = this.#parts;
    turn.append({ kind: 'command', cause: turn.seq, tsUs: turn.nowUs, strategy: null, by, command });
    switch (command.name) {
      case 'halt':
        return latch.latch(command.reason, 'halted');
      case 'resume':
        losses.resume();
        latch.resume(command.reason);
        return truth.resume();
      case 'cancel_all':
        return this.#cancelAll();
      case 'stop_strategy':
        return stops.stop(command.strategy, command.reason, null);
      case 'resolve_order':
        return this.#resolve(command.clientOrderId, command.as, command.reason);
      case 'stop':
        latch.stopping();
        return keeper.onCommand(command);
      case 'flatten':
      case 'rollover':
        return keeper.onCommand(command);
    }
  }

  /** Everything the broker's book holds for us, adopted orders too (failure cases, 4). */
  #cancelAll(): void {
    const { orders, turn } = this.#parts;
    for (const { strategy, clientOrderId } of orders.open) {
      turn.ask(strategy, 'house', { do: 'cancel', clientOrderId });
    }
  }

  #resolve(id: ClientOrderId, as: 'absent' | 'live', reason: string): void {
    const { orders, life, turn } = this.#parts;
    const order = orders.get(id);
    if (order === undefined) {
      turn.alert(null, 'warning', 'order_not_found', `there is no order ${id} to resolve`);
    } else life.apply(order, as === 'absent' ? 'resolved_absent' : 'resolved_live', reason);
  }
}
