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
    const { context, halt, losses, positionReconciler, stops, controller } = this.#parts;
    context.append({ kind: 'command', cause: context.seq, tsUs: context.nowUs, strategy: null, by, command });
    switch (command.name) {
      case 'halt':
        return halt.halt(command.reason, 'halted');
      case 'resume':
        losses.resume();
        halt.resume(command.reason);
        return positionReconciler.resume();
      case 'cancel_all':
        return this.#cancelAll();
      case 'stop_strategy':
        return stops.stop(command.strategy, command.reason, null);
      case 'resolve_order':
        return this.#resolve(command.clientOrderId, command.as, command.reason);
      case 'stop':
        halt.stopping();
        return controller.onCommand(command);
      case 'flatten':
      case 'rollover':
        return controller.onCommand(command);
    }
  }

  /** Everything the broker's book holds for us, adopted orders too (failure cases, 4). */
  #cancelAll(): void {
    const { orders, context } = this.#parts;
    for (const { strategy, clientOrderId } of orders.open) {
      context.ask(strategy, 'system', { do: 'cancel', clientOrderId });
    }
  }

  #resolve(id: ClientOrderId, as: 'absent' | 'live', reason: string): void {
    const { orders, life, context } = this.#parts;
    const order = orders.get(id);
    if (order === undefined) {
      context.alert(null, 'warning', 'order_not_found', `there is no order ${id} to resolve`);
    } else life.apply(order, as === 'absent' ? 'resolved_absent' : 'resolved_live', reason);
  }
}
