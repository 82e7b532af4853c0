/** Start-up banner: strategies, account and limits. Never prints secrets. */
import { pad } from '../text/table.ts';
import { redactAccount, redactText } from './redact.ts';
import { oneLine, type Paint, PLAIN } from './terminal.ts';

export interface BannerStrategy {
  readonly id: string;
  readonly strategy: string;
  readonly symbols: readonly string[];
  readonly params: Readonly<Record<string, unknown>>;
}

export interface BannerContent {
  readonly name: string;
  readonly version: string;
  readonly mode: string;
  /** Address of the broker, or the simulator. */
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
const RISK_IN_ROW = 3;
const ACCOUNT_CHARACTERS_MIN = 5;

export function banner(facts: BannerContent, paint: Paint = PLAIN): string {
  const { account } = facts;
  // A short number would match inside other numbers.
  const isLong = account !== null && account.length >= ACCOUNT_CHARACTERS_MIN;
  const clean = (text: string): string => {
    const shown = isLong ? text.replaceAll(account, redactAccount(account)) : text;
    return oneLine(redactText(shown));
  };
  const row = (label: string, text: string): string =>
    `  ${paint.dim(pad(label, LABEL_WIDTH))}  ${clean(text)}`.trimEnd();
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
    ...rows('risk', riskRows(facts.risk)),
    ...facts.remarks.map((text) => `  ${paint.yellow(pad('note', LABEL_WIDTH))}  ${clean(text)}`),
  ].join('\n');
}

function strategyRows(strategies: readonly BannerStrategy[]): readonly string[] {
  const rows = strategies.map(({ id, strategy, symbols, params }) => {
    const values = Object.entries(params).map(([name, value]) => `${name}=${shownParam(value)}`);
    return [id, strategy === id ? '' : `(${strategy})`, symbols.join(' + '), values.join(' ')] as const;
  });
  const width = (column: 0 | 1 | 2): number => Math.max(...rows.map((row) => row[column].length));
  const widths = [width(0), width(1), width(2), 0];
  return rows.map((row) =>
    row
      .map((cell, i) => pad(cell, widths[i] ?? 0))
      .filter((_, i) => widths[i] !== 0 || i === row.length - 1)
      .join('  ')
      .trimEnd(),
  );
}

function shownParam(value: unknown): string {
  if (typeof value === 'string') return value;
  const json: unknown = JSON.stringify(value);
  return typeof json === 'string' ? json : 'unset';
}

function riskRows(risk: BannerContent['risk']): readonly string[] {
  const texts = risk.map(({ what, limit }) => `${what} ${limit}`);
  const rows: string[] = [];
  for (let i = 0; i < texts.length; i += RISK_IN_ROW) {
    rows.push(texts.slice(i, i + RISK_IN_ROW).join('  |  '));
  }
  return rows;
}

/** Removes a token from the address. */
const withoutCredentials = (url: string): string => url.replace(/\/\/[^/@\s]*@/, '//').replace(/[?#].*$/, '');
