/** The frames of the stream (contract, 5 and 6; notes, 7). */
import { type AnswerField, answerFields } from './operation.ts';

export interface Channel {
  /** In a subscribe frame. */
  readonly code: string;
  /** Of its data frames; null for those that bring none. */
  readonly id: string | null;
  readonly fields: readonly AnswerField[];
}

export const CHANNELS: readonly Channel[] = [
  { code: 'bp', id: null, fields: [] },
  {
    code: 'bi',
    id: 's|23|',
    fields: answerFields(
      'contract',
      `
      symbol      string
      bidPrice01  number
      bidPrice02  number
      bidPrice03  number
      bidQtty01   int64
      bidQtty02   int64
      bidQtty03   int64
      `,
    ),
  },
  {
    code: 'tm',
    id: 's|21|',
    fields: answerFields(
      'contract',
      `
      symbol         string
      matchPrice     number
      matchQtty      int64
      change         number
      changePercent  number
      totalVolume    int64
      `,
    ),
  },
  {
    code: 'mp',
    id: 's|27|',
    fields: answerFields(
      'contract',
      `
      symbol  string
      high    number
      low     number
      avg     number
      open    number
      `,
    ),
  },
  {
    code: 'op',
    id: 's|24|',
    fields: answerFields(
      'contract',
      `
      symbol        string
      offerPrice01  number
      offerPrice02  number
      offerPrice03  number
      offerQtty01   int64
      offerQtty02   int64
      offerQtty03   int64
      `,
    ),
  },
  { code: 'fe', id: null, fields: [] },
];

/** Those that bring frames. */
export const DATA_CHANNELS = CHANNELS.flatMap(({ code, id, fields }) =>
  id === null ? [] : [{ code, id, fields }],
);

export const ALL_CODES = 'bp+bi+tm+mp+op+fe';
export const HEARTBEAT = 'd|p|||';
export const authFrame = (token: string | undefined): string =>
  `d|a|||${Buffer.from(token ?? '').toString('base64')}`;
export const subscribeFrame = (codes: string, symbols: string): string => `d|s|tk|${codes}|${symbols}`;
export const unsubscribeFrame = (codes: string, symbols: string): string => `d|u|tk|${codes}|${symbols}`;
