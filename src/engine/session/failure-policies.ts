/**
 * Carries out the reaction that the settings name for a failure (`policies`): `hold` alerts, `cancel_orders` withdraws entries too,
 * `flatten` closes the positions of strategies too. Each failure is answered once until it is over. Adopted positions are for the
 * operator to decide. A replay gives the answers that the journal holds: settings edited between two starts do not act on the past.
 */
import type { Failure, FailurePolicy } from '../../domain/settings.ts';
import { US_PER_SECOND } from '../../domain/units.ts';
import type { Command, EngineEvent, JournalFailed } from '../ports/engine-event.ts';
import type { PolicyEntry } from '../ports/journal-entry.ts';
import { whyUnproven } from '../engine-view.ts';
import type { EngineState } from '../engine-state.ts';
import type { PositionKey } from './targets.ts';

/** Null is the account. */
type PolicyScope = PositionKey | null;

/** Failures that are answered once they have lasted for `policies.after`. */
type PersistentFailure = 'tokenDead' | 'streamDead' | 'staleData' | 'unprovenPosition' | 'clockJump';

export class FailurePolicies {
  readonly #state: EngineState;
  /** Start of each failure; infinite once it was answered. */
  readonly #sinceUs = new Map<PersistentFailure, number>();
  /** Journal and disk fail with every send: answered once until a start, or until a person resumes. */
  readonly #answeredWrites = new Set<'diskFull' | 'journalFailure'>();
  #isTokenValid = true;
  /** The stream is up and brings no prices. */
  #isFeedStale = false;

  constructor(state: EngineState) {
    this.#state = state;
  }

  /** The periodic reads bring an event often enough for failures that last. */
  afterEvent(event: EngineEvent): void {
    if (event.kind === 'booted') {
      this.#isTokenValid = true;
      this.#isFeedStale = false;
      this.#answeredWrites.clear();
      this.#sinceUs.clear();
    } else if (event.kind === 'token') this.#isTokenValid = event.isValid;
    else if (event.kind === 'stream') this.#isFeedStale = event.state === 'stale';
    else if (event.kind === 'journal_failed') this.#onJournal(event);
    else if (event.kind === 'command' && isResumeOfAccount(event.command)) this.#answeredWrites.clear();
    this.#checkAll();
  }

  act(failure: Failure, text: string, concerned: PolicyScope): void {
    const recorded = this.#state.context.decisions.policies();
    if (recorded === null)
      return this.#carryOut(failure, this.#state.settings.policies?.[failure] ?? 'hold', text, concerned);
    const at = recorded.findIndex((each) => each.failure === failure && isSame(concernedBy(each), concerned));
    const [acted] = at === -1 ? [] : recorded.splice(at, 1);
    if (acted !== undefined) this.#carryOut(failure, acted.policy, acted.text, concerned);
  }

  /** The event of a past is over: answers that the settings of today would not give. */
  endEvent(recorded: PolicyEntry[]): void {
    for (const acted of recorded.splice(0))
      this.#carryOut(acted.failure, acted.policy, acted.text, concernedBy(acted));
  }

  #carryOut(failure: Failure, policy: FailurePolicy, text: string, concerned: PolicyScope): void {
    const owner = concerned === null ? null : concerned.strategy;
    const severity = policy === 'hold' && concerned === null ? 'warning' : 'critical';
    const instrument = concerned === null ? null : concerned.instrument;
    const { context, withdrawal, contracts } = this.#state;
    const acted = { ...context.head(owner), failure, policy, instrument, text };
    context.append({ ...acted, kind: 'policy_acted' });
    const message = `${text}: ${POLICY_WORDS[policy]} (policies.${failure}: ${policy})`;
    const facts = instrument === null ? {} : { about: contracts.codeOf(instrument) };
    context.alert(owner, severity, 'failure_policy', message, facts);
    if (policy === 'hold') return;
    withdrawal.withdrawEntries(owner);
    if (policy === 'flatten') this.#flatten(concerned, text);
  }

  #onJournal({ isDiskFull }: JournalFailed): void {
    const failure = isDiskFull === true ? 'diskFull' : 'journalFailure';
    if (this.#answeredWrites.has(failure)) return;
    this.#answeredWrites.add(failure);
    const text = failure === 'diskFull' ? 'the disk is full' : 'the journal could not be written';
    this.act(failure, text, null);
  }

  #checkAll(): void {
    const { session, market } = this.#state;
    const isOpen = session.phase === 'continuous';
    const unproven = isOpen ? whyUnproven(this.#state) : null;
    this.#check('tokenDead', isOpen && !this.#isTokenValid, 'there is no valid token');
    this.#check('streamDead', isOpen && !market.isLive && !this.#isFeedStale, 'the price stream is down');
    const isStale = this.#isFeedStale || (market.isLive && this.#isStale());
    this.#check('staleData', isOpen && isStale, 'prices have stopped');
    this.#check('unprovenPosition', unproven !== null, unproven ?? '');
    const stepUs = session.clockStepUs;
    const isOff = isOpen && stepUs !== 0;
    const by = isOff ? `the wall clock is off by ${Math.round(stepUs / US_PER_SECOND)} s` : '';
    this.#check('clockJump', isOff, by);
  }

  #check(failure: PersistentFailure, isFailing: boolean, text: string): void {
    if (!isFailing) {
      this.#sinceUs.delete(failure);
      return;
    }
    const now = this.#state.context.nowUs;
    const since = this.#sinceUs.get(failure) ?? now;
    this.#sinceUs.set(failure, since);
    if (now - since < (this.#state.settings.policies?.after ?? Infinity)) return;
    this.#sinceUs.set(failure, Infinity);
    this.act(failure, `${text}, for ${Math.round((now - since) / US_PER_SECOND)} s`, null);
  }

  /** Judges the whole feed, while there are positions or orders: a contract that hardly trades has not stopped as long as others have prices. */
  #isStale(): boolean {
    const { orders, contracts, context, market } = this.#state;
    if (this.#state.portfolio.held().length === 0 && orders.open.length === 0) return false;
    const { dataAgeMax } = this.#state.settings.risk;
    return contracts.all.every(({ index }) => context.nowUs - market.of(index).seenUs > dataAgeMax);
  }

  #flatten(concerned: PolicyScope, reason: string): void {
    if (concerned !== null) return this.#state.targetExecutor.flatten(concerned, reason);
    // An entry may fill before its cancel arrives.
    for (const { index } of this.#state.registry.registered)
      this.#state.targetExecutor.flattenOwner(index, reason, 'settings');
  }
}

const POLICY_WORDS: Readonly<Record<FailurePolicy, string>> = {
  hold: 'nothing is canceled or closed',
  cancel_orders: 'entries are canceled',
  flatten: 'entries are canceled, and positions closed',
};

const concernedBy = ({ strategy, instrument }: PolicyEntry): PolicyScope =>
  strategy === null || instrument === null ? null : { strategy, instrument };

const isSame = (a: PolicyScope, b: PolicyScope): boolean =>
  a?.strategy === b?.strategy && a?.instrument === b?.instrument;

const isResumeOfAccount = (command: Command): boolean =>
  command.name === 'resume' && typeof command.strategy !== 'number';
