/** Chains of contracts: a backtest trades each contract under its own name, and a strategy names the chain. */
import type { Problem } from '../../../config/problem.ts';
import type { Path, YamlSource } from '../../../config/yaml-source.ts';
import type { ChainTerms, InlineMarket, WrittenMarket } from './backtest-schema.ts';

type Terms = InlineMarket['contracts'][string];

/** Gives each contract of a chain the terms of the chain. */
export function withChains(
  source: YamlSource,
  terms: InlineMarket,
): WrittenMarket | { readonly problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const chains: ChainTerms[] = [];
  const contracts: Record<string, Terms> = {};
  const add = (code: string, each: Terms, path: Path): void => {
    if (Object.hasOwn(contracts, code)) problems.push(source.problem(path, 'each contract once'));
    contracts[code] = each;
  };
  for (const [name, { chain, roll, ...each }] of Object.entries(terms.contracts)) {
    const path = ['market', 'contracts', name];
    if (chain === undefined) {
      if (roll !== undefined) problems.push(source.problem([...path, 'roll'], 'no roll without a chain'));
      add(name, each, path);
      continue;
    }
    if (roll === undefined)
      problems.push(
        source.problem(path, 'roll: { by: volume } or roll: { by: date, days: 5 } beside a chain'),
      );
    else {
      const inOrder = Object.entries(chain).map(([code, last]) => ({ code, last }));
      chains.push({ name, roll, contracts: inOrder.toSorted((a, b) => (a.last < b.last ? -1 : 1)) });
    }
    if (each.expiry !== undefined)
      problems.push(
        source.problem([...path, 'expiry'], 'no expiry beside a chain', 'the chain has last days'),
      );
    if (!terms.marketOrders)
      problems.push(
        source.problem(path, 'no chain where market orders are not taken', 'positions roll at market'),
      );
    for (const [code, last] of Object.entries(chain)) add(code, { ...each, expiry: last }, path);
  }
  for (const { name } of chains)
    if (Object.hasOwn(contracts, name))
      problems.push(source.problem(['market', 'contracts', name], 'a name of its own for the chain'));
  return problems.length > 0 ? { problems } : { source, terms: { ...terms, contracts }, chains };
}

/** The contracts that a symbol of a strategy stands for. */
export function codesOf(
  { chains }: { readonly chains: readonly ChainTerms[] },
  symbol: string,
): readonly string[] {
  const chain = chains.find(({ name }) => name === symbol);
  return chain?.contracts.map(({ code }) => code) ?? [symbol];
}
