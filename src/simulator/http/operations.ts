/** Every REST operation the simulator serves. */
import { formatTime } from '../../domain/civil-date.ts';
import { tsUs } from '../../domain/units.ts';
import type { OtpDesk } from '../auth/otp-desk.ts';
import type { Brokerage } from '../brokerage/brokerage.ts';
import type { SubAccounts } from '../brokerage/sub-accounts.ts';
import type { BookDistortion } from '../faults/book-distortion.ts';
import { positionsOperation, profileOperation, statusOperation } from './account-operations.ts';
import { authOperations } from './auth-operations.ts';
import { inDayOperation } from './in-day-operation.ts';
import { marketOperations } from './market-operations.ts';
import { cancelOperation, changeOperation, type OrderParts, placeOperation } from './order-operations.ts';
import type { RestOperation } from './rest-operation.ts';

export interface OperationParts {
  readonly otps: OtpDesk;
  readonly brokerage: Brokerage;
  readonly subAccounts: SubAccounts;
  readonly book: BookDistortion;
  readonly utcOffsetMinutes: number;
}

const CLOCK_LENGTH = 'HH:MM:SS'.length;

export function createOperations(parts: OperationParts): readonly RestOperation[] {
  const { otps, brokerage, subAccounts, book, utcOffsetMinutes } = parts;
  const orders: OrderParts = {
    brokerage,
    book,
    timeText: (atUs) => formatTime(tsUs(atUs), utcOffsetMinutes).slice(0, CLOCK_LENGTH),
  };
  return [
    ...authOperations(otps),
    profileOperation(subAccounts),
    statusOperation(brokerage),
    positionsOperation(brokerage),
    placeOperation(orders),
    changeOperation(orders),
    cancelOperation(orders),
    inDayOperation(orders),
    ...marketOperations(brokerage),
  ];
}
