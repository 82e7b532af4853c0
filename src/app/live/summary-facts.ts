/** What the summary shows: the journal's session, and the broker's books read at one moment. */
import type { BrokerAccount, BrokerPosition } from '../../domain/broker-order.ts';
import type { Money } from '../../domain/units.ts';
import type { JournalReader } from '../../journal/journal-reader.ts';
import type { SummaryFacts } from '../../operator/summary.ts';
import { checkAccount } from './account-check.ts';
import type { Daemon } from './daemon.ts';

interface BrokerBooks {
  readonly account: BrokerAccount;
  readonly positions: readonly BrokerPosition[];
}

const LOOKS_MAX = 20;
const UNRESOLVED: ReadonlySet<string> = new Set([
  'submitting',
  'unknown',
  'presumed_absent',
  'expired_unproven',
]);

export async function summaryFacts(daemon: Daemon): Promise<SummaryFacts | undefined> {
  const session = daemon.sessionDay;
  if (session === undefined) return undefined;
  daemon.journal.flush();
  const { read } = daemon.journal;
  const entries = read.entries({ session });
  const last = new Map<string, string>();
  for (const { entry } of entries) if (entry.kind === 'order_status') last.set(entry.clientOrderId, entry.to);
  const books = await brokerBooks(daemon);
  const check = checkAccount({
    read,
    session,
    contracts: daemon.edge.table.contracts,
    books,
    firstNetAssetValue: firstNetAssetValue(read),
  });
  return {
    session,
    strategies: check.strategies,
    figures: check.figures,
    unresolved: [...last.values()].filter((status) => UNRESOLVED.has(status)).length,
    alerts: entries.filter(({ entry }) => entry.kind === 'alert' && entry.severity !== 'info').length,
  };
}

/** Positions and account are two reads: they are of one moment when neither changed over two looks in turn. */
async function brokerBooks({ edge }: Daemon): Promise<BrokerBooks | undefined> {
  let before = '';
  for (let look = 0; look < LOOKS_MAX; look += 1) {
    const positions = await edge.rest.positions({ priority: 'positions' });
    const account = await edge.rest.account({ priority: 'positions' });
    if (!positions.ok || !account.ok) return undefined;
    const books: BrokerBooks = { account: account.value, positions: positions.value };
    const now = JSON.stringify(books);
    if (now === before) return books;
    before = now;
  }
  return undefined;
}

/** What the account was worth before the journal's first order. */
function firstNetAssetValue(read: JournalReader): Money | null {
  for (const { day } of read.sessions()) {
    for (const input of read.inputs(day)) {
      if (input.kind === 'account_snapshot') return input.account.netAssetValue;
    }
  }
  return null;
}
