/** Costs and margin of an inline market and of its contracts, as rates in whole money. */
import type { Problem } from '../../../config/problem.ts';
import type { YamlSource } from '../../../config/yaml-source.ts';
import { type TradingDay, tradingDay } from '../../../domain/civil-date.ts';
import type { CostSchedule, Dated } from '../../../domain/costs.ts';
import { currencyDecimals } from '../../../domain/currency.ts';
import { decimalsOf, wholeOf } from '../../../text/decimals.ts';
import type { InlineMarket } from './backtest-schema.ts';

type CostTerms = InlineMarket['costs'];
type ContractTerms = InlineMarket['contracts'][string];

export const FIRST_DAY: TradingDay = tradingDay('1970-01-01');
/** A percentage to the part of 10^10. */
const VALUE_DIGITS = 8;
const WHOLE_PERCENT = 100;
const PERCENT_BPS = 100;
const PERCENT_DECIMALS = 2;

/** Digits behind the point that amounts of costs and margin need. */
export function costDecimals(market: InlineMarket): number {
  const contracts = Object.values(market.contracts);
  const terms = contracts.map((each) => ({ ...market.costs, ...each.costs }));
  const amounts = [
    ...terms.flatMap(({ perContract = 0, perOrder = 0, orderMin = 0 }) => [perContract, perOrder, orderMin]),
    ...contracts.flatMap(({ margin }) =>
      margin === undefined ? [] : [margin.initial, margin.maintenance ?? 0],
    ),
  ];
  const roundings = terms.map(({ rounding }) =>
    rounding === undefined ? 0 : roundingDecimals(market, rounding),
  );
  return Math.max(...amounts.map(decimalsOf), ...roundings);
}

/** Digits behind the point of a fee on value that nothing rounds, where `valueDecimals` are those of a tick of a lot. */
export function feeDecimals(market: InlineMarket, valueDecimals: (terms: ContractTerms) => number): number {
  const needed = Object.values(market.contracts).map((each) => {
    const { rounding, valuePercent, takerPercent, makerPercent, orderMaxPercent, sellTaxPercent } = {
      ...market.costs,
      ...each.costs,
    };
    if (rounding !== undefined && rounding.per !== 'none') return 0;
    const rates = [valuePercent, takerPercent, makerPercent, orderMaxPercent, sellTaxPercent].filter(
      (rate) => rate !== undefined,
    );
    return rates.length === 0
      ? 0
      : valueDecimals(each) + PERCENT_DECIMALS + Math.max(...rates.map(decimalsOf));
  });
  return Math.max(...needed);
}

const roundingDecimals = (
  { currency }: InlineMarket,
  { decimals = currencyDecimals(currency) }: NonNullable<CostTerms['rounding']>,
): number => decimals;

/** Rates of the market, or with `contract` those of one of its contracts. */
export function costsOf(
  source: YamlSource,
  market: InlineMarket,
  {
    moneyScale,
    problems,
    contract,
  }: { readonly moneyScale: number; readonly problems: Problem[]; readonly contract?: string },
): CostSchedule {
  const terms: ContractTerms | undefined = contract === undefined ? undefined : market.contracts[contract];
  const costs: CostTerms = { ...market.costs, ...terms?.costs };
  const at = contract === undefined ? ['market'] : ['market', 'contracts', contract];
  const moneyDigits = Math.round(Math.log10(moneyScale));
  const whole = (path: readonly string[], value: number | undefined, digits: number): number => {
    const found = wholeOf(value ?? 0, digits);
    if (found === undefined)
      problems.push(
        source.problem([...at, ...path], `a number of at most ${digits} digits behind the point`),
      );
    return found ?? 0;
  };
  const amount = (key: 'perContract' | 'perOrder' | 'orderMin'): number =>
    whole(['costs', key], costs[key], moneyDigits);
  const percent = (
    key: 'takerPercent' | 'makerPercent' | 'orderMaxPercent' | 'sellTaxPercent',
    value?: number,
  ): number => whole(['costs', key], value, VALUE_DIGITS);
  const { valuePercent = 0, marginPercent = WHOLE_PERCENT, maintenancePercent, rounding } = costs;
  const taker = percent('takerPercent', costs.takerPercent ?? valuePercent);
  const maker = percent('makerPercent', costs.makerPercent ?? valuePercent);
  const { margin } = terms ?? {};
  return {
    exchangeFee: since(0),
    clearingFee: since(0),
    brokerFee: since(amount('perContract')),
    taxPpm: since(0),
    marginBps: since(Math.round(marginPercent * PERCENT_BPS)),
    valueFee: since({ taker, maker }),
    orderFee: since(amount('perOrder')),
    orderFeeMin: since(amount('orderMin')),
    ...(costs.orderMaxPercent !== undefined && {
      orderFeeMax: since(percent('orderMaxPercent', costs.orderMaxPercent)),
    }),
    sellTax: since(percent('sellTaxPercent', costs.sellTaxPercent)),
    ...(rounding !== undefined &&
      rounding.per !== 'none' && {
        rounding: {
          per: rounding.per,
          mode: rounding.mode,
          step: 10 ** (moneyDigits - roundingDecimals(market, rounding)),
        },
      }),
    ...(maintenancePercent !== undefined && {
      maintenanceBps: since(Math.round(maintenancePercent * PERCENT_BPS)),
    }),
    ...(margin !== undefined && {
      contractMargin: since({
        initial: whole(['margin', 'initial'], margin.initial, moneyDigits),
        maintenance: whole(['margin', 'maintenance'], margin.maintenance ?? 0, moneyDigits),
      }),
    }),
  };
}

const since = <T>(value: T): readonly Dated<T>[] => [{ from: FIRST_DAY, value }];
