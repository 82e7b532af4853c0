import type { Refusal, RefusalCode } from '../venue-command.ts';

/** The broker's texts are not known; these are ours, in the trade's words. -6001 and -6003 are ours altogether. */
const TEXTS: Readonly<Record<RefusalCode, string>> = {
  [-6001]: 'Account not found',
  [-6003]: 'Order or contract not found',
  [-6004]: 'Duplicate order reference',
  [-6012]: 'Not enough buying power',
  [-6014]: 'Order cannot be cancelled',
  [-6015]: 'Order cannot be changed',
  [-6019]: 'Invalid volume',
  [-6021]: 'Invalid price',
  [-6022]: 'Market is closed',
  [-6024]: 'Order type not allowed in this session',
  [-6026]: 'Cancel or change not allowed in this session',
  [-6032]: 'Safe ratio exceeded',
  [-6033]: 'Contract at maturity',
  [-6034]: 'Order volume above the limit',
  [-6035]: 'Price outside ceiling and floor',
  [-6038]: 'Maximum position exceeded',
  [-6048]: 'Price and volume may not change together',
  [-8004]: 'Order already fully matched',
};

export const refusal = (code: RefusalCode, text = TEXTS[code]): Refusal => ({ code, text });
