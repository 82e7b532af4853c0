/** Costs of time of an inline market: funding, borrowed shares, interest. */
import type { CarryTerms, ContractCarry } from '../../../backtest/backtest-plan.ts';
import type { RateTier } from '../../../domain/costs.ts';
import type { Problem } from '../../../config/problem.ts';
import type { Path } from '../../../config/yaml-source.ts';
import { wholeOf } from '../../../text/decimals.ts';
import type { TimeZone } from '../../../text/time-zone.ts';
import type { InlineMarket, WrittenMarket } from './backtest-schema.ts';
import { placed } from '../../host/strategy-files/strategy-code.ts';
import { readSeries } from './number-series.ts';

/** A percentage to the part of 10^10. */
const PERCENT_DIGITS = 8;

export function carryOf(
  { source, terms: market }: WrittenMarket,
  zone: TimeZone,
  moneyScale: number,
  problems: Problem[],
): CarryTerms {
  const whole = (path: Path, value: number | undefined): number => {
    const found = wholeOf(value ?? 0, PERCENT_DIGITS);
    if (found === undefined)
      problems.push(source.problem(path, `a number of at most ${PERCENT_DIGITS} digits behind the point`));
    return found ?? 0;
  };
  const tiersOf = (
    key: 'interestPercentYear' | 'loanPercentYear',
    tiers: InlineMarket['costs'][typeof key] = [],
  ): readonly RateTier[] =>
    tiers
      .map(({ percent, upTo }) => ({
        upTo: upTo * moneyScale,
        rate: whole(['market', 'costs', key], percent),
      }))
      .filter(({ rate }, _i, all) => all.length > 1 || rate !== 0);
  const { interestPercentYear, loanPercentYear, daysPerYear, borrowPercentYear } = market.costs;
  const contracts = Object.entries(market.contracts).map(([code, { funding, costs }]): ContractCarry => {
    const at = ['market', 'contracts', code];
    const borrow = whole(
      [...at, 'costs', 'borrowPercentYear'],
      costs?.borrowPercentYear ?? borrowPercentYear,
    );
    if (funding === undefined) return { code, funding: null, borrow };
    if (funding.file === undefined) {
      const rate = whole([...at, 'funding', 'percent'], funding.percent);
      return { code, funding: { kind: 'fixed', rate, timesUs: funding.at }, borrow };
    }
    const read = readSeries(placed(funding.file, source.file), zone);
    if ('wrong' in read) {
      const hint = 'two columns: the time, and a number of at most ten digits like 0.0001';
      problems.push(source.problem([...at, 'funding', 'file'], 'a file of funding rates', hint, read.wrong));
      return { code, funding: null, borrow };
    }
    return { code, funding: { kind: 'series', tsUs: read.tsUs, rates: read.values }, borrow };
  });
  return {
    contracts: contracts.filter(({ funding, borrow }) => funding !== null || borrow !== 0),
    interest: tiersOf('interestPercentYear', interestPercentYear),
    loan: tiersOf('loanPercentYear', loanPercentYear),
    daysPerYear,
  };
}
