/** Misbehaviour as a plan: when something goes wrong, and what. The same seed and the same events give the same faults. */
import { type FaultName, OPERATIONS, type Fault, type OperationName } from '../faults/fault.ts';

export interface Scenario {
  readonly seed: number;
  readonly steps: readonly ScenarioStep[];
}

export interface ScenarioStep {
  readonly when: Moment;
  /** Of 100 times that its moment comes, so often it is done. */
  readonly chancePercent: number;
  readonly action: ScenarioAction;
}

/** Real seconds between these two, both included: drawn from the seed. */
export interface SecondsBetween {
  readonly from: number;
  readonly to: number;
}

export type Moment =
  /** Once, so long after the start. */
  | { readonly kind: 'after'; readonly span: SecondsBetween }
  /** Again and again. */
  | { readonly kind: 'every'; readonly span: SecondsBetween }
  /** Once, when market time reaches this time of day; seconds from midnight. */
  | { readonly kind: 'at'; readonly secondOfDay: number }
  /** When something happens: from the `nth` time on, every `each` times; `each` null is once. */
  | {
      readonly kind: 'on';
      readonly event: ScenarioEvent;
      readonly nth: number;
      readonly each: number | null;
    };

export type ScenarioAction =
  | { readonly kind: 'set'; readonly fault: Fault }
  /** Null clears all. */
  | { readonly kind: 'clear'; readonly name: FaultName | null };

/** Operations count before they are served, so that a fault can strike that very request. */
const HAPPENINGS = [
  'authenticated',
  'subscribed',
  'trade',
  'book',
  'order',
  'condition',
  'fill',
  'opening_auction',
  'continuous',
  'break',
  'closing_auction',
  'closed',
] as const;

export type ScenarioEvent = OperationName | (typeof HAPPENINGS)[number];

export const SCENARIO_EVENTS: readonly ScenarioEvent[] = [...OPERATIONS, ...HAPPENINGS];
