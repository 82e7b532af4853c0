import type { Paint } from './terminal.ts';

/** What an entry says to a person: one word that the eye finds, and the rest. */
export interface Said {
  readonly word: string;
  readonly tone: keyof Paint | 'plain';
  readonly text: string;
}

export const said = (word: string, tone: Said['tone'], text: string): Said => ({ word, tone, text });

/** `: why`, or nothing when there is no reason. */
export const because = (reason: string): string => (reason === '' ? '' : `: ${reason}`);
