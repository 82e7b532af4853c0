import { z } from 'zod';
import type { Side } from '../../domain/order.ts';

export const sideCode = (side: Side): 'B' | 'S' => (side === 'buy' ? 'B' : 'S');

/** `B` or `S`. */
export const sideField = z.enum(['B', 'S']).transform((code): Side => (code === 'B' ? 'buy' : 'sell'));

/** `105C123456` is shown as `123456A` (notes, section 2). */
export const accountCodeOf = (subAccount: string): string => subAccount.slice(-7);
