/**
 * Costs of time: funding of perpetual contracts at its moments, the fee for borrowed shares and interest on cash at each midnight, for
 * whatever is held then, at the last price before.
 */
import { assert } from '../../domain/assert.ts';
import { ratesOf } from '../../domain/contract.ts';
import { carryCost, type CostSchedule, tieredCost, VALUE_PARTS } from '../../domain/costs.ts';
import { dayAt } from '../../domain/civil-date.ts';
import { tsUs, US_PER_DAY, US_PER_MINUTE } from '../../domain/units.ts';
import type { CarryTerms, ContractCarry } from '../backtest-plan.ts';
import type { RunAccount } from './run-account.ts';
import type { RunInstrument } from './run-instrument.ts';

interface CarryParts {
  readonly terms: CarryTerms;
  readonly costs: CostSchedule;
  readonly account: RunAccount;
  readonly instruments: readonly RunInstrument[];
  readonly utcOffsetMinutes: number;
}

export class CarryingCosts {
  /** When something falls due next; infinite before the run begins. */
  nextUs = Infinity;
  readonly #parts: CarryParts;
  readonly #fundings: readonly FundingClock[];
  /** Infinite where no midnight costs anything. */
  #midnightUs = Infinity;

  constructor(parts: CarryParts) {
    this.#parts = parts;
    this.#fundings = parts.terms.contracts.flatMap((terms) =>
      terms.funding === null ? [] : [new FundingClock(terms, parts.utcOffsetMinutes)],
    );
  }

  begin(atUs: number): void {
    const { contracts, interest, loan } = this.#parts.terms;
    for (const funding of this.#fundings) funding.begin(atUs);
    if (interest.length > 0 || loan.length > 0 || contracts.some(({ borrow }) => borrow !== 0))
      this.#midnightUs = nextTimeOfDay(atUs, [0], this.#parts.utcOffsetMinutes);
    this.#lookAhead();
  }

  /** Amounts due at one moment. */
  run(nowUs: number): void {
    for (const funding of this.#fundings) {
      if (funding.nextUs > nowUs) continue;
      this.#fund(funding.code, funding.take());
    }
    if (this.#midnightUs <= nowUs) {
      this.#payNight();
      this.#midnightUs += US_PER_DAY;
    }
    this.#lookAhead();
  }

  #lookAhead(): void {
    this.nextUs = this.#fundings.reduce((first, { nextUs }) => Math.min(first, nextUs), this.#midnightUs);
  }

  #fund(code: string, rate: number): void {
    this.#chargeEach(code, 'funding', (qty, unitValue, rates) =>
      carryCost(rates, qty * unitValue, rate, VALUE_PARTS),
    );
  }

  #payNight(): void {
    const { terms, costs, account, utcOffsetMinutes } = this.#parts;
    const parts = VALUE_PARTS * terms.daysPerYear;
    for (const { code, borrow } of terms.contracts)
      if (borrow !== 0)
        this.#chargeEach(code, 'borrow', (qty, unitValue, rates) =>
          carryCost(rates, Math.max(0, -qty) * unitValue, borrow, parts),
        );
    const day = dayAt(tsUs(this.#midnightUs - 1), utcOffsetMinutes);
    const cash = account.cashInHand({ schedule: costs, day });
    const tiers = cash > 0 ? terms.interest : terms.loan;
    if (tiers.length > 0) account.payInterest(tieredCost(costs, 0 - cash, tiers, parts));
  }

  #chargeEach(
    code: string,
    kind: 'funding' | 'borrow',
    costOf: (qty: number, unitValue: number, rates: CostSchedule) => number,
  ): void {
    const { account, instruments, costs } = this.#parts;
    const instrument = instruments.find(({ contract }) => contract.orderCode === code);
    if (instrument === undefined || instrument.markValue === 0) return;
    const { contract, markValue } = instrument;
    account.ledgers.forEach((ledger, strategy) => {
      const qty = ledger.holdingOf(contract.index)?.position.qty ?? 0;
      const cost = qty === 0 ? 0 : costOf(qty, markValue, ratesOf(contract.spec, costs));
      if (cost !== 0) account.carry(strategy, instrument, kind, cost);
    });
  }
}

/** Moments of one contract's funding, in order. */
class FundingClock {
  readonly code: string;
  nextUs = Infinity;
  readonly #funding: NonNullable<ContractCarry['funding']>;
  readonly #utcOffsetMinutes: number;
  /** Of a series: the place of the next rate. */
  #place = 0;

  constructor({ code, funding }: ContractCarry, utcOffsetMinutes: number) {
    assert(funding !== null, 'a clock of funding has its moments');
    this.code = code;
    this.#funding = funding;
    this.#utcOffsetMinutes = utcOffsetMinutes;
  }

  begin(atUs: number): void {
    const funding = this.#funding;
    if (funding.kind === 'fixed') {
      this.nextUs = nextTimeOfDay(atUs, funding.timesUs, this.#utcOffsetMinutes);
      return;
    }
    while ((funding.tsUs[this.#place] ?? Infinity) <= atUs) this.#place += 1;
    this.nextUs = funding.tsUs[this.#place] ?? Infinity;
  }

  /** The rate that is due; the clock goes on. */
  take(): number {
    const funding = this.#funding;
    if (funding.kind === 'fixed') {
      this.nextUs = nextTimeOfDay(this.nextUs, funding.timesUs, this.#utcOffsetMinutes);
      return funding.rate;
    }
    const rate = funding.rates[this.#place];
    assert(rate !== undefined, 'each moment of funding has its rate');
    this.#place += 1;
    this.nextUs = funding.tsUs[this.#place] ?? Infinity;
    return rate;
  }
}

/** The first of these times of day after `atUs`. */
function nextTimeOfDay(atUs: number, timesUs: readonly number[], utcOffsetMinutes: number): number {
  const offsetUs = utcOffsetMinutes * US_PER_MINUTE;
  const midnightUs = Math.floor((atUs + offsetUs) / US_PER_DAY) * US_PER_DAY - offsetUs;
  const moments = timesUs.flatMap((time) => [midnightUs + time, midnightUs + US_PER_DAY + time]);
  return Math.min(...moments.filter((moment) => moment > atUs));
}
