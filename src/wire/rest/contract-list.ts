/** GET /api/v1/derivatives/contracts (contract, 4.4). The shape of the body is ours; others are read too (notes, section 6). */
import { contractListAnswer } from '../answers/market-answers.ts';
import { z } from 'zod';
import type { TradingDay } from '../../domain/civil-date.ts';
import { type Parsed, parsed } from '../../domain/parsed.ts';
import type { DriftCounter } from '../drift.ts';
import { dateText, readDate } from './date-text.ts';
import { looseText, parseWith } from './lenient.ts';
import { queryRequest, type WireRequest } from './request.ts';

export interface ListedCode {
  /** The stream's code. */
  readonly code: string;
  readonly expiry: TradingDay | null;
}

export interface ContractToList {
  readonly code: string;
  readonly expiry: TradingDay;
  readonly frontMonth: boolean;
}

const item = z.union([
  z.string().transform((code): ListedCode => ({ code: code.trim(), expiry: null })),
  z
    .looseObject({
      symbol: looseText.catch(''),
      code: looseText.catch(''),
      contractCode: looseText.catch(''),
      expiryDate: looseText.catch(''),
    })
    .transform(({ symbol, code, contractCode, expiryDate }): ListedCode => {
      const named = [symbol, code, contractCode].map((text) => text.trim()).find((text) => text !== '');
      return { code: named ?? '', expiry: readDate(expiryDate) };
    }),
]);
const list = z.array(item);
const wrapped = z.looseObject({ data: list }).transform(({ data }) => data);

/** `objects` is ours; the others are what the service may answer as well [?] (notes, section 6). */
export type ContractListStyle = 'objects' | 'codes' | 'bare';

const encodeItem = ({ code, expiry, frontMonth }: ContractToList): object => ({
  symbol: code,
  expiryDate: dateText(expiry),
  frontMonth,
});

export const contractList = {
  name: 'contracts',
  asks: null,
  answers: contractListAnswer,
  method: 'GET',
  path: '/api/v1/derivatives/contracts',
  encodeRequest: (): WireRequest => queryRequest({}),
  encodeResponse: (contracts: readonly ContractToList[], style: ContractListStyle = 'objects'): object => {
    if (style === 'bare') return contracts.map(encodeItem);
    return { data: style === 'codes' ? contracts.map(({ code }) => code) : contracts.map(encodeItem) };
  },
  decodeResponse: (json: unknown, drift: DriftCounter): Parsed<readonly ListedCode[]> => {
    const isBare = Array.isArray(json);
    const read = isBare ? parseWith(list, json, 'contracts') : parseWith(wrapped, json, 'contracts');
    if (!read.ok) return read;
    if (isBare) drift.count('contracts', 'a bare list');
    const coded = read.value.filter(({ code }) => code !== '');
    if (coded.length < read.value.length) drift.count('contracts.data', 'an entry without a code');
    return parsed(coded);
  },
} as const;
