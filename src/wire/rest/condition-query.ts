/** What the conditional book is asked for (contract, 4.3). Names as documented: `subAccountID`, `PageSize`, `Symbol`. */
import { z } from 'zod';
import type { Parsed } from '../../domain/parsed.ts';
import {
  type ConditionKindFilter,
  type ConditionStatusFilter,
  decodeKindFilter,
  decodeStatusFilter,
  encodeKindFilter,
  encodeStatusFilter,
} from './condition-codes.ts';
import { idText, looseText, neededNumber, parseWith } from './lenient.ts';
import { queryRequest, type RawRequest, type WireRequest } from './request.ts';
import { ALL_SYMBOLS, type SymbolFilter, symbolFilterOf } from './symbol-filter.ts';

export interface ConditionBookParameters {
  readonly accountId: string;
  readonly subAccountId: string;
  readonly pageNo: number;
  readonly pageSize: number;
}

export interface ConditionBookAsked extends ConditionBookParameters, SymbolFilter {
  readonly status: ConditionStatusFilter;
  readonly kind: ConditionKindFilter;
}

export const conditionQuery = z
  .object({
    accountId: idText,
    subAccountID: looseText,
    pageNo: neededNumber,
    PageSize: neededNumber,
    orderStatus: looseText,
    orderType: looseText,
    Symbol: looseText,
  })
  .transform((raw, context): ConditionBookAsked => {
    const needed = <T>(value: T | undefined, path: string, message: string): T => {
      if (value !== undefined) return value;
      context.addIssue({ code: 'custom', path: [path], message });
      return z.NEVER;
    };
    return {
      accountId: raw.accountId,
      subAccountId: raw.subAccountID,
      pageNo: raw.pageNo,
      pageSize: raw.PageSize,
      status: needed(decodeStatusFilter(raw.orderStatus), 'orderStatus', '0, 1, 2 or 3'),
      kind: needed(decodeKindFilter(raw.orderType), 'orderType', 'nothing, 3, 4 or 5'),
      ...needed(symbolFilterOf(raw.Symbol), 'Symbol', 'ALL,ALL or ALL,B or <contract>,B'),
    };
  });

/** All orders of all contracts and kinds: what is not looked at cannot be evidence (rulings, 8). */
export const encodeConditionQuery = (asked: ConditionBookParameters): WireRequest =>
  queryRequest({
    accountId: asked.accountId,
    subAccountID: asked.subAccountId,
    pageNo: String(asked.pageNo),
    PageSize: String(asked.pageSize),
    orderStatus: encodeStatusFilter('all'),
    orderType: encodeKindFilter('all'),
    Symbol: ALL_SYMBOLS,
  });

export const decodeConditionQuery = (raw: RawRequest): Parsed<ConditionBookAsked> =>
  parseWith(conditionQuery, raw.query, 'query');
