/** Orders at the very moment at which a day begins where trading never stops: the account is compared again, and nothing may be lost. */
import { expect, test } from 'vitest';
import { runBacktest } from '../../../src/research/run/run-backtest.ts';
import { hours, seconds } from '../../../src/domain/units.ts';
import { PositionWorker } from '../../../src/strategy/index.ts';
import { barPlan } from './bar-run.ts';

const HOURS = 72;

const BARS = `time,open,high,low,close,volume\n${Array.from(
  { length: HOURS },
  (_, hour) => `${new Date(Date.UTC(2024, 0, 3) + hour * 3_600_000).toISOString()},100,100,100,100,100\n`,
).join('')}`;

/** Day and hour. */
const day = (us: number): string => new Date(us / 1_000).toISOString().slice(8, 13);

/** Targets by the bar at whose close they are decided; bar 24 closes with the first day. */
async function played(targets: Readonly<Record<number, number>>): Promise<readonly string[]> {
  const plan = await barPlan({
    bars: BARS,
    file: ', every: 1h',
    connect(ticks, trader) {
      const worker = new PositionWorker(ticks, trader, {
        rest: seconds(1),
        reprice: seconds(1),
        slipTicks: 0,
      });
      let bar = 0;
      ticks.bars({ every: hours(1) }).subscribe(() => {
        bar += 1;
        const target = targets[bar];
        if (target !== undefined) worker.aim(target, 'a test');
      });
    },
  });
  const [one] = runBacktest(plan).strategies;
  return [
    ...[...one!.fills].map(({ tsUs, side, qty }) => `${day(tsUs)} ${side} ${qty}`),
    ...one!.denials.map(({ tsUs, code }) => `${day(tsUs)} ${code}`),
  ];
}

test.each([
  [{ 24: 1 }, ['04T00 buy 1']],
  [{ 24: 1, 25: 2 }, ['04T00 buy 1', '04T01 buy 1']],
  [{ 22: 1, 24: 0, 25: 1 }, ['03T22 buy 1', '04T00 sell 1', '04T01 buy 1']],
  [{ 22: 1, 48: 0, 49: 1 }, ['03T22 buy 1', '05T00 sell 1', '05T01 buy 1']],
] as const)('with targets %j every order fills at the open of its bar', async (targets, expected) => {
  expect(await played(targets)).toEqual(expected);
});

test('bars before the hours of the market let time go on, on each day', async () => {
  const opens = [1, 2, 3].flatMap((day) =>
    ['02', '08', '09', '10'].map((hour) => `2024-01-0${day + 1}T${hour}:00:00Z,100,101,99,100,10`),
  );
  const times: number[] = [];
  const plan = await barPlan({
    bars: `time,open,high,low,close,volume\n${opens.join('\n')}\n`,
    market: ", timeZone: UTC, hours: [{ phase: continuous, from: '09:00', to: '11:00' }]",
    more: 'memory: day',
    connect(ticks, trader) {
      times.push(trader.time());
      ticks.bars({ every: hours(1) }).subscribe(() => void times.push(trader.time()));
    },
  });
  const { strategies } = runBacktest(plan);
  expect(strategies[0]!.stopped).toBeNull();
  expect(times).toEqual(times.toSorted((a, b) => a - b));
});
