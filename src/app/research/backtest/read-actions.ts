/** Splits and dividends of a backtest, from a file of comma-separated values. */
import type { ActionTerms } from '../../../backtest/backtest-plan.ts';
import type { Problem } from '../../../config/problem.ts';
import type { YamlSource } from '../../../config/yaml-source.ts';
import { isTradingDay, type TradingDay, tradingDay } from '../../../domain/civil-date.ts';
import { type CorporateAction, DIVIDEND_PARTS } from '../../../domain/corporate-action.ts';
import { readSmallTable } from '../../../recording/import/table-file.ts';
import { wholeOf } from '../../../text/decimals.ts';
import { placed } from '../../host/strategy-files/strategy-code.ts';
import type { BacktestMarket } from './backtest-market.ts';
import type { Universe } from './read-universe.ts';
import type { BacktestFile } from './backtest-schema.ts';

const COLUMNS = ['symbol', 'ex_date', 'kind', 'value'] as const;
const PAY_DATE = 'pay_date';
const HINT = `a first line ${COLUMNS.join(',')},${PAY_DATE} and rows like AAPL,2020-08-31,split,4:1, or AAPL,2020-08-07,dividend,0.82,2020-08-13`;
/** Digits of a dividend behind the point. */
const DIVIDEND_DIGITS = Math.round(Math.log10(DIVIDEND_PARTS));
const RATIO_DIGITS = 6;
const OTHERS_SHOWN = 6;

export interface ReadActions {
  /** Undefined where nothing happens to any contract. */
  readonly terms: ActionTerms | undefined;
  /** Days of delistings in the file, by code: what its prices tell from there on is another share, or none. */
  readonly goneFrom: ReadonlyMap<string, TradingDay>;
  /** Rows that were left out. */
  readonly remarks: readonly string[];
}

export function readActions(
  source: YamlSource,
  { data }: BacktestFile,
  { market, universe }: { readonly market: BacktestMarket; readonly universe: Universe },
  problems: Problem[],
): ReadActions {
  const told = fileActions(source, data, market, problems);
  const others = [...new Set(told.map(({ code }) => code))].filter(
    (code) => market.specOf(code) === undefined,
  );
  const more = others.length > OTHERS_SHOWN ? ` and ${others.length - OTHERS_SHOWN} more` : '';
  const shown = others.slice(0, OTHERS_SHOWN).join(', ');
  const remarks =
    others.length === 0
      ? []
      : [`corporate actions of ${shown}${more}: left out, the market has no contract of that name`];
  const known = told.filter(({ code }) => market.specOf(code) !== undefined);
  const actions = [...known, ...universe.leaves].toSorted(inOrder);
  const { orders = 'adjust', dividends = 'ex_date' } = data.actions ?? {};
  const gone = known.filter(({ kind }) => kind === 'delisting').toSorted(inOrder);
  return {
    terms: actions.length === 0 ? undefined : { actions, orders, dividendsOn: dividends },
    goneFrom: new Map(gone.toReversed().map(({ code, exDay }) => [code, exDay])),
    remarks,
  };
}

function fileActions(
  source: YamlSource,
  { actions: named, prices }: BacktestFile['data'],
  market: BacktestMarket,
  problems: Problem[],
): readonly CorporateAction[] {
  if (named === undefined) return [];
  const path = ['data', 'actions'];
  const refuse = (expected: string, hint: string): [] => {
    problems.push(source.problem(path, expected, hint));
    return [];
  };
  if (prices === 'adjusted')
    return refuse(
      'no actions where data.prices is adjusted',
      'adjusted prices have the actions in them already, and they would count twice: leave actions out, or take raw prices',
    );
  if (market.kind === 'index_futures')
    return refuse('no actions in this market', 'index futures have no splits and pay no dividends');
  const read = actionsIn(placed(named.file, source.file));
  if ('wrong' in read) {
    problems.push(source.problem([...path, 'file'], 'a file of corporate actions', HINT, read.wrong));
    return [];
  }
  if (read.length > 0 && read.every(({ code }) => market.specOf(code) === undefined))
    problems.push(
      source.problem([...path, 'file'], 'actions of contracts of this market', '', 'none of them'),
    );
  return read;
}

