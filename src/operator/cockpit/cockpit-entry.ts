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
  if (entry.kind === 'policy_acted') return null;
  if (entry.kind === 'order_waiting') return entry.row.orderCode;
  if ('instrument' in entry) return contract(entry.instrument).code;
  if ('order' in entry) return entry.order.orderCode;
  if (entry.kind === 'modify') return entry.modify.orderCode;
  if (entry.kind === 'cancel') return entry.cancel.orderCode;
  const intent = entry.kind === 'proposal' && entry.proposal.do === 'submit' ? entry.proposal.intent : null;
  return intent === null ? null : contract(intent.instrument).code;
}
