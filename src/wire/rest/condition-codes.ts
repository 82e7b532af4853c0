/**
 * The letters of conditional orders. They differ by direction: `SOL` is sent and `SL` comes back; status 2 is canceled in the
 * book and activated in the filter (contract, 4.3; notes, 4). One table each, read and written.
 */
import type { BrokerTriggerKind, BrokerTriggerStatus } from '../../domain/broker-order.ts';
import type { TriggerWhen } from '../../domain/order.ts';

/** Kinds with an operation of their own; the others are order types of a normal place. */
type PlacedConditionKind = 'stop' | 'trailing_stop';

interface TriggerCode {
  readonly kind: PlacedConditionKind;
  /** Null for a trailing stop: its side decides. */
  readonly when: TriggerWhen | null;
  readonly sent: string;
  readonly shown: string;
}

/** A trailing stop comes back with its own code (rulings, 15). */
const TRIGGER_CODES: readonly TriggerCode[] = [
  { kind: 'stop', when: 'at_or_above', sent: 'SOL', shown: 'SL' },
  { kind: 'stop', when: 'at_or_below', sent: 'SOU', shown: 'SU' },
  { kind: 'trailing_stop', when: null, sent: 'TSO', shown: 'TSO' },
];

/** Ours [?]: an arbitrage row has no trigger, and no code of its own is known. */
const SHOWN_ARBITRAGE = 'ABI';

export const sentTriggerCode = (kind: PlacedConditionKind, when: TriggerWhen | null): string =>
  TRIGGER_CODES.find((row) => row.kind === kind && (kind === 'trailing_stop' || row.when === when))?.sent ??
  '';

export const triggerFromSentCode = (code: string): Pick<TriggerCode, 'kind' | 'when'> | undefined =>
  TRIGGER_CODES.find(({ sent }) => sent === code.trim().toUpperCase());

/** An exit has the code of a stop: the code names how an order triggers, not its kind. */
export function shownTriggerCode(kind: BrokerTriggerKind, when: TriggerWhen | null): string {
  if (kind === 'arbitrage') return SHOWN_ARBITRAGE;
  const wanted = kind === 'trailing_stop' ? 'trailing_stop' : 'stop';
  return (
    TRIGGER_CODES.find((row) => row.kind === wanted && (wanted !== 'stop' || row.when === when))?.shown ?? ''
  );
}

/** Direction in which it triggers; null for an order that is no stop and for an unknown code. Takes sent codes too. */
export function whenFromShownCode(code: string): TriggerWhen | null {
  const letters = code.trim().toUpperCase();
  return TRIGGER_CODES.find(({ shown, sent }) => shown === letters || sent === letters)?.when ?? null;
}

interface StatusCode {
  readonly status: Exclude<BrokerTriggerStatus, 'unrecognized'>;
  readonly shown: string;
  /** Undefined: the filter has no word for it. */
  readonly asked: string | undefined;
}

const STATUS_CODES: readonly StatusCode[] = [
  { status: 'pending', shown: '0', asked: '1' },
  { status: 'activated', shown: '1', asked: '2' },
  { status: 'canceled', shown: '2', asked: undefined },
  { status: 'rejected', shown: '3', asked: '3' },
];

/** The status that a place answers with; in the book it means pending. */
export const NEWLY_PLACED = 'P';
const UNKNOWN_LETTER = '?';
export const ASKED_ALL = '0';

export const encodeConditionStatus = (status: BrokerTriggerStatus): string =>
  STATUS_CODES.find((row) => row.status === status)?.shown ?? UNKNOWN_LETTER;

/** Letters outside the table are `unrecognized`: an alert, never a guess. */
export function decodeConditionStatus(letters: string): BrokerTriggerStatus {
  const text = letters.trim().toUpperCase();
  if (text === NEWLY_PLACED) return 'pending';
  return STATUS_CODES.find(({ shown }) => shown === text)?.status ?? 'unrecognized';
}

export type ConditionStatusFilter = 'all' | 'pending' | 'activated' | 'rejected';

export function decodeStatusFilter(text: string): ConditionStatusFilter | undefined {
  const digit = text.trim();
  if (digit === '' || digit === ASKED_ALL) return 'all';
  const status = STATUS_CODES.find(({ asked }) => asked === digit)?.status;
  return status === 'canceled' ? undefined : status;
}

interface KindWords {
  readonly kind: Exclude<BrokerTriggerKind, 'unrecognized'>;
  readonly notes: string;
  readonly asked: string;
}

/** The contract has no word for a trailing stop: it is among the stop orders, with its own code. */
const KIND_WORDS: readonly KindWords[] = [
  { kind: 'arbitrage', notes: 'Arbitrage', asked: '3' },
  { kind: 'exit', notes: 'SL/TP', asked: '4' },
  { kind: 'stop', notes: 'Stop order', asked: '5' },
];

const wordsOf = (kind: BrokerTriggerKind): KindWords | undefined =>
  KIND_WORDS.find((row) => row.kind === (kind === 'trailing_stop' ? 'stop' : kind));

export const encodeConditionNotes = (kind: BrokerTriggerKind): string => wordsOf(kind)?.notes ?? '';

/** Reads the kind from `notes`, else from the code: a stop and an exit share one code. */
export function decodeConditionKind(notes: string, code: string): BrokerTriggerKind {
  const words = notes.trim().toLowerCase();
  const letters = code.trim().toUpperCase();
  if (words.includes('trailing') || letters === 'TSO') return 'trailing_stop';
  const known = KIND_WORDS.find((row) => row.notes.toLowerCase() === words);
  if (known !== undefined) return known.kind;
  return letters === SHOWN_ARBITRAGE ? 'arbitrage' : 'unrecognized';
}

export type ConditionKindFilter = 'all' | 'arbitrage' | 'exit' | 'stop';

export function decodeKindFilter(text: string): ConditionKindFilter | undefined {
  const digit = text.trim();
  if (digit === '') return 'all';
  const kind = KIND_WORDS.find(({ asked }) => asked === digit)?.kind;
  return kind === 'trailing_stop' ? undefined : kind;
}
