/** What the in-day book is asked for (contract, 4.3). */
import { z } from 'zod';
import type { Side } from '../../domain/order.ts';
import type { Parsed } from '../../domain/parsed.ts';
import { idText, looseText, neededNumber, parseWith } from './lenient.ts';
import { queryRequest, type RawRequest, type WireRequest } from './request.ts';
import { ALL_SYMBOLS, symbolFilterOf } from './symbol-filter.ts';

export interface InDayParameters {
  readonly accountId: string;
  readonly pageNo: number;
  readonly pageSize: number;
}

export type InDayStatusFilter = 'all' | 'waiting' | 'matched';

export interface InDayAsked {
  readonly accountId: string;
  readonly pageNo: number;
  readonly pageSize: number;
  /** Null for all. */
  readonly symbol: string | null;
  readonly side: Side | null;
  /** Empty for all, else the contract's digit. */
  readonly orderType: string;
  readonly status: InDayStatusFilter;
  /** Null for any. */
  readonly refId: string | null;
}

const STATUS_FILTERS: ReadonlyMap<string, InDayStatusFilter> = new Map([
  ['', 'all'],
  ['0', 'all'],
  ['1', 'waiting'],
  ['2', 'matched'],
]);

export const inDayQuery = z
  .object({
    accountId: idText,
    pageNo: neededNumber,
    pageSize: neededNumber,
    symbol: looseText,
    orderType: looseText,
    status: looseText,
    refId: looseText,
  })
  .transform((raw, context): InDayAsked => {
    const status = STATUS_FILTERS.get(raw.status.trim());
    const filter = symbolFilterOf(raw.symbol);
    if (status === undefined) context.addIssue({ code: 'custom', path: ['status'], message: '0, 1 or 2' });
    if (filter === undefined) {
      context.addIssue({ code: 'custom', path: ['symbol'], message: 'ALL,ALL or ALL,B or <contract>,B' });
    }
    const { accountId, pageNo, pageSize, orderType, refId } = raw;
    return {
      accountId,
      pageNo,
      pageSize,
      symbol: filter?.symbol ?? null,
      side: filter?.side ?? null,
      orderType: orderType.trim(),
      status: status ?? 'all',
      refId: refId === '' ? null : refId,
    };
  });

/** All orders of all contracts: what is not looked at cannot be evidence (rulings, 8). */
export const encodeInDayQuery = ({ accountId, pageNo, pageSize }: InDayParameters): WireRequest =>
  queryRequest({
    accountId,
    pageNo: String(pageNo),
    pageSize: String(pageSize),
    symbol: ALL_SYMBOLS,
    orderType: '',
    status: '0',
  });

export const decodeInDayQuery = (raw: RawRequest): Parsed<InDayAsked> =>
  parseWith(inDayQuery, raw.query, 'query');
