/** Retired keys and options, with their replacement. */
const NO_CHAIN = 'write each contract by its own name: VN30F1M alone rolls, over files of single contracts';
const NO_COSTS_OF_TIME = 'time costs nothing in a run: count it beside the result';
const LEVELS =
  'levels of a book are columns of prints or quotes, bid_1 to ask_size_10; make such a file of depth messages';
const ONE_CURRENCY = 'one currency a run, which the market names';
const ONE_PRICE = 'import bars of one price, or quotes (data.quotes), which have bid and ask';

/** The path of a key without places in lists, in which `*` is any name, or a command with its option. */
const RETIRED: readonly (readonly [what: string, instead: string])[] = [
  ['retention.archiveDays', 'remove it: archives are kept'],
  ['operator.cockpit.tls', 'use a tunnel or a reverse proxy: src/operator/README.md has recipes'],
  ['data.actions', 'adjust prices for splits and dividends before the import'],
  ['data.prices', 'remove it: prices are taken as they are'],
  ['data.rates', 'one currency a run: convert prices before the import'],
  ...['data.depth', ...['depth', 'lobster', 'orders'].map((kind) => `data import --kind ${kind}`)].map(
    (what) => [what, LEVELS] as const,
  ),
  ['statistics.rollingDays', 'make them of daily.csv, which has the equity of each day'],
  ['data.bars.ask', ONE_PRICE],
  ...['bid_open', 'bid_high', 'bid_low', 'bid_close', 'ask_open', 'ask_high', 'ask_low', 'ask_close'].map(
    (role) => [`data.bars.columns.${role}`, ONE_PRICE] as const,
  ),
  ['scenario', 'set faults over the control API, from the program that you test or beside it'],
  ['currency', ONE_CURRENCY],
  ['timeZone', 'one market a run, which names its zone'],
  ['market.contracts.*.currency', ONE_CURRENCY],
  ['market.contracts.*.chain', NO_CHAIN],
  ['market.contracts.*.roll', NO_CHAIN],
  ['market.contracts.*.funding', NO_COSTS_OF_TIME],
  ...['interestPercentYear', 'loanPercentYear', 'daysPerYear', 'loan', 'borrowPercentYear'].flatMap(
    (key) =>
      [
        [`market.costs.${key}`, NO_COSTS_OF_TIME],
        [`market.contracts.*.costs.${key}`, NO_COSTS_OF_TIME],
      ] as const,
  ),
  ['record', 'tickwright dry-run keeps every frame too, and sends no order'],
  ['data continuous', 'a backtest on VN30F1M rolls over files of single contracts, as it does live'],
  ['data synth', 'trade on paper: the state keeps each day as columns, in its folder data'],
  ['data export --imported-bars', 'Arrow files of imported bars are read directly: data/README.md'],
  ['data import --ask', ONE_PRICE],
  ['data import --no-archive', 'columns alone are written'],
  ['data import --levels', 'all levels that a file has are kept, 10 at most'],
  ...['--vary', '--search', '--trials', '--seed', '--objective', '--walk-forward', '--monte-carlo'].map(
    (option) => [`sweep ${option}`, 'write it in the section sweep of the file: config/README.md'] as const,
  ),
  ['simulator openapi', 'src/wire/README.md lists the operations, with the file that has the fields of each'],
  ['simulator --page-port', 'the control API has faults and figures; the page of a paper run shows the rest'],
];

/** Replacement of a retired key or option; undefined for one that never was. */
export function insteadOf(what: string): string | undefined {
  const parts = what.split('.');
  const isIt = (pattern: string): boolean => {
    const known = pattern.split('.');
    return known.length === parts.length && known.every((part, i) => part === '*' || part === parts[i]);
  };
  return RETIRED.find(([pattern]) => isIt(pattern))?.[1];
}

/** A line for each command and option of a command line that is gone. */
export function retiredOptions(argv: readonly string[]): readonly string[] {
  const words = new Set(argv.flatMap((word) => word.split('=')));
  return RETIRED.filter(([what]) =>
    what.includes(' ') ? what.split(' ').every((word) => words.has(word)) : what === argv[0],
  ).map(([what, instead]) => `${what} is gone: ${instead}`);
}
