/** Every REST operation the simulator serves: the 23 of the contract. */
import { formatTime } from '../../domain/civil-date.ts';
import { tsUs } from '../../domain/units.ts';
import type { VenueRules } from '../../venue/venue-options.ts';
import type { MoneyDesk } from '../accounts/money-desk.ts';
import type { SubAccounts } from '../accounts/sub-accounts.ts';
import type { OtpDesk } from '../auth/otp-desk.ts';
import type { Brokerage } from '../brokerage/brokerage.ts';
import type { BookDistortion } from '../faults/book-distortion.ts';
import type { Readings } from '../simulator-options.ts';
import {
  closedOperation,
  positionsOperation,
  profileOperation,
  statusOperation,
} from './account-operations.ts';
import { authOperations } from './auth-operations.ts';
import { cashOperations } from './cash-operations.ts';
import { conditionBookOperation } from './condition-book-operation.ts';
import { conditionOperations } from './condition-operations.ts';
import { inDayOperation } from './in-day-operation.ts';
import { marketOperations } from './market-operations.ts';
import { cancelOperation, changeOperation, type OrderParts, placeOperation } from './order-operations.ts';
import type { RestOperation } from './rest-operation.ts';
import { stockOperations } from './stock-operations.ts';

export interface OperationParts {
  readonly otps: OtpDesk;
  readonly brokerage: Brokerage;
  readonly subAccounts: SubAccounts;
  readonly money: MoneyDesk;
  readonly book: BookDistortion;
  readonly readings: Readings;
  readonly conditionLife: VenueRules['conditionLife'];
  readonly utcOffsetMinutes: number;
}

const CLOCK_LENGTH = 'HH:MM:SS'.length;

export function createOperations(parts: OperationParts): readonly RestOperation[] {
  const { otps, brokerage, subAccounts, readings, utcOffsetMinutes } = parts;
  const timeText = (atUs: number): string => formatTime(tsUs(atUs), utcOffsetMinutes).slice(0, CLOCK_LENGTH);
  const orders: OrderParts = { ...parts, timeText };
  return [
    ...authOperations(otps),
    profileOperation(subAccounts),
    statusOperation(brokerage),
    positionsOperation(brokerage),
    closedOperation(brokerage, timeText),
    placeOperation(orders),
    changeOperation(orders),
    cancelOperation(orders),
    inDayOperation(orders),
    ...conditionOperations(orders),
    conditionBookOperation(orders),
    ...marketOperations(brokerage, readings),
    ...cashOperations(parts.money),
    ...stockOperations(subAccounts, brokerage),
  ];
}
