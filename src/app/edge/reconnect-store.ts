import { FRESH_STATE, type PauseReason, type ReconnectStore } from '../../broker/stream/reconnect-policy.ts';
import type { JournalStore } from '../../journal/journal-store.ts';

/** Place 0 is no pause. */
const PAUSES: readonly (PauseReason | null)[] = [null, 'attempts_used_up', 'protocol_error'];

/** Reconnect attempts survive a restart, so that a crash loop cannot become a login storm (rulings, 18). */
export const reconnectStore = (journal: JournalStore): ReconnectStore => ({
  load: () => ({
    ...FRESH_STATE,
    attempts: journal.counter('reconnect_attempts', ''),
    protocolErrors: journal.counter('reconnect_protocol_errors', ''),
    paused: PAUSES[journal.counter('reconnect_paused', '')] ?? null,
  }),
  save: ({ attempts, protocolErrors, paused }) => {
    journal.keepCounter('reconnect_attempts', '', attempts);
    journal.keepCounter('reconnect_protocol_errors', '', protocolErrors);
    journal.keepCounter('reconnect_paused', '', PAUSES.indexOf(paused));
  },
});
