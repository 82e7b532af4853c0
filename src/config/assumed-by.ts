import type { Assumption } from '../domain/settings.ts';
import type { ConfigFile } from './config-schema.ts';

const ASSUMPTIONS: readonly Assumption[] = ['entry-with-exits', 'order-after-order', 'conditional-change'];

/** The embedded simulator keeps to our reading; of a broker only what the trader takes upon himself (rulings, 13). */
export const assumedBy = ({ mode, live }: Pick<ConfigFile, 'mode' | 'live'>): readonly Assumption[] =>
  mode === 'paper' ? ASSUMPTIONS : ASSUMPTIONS.filter((each) => live.assume.includes(each));
