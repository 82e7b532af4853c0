/** GET /eros/v2/get-profile/by-username/{custodyCode} (contract, 2.1 and 4.2). */
import { profileAnswer } from '../answers/account-answers.ts';
import { z } from 'zod';
import type { Parsed } from '../../domain/parsed.ts';
import { codeText, idText, looseText, parseWith } from './lenient.ts';
import { queryRequest, type RawRequest, type WireRequest } from './request.ts';

export type SubAccountType = 'NORMAL' | 'MARGIN' | 'DERIVATIVE';

export interface SubAccount {
  readonly accountNo: string;
  readonly accountType: SubAccountType;
  readonly isActive: boolean;
  readonly isDefault: boolean;
}

/** As the client reads it, with the broker's words for people. */
export interface NamedSubAccount extends SubAccount {
  readonly name: string;
  readonly typeName: string;
  /** Null when there is none. */
  readonly bankCode: string | null;
}

export interface ProfileRow {
  readonly custodyCode: string;
  readonly name: string;
  readonly subAccounts: readonly SubAccount[];
}

const TYPE_NAMES: Readonly<Record<SubAccountType, string>> = {
  NORMAL: 'Normal account',
  MARGIN: 'Margin account',
  DERIVATIVE: 'Derivative account',
};

const PATH = '/eros/v2/get-profile/by-username/';
const BLOCKS = ['basicInfo', 'bankSubAccounts'] as const;
export type ProfileBlock = (typeof BLOCKS)[number];

/** Without a block there is nothing to answer; blocks that nobody knows are left out. */
const query = z.looseObject({ fields: codeText }).transform(({ fields }): readonly ProfileBlock[] =>
  BLOCKS.filter((block) =>
    fields
      .split(',')
      .map((text) => text.trim())
      .includes(block),
  ),
);

const accountType = z.enum(['NORMAL', 'MARGIN', 'DERIVATIVE']);
const subAccount = z
  .looseObject({
    accountNo: idText,
    accountType,
    status: looseText,
    isDefault: looseText,
    accountName: looseText.catch(''),
    accountTypeName: looseText.catch(''),
    bankCode: looseText.catch(''),
  })
  .transform((raw): NamedSubAccount => ({
    accountNo: raw.accountNo,
    accountType: raw.accountType,
    isActive: raw.status === '1',
    isDefault: raw.isDefault === 'Y',
    name: raw.accountName,
    typeName: raw.accountTypeName,
    bankCode: raw.bankCode === '' ? null : raw.bankCode,
  }));
/** Sub-accounts of a type nobody knows are left out, not guessed. */
const response = z
  .looseObject({ bankSubAccounts: z.array(z.union([subAccount, z.unknown().transform(() => null)])) })
  .transform(({ bankSubAccounts }) => bankSubAccounts.filter((row) => row !== null));

export const profile = {
  name: 'profile',
  asks: query,
  answers: profileAnswer,
  method: 'GET',
  path: `${PATH}:custodyCode`,
  pathOf: (custodyCode: string): string => `${PATH}${encodeURIComponent(custodyCode)}`,
  encodeRequest: (): WireRequest => queryRequest({ fields: BLOCKS.join(',') }),
  decodeRequest: (raw: RawRequest): Parsed<readonly ProfileBlock[]> => parseWith(query, raw.query, 'query'),
  encodeResponse: (row: ProfileRow, blocks: readonly ProfileBlock[]): z.output<typeof profileAnswer> => ({
    ...(blocks.includes('basicInfo') && {
      basicInfo: {
        tcbsId: row.custodyCode.slice(-6),
        code105C: row.custodyCode,
        status: 'ACTIVE',
        type: 'INDIVIDUAL',
        depository: true,
      },
    }),
    ...(blocks.includes('bankSubAccounts') && {
      bankSubAccounts: row.subAccounts.map(({ accountNo, accountType: type, isActive, isDefault }) => ({
        accountNo,
        accountName: row.name,
        bankCode: null,
        accountType: type,
        accountTypeName: TYPE_NAMES[type],
        status: isActive ? '1' : '0',
        isDefault: isDefault ? 'Y' : 'N',
      })),
    }),
  }),
  decodeResponse: (json: unknown): Parsed<readonly NamedSubAccount[]> => parseWith(response, json, 'profile'),
} as const;
