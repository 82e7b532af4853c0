import { describe, expect, it, test } from 'vitest';
import { orderCode, StrategyNames } from '../../src/domain/ids.ts';
import * as units from '../../src/domain/units.ts';
import type { EntryKind, JournalEntry } from '../../src/engine/ports/journal-entry.ts';
import { MARKET_CALENDAR } from '../support/market-calendar.ts';
import { contract } from '../support/strategy-fixtures.ts';
import { createNaming, entryLine } from '../../src/operator/entry-line.ts';
import { PLAIN } from '../../src/operator/terminal.ts';
import { ENTRIES, ID, naming, status } from './entries.ts';

const line = (entry: JournalEntry): string | null => entryLine(entry, naming, PLAIN);

/** Without the columns of time and name; the word has nine columns. */
function tail(entry: JournalEntry): string | null {
  const text = line(entry)?.slice(26);
  return text === undefined ? null : `${text.slice(0, 9).trimEnd()}  ${text.slice(10)}`;
}

const EXPECTED: Readonly<Record<EntryKind, string | null>> = {
  proposal: null,
  denied:
    'denied  #02000017 the quantity is above the limit of one order: risk.orderQtyMax, live.firstDayQtyMax or contracts.NAME.orderQtyMax (qty_above_max: qty=9 max=5)',
  place: 'placed  #02000017 buy 2 VN30F1M at 1305.2 (entry)',
  modify: 'change  #02000017 to 2 VN30F1M at 1306.0',
  cancel: 'cancel  #02000017 VN30F1M',
  outcome: 'refused  #02000017 cancel rejected by the broker: -4 order is matched',
  order_status: 'accepted  #02000017 no. 41',
  fill: 'filled  #02000017 buy 1 VN30F1M at 1305.2, 2 in all',
  fill_correction: 'corrected  #02000017 no. 41 buy VN30F1M value -20,000, tax -2, now 261,020,000 (average)',
  position_event: 'position  -2 VN30F1M at 1305.2, value 261,040,000: carried over from the last session',
  order_adopted: 'adopted  #A.41 no. 41 sell 2 VN30F1M at 1305.2, 1 filled: not placed by us',
  position_mismatch: 'MISMATCH  positions differ: VN30F2M ours -1, broker 0; VN30F1M ours 0, broker +2',
  order_waiting: 'waits  #X.7625320 conditional no. 5 exit of #02000017: sell 2 VN30F1M, trigger 1305.2',
  money_checked: 'MISMATCH  money differs: fee ours 5,250, broker 7,250 VND',
  position_agreed: 'agreed  our positions are the broker’s',
  phase: 'phase  closing auction, trading day 2026-03-04',
  gap: 'gap  VN30F1M: 1,204 contracts of trades missed',
  command: 'command  flatten breakout, by operator: going home',
  remote_command: 'command  halt news, by telegram 4711 @owner: entries are off',
  halt: 'HALTED  entries are off until you resume: daily loss',
  strategy_started: 'started  the strategy runs',
  strategy_changed:
    'changed  parameters aa to bb; its memory is rebuilt from the prices of today; keeps position -2 and 1 open order',
  strategy_stopped: 'stopped  it threw',
  strategy_fault: 'fault  x is not a function (in onBar)',
  strategy_note: 'note  crossed up',
  equity_peak: null,
  policy_acted: null,
  stop_ready: 'stop  ready to stop: SIGTERM',
  alert:
    'CRITICAL  duplicate_order: seen twice -> compare tickwright orders and tickwright positions with the broker’s own program; tickwright journal shows what led to it; in doubt: tickwright halt --reason "…"',
};

test.each(Object.values(ENTRIES))('$kind has a line that can be read at night', (entry) => {
  expect(tail(entry)).toBe(EXPECTED[entry.kind]);
});

it('says of an order that shrinks a position that it does, also where the limits of entries let it pass', () => {
  const closing = { ...ENTRIES.place, order: { ...ENTRIES.place.order, shrinks: true } };
  expect(tail(closing)).toBe('placed  #02000017 buy 2 VN30F1M at 1305.2 (reduce)');
});

