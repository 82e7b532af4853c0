/** A row of the journal as the page shows it. */
import { US_PER_MS } from '../../domain/units.ts';
import type { JournalEntry } from '../../engine/ports/journal-entry.ts';
import { lineOf } from '../entry-line.ts';
import type { Naming } from '../naming.ts';
import type { CockpitEntry } from './cockpit-model.ts';

export interface JournalRowFacts {
  readonly id: number;
  readonly session: string;
  /** Null for the daemon itself. */
  readonly strategyName: string | null;
  readonly order: string | null;
  readonly entry: JournalEntry;
}

export function cockpitEntry(
  { id, session, strategyName, order, entry }: JournalRowFacts,
  naming: Naming,
): CockpitEntry {
  const line = lineOf(entry, naming);
  return {
    id: `${session}-${id}`,
    day: session,
    seq: id,
    atMs: Math.floor(entry.tsUs / US_PER_MS),
    kind: entry.kind,
    cause: entry.cause,
    order,
    strategy: strategyName ?? 'system',
    contract: contractOf(entry, naming),
    word: line?.word ?? entry.kind.replaceAll('_', ' '),
    tone: line?.tone ?? 'dim',
    text: line?.text ?? '',
  };
}

function contractOf(entry: JournalEntry, { contract }: Naming): string | null {
  switch (entry.kind) {
    case 'place':
      return contract(entry.order.instrument).code;
    case 'modify':
      return entry.modify.orderCode;
    case 'cancel':
      return entry.cancel.orderCode;
    case 'order_adopted':
      return entry.order.orderCode;
    case 'order_waiting':
      return entry.row.orderCode;
    case 'proposal':
      return entry.proposal.do === 'submit' ? contract(entry.proposal.intent.instrument).code : null;
    case 'fill':
    case 'fill_correction':
    case 'position_event':
    case 'gap':
      return contract(entry.instrument).code;
    case 'denied':
    case 'outcome':
    case 'order_status':
    case 'position_mismatch':
    case 'position_agreed':
    case 'money_checked':
    case 'phase':
    case 'command':
    case 'remote_command':
    case 'halt':
    case 'strategy_started':
    case 'strategy_changed':
    case 'strategy_stopped':
    case 'strategy_fault':
    case 'strategy_note':
    case 'stop_ready':
    case 'policy_acted':
    case 'equity_peak':
    case 'alert':
  }
  return null;
}
