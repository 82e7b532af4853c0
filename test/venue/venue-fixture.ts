/** Builders for tests of the venue: real constructors, the rates and hours of the market rules. */
import { momentOf, tradingDay } from '../../src/domain/civil-date.ts';
import { accountId, type BrokerOrderNo, clientOrderId, orderCode } from '../../src/domain/ids.ts';
import type { Side } from '../../src/domain/order.ts';
import {
  durationUs,
  milliseconds,
  priceTicks,
  type TsUs,
  tsUs,
  US_PER_HOUR as H,
  US_PER_MINUTE as M,
  US_PER_SECOND,
} from '../../src/domain/units.ts';
import type { CashOutcome, CommandOutcome, TriggerOutcome, VenueEvent } from '../../src/venue/venue-event.ts';
import type { VenueOptions, VenueRules } from '../../src/venue/venue-options.ts';
import { Venue } from '../../src/venue/venue.ts';
import { MARKET_CALENDAR as HNX } from '../support/market-calendar.ts';
import {
  OPEN_ALL_DAY as ALWAYS_OPEN,
  VN_COSTS as COSTS,
  VN30_SPEC as VN30,
} from '../support/strategy-fixtures.ts';

export { ALWAYS_OPEN, COSTS, HNX, VN30 };

export const ALICE = accountId('105C000001');
export const BOB = accountId('105C000002');
export const FRONT = orderCode('VN30F2603');
export const NEXT = orderCode('VN30F2604');
/** One day's work in the middle of a month: the front month expires on 2026-03-19. */
export const WEDNESDAY = '2026-03-04';

export const at = (day: string, hours: number, minutes = 0, secs = 0): TsUs =>
  momentOf(tradingDay(day), hours * H + minutes * M + secs * US_PER_SECOND, 420);

export const later = (from: TsUs, span: number): TsUs => tsUs(from + span);

/** Every command is final at once. */
export const AT_ONCE: Partial<VenueRules> = { gatewayDelay: durationUs(0) };
export const DELAYED: Partial<VenueRules> = { gatewayDelay: milliseconds(30) };
const RICH = 1_000_000_000_000;

export const options = (changes: Partial<VenueOptions> = {}): VenueOptions => ({
  calendar: HNX,
  costs: COSTS,
  spec: VN30,
  startUs: at(WEDNESDAY, 10),
  codes: 'legacy',
  accounts: [
    { accountId: ALICE, subAccountId: `${ALICE}A`, cash: RICH },
    { accountId: BOB, subAccountId: `${BOB}A`, cash: RICH },
  ],
  // 1,300.0 points: the worked example (market rules, 7).
  market: { kind: 'empty', startPrice: priceTicks(13_000) },
  rules: { ...AT_ONCE, carry: { interestBps: 0, dividendBps: 0 } },
  ...changes,
});

/** What came of starting is read and dropped. */
export function openVenue(changes: Partial<VenueOptions> = {}): Venue {
  const venue = new Venue(options(changes));
  venue.startEvents();
  return venue;
}

let references = 0;

export function place(
  venue: Venue,
  side: Side,
  qty: number,
  price: number,
  account = ALICE,
  code = FRONT,
): CommandOutcome {
  references += 1;
  const refId = clientOrderId(`T.${references}`);
  return venue.place({
    accountId: account,
    orderCode: code,
    side,
    limitPrice: priceTicks(price),
    qty,
    refId,
  });
}

/** Places an order that must be accepted; returns its number. */
export function placed(...args: Parameters<typeof place>): BrokerOrderNo {
  const outcome = place(...args);
  if (outcome.status === 'refused') throw new Error(`refused: ${outcome.refusal.text}`);
  return outcome.order.orderNo;
}

/** Bob trades with himself: a price is made, and nobody's position changes. Returns all that followed. */
export function print(venue: Venue, price: number, code = FRONT): readonly VenueEvent[] {
  return [
    ...place(venue, 'sell', 1, price, BOB, code).events,
    ...place(venue, 'buy', 1, price, BOB, code).events,
  ];
}

export const codeOf = (outcome: CommandOutcome | TriggerOutcome | CashOutcome): number | 'accepted' =>
  outcome.status === 'accepted' ? 'accepted' : outcome.refusal.code;

/** Fills as `account buys qty@price`. */
export const fillsIn = (events: readonly VenueEvent[]): string[] =>
  events.flatMap((event) => {
    if (event.kind !== 'fill') return [];
    const who = event.accountId === ALICE ? 'alice' : 'bob';
    return [`${who} ${event.side} ${event.qty}@${event.price}`];
  });

/** The statuses an order went through. */
export const statusesIn = (events: readonly VenueEvent[], orderNo: string): string[] =>
  events.flatMap((event) =>
    event.kind === 'order' && event.order.orderNo === orderNo ? [event.order.status] : [],
  );
