/**
 * A bar keeps what happens in it to itself until it is over. Then a scan reports it in the order in which it happened; and what is left of
 * orders of the day, which expire after the bar that holds the close, is reported once more.
 */
import { expect, test } from 'vitest';
import { barTicks } from '../../../src/research/run/tape-player.ts';
import { runBacktest } from '../../../src/research/run/run-backtest.ts';
import { momentOf, tradingDay } from '../../../src/domain/civil-date.ts';
import { minutes, priceTicks, US_PER_HOUR } from '../../../src/domain/units.ts';
import type { EntryOf, JournalEntry } from '../../../src/engine/ports/journal-entry.ts';
import type { Trader } from '../../../src/strategy/index.ts';
import { ON_BARS, planOf, tapesOf, strategyOf } from '../../support/backtest-plan.ts';

type OwnTrader = Trader<object, 'contract'>;
const DAY = '2026-03-04';
const HOURS = [9, 10, 13, 14];

interface Prices {
  readonly open: readonly number[];
  readonly low: readonly number[];
}

/** What the journal holds of a day of four bars, with `trade` called at the end of each. */
function entriesOf(
  { open, low }: Prices,
  trade: (trader: OwnTrader, bars: number) => void,
): readonly JournalEntry[] {
  const strategy = strategyOf('once', (ticks, trader) => {
    let bars = 0;
    ticks.trades$.subscribe(() => {
      bars += 1;
      trade(trader, bars);
    });
  });
  const startUs = HOURS.map((hour) => momentOf(tradingDay(DAY), hour * US_PER_HOUR, 420));
  const endUs = startUs.map((start) => start + US_PER_HOUR);
  const close = HOURS.map(() => 1_000);
  const volume = HOURS.map(() => 20);
  const bars = { rows: HOURS.length, startUs, endUs, open, high: close, low, close, volume };
  const data = tapesOf([{ code: 'VN30F2603', day: DAY, rows: barTicks(bars, US_PER_HOUR, 'high_first') }]);
  const plan = planOf(data, [strategy], {
    fill: { ...ON_BARS, volumeBps: 1_000 },
  });
  const risk = { ...plan.settings.risk, auctionEntries: true, selfTradePrevention: false };
  const entries: JournalEntry[] = [];
  runBacktest({ ...plan, settings: { ...plan.settings, risk } }, { onEntry: (entry) => entries.push(entry) });
  return entries;
}

const of = <Kind extends JournalEntry['kind']>(entries: readonly JournalEntry[], kind: Kind) =>
  entries.filter((entry): entry is EntryOf<Kind> => entry.kind === kind);
const reason = 'test';

test('what is left of an order at the close is not taken for a foreign one', () => {
  const entries = entriesOf(
    { open: [1_000, 1_000, 1_000, 1_000], low: [1_000, 990, 1_000, 1_000] },
    // More than a bar has.
    (trader, bars) => bars === 1 && trader.buy({ qty: 5, price: priceTicks(995), reason }),
  );
  expect(of(entries, 'order_status').map(({ to }) => to)).toEqual([
    'accepted',
    'partially_filled',
    'expired',
  ]);
  expect(of(entries, 'fill')).toHaveLength(1);
  expect(of(entries, 'order_adopted')).toEqual([]);
});

test('what filled in one bar is reported in the order in which it filled', () => {
  const sent: string[] = [];
  const entries = entriesOf(
    { open: [1_000, 998, 1_000, 1_000], low: [1_000, 990, 1_000, 1_000] },
    (trader, bars) => {
      if (bars !== 1) return;
      const first = trader.buy({ qty: 1, price: priceTicks(999), reason });
      const exits = { stopLoss: priceTicks(950), takeProfit: priceTicks(1_050) };
      const second = trader.submit({
        kind: 'bracket',
        side: 'buy',
        qty: 1,
        price: priceTicks(995),
        ...exits,
        reason,
      });
      sent.push(first, second);
      const far = trader.buy({ qty: 1, price: priceTicks(940), reason });
      // The cancel has the book read in the midst of the bar.
      trader.after(minutes(50), () => trader.cancel(far));
    },
  );
  expect(of(entries, 'fill').map(({ clientOrderId }) => clientOrderId)).toEqual(sent);
});
