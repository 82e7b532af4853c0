/** What every check looks at. */
import type { BrokerTruth } from './broker-truth.ts';
import type { CommittedJournal } from './committed-journal.ts';
import type { World } from './world.ts';

export interface Scene {
  readonly world: World;
  readonly truth: BrokerTruth;
  readonly journal: CommittedJournal;
  readonly violated: (text: string) => void;
  /** Positions or orders that are not ours, or that a person took over: owners and limits of the account no longer bind. */
  readonly isForeign: boolean;
  /** No book of this world ever shows what is not so, and a newer read never comes before an older one. */
  readonly isTruthful: boolean;
  /** A person said how the order ended. */
  readonly isResolved: (id: string) => boolean;
  /** A strategy's position was taken over or given away without a fill. */
  readonly isReassigned: (strategy: string) => boolean;
  /**
   * Contracts that an owner holds. Where positions agree although some of its orders were not seen to the end, fills set each other off,
   * and nothing shows whose they were: our own books hold.
   */
  readonly heldBy: (owner: string, code: string) => number;
  /** Contracts that committed fills have brought an owner, over all sessions. */
  readonly journaledQty: (owner: string, code: string) => number;
}
