/** The strategies of this build, by name. */
import { CATALOG } from '../../../strategies/catalog.ts';
import { assert } from '../../domain/assert.ts';
import type { StrategyDefinition } from '../../strategy/index.ts';

export { CATALOG } from '../../../strategies/catalog.ts';

/** Of a name that a read configuration holds. */
export function definitionOf(strategy: string): StrategyDefinition {
  const definition = CATALOG.find(({ name }) => name === strategy);
  assert(definition !== undefined, 'the configuration names only strategies of the catalogue');
  return definition;
}
