/**
 * Lines of the emergency file for the next start: calls sent while the journal could not be written, their owners, and that
 * entries were halted (rulings, 30). They are cleared as soon as the journal is written again; those that an earlier run left, once
 * the journal has them.
 */
import type { TradingDay } from '../../domain/civil-date.ts';
import type { ClientOrderId, StrategyNames } from '../../domain/ids.ts';
import { isRecord, parseJson } from '../../domain/parsed.ts';
import type { GatewayOptions } from '../../broker/gateway/rest-gateway.ts';
import type { EngineSnapshot } from '../../engine/engine-snapshot.ts';
import type {
  ApprovedCancel,
  ApprovedModify,
  ApprovedOrder,
  CancelToSend,
  ModifyToSend,
} from '../../engine/ports/approved.ts';
import type { OrderOwner, UnjournaledCalls } from '../../engine/ports/engine-event.ts';
import type { EmergencyFile } from '../../journal/emergency-file.ts';

type RecordedCall = Parameters<GatewayOptions['emergency']>[0];

export class EmergencyRecord {
  readonly #file: EmergencyFile;
  readonly #names: StrategyNames;
  #isEarlierCleared: boolean;

  constructor(file: EmergencyFile, names: StrategyNames) {
    this.#file = file;
    this.#names = names;
    this.#isEarlierCleared = file.lines().length === 0;
  }

  /** Durable when it returns; throws when it cannot be. */
  recordSent(record: RecordedCall, day: TradingDay | undefined): void {
    // By name: another configuration may order its strategies differently.
    const strategy = this.#names.nameOf(record.request.strategy);
    this.#file.write(JSON.stringify({ ...record, strategy, day }));
  }

  /** Entries are halted, and the journal cannot record it for the next start. */
  recordHalt(reason: string): void {
    try {
      this.#file.write(JSON.stringify({ call: null, reason }));
    } catch {
      // The file is full of calls, which show the same.
    }
  }

  get lines(): readonly string[] {
    return this.#file.lines();
  }

  get haltReason(): string {
    return `by an earlier run, which left lines in its emergency file: ${this.lines.length}`;
  }

  /** Calls of which the journal may hold no row. Those of another day identify only their owner: the session that follows it carries them over. */
  unjournaled(day: TradingDay): UnjournaledCalls {
    const calls = this.lines.flatMap((line) => emergencyLineIn(line) ?? []);
    const owners: OrderOwner[] = [];
    const changes: ModifyToSend[] = [];
    const cancels: CancelToSend[] = [];
    for (const { call, clientOrderId, strategy: name, request, day: sentOn } of calls) {
      const strategy = this.#names.indexOf(name);
      const isToday = sentOn === day;
      if (call === 'place') {
        const owner = { clientOrderId, strategy };
        owners.push(isToday && isOrder(request) ? { ...owner, order: { ...request, strategy } } : owner);
      } else if (isToday && isChange(request)) changes.push({ ...request, strategy });
      else if (isToday && isCancel(request)) cancels.push({ ...request, strategy });
    }
    return { owners, changes, cancels };
  }

  /** The journal has all that this run did. */
  clearOwn(): void {
    if (this.#isEarlierCleared && this.lines.length > 0) this.#file.clear();
  }

  /**
   * Clears the lines of earlier runs once the engine has decided the tail of the journal again (its view shows that) and those
   * rows are durable. Until then the lines alone say which of its calls have left; where that fails, the next start reads them again.
   */
  async clearOnce(view: Promise<EngineSnapshot | undefined> | undefined, flush: () => void): Promise<void> {
    try {
      if ((await view) === undefined) return;
      flush();
      this.clearEarlier();
    } catch {
      // The engine is lost, or the disk is full again.
    }
  }

  /** The journal has the lines of earlier runs too. */
  clearEarlier(): void {
    this.#isEarlierCleared = true;
    this.clearOwn();
  }

  close(): void {
    this.#file.close();
  }
}

interface EmergencyLine {
  readonly call: RecordedCall['call'];
  readonly clientOrderId: ClientOrderId;
  readonly strategy: string;
  readonly request?: RecordedCall['request'];
  readonly day?: TradingDay;
}

/** Undefined for lines other than calls, and for half a line that a power cut left. */
function emergencyLineIn(line: string): EmergencyLine | undefined {
  const parsed = parseJson(line, 'line');
  // It is reported unread; the order that it placed turns up in the broker's book.
  if (!parsed.ok || !isRecord(parsed.value)) return undefined;
  const written = parsed.value as unknown as EmergencyLine; // oxlint-disable-line typescript/no-unsafe-type-assertion -- what it is used for is checked below
  const isNamed = typeof written.clientOrderId === 'string' && typeof written.strategy === 'string';
  return isNamed && typeof written.call === 'string' ? written : undefined;
}

const isOrder = (request: RecordedCall['request'] | undefined): request is ApprovedOrder =>
  request !== undefined && 'trigger' in request && 'side' in request && 'limitPrice' in request;

const isChange = (request: RecordedCall['request'] | undefined): request is ApprovedModify =>
  request !== undefined && 'callId' in request && 'limitPrice' in request && 'orderNo' in request;

const isCancel = (request: RecordedCall['request'] | undefined): request is ApprovedCancel =>
  request !== undefined && 'callId' in request && 'orderNo' in request;
