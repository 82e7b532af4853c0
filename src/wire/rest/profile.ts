/** GET /eros/v2/get-profile/by-username/{custodyCode} (contract, 4.2). */
import { z } from 'zod';
import type { ParseResult, JsonRecord } from '../../domain/parsed.ts';
import { codeText, idText, looseText, parseWith } from './lenient.ts';
import { field, flag, get, json, message, queryOf, text } from './wire-message.ts';

export type SubAccountType = 'NORMAL' | 'MARGIN' | 'DERIVATIVE';

interface ProfileAccount {
  readonly accountNo: string;
  readonly accountType: SubAccountType;
  readonly isActive: boolean;
  readonly isDefault: boolean;
}

/** As the client reads it, with the broker's words for people. */
type NamedSubAccount = Readonly<z.output<typeof subAccountRead>>;

interface ProfileRow {
  readonly custodyCode: string;
  readonly name: string;
  readonly subAccounts: readonly ProfileAccount[];
}

const BLOCKS = ['basicInfo', 'bankSubAccounts'] as const;
type ProfileBlock = (typeof BLOCKS)[number];

const request = message<void>()({
  fields: field(text, () => BLOCKS.join(','), codeText),
});
/** Without a block the answer is empty; unknown blocks are left out. */
const query = request.reader.transform(({ fields }): readonly ProfileBlock[] => {
  const named = new Set(fields.split(',').map((word) => word.trim()));
  return BLOCKS.filter((block) => named.has(block));
});

const TYPE_NAMES: Readonly<Record<SubAccountType, string>> = {
  NORMAL: 'Normal account',
  MARGIN: 'Margin account',
  DERIVATIVE: 'Derivative account',
};
const accountType = z.enum(['NORMAL', 'MARGIN', 'DERIVATIVE']);

const subAccount = message<ProfileAccount & Pick<ProfileRow, 'name'>>()({
  accountNo: field(text, (row) => row.accountNo, idText),
  accountName: field(text, ({ name }) => name, looseText.catch('')),
  bankCode: field(json<null>(), () => null, looseText.catch('')),
  accountType: field(json<SubAccountType>(), (row) => row.accountType, accountType),
  accountTypeName: field(text, (row) => TYPE_NAMES[row.accountType], looseText.catch('')),
  status: field(flag, ({ isActive }) => (isActive ? '1' : '0'), looseText),
  isDefault: field(json<'Y' | 'N'>(), ({ isDefault }) => (isDefault ? 'Y' : 'N'), looseText),
});
const subAccountRead = subAccount.reader.transform((raw) => ({
  accountNo: raw.accountNo,
  accountType: raw.accountType,
  isActive: raw.status === '1',
  isDefault: raw.isDefault === 'Y',
  name: raw.accountName,
  typeName: raw.accountTypeName,
  bankCode: raw.bankCode === '' ? null : raw.bankCode,
}));

const basicInfo = message<ProfileRow>()({
  // Customer number.
  tcbsId: field(text, ({ custodyCode }) => custodyCode.slice(-6)),
  code105C: field(text, ({ custodyCode }) => custodyCode),
  status: field(text, () => 'ACTIVE'),
  type: field(text, () => 'INDIVIDUAL'),
  depository: field(json<boolean>(), () => true),
});

interface ShownProfile extends ProfileRow {
  readonly blocks: readonly ProfileBlock[];
}

/** Blocks that were not asked for are left out. */
const answer = message<ShownProfile>()({
  basicInfo: field(json<JsonRecord>(), (profile) =>
    profile.blocks.includes('basicInfo') ? basicInfo.encode(profile) : undefined,
  ),
  bankSubAccounts: field(json<readonly JsonRecord[]>(), (profile) =>
    profile.blocks.includes('bankSubAccounts')
      ? profile.subAccounts.map((row) => subAccount.encode({ ...row, name: profile.name }))
      : undefined,
  ),
});

/** Sub-accounts of an unknown type are left out, not guessed. */
const response = z
  .object({ bankSubAccounts: z.array(z.union([subAccountRead, z.unknown().transform(() => null)])) })
  .transform(({ bankSubAccounts }) => bankSubAccounts.filter((row) => row !== null));

const PATH = '/eros/v2/get-profile/by-username/';

export const profile = {
  ...get('profile', `${PATH}:custodyCode`),
  pathOf: (custodyCode: string): string => `${PATH}${encodeURIComponent(custodyCode)}`,
  ...queryOf(request, query),
  encodeResponse: (row: ProfileRow, blocks: readonly ProfileBlock[]): JsonRecord =>
    answer.encode({ ...row, blocks }),
  decodeResponse: (raw: unknown): ParseResult<readonly NamedSubAccount[]> =>
    parseWith(response, raw, 'profile'),
} as const;
