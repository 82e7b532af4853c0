/** The journal in words: as the log says it, and in few words where the log leaves an entry out. */
import { shortOrderId } from '../../domain/ids.ts';
import type { JournalEntry } from '../../engine/ports/journal-entry.ts';
import { lineOf } from '../../operator/entry-line.ts';
import type { Naming } from '../../operator/naming.ts';
import { oneLine } from '../../operator/terminal.ts';
import { formatNumber } from '../../text/numbers.ts';
import { type StateQuery, type StateView, viewOf } from './read-state.ts';

export interface JournalLine {
  readonly id: number;
  /** To the second, of the exchange. */
  readonly time: string;
  readonly strategy: string;
  readonly word: string;
  readonly text: string;
}

export const journalLines = (query: StateQuery, kinds: readonly string[] | null): StateView<JournalLine> =>
  viewOf(query, (entries, _, naming) =>
    entries
      .filter(({ entry }) => kinds === null || kinds.includes(entry.kind))
      // Words are made for the rows that are shown.
      .slice(query.last === undefined ? 0 : -query.last)
      .map(({ id, entry, strategyName }) => ({
        id,
        time: naming.time(entry.tsUs),
        strategy: strategyName ?? 'system',
        ...wordsOf(entry, naming),
      })),
  );

export function wordsOf(
  entry: JournalEntry,
  naming: Naming,
): { readonly word: string; readonly text: string } {
  const line = lineOf(entry, naming);
  const { word, text } = line ?? { word: spaced(entry.kind), text: quietText(entry, naming) };
  return { word, text: oneLine(text) };
}

/** Of entries that the log leaves out. */
function quietText(entry: JournalEntry, naming: Naming): string {
  const { kind } = entry;
  if (kind === 'proposal') return proposalText(entry.proposal, naming);
  if (kind === 'policy_acted') return entry.text;
  if (kind === 'equity_peak') return `${formatNumber(entry.value)} VND`;
  if (kind === 'outcome')
    return `${shortOrderId(entry.clientOrderId)} ${entry.call}: ${spaced(entry.outcome.status)}`;
  if (kind !== 'order_status') return '';
  const { clientOrderId, from, to, detail } = entry;
  return `${shortOrderId(clientOrderId)} ${spaced(from)} to ${spaced(to)}${detail === '' ? '' : `: ${detail}`}`;
}

const spaced = (text: string): string => text.replaceAll('_', ' ');

type Proposal = Extract<JournalEntry, { readonly kind: 'proposal' }>['proposal'];

function proposalText(proposal: Proposal, naming: Naming): string {
  switch (proposal.do) {
    case 'submit': {
      const { clientOrderId, intent } = proposal;
      const { code, points } = naming.contract(intent.instrument);
      const what = `${intent.side} ${intent.qty} ${code} at ${points(intent.limitPrice)}`;
      return `${shortOrderId(clientOrderId)} ${what}: ${intent.reason}`;
    }
    case 'modify':
      return `change of ${shortOrderId(proposal.change.clientOrderId)}: ${changeText(proposal.change)}`;
    case 'cancel':
      return `cancel of ${shortOrderId(proposal.clientOrderId)}`;
  }
}

function changeText(change: Extract<Proposal, { readonly do: 'modify' }>['change']): string {
  switch (change.kind) {
    case 'price':
      return `to the price ${change.limitPrice} ticks`;
    case 'qty':
      return `to ${change.qty} in all`;
    case 'trigger':
      return `to the trigger ${change.triggerPrice} ticks`;
  }
}
