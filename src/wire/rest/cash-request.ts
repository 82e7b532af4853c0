/** What deposit and withdrawal share: the same body, and the envelope as answer (contract, 4.5). */
import { z } from 'zod';
import type { Parsed } from '../../domain/parsed.ts';
import type { Money } from '../../domain/units.ts';
import { codeText, idText, looseText, neededNumber, parseWith } from './lenient.ts';
import { bodyRequest, type RawRequest, type WireRequest } from './request.ts';

export interface CashParameters {
  readonly accountId: string;
  readonly subAccountId: string;
  /** Whole VND, above zero. */
  readonly amount: Money;
  /** For the statement; may be empty. */
  readonly note: string;
}

export interface CashAsked {
  readonly accountId: string;
  readonly subAccountId: string;
  /** Unchecked: the broker refuses what it must. */
  readonly amount: number;
  readonly note: string;
}

export const cashRequest = z
  .looseObject({ accountId: idText, subAccountId: codeText, amount: neededNumber, paymentContent: looseText })
  .transform(({ accountId, subAccountId, amount, paymentContent }): CashAsked => ({
    accountId,
    subAccountId,
    amount,
    note: paymentContent,
  }));

export const encodeCash = ({ accountId, subAccountId, amount, note }: CashParameters): WireRequest =>
  bodyRequest({ accountId, subAccountId, amount, paymentContent: note });

export const decodeCash = (raw: RawRequest): Parsed<CashAsked> => parseWith(cashRequest, raw.body, 'body');
