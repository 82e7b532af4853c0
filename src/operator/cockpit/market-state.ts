/** Session, contracts and positions as the page shows them. */
import { nextPhaseChange, phaseAt, type SessionPhase, type TradingCalendar } from '../../domain/calendar.ts';
import { type Contract, NO_BAND_BPS, pointsOf, type PriceBand, pointValueOf } from '../../domain/contract.ts';
import { type Money, priceTicks, type TsUs, US_PER_MS } from '../../domain/units.ts';
import type { ContractState, PositionState, SessionState } from './cockpit-model.ts';

const HUNDREDTHS = 100;
/** Phase changes of more than a month without a session. */
const CHANGES_SEARCHED_MAX = 400;

export const toMs = (at: TsUs): number => Math.floor(at / US_PER_MS);

export function sessionState(
  calendar: TradingCalendar,
  now: TsUs,
  speed: number,
  day: string | null,
): SessionState {
  const change = phaseEnd(calendar, now);
  return {
    day,
    phase: phaseAt(calendar, now),
    endsMs: change === null ? null : toMs(change.at),
    next: change === null ? null : change.next,
    utcOffsetMinutes: calendar.utcOffsetMinutes,
    speed,
  };
}

/** Nights, weekends and holidays are one closed phase; null where the calendar knows no end of it. */
function phaseEnd(
  calendar: TradingCalendar,
  now: TsUs,
): { readonly at: TsUs; readonly next: SessionPhase } | null {
  const phase = phaseAt(calendar, now);
  let at = now;
  for (let look = 0; look < CHANGES_SEARCHED_MAX; look += 1) {
    at = nextPhaseChange(calendar, at);
    const next = phaseAt(calendar, at);
    if (next !== phase) return { at, next };
  }
  return null;
}

export const tickPoints = ({ spec }: Contract): number => pointsOf(spec, priceTicks(1));

export function contractState(contract: Contract, band: PriceBand | null): ContractState {
  const { spec, orderCode } = contract;
  const hasBand = band !== null && spec.bandBps < NO_BAND_BPS;
  return {
    contract: orderCode,
    tickPoints: tickPoints(contract),
    pointVnd: pointValueOf(spec),
    floorPoints: hasBand ? pointsOf(spec, band.floor) : null,
    ceilingPoints: hasBand ? pointsOf(spec, band.ceiling) : null,
    referencePoints: band === null ? null : band.reference / (spec.partsPerPoint ?? HUNDREDTHS),
  };
}

export interface PositionMoney {
  readonly orderCode: string;
  readonly qty: number;
  /** Money at which the open quantity was entered. */
  readonly openValue: Money;
  readonly open: Money;
  readonly realised: Money;
}

/** `contract` is undefined where it is not listed. */
export function positionState(
  contract: Contract | undefined,
  { orderCode, qty, openValue, open, realised }: PositionMoney,
): PositionState {
  const isPriced = qty !== 0 && contract !== undefined;
  return {
    contract: orderCode,
    qty,
    avgPoints: isPriced ? openValue / (Math.abs(qty) * pointValueOf(contract.spec)) : null,
    openVnd: open,
    realisedVnd: realised,
  };
}
