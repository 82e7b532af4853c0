/** Every reader of the wire, from text to one word for what it made of it. A reader that throws ends the run. */
import { brokerOrderKey, brokerOrderNo } from '../../src/domain/ids.ts';
import type { ParseResult } from '../../src/domain/parsed.ts';
import { seq, tsUs } from '../../src/domain/units.ts';
import type { DriftCounter } from '../../src/wire/drift.ts';
import { decodeTokenExpiry, exchangeToken, requestOtp } from '../../src/wire/rest/token-calls.ts';
import { accountStatus } from '../../src/wire/rest/account-status.ts';
import {
  classifyCallReply,
  classifyCashReply,
  classifyConditionReply,
  classifyStockCancelReply,
  classifyTransferReply,
  jsonOf,
} from '../../src/wire/rest/call-reply.ts';
import { cashBalance, loanPackages, stockAssets } from '../../src/wire/rest/securities.ts';
import { closedPositions, openPositions } from '../../src/wire/rest/positions.ts';
import { conditionBook } from '../../src/wire/rest/condition-book.ts';
import { contractList, derivatives } from '../../src/wire/rest/market-reads.ts';
import { inDayBook } from '../../src/wire/rest/in-day-book.ts';
import { OPERATIONS } from '../../src/wire/rest/operations.ts';
import { profile } from '../../src/wire/rest/profile.ts';
import { decodeClientFrame } from '../../src/wire/stream/control-frame.ts';
import { decodeServerFrame } from '../../src/wire/stream/server-frame.ts';
import { FRONT, LISTED, specOf } from '../wire/support/listed-contracts.ts';
import { ANSWERS, type OperationName } from './answer-seeds.ts';
import { requestsOf } from './request-seeds.ts';
import { CLIENT_FRAMES, SERVER_FRAMES } from './frame-seeds.ts';

export interface Reader {
  readonly name: string;
  readonly isJson: boolean;
  /** Right messages. */
  readonly seeds: readonly string[];
  read(text: string): string;
}

/** Nothing that is no number may come out: money and prices are computed with it. */
function verdictOf(read: ParseResult<unknown>): string {
  if (!read.ok) return 'refused';
  assertFinite(read.value);
  return 'read';
}

function assertFinite(value: unknown): void {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new Error(`a reader let ${value} through`);
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(assertFinite);
}

const CONDITION = { orderNo: brokerOrderNo('3'), orderKey: brokerOrderKey('7625321') };

const reply = (text: string) => ({ httpStatus: 200, text });
const json =
  (decode: (json: unknown) => ParseResult<unknown>) =>
  (text: string): string => {
    const parsed = jsonOf(text);
    return parsed === undefined ? 'no JSON' : verdictOf(decode(parsed));
  };

/** What the client makes of an answer. */
const answerReaders = (drift: DriftCounter): Readonly<Record<OperationName, (text: string) => string>> => {
  const call = (name: string) => (text: string) => classifyCallReply(reply(text), name, drift).status;
  const condition = (name: string) => (text: string) =>
    classifyConditionReply(reply(text), name, CONDITION, drift).status;
  const cash = (name: string) => (text: string) => classifyCashReply(reply(text), name, drift).status;
  return {
    'request-otp': json((raw) => requestOtp.decodeResponse(raw)),
    token: json((raw) => exchangeToken.decodeResponse(raw)),
    profile: json((raw) => profile.decodeResponse(raw)),
    'account-status': json((raw) => accountStatus.decodeResponse(raw, drift)),
    positions: json((raw) => openPositions.decodeResponse(raw, drift)),
    'closed-positions': json((raw) => closedPositions.decodeResponse(raw, drift)),
    place: call('place'),
    change: call('change'),
    cancel: call('cancel'),
    'in-day': json((raw) => inDayBook.decodeResponse(raw, specOf, drift)),
    'condition-place': call('condition-place'),
    'condition-change': condition('condition-change'),
    'condition-cancel': condition('condition-cancel'),
    conditions: json((raw) => conditionBook.decodeResponse(raw, specOf, drift)),
    derivatives: json((raw) => derivatives.decodeResponse(raw, specOf, drift)),
    contracts: json((raw) => contractList.decodeResponse(raw, drift)),
    deposit: cash('deposit'),
    withdraw: cash('withdraw'),
    transfer: (text) => classifyTransferReply(reply(text), 'transfer', drift).status,
    'stock-assets': json((raw) => stockAssets.decodeResponse(raw, drift)),
    'cancel-stock-orders': (text) =>
      classifyStockCancelReply(reply(text), 'cancel-stock-orders', drift).status,
    'cash-balance': json((raw) => cashBalance.decodeResponse(raw, drift)),
    'loan-packages': json((raw) => loanPackages.decodeResponse(raw, drift)),
  };
};

/** What the simulator makes of a request; the text is `{"params", "query", "body"}`. */
function requestReaders(): readonly Reader[] {
  const seeds = requestsOf({ accountId: 'a', subAccountId: 'b', orderCode: FRONT.orderCode, apiKey: 'k' });
  return OPERATIONS.flatMap((operation): readonly Reader[] => {
    if (!('decodeRequest' in operation)) return [];
    const { name, decodeRequest } = operation;
    const read = (text: string): string => {
      const parts = jsonOf(text);
      if (typeof parts !== 'object' || parts === null) return 'no JSON';
      const raw = { params: undefined, query: undefined, body: undefined, ...parts };
      return verdictOf(decodeRequest(raw));
    };
    const seed = JSON.stringify({ params: { accountNo: '1', custodyCode: 'x' }, ...seeds[name] });
    return [{ name: `request ${name}`, isJson: true, seeds: [seed], read }];
  });
}

const AT = { seq: seq(1), tsUs: tsUs(1) };

export function everyReader(drift: DriftCounter): readonly Reader[] {
  const answers = answerReaders(drift);
  const claims = Buffer.from(JSON.stringify({ exp: 1, iat: 1, custodyID: 'x' })).toString('base64url');
  return [
    {
      name: 'server frame',
      isJson: false,
      seeds: SERVER_FRAMES,
      read: (text) => {
        const frame = decodeServerFrame(text, LISTED, AT.seq, AT.tsUs, drift);
        assertFinite(frame);
        return frame.kind;
      },
    },
    {
      name: 'client frame',
      isJson: false,
      seeds: CLIENT_FRAMES,
      read: (text) => decodeClientFrame(text).kind,
    },
    {
      name: 'token',
      isJson: false,
      seeds: [`e30.${claims}.x`],
      read: (text) => verdictOf(decodeTokenExpiry(text)),
    },
    ...OPERATIONS.map(({ name }): Reader => ({
      name: `answer ${name}`,
      isJson: true,
      seeds: [JSON.stringify(ANSWERS[name])],
      read: answers[name],
    })),
    ...requestReaders(),
  ];
}
