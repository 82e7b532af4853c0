/** The exchange and the broker's back office behind it, as one pure machine: commands and time in, events out. */
import type { SessionPhase, TradingCalendar } from '../domain/calendar.ts';
import type { TradingDay } from '../domain/civil-date.ts';
import type { CostSchedule } from '../domain/costs.ts';
import type { Contract } from '../domain/contract.ts';
import type { AccountId, BrokerOrderNo, OrderCode } from '../domain/ids.ts';
import type { TsUs } from '../domain/units.ts';
import type { AccountFigures, PositionFigures } from './account-figures.ts';
import type { ContractBoard } from './contract-board.ts';
import type { CancelOrder, CashOutcome, ChangeOrder, CommandOutcome, PlaceLimit } from './venue-command.ts';
import type { VenueEvent, VenueOrder } from './venue-event.ts';
import type { TapePrint, VenueOptions } from './venue-options.ts';
import type { VenueState } from './venue-state.ts';

export type { CostSchedule, TradingCalendar };

export declare class Venue {
  /**
   * Starts at `options.startUs`. With `state`, carries on from it: days that ended in between are settled without
   * trading, resting orders of today stand in the book again in their order.
   */
  constructor(options: VenueOptions, state?: VenueState);

  readonly nowUs: TsUs;
  readonly day: TradingDay;
  readonly phase: SessionPhase;
  /** What came of starting: `day_started`, the phase, first book messages. Read once. */
  startEvents(): readonly VenueEvent[];
  /** The next moment at which something happens by itself: for the caller's timer. */
  nextDueUs(): TsUs;
  /** Lets the market live until `toUs`, inclusive. Events are the same however the span is split. */
  advance(toUs: TsUs): readonly VenueEvent[];
  /** One recorded trade (tape market only); advances to its time first. */
  print(print: TapePrint): readonly VenueEvent[];

  /** Commands act at `nowUs`: advance first. */
  place(command: PlaceLimit): CommandOutcome;
  change(command: ChangeOrder): CommandOutcome;
  cancel(command: CancelOrder): CommandOutcome;
  deposit(accountId: AccountId, amount: number): CashOutcome;
  withdraw(accountId: AccountId, amount: number): CashOutcome;

  contracts(): readonly Contract[];
  /** Everything the price list shows of one contract; undefined when it is not listed. */
  board(code: OrderCode): ContractBoard | undefined;
  /** Today's orders of an account, in order of entry. */
  orders(accountId: AccountId): readonly VenueOrder[];
  order(accountId: AccountId, orderNo: BrokerOrderNo): VenueOrder | undefined;
  positions(accountId: AccountId): readonly PositionFigures[];
  account(accountId: AccountId): AccountFigures | undefined;
  exportState(): VenueState;
}
