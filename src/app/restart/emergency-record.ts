/**
 * Lines of the emergency file for the next start: calls sent while the journal could not be written, their owners, and that
 * entries were halted (rulings, 30). They are cleared as soon as the journal is written again; those that an earlier run left, once
 * the journal has them.
 */
import type { ClientOrderId } from '../../domain/ids.ts';
import type { StrategyNames } from '../../domain/strategy-names.ts';
import type { GatewayOptions } from '../../broker/gateway/rest-gateway.ts';
import type { EngineView } from '../../engine/engine-snapshot.ts';
import type { OrderToSend } from '../../engine/ports/approved.ts';
import type { OrderOwner } from '../../engine/ports/engine-event.ts';
import type { EmergencyFile } from '../../journal/emergency-file.ts';

type SentCall = Parameters<GatewayOptions['emergency']>[0];

export class EmergencyRecord {
  readonly #file: EmergencyFile;
  readonly #names: StrategyNames;
  #isEarlierTaken: boolean;

  constructor(file: EmergencyFile, names: StrategyNames) {
    this.#file = file;
    this.#names = names;
    this.#isEarlierTaken = file.lines().length === 0;
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

  /** Why entries are off while an earlier run's lines are there. */
  get haltReason(): string {
    return `by an earlier run, which left ${this.lines.length} lines in its emergency file`;
  }

  /** Orders of which the journal may hold no row. */
  owners(): readonly OrderOwner[] {
    return this.lines.flatMap((line): readonly OrderOwner[] => {
      const order = placedIn(line);
      if (order === undefined) return [];
      const { clientOrderId, request = {} } = order;
      return [{ clientOrderId, strategy: this.#names.indexOf(order.strategy), ...termsIn(request) }];
    });
  }

  /** The journal has all that this run did. */
  recovered(): void {
    if (this.#isEarlierTaken && this.lines.length > 0) this.#file.clear();
  }

  /**
   * Clears the lines of earlier runs once the engine has decided the tail of the journal again (its view shows that) and those
   * rows are durable. Until then the lines alone say which of its calls have left; where that fails, the next start reads them again.
   */
  async takenOnce(decided: Promise<EngineView | undefined> | undefined, flush: () => void): Promise<void> {
    try {
      if ((await decided) === undefined) return;
      flush();
      this.taken();
    } catch {
      // The engine is lost, or the disk is full again.
    }
  }

  /** The journal has the lines of earlier runs too. */
  taken(): void {
    this.#isEarlierTaken = true;
    this.recovered();
  }

  close(): void {
    this.#file.close();
  }
}

/** A line of the file. */
interface Written {
  readonly call: SentCall['call'] | null;
  readonly clientOrderId: ClientOrderId;
  readonly strategy: string;
  readonly request?: Partial<OrderToSend>;
}

/** Undefined for another call, and for half a line that a power cut left. */
function placedIn(line: string): Written | undefined {
  let said: unknown;
  try {
    said = JSON.parse(line);
  } catch {
    // It is told as it stands; what it placed turns up in the broker's book.
    return undefined;
  }
  if (typeof said !== 'object' || said === null) return undefined;
  const written = said as Written; // oxlint-disable-line typescript/no-unsafe-type-assertion -- what it is used for is checked below
  const isNamed = typeof written.clientOrderId === 'string' && typeof written.strategy === 'string';
  return isNamed && written.call === 'place' ? written : undefined;
}

function termsIn(request: Partial<OrderToSend>): Pick<OrderOwner, 'stop' | 'limit'> {
  const { orderCode, side, qty, limitPrice, trigger = null } = request;
  if (orderCode === undefined || side === undefined || qty === undefined || limitPrice === undefined)
    return {};
  const limit = { orderCode, side, qty, limitPrice };
  if (trigger === null) return { limit };
  return trigger.kind === 'stop' || trigger.kind === 'trailing_stop' ? { stop: { ...limit, trigger } } : {};
}
