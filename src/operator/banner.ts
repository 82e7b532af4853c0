/** Start-up banner: strategies, account and limits. Never prints secrets. */
import { pad, SCREEN_WIDTH, wrapText } from '../text/table.ts';
import { redactAccount, redactText } from './redact.ts';
import { oneLine, type Paint, PLAIN } from './terminal.ts';

export interface BannerStrategy {
  readonly id: string;
  readonly strategy: string;
  readonly symbols: readonly string[];
}

export interface BannerContent {
  readonly name: string;
  readonly version: string;
  readonly mode: string;
  readonly broker: string;
  /** The banner shows its last three characters; null before there is one. */
  readonly account: string | null;
  readonly stateDir: string;
  readonly sessionHours: string;
  /** Market time and its speed. */
  readonly clock: string;
  readonly strategies: readonly BannerStrategy[];
  readonly risk: readonly { readonly what: string; readonly limit: string }[];
  /** Notes for the operator: assumptions, strategies left out. */
  readonly remarks: readonly string[];
  readonly controlUrl: string | null;
  /** Limit of requests to the broker. */
  readonly pace: string;
}

const LABEL_WIDTH = 10;
const TEXT_WIDTH = SCREEN_WIDTH - LABEL_WIDTH - 4;
/** A blank where no line may break. */
const TIE = '\u00A0';
const ACCOUNT_CHARACTERS_MIN = 5;

export function banner(facts: BannerContent, paint: Paint = PLAIN): string {
  const { account } = facts;
  // A short number would match inside other numbers.
  const isLong = account !== null && account.length >= ACCOUNT_CHARACTERS_MIN;
  const clean = (text: string): string => {
    const shown = isLong ? text.replaceAll(account, redactAccount(account)) : text;
    return oneLine(redactText(shown));
  };
  const blank = ' '.repeat(LABEL_WIDTH + 4);
  const row = (label: string, text: string, tone = paint.dim): string =>
    `  ${tone(pad(label, LABEL_WIDTH))}  ${wrapText(clean(text), TEXT_WIDTH).join(`\n${blank}`).replaceAll(TIE, ' ')}`.trimEnd();
  const rows = (label: string, texts: readonly string[]): readonly string[] =>
    texts.map((text, i) => row(i === 0 ? label : '', text));
  const mode = facts.mode === 'live' ? paint.red(`${facts.mode} REAL MONEY`) : paint.green(facts.mode);
  return [
    `${paint.bold(`${facts.name} ${facts.version}`)}  ${mode}`,
    row('broker', facts.broker),
    row('account', account === null ? 'none yet' : redactAccount(account)),
    row('state', facts.stateDir),
    row('session', facts.sessionHours),
    row('clock', facts.clock),
    row('pace', facts.pace),
    row('control', facts.controlUrl === null ? 'off' : withoutCredentials(facts.controlUrl)),
    ...rows('strategies', facts.strategies.length === 0 ? ['none'] : strategyRows(facts.strategies)),
    ...(facts.risk.length === 0 ? [] : [row('limits', riskText(facts.risk))]),
    ...facts.remarks.map((text) => row('note', text, paint.yellow)),
  ].join('\n');
}

function strategyRows(strategies: readonly BannerStrategy[]): readonly string[] {
  const rows = strategies.map(({ id, strategy, symbols }) => [
    id,
    strategy === id ? '' : `(${strategy})`,
    symbols.join(' + '),
  ]);
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows.map((row) =>
    row
      .map((cell, i) => pad(cell, widths[i] ?? 0))
      .filter((_, i) => widths[i] !== 0)
      .join('  ')
      .trimEnd(),
  );
}

/** A limit is never broken over two lines. */
const riskText = (risk: BannerContent['risk']): string =>
  risk.map(({ what, limit }) => `${what} ${limit}`.replaceAll(' ', TIE)).join(' | ');

/** Removes a token from the address. */
const withoutCredentials = (url: string): string => url.replace(/\/\/[^/@\s]*@/, '//').replace(/[?#].*$/, '');
