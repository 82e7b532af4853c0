/**
 * Lines of the emergency file for the next start: calls sent while the journal could not be written, their owners, and that
 * entries were halted (rulings, 30). They are cleared as soon as the journal is written again.
 */
import { clientOrderId } from '../../domain/ids.ts';
import type { StrategyNames } from '../../domain/strategy-names.ts';
import type { GatewayOptions } from '../../broker/gateway/rest-gateway.ts';
import type { OrderOwner } from '../../engine/ports/engine-event.ts';
import type { EmergencyFile } from '../../journal/emergency-file.ts';

type SentCall = Parameters<GatewayOptions['emergency']>[0];

export class EmergencyRecord {
  readonly #file: EmergencyFile;
  readonly #names: StrategyNames;

  constructor(file: EmergencyFile, names: StrategyNames) {
    this.#file = file;
    this.#names = names;
  }

  /** Durable when it returns; throws when it cannot be. */
  sent(record: SentCall): void {
    // By name: another configuration may order its strategies differently.
    this.#file.write(JSON.stringify({ ...record, strategy: this.#names.nameOf(record.request.strategy) }));
  }

  /** Entries are halted, and the journal cannot tell the next start. */
  journalFailed(reason: string): void {
    try {
      this.#file.write(JSON.stringify({ call: null, reason }));
    } catch {
      // The file is full of calls, which tell the same.
    }
  }

  get lines(): readonly string[] {
    return this.#file.lines();
  }

  /** Orders of which the journal may hold no row. */
  owners(): readonly OrderOwner[] {
    return this.lines.flatMap((line): readonly OrderOwner[] => {
      const order = placedIn(line);
      if (order === undefined) return [];
      return [{ clientOrderId: clientOrderId(order.id), strategy: this.#names.indexOf(order.strategy) }];
    });
  }

  clear(): void {
    if (this.lines.length > 0) this.#file.clear();
  }

  close(): void {
    this.#file.close();
  }
}

/** Undefined for another call, and for half a line that a power cut left. */
function placedIn(line: string): { readonly id: string; readonly strategy: string } | undefined {
  let said: unknown;
  try {
    said = JSON.parse(line);
  } catch {
    // It is told as it stands; what it placed turns up in the broker's book.
    return undefined;
  }
  if (typeof said !== 'object' || said === null || !('call' in said) || said.call !== 'place')
    return undefined;
  const { clientOrderId: id = null, strategy = null } = { ...said } as Readonly<Record<string, unknown>>;
  return typeof id === 'string' && typeof strategy === 'string' ? { id, strategy } : undefined;
}
