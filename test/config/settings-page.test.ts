/** The pages of config have a row for every key of the schemas, as they are. `npm run pages` writes them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { backtestSchema, inlineMarket } from '../../src/research/spec/backtest-schema.ts';
import { sweepSchema } from '../../src/research/sweep/read-sweep.ts';
import { configSchema } from '../../src/config/config-schema.ts';
import { closuresSchema, marketSchema } from '../../src/config/market-file.ts';
import { type Setting, settingsOf, tableOf } from './settings-page.ts';

const PAGES = ['README.md', 'backtest.md'].map((name) =>
  join(import.meta.dirname, '..', '..', 'config', name),
);

const MAIN = settingsOf(configSchema);
const SHARED = ['risk', 'session', 'poll', 'flatten', 'lookUp', 'stop', 'strategies', 'sweep'];
/** Keys with rows elsewhere, or with what a row says. */
const ELSEWHERE = [
  ...SHARED,
  'data.prints[]',
  'data.quotes[]',
  'data.bars[].sides',
  'data.references.NAME',
  'models.latency.report',
  'market.contracts.NAME.costs',
];
const BACKTEST = settingsOf(backtestSchema, '', ELSEWHERE).filter(({ key }) => !SHARED.includes(key));
const EVERYBODY = [
  'mode',
  'market',
  'state',
  'strategies',
  'risk.orderQtyMax',
  'risk.positionMax',
  'risk.dailyLossMax',
  'risk.protectiveStop',
  'alerts.channels',
];

const rest = MAIN.filter(({ key }) => !EVERYBODY.includes(key));
const below = (settings: readonly Setting[], ...sections: readonly string[]) =>
  settings.filter(({ key }) => sections.includes(/^\w+/.exec(key)?.[0] ?? ''));

const MARKET = settingsOf(inlineMarket, 'market', ELSEWHERE);
const isOfChannel = ({ key }: Setting): boolean => key.startsWith('alerts.channels[]');

/** A cost is a list of `{ from, value }`. */
const isDated = (key: string): boolean => /^costs\.\w+\[\]/.test(key);

const TABLES: Readonly<Record<string, readonly Setting[]>> = {
  everybody: EVERYBODY.flatMap((key) => MAIN.filter((each) => each.key === key)),
  strategies: below(rest, 'strategies'),
  broker: below(rest, 'account', 'auth', 'broker', 'live', 'money'),
  paper: below(rest, 'simulator'),
  risk: below(rest, 'risk'),
  policies: below(rest, 'policies', 'reconcile', 'unknown', 'lookUp'),
  session: below(rest, 'session', 'flatten', 'stop'),
  operator: below(rest, 'operator'),
  files: below(rest, 'poll', 'retention'),
  cluster: below(rest, 'cluster'),
  alerts: below(rest, 'alerts').filter((each) => !isOfChannel(each)),
  channels: rest.filter(isOfChannel),
  backtest: BACKTEST.filter(({ key }) => !/^(data|models|statistics)\b/.test(key)),
  data: below(BACKTEST, 'data'),
  models: below(BACKTEST, 'models'),
  statistics: below(BACKTEST, 'statistics'),
  sweep: settingsOf(sweepSchema, 'sweep'),
  market: MARKET.filter(({ key }) => !key.startsWith('market.costs')),
  costs: MARKET.filter(({ key }) => key.startsWith('market.costs')),
  exchange: [...settingsOf(marketSchema), ...settingsOf(closuresSchema)].filter(({ key }) => !isDated(key)),
};

it('shows every key of the main file and of a backtest', () => {
  const shown = new Set(Object.values(TABLES).flatMap((rows) => rows.map(({ key }) => key)));
  expect([...MAIN, ...BACKTEST].filter(({ key }) => !shown.has(key))).toEqual([]);
});

it.each(Object.entries(TABLES))('has a meaning for each key of %s, in rows that can be read', (_, rows) => {
  expect(rows.filter(({ meaning }) => /^(\w+: )?$/.test(meaning))).toEqual([]);
  expect(tableOf(rows).filter((row) => row.length > 140)).toEqual([]);
});

it.each(PAGES)('is the page %s', async (path) => {
  const page = readFileSync(path, 'utf8').replaceAll(
    /(<!-- keys: (\w+) -->\n\n).*?\n(\n<!-- end -->)/gs,
    (_, begin: string, name: string, end: string) =>
      `${begin}${tableOf(TABLES[name] ?? []).join('\n')}\n${end}`,
  );
  await expect(page).toMatchFileSnapshot(path);
});

it('is on one of the pages, table by table', () => {
  const pages = PAGES.map((path) => readFileSync(path, 'utf8')).join('\n');
  for (const name of Object.keys(TABLES)) expect(pages.split(`<!-- keys: ${name} -->`)).toHaveLength(2);
});
