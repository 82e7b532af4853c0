/** A tick through a stream, against a bare callback. */
import { combineLatest, filter, map, merge, pairwise, scan } from 'rxjs';
import { EMA } from 'trading-signals';
import { instrumentIndex, tsUs } from '../../src/domain/units.ts';
import { indicate } from '../../src/strategy/operators.ts';
import { startStrategy, type TestTicks } from '../strategy/start-strategy.ts';
import { at as timeAt, tradeTick } from '../support/strategy-fixtures.ts';
import { type Candidate, timed } from './rounds.ts';

let sum = 0;

const STREAM_TICKS = 200_000;

const see = (value: number): void => void (sum += value);
const priceOf = ({ price }: { readonly price: number }): number => price;

/** What a tick costs on its way to a strategy's code, by how the code subscribes; a bar of 100 trades for those on bars. */
export function streamCandidates(part: (whole: number) => number): Candidate[] {
  const ticks = Array.from({ length: part(STREAM_TICKS) }, (_, at) =>
    tradeTick(
      { seq: at + 1, tsUs: tsUs(timeAt('10:00:00') + at * 10_000), instrument: 0 },
      13_000 + (at % 7),
      1,
      at + 1,
    ),
  );
  const through = (name: string, connect: (streams: TestTicks) => void): Candidate => ({
    name,
    run: () => {
      const listeners = startStrategy(connect).host?.listenersOf(instrumentIndex(0));
      return timed(ticks.length, () => {
        for (const tick of ticks) listeners?.trade(tick);
      });
    },
  });
  return [
    {
      name: 'a bare callback',
      run: () =>
        timed(ticks.length, () => {
          for (const { price } of ticks) see(price);
        }),
    },
    through('trades$.subscribe(callback)', ({ trades$ }) => trades$.subscribe(({ price }) => see(price))),
    through('trades$, map, filter', ({ trades$ }) =>
      trades$
        .pipe(
          map(priceOf),
          filter((price) => price > 0),
        )
        .subscribe(see),
    ),
    through('trades$, pairwise, scan', ({ trades$ }) =>
      trades$
        .pipe(
          map(priceOf),
          pairwise(),
          scan((total, [before, now]) => total + now - before, 0),
        )
        .subscribe(see),
    ),
    through('merge of two', ({ trades$ }) => merge(trades$, trades$).subscribe(({ price }) => see(price))),
    through('combineLatest of two', ({ trades$ }) =>
      combineLatest([trades$, trades$]).subscribe(([near, far]) => see(far.price - near.price)),
    ),
    through('bars(...).subscribe(callback)', (streams) =>
      streams.bars({ everyTicks: 100 }).subscribe(({ close }) => see(close)),
    ),
    through('bars(...), indicate, filter, map', (streams) =>
      streams
        .bars({ everyTicks: 100 })
        .pipe(
          indicate({ fast: () => new EMA(9), slow: () => new EMA(21) }, ({ close }) => close),
          filter(({ item }) => item.complete),
          map(({ fast, slow }) => fast - slow),
        )
        .subscribe(see),
    ),
  ];
}
