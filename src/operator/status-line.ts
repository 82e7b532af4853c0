import { US_PER_MS } from '../domain/units.ts';
import { formatMinutes } from '../text/durations.ts';
import { formatCount, formatSigned, positionText } from '../text/numbers.ts';
import { oneLine, type Paint, PLAIN } from './terminal.ts';

export interface StatusContent {
  readonly time: string;
  readonly phase: string;
  readonly stream: 'live' | 'down';
  /** Net positions of the account; flat ones may be left out. */
  readonly positions: readonly { readonly orderCode: string; readonly qty: number }[];
  readonly dayPnl: number;
  readonly openOrders: number;
  /** Until the token ends; null when there is none. */
  readonly tokenLeftMs: number | null;
  /** Reason why entries are off, or null. */
  readonly halted: string | null;
  /** Reason why positions are not proven, or null. */
  readonly unproven: string | null;
  /** Our money of the day against the broker's. */
  readonly money: 'off' | 'unread' | 'agreed' | 'differs';
  /** Running procedure, like a shutdown; empty for none. */
  readonly procedure: string;
}

/** A token that ends sooner is shown, and then as a warning. */
const TOKEN_SHOWN_MS = 2 * 60 * 60_000;
const TOKEN_SHORT_MS = 30 * 60_000;

export function statusLine(facts: StatusContent, paint: Paint = PLAIN): string {
  const pnl = `day ${formatSigned(facts.dayPnl)}`;
  const parts = [
    `${paint.dim(facts.time)} ${facts.phase.replaceAll('_', ' ')}`,
    facts.stream === 'live' ? paint.green('prices live') : paint.red('prices DOWN'),
    positionText(facts.positions) || 'flat',
    facts.dayPnl < 0 ? paint.red(pnl) : pnl,
    formatCount(facts.openOrders, 'order'),
  ];
  if (facts.tokenLeftMs === null || facts.tokenLeftMs < TOKEN_SHOWN_MS)
    parts.push(tokenPart(facts.tokenLeftMs, paint));
  if (facts.procedure !== '') parts.push(paint.yellow(oneLine(facts.procedure)));
  if (facts.unproven !== null) parts.push(paint.yellow(`positions not proven: ${oneLine(facts.unproven)}`));
  if (facts.money === 'differs') parts.push(paint.red('money DIFFERS from the broker’s'));
  if (facts.halted !== null) parts.push(paint.red(`HALTED: ${oneLine(facts.halted)}`));
  return parts.join(' | ');
}

function tokenPart(leftMs: number | null, paint: Paint): string {
  if (leftMs === null) return paint.yellow('no token');
  if (leftMs <= 0) return paint.red('token ended');
  const text = formatMinutes(leftMs * US_PER_MS);
  return leftMs < TOKEN_SHORT_MS ? paint.yellow(`token ${text}`) : `token ${text}`;
}