/** By ex-date; on one day a dividend, which is told for old shares, comes before a split, and what leaves before both. */
const inOrder = (a: CorporateAction, b: CorporateAction): number =>
  compare(a.exDay, b.exDay) || compare(a.kind, b.kind) || compare(a.code, b.code);

type FileActions = readonly CorporateAction[] | { readonly wrong: string };

function actionsIn(path: string): FileActions {
  const table = readSmallTable(path);
  if ('wrong' in table) return table;
  const [head, ...rows] = table;
  const names = head?.cells.map((name) => name.toLowerCase()) ?? [];
  const missing = COLUMNS.filter((name) => !names.includes(name));
  if (missing.length > 0) return { wrong: `${path}:1 has no column ${missing.join(', ')}` };
  const actions: CorporateAction[] = [];
  const seen = new Set<string>();
  for (const { cells, place } of rows) {
    if (cells.length > names.length)
      return { wrong: `${place} (${cells.length} cells under ${names.length} names)` };
    const action = actionOf((name) => cells[names.indexOf(name)] ?? '');
    if (action === undefined) return { wrong: place };
    const key =
      action.kind === 'dividend' ? JSON.stringify(action) : [action.code, action.exDay, action.kind].join();
    const again =
      action.kind === 'dividend' ? 'the same dividend twice' : `the second ${action.kind} of that day`;
    if (seen.has(key)) return { wrong: `${place} (${again})` };
    seen.add(key);
    actions.push(action);
  }
  return actions;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function actionOf(cell: (name: string) => string): CorporateAction | undefined {
  const [code, exDay, payDay] = [cell('symbol'), dayOf(cell('ex_date')), cell(PAY_DATE)];
  const paid = payDay === '' ? null : dayOf(payDay);
  if (code === '' || exDay === undefined || paid === undefined) return undefined;
  if (cell('kind') === 'split') {
    const ratio = ratioOf(cell('value'));
    if (ratio === undefined || ratio[0] === ratio[1]) return undefined;
    return { kind: 'split', code, exDay, newShares: ratio[0], oldShares: ratio[1] };
  }
  const price = cell('value') === '' ? null : pointsOf(cell('value'));
  if (cell('kind') === 'delisting')
    return price === undefined ? undefined : { kind: 'delisting', code, exDay, price };
  const amount = pointsOf(cell('value'));
  if (cell('kind') !== 'dividend' || amount === undefined || amount === 0) return undefined;
  return paid !== null && paid < exDay ? undefined : { kind: 'dividend', code, exDay, payDay: paid, amount };
}

/** Parts of `DIVIDEND_PARTS` of a point. */
const pointsOf = (text: string): number | undefined =>
  /^\d*\.?\d+$/.test(text) ? wholeOf(Number(text), DIVIDEND_DIGITS) : undefined;

const dayOf = (text: string): TradingDay | undefined => (isTradingDay(text) ? tradingDay(text) : undefined);

/** `4:1`, `1:10`, or new shares for one old one as a decimal: `1.5`. */
function ratioOf(text: string): readonly [newShares: number, oldShares: number] | undefined {
  const parts = /^([1-9]\d{0,5}):([1-9]\d{0,5})$/.exec(text);
  if (parts !== null) return lowest(Number(parts[1]), Number(parts[2]));
  const whole = /^\d*\.?\d+$/.test(text) ? wholeOf(Number(text), RATIO_DIGITS) : undefined;
  return whole === undefined || whole === 0 ? undefined : lowest(whole, 10 ** RATIO_DIGITS);
}

function lowest(a: number, b: number): readonly [number, number] {
  let [divisor, rest] = [a, b];
  while (rest !== 0) [divisor, rest] = [rest, divisor % rest];
  return [a / divisor, b / divisor];
}
