import { describe, expect, test } from 'vitest';
import { grown, joinedBars, joinedValues } from '../../../src/operator/cockpit/candles.ts';
import type { CockpitBar } from '../../../src/operator/cockpit/cockpit-model.ts';

const at = (hour: number, minute: number): number => Date.UTC(2026, 2, 4, hour, minute);

const price = (atMs: number, value: number): CockpitBar => [atMs, value, value, value, value, 2];

const MINUTES: readonly CockpitBar[] = [
  [at(2, 3), 10, 12, 9, 11, 5],
  [at(2, 4), 11, 11, 7, 8, 20],
  [at(2, 5), 8, 9, 8, 9, 1],
  [at(3, 59), 9, 15, 9, 14, 4],
];

describe('the length of a bar', () => {
  test.for([
    [1, MINUTES],
    [
      5,
      [
        [at(2, 0), 10, 12, 7, 8, 25],
        [at(2, 5), 8, 9, 8, 9, 1],
        [at(3, 55), 9, 15, 9, 14, 4],
      ],
    ],
    [
      60,
      [
        [at(2, 0), 10, 12, 7, 9, 26],
        [at(3, 0), 9, 15, 9, 14, 4],
      ],
    ],
  ] as const)('joins minutes to bars of %i', ([minutes, bars]) => {
    expect(joinedBars(MINUTES, minutes)).toEqual(bars);
  });

  test('grows with a price, and begins a bar after its end', () => {
    const [bar] = joinedBars(MINUTES, 5);
    expect(grown(bar, price(at(2, 4) + 59_999, 13), 5)).toEqual([at(2, 0), 10, 13, 7, 13, 27]);
    expect(grown(bar, price(at(2, 5) + 1, 13), 5)).toEqual(price(at(2, 5), 13));
    expect(grown(undefined, price(at(2, 7), 13), 5)).toEqual(price(at(2, 5), 13));
  });

  test('leaves the last value of a line in each bar', () => {
    const values = [
      [at(2, 3), 1],
      [at(2, 4), 2],
      [at(2, 5), 3],
    ] as const;
    expect([...joinedValues({ strategy: 'a', name: 'mean', values }, 5)]).toEqual([
      [at(2, 0), 2],
      [at(2, 5), 3],
    ]);
  });
});