describe('the outcome of an order', () => {
  test.each([
    [
      status('submitted', 'rejected', 'place_rejected', '-3 not enough margin'),
      'rejected  #02000017 no. 41 by the broker: -3 not enough margin',
    ],
    [status('submitted', 'not_sent', 'place_not_sent', 'no token'), 'not sent  #02000017 no. 41: no token'],
    [
      status('unknown', 'presumed_absent', 'absent', '3 complete walks did not show it'),
      `absent  #02000017 no. 41 (${ID}) not in the book: 3 complete walks did not show it; still counted`,
    ],
    [
      status('unknown', 'not_sent', 'resolved_absent', 'called them'),
      'not sent  #02000017 no. 41 (resolved by the operator): called them',
    ],
    [
      status('unknown', 'partially_filled', 'seen_working'),
      'working  #02000017 no. 41 partly filled (seen in the book)',
    ],
    [status('pending_modify', 'accepted', 'modify_confirmed'), 'changed  #02000017 as asked'],
    [
      status('pending_cancel', 'accepted', 'cancel_rejected', '-4 no'),
      'remains  #02000017 no. 41 is accepted again, the cancel came to nothing: -4 no',
    ],
    [status('pending_cancel', 'canceled', 'seen_canceled'), 'canceled  #02000017'],
    [status('accepted', 'expired', 'day_ended'), 'expired  #02000017 no. 41 with the day'],
    [
      status('unknown', 'expired_unproven', 'day_ended_unproven'),
      `unproven  #02000017 no. 41 (${ID}) the day ended before it was proven`,
    ],
  ])('%#: $event to $to', (entry, expected) => {
    expect(tail(entry)).toBe(expected);
  });

  test('an order nobody answered for is named in full: a person may have to resolve it', () => {
    const unknown = { ...status('submitted', 'unknown', 'place_unknown', 'timed out'), orderNo: null };
    expect(tail(unknown)).toBe(`unknown  #02000017 (${ID}) no answer: timed out; being looked up`);
  });

  test('the answer to a place is left to the order’s status', () => {
    expect(tail({ ...ENTRIES.outcome, call: 'place' })).toBeNull();
    expect(tail({ ...ENTRIES.outcome, call: 'modify' })).toContain('change rejected by the broker');
  });
});

describe('money and quantities of a fill', () => {
  test('an average off the grid keeps its decimals, and how sure it is', () => {
    const fill = {
      ...ENTRIES.fill,
      qty: units.qty(3),
      value: units.money(391_570_000),
      quality: 'estimated',
    } as const;
    expect(tail(fill)).toContain('buy 3 VN30F1M at 1305.233 (estimated), 2 in all');
    expect(tail({ ...fill, quality: 'average' })).toContain('buy 3 VN30F1M at avg 1305.233, 2 in all');
  });

  test('a contract that is not listed is named by its place, without a made-up price', () => {
    const fill = { ...ENTRIES.fill, instrument: units.instrumentIndex(9) };
    expect(tail(fill)).toContain('buy 1 contract 9 at unknown price');
    const place = {
      ...ENTRIES.place,
      order: { ...ENTRIES.place.order, instrument: units.instrumentIndex(9) },
    };
    expect(tail(place)).toContain('at 13052 ticks');
  });
});

test('contracts have the name that people give them, and their code', () => {
  const named = createNaming(new StrategyNames(['ema-cross', 'breakout']), {
    contracts: () => [{ ...contract(0), orderCode: orderCode('41I1G3000') }],
    calendar: MARKET_CALENDAR,
  });
  const { tsUs } = ENTRIES.fill;
  expect(named.named('41I1G3000', tsUs)).toMatch(/^VN30F\d[MQ] \(41I1G3000\)$/);
  expect(entryLine(ENTRIES.fill, named, PLAIN)).toContain(named.named('41I1G3000', tsUs));
  const mismatch = { ...ENTRIES.alert, text: 'ours 2 of 41I1G3000, broker 3' };
  expect(entryLine(mismatch, named, PLAIN)).toContain(
    `ours 2 of ${named.named('41I1G3000', tsUs)}, broker 3`,
  );
});

test('what to type names the daemon that said it', () => {
  const elsewhere = createNaming(new StrategyNames(['ema-cross']), {
    contracts: () => [],
    calendar: null,
    stateDir: 'var/live',
  });
  const alert = { ...ENTRIES.alert, code: 'order_presumed_absent', text: 'H.7 is not in the book' };
  expect(entryLine(alert, elsewhere, PLAIN)).toContain(
    'tickwright orders resolve H.7 absent --state var/live --reason "…"',
  );
});

test.each(['place', 'modify', 'cancel'] as const)('a %s that a kill kept from being sent says so', (kind) => {
  expect(tail({ ...ENTRIES[kind], isLost: true })).toMatch(/killed before it was sent$/);
  expect(tail(ENTRIES[kind])).not.toMatch(/killed/);
});

test('a halt says whose entries, and that they are on again', () => {
  expect(tail({ ...ENTRIES.halt, strategy: units.strategyIndex(1) })).toContain(
    'entries of this strategy are off',
  );
  expect(tail({ ...ENTRIES.halt, halted: false, reason: 'looked at' })).toBe(
    'RESUMED  entries are on again: looked at',
  );
});

test('the broker’s text cannot break the line or steer the terminal', () => {
  const text = 'no\nmoney\u001b[2J\u0007 \u202Eleft';
  const shown = line(status('submitted', 'rejected', 'place_rejected', text));
  expect(shown).toMatch(/no money \[2J {3}left$/);
});
