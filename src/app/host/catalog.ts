/** The strategies of this build, by name. */
import { CATALOG } from '../../../strategies/catalog.ts';
import { assert } from '../../domain/assert.ts';
import { OPERATOR_INDEX, type StrategyIndex, strategyIndex } from '../../domain/units.ts';
import type { StrategyDefinition, StrategyInstance } from '../../strategy/index.ts';

export { CATALOG } from '../../../strategies/catalog.ts';

/** Definition of a strategy that a valid configuration names. */
export function definitionOf(strategy: string): StrategyDefinition {
  const definition = CATALOG.find(({ name }) => name === strategy);
  assert(definition !== undefined, 'the configuration names only strategies of the catalogue');
  return definition;
}

/** Names and indices of the configured strategies; `operator` stands for all others. */
export interface StrategyNames {
  readonly nameOf: (index: StrategyIndex) => string;
  readonly indexOf: (name: string) => StrategyIndex;
}

export const strategyNames = (strategies: readonly { readonly id: string }[]): StrategyNames => ({
  nameOf: (index) => strategies[index]?.id ?? 'operator',
  indexOf: (name) => {
    const index = strategies.findIndex(({ id }) => id === name);
    return index === -1 ? OPERATOR_INDEX : strategyIndex(index);
  },
});

/** The configured strategies as the engine's host runs them. */
export const strategyInstances = (
  strategies: readonly {
    readonly id: string;
    readonly strategy: string;
    readonly params: StrategyInstance['params'];
  }[],
): readonly StrategyInstance[] =>
  strategies.map(({ id, strategy, params }, place) => ({
    index: strategyIndex(place),
    id,
    definition: definitionOf(strategy),
    params,
  }));
