/** GET /campaign-management/v1/margin/subscription/{accountNo}/addons/detail (contract, 2.9 and 4.6). */
import { loanPackagesAnswer } from '../answers/money-answers.ts';
import { z } from 'zod';
import type { LoanPackages } from '../../domain/broker-order.ts';
import { type Parsed, parsed } from '../../domain/parsed.ts';
import type { DriftCounter } from '../drift.ts';
import { isRecord } from '../json.ts';
import { ACCOUNT_NO, decodeAccountPath, pathWith } from './account-path.ts';
import {
  listIn,
  looseMoney,
  looseNumber,
  looseText,
  neededNumber,
  noteTextRows,
  parseWith,
} from './lenient.ts';
import { queryRequest, type WireRequest } from './request.ts';

const PATH = `/campaign-management/v1/margin/subscription/${ACCOUNT_NO}/addons/detail`;

const packageRow = z.looseObject({
  id: neededNumber,
  name: looseText,
  code: looseText,
  subscriptionFee: looseMoney,
  status: looseText,
});
const tieredRow = z.looseObject({
  id: neededNumber,
  name: looseText,
  firstRate: looseNumber,
  status: looseText,
});

/** An account without packages has empty lists, or none. */
const response = z.looseObject({
  marginSureViews: z.array(packageRow).nullish(),
  tplus: z.looseObject({ data: z.array(tieredRow).nullish() }).nullish(),
});

export const loanPackages = {
  name: 'loan-packages',
  asks: null,
  answers: loanPackagesAnswer,
  method: 'GET',
  path: PATH,
  pathOf: (accountNo: string): string => pathWith(PATH, accountNo),
  encodeRequest: (): WireRequest => queryRequest({}),
  /** The account. */
  decodeRequest: decodeAccountPath,
  encodeResponse: ({ packages, tiered }: LoanPackages): z.output<typeof loanPackagesAnswer> => ({
    marginSureViews: packages.map(({ id, name, code, subscriptionFee, status }) => ({
      id,
      name,
      code,
      subscriptionFee: subscriptionFee ?? 0,
      status,
    })),
    tplus: {
      data: tiered.map(({ id, name, firstRate, status }) => ({
        id,
        name,
        firstRate: firstRate ?? 0,
        status,
      })),
    },
  }),
  decodeResponse: (json: unknown, drift: DriftCounter): Parsed<LoanPackages> => {
    const read = parseWith(response, json, 'loan-packages');
    if (!read.ok) return read;
    const { marginSureViews, tplus } = read.value;
    noteTextRows(drift, 'loan-packages', listIn(json, 'marginSureViews'), ['id', 'subscriptionFee']);
    noteTextRows(drift, 'loan-packages.tplus', listIn(isRecord(json) ? json['tplus'] : undefined, 'data'), [
      'id',
      'firstRate',
    ]);
    if (!Array.isArray(marginSureViews)) drift.count('loan-packages.marginSureViews', 'no list');
    if (!Array.isArray(tplus?.data)) drift.count('loan-packages.tplus', 'no list');
    return parsed({
      packages: (marginSureViews ?? []).map(({ id, name, code, subscriptionFee, status }) => ({
        id,
        name,
        code,
        subscriptionFee: subscriptionFee ?? null,
        status,
      })),
      tiered: (tplus?.data ?? []).map(({ id, name, firstRate, status }) => ({
        id,
        name,
        firstRate: firstRate ?? null,
        status,
      })),
    });
  },
} as const;
