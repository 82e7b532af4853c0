/** Sessions of the exchange on machines of other time zones, over the changes of their clocks, and under a clock that is a day ahead. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { momentOf, timeOfDayUs, type TradingDay, tradingDay } from '../../src/domain/civil-date.ts';
import { tradingDayAt } from '../../src/domain/calendar.ts';
import { US_PER_HOUR, US_PER_MINUTE } from '../../src/domain/units.ts';
import { formatTimeOfDay } from '../../src/text/dates.ts';
import type { Config } from '../../src/config/config.ts';
import { Draws } from './draws.ts';
import { exchangeHours, steadyPlan } from './month.ts';
import { World } from './world.ts';

const root = mkdtempSync(join(tmpdir(), 'tickwright-zones-'));
afterEach(() => rmSync(root, { recursive: true, force: true }));

const UTC_OFFSET_MINUTES = 420;
const MINUTE = 60;
/** Clocks change on a Sunday, in mid-session here. */
const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6] as const;

/** The moments of a session whose first trades are at `hour`, and that its orders were filled. */
const sessionAt = (day: string, hour: number): string[] => {
  const [before, now] = [hour - 1, hour].map((each) => String(each).padStart(2, '0'));
  return [
    `${day} ${before}:45 token`,
    `${day} ${before}:50 rollover`,
    `${day} ${before}:58 open`,
    `${day} fills`,
    `${day} ${now}:05 token`,
  ];
};

class Morning {
  readonly world: World;
  readonly jobs: string[] = [];

  /** Begins before the first job of the session does. */
  constructor(day: TradingDay, hour: number) {
    const draws = new Draws(1);
    const startUs = momentOf(day, hour * US_PER_HOUR - 18 * US_PER_MINUTE, UTC_OFFSET_MINUTES);
    const { strategies, ...plan } = steadyPlan(1, startUs, draws);
    this.world = new World({
      // A few orders are enough.
      plan: { ...plan, marketMs: 500, strategies: strategies.map((each) => ({ ...each, activity: 20 })) },
      draws,
      root,
      configure: (config) => sundaysToo(exchangeHours(config, 1, hour), hour),
    });
    this.world.simulator.brokerage.onEvent((event) => {
      const fills = `${this.#day} fills`;
      if (event.kind === 'fill' && !this.jobs.includes(fills)) this.jobs.push(fills);
    });
    this.world.start();
    this.#listen();
  }

  #listen(): void {
    // After the start, which is an event of its own.
    this.world.after(0.001, () =>
      this.world.operate((daemon) => {
        const { tokens, stream } = daemon.edge;
        const refresh = tokens.refresh.bind(tokens);
        vi.spyOn(tokens, 'refresh').mockImplementation((reason) => {
          if (reason === 'scheduled') this.#record('token');
          return refresh(reason);
        });
        const resume = stream.resume.bind(stream);
        vi.spyOn(stream, 'resume').mockImplementation(() => {
          this.#record('open');
          resume();
        });
        const command = daemon.command.bind(daemon);
        vi.spyOn(daemon, 'command').mockImplementation((given, by) => {
          if (by === 'schedule') this.#record(given.name);
          command(given, by);
        });
      }),
    );
  }

  /** As pm2 does after a kill. */
  async startAgain(): Promise<void> {
    const { starts } = this.world;
    this.world.kill('by the operator');
    await this.world.run(60, () => this.world.starts > starts);
    this.#listen();
  }

  get #day(): TradingDay {
    return tradingDayAt(this.world.config.calendar, this.world.time.clock.nowUs());
  }

  #record(job: string): void {
    const at = timeOfDayUs(this.world.time.clock.nowUs(), UTC_OFFSET_MINUTES);
    this.jobs.push(`${this.#day} ${formatTimeOfDay(at)} ${job}`);
  }

  close(): void {
    this.world.checks.close();
    this.world.close();
  }
}

function sundaysToo(config: Config, hour: number): Config {
  const clock = (minutes: number): string => formatTimeOfDay(hour * US_PER_HOUR + minutes * US_PER_MINUTE);
  return {
    ...config,
    calendar: { ...config.calendar, weekdays: EVERY_DAY },
    schedule: { ...config.schedule, tokenRefresh: [clock(-15), clock(5)], rollover: clock(-10) },
  };
}

async function lived(
  day: string,
  hour: number,
  live: (morning: Morning) => Promise<void>,
): Promise<readonly string[]> {
  const morning = new Morning(tradingDay(day), hour);
  try {
    await live(morning);
    expect(morning.world.checks.violations, morning.world.trace.last(60)).toEqual([]);
    return morning.jobs;
  } finally {
    morning.close();
  }
}

// The moment at which each machine changes its clocks, as the exchange has it.
it.each([
  ['America/New_York', '2026-03-08', 14],
  ['Europe/Berlin', '2026-03-29', 8],
  ['Asia/Ho_Chi_Minh', '2026-03-29', 8],
  ['Europe/Berlin', '2026-10-25', 8],
  ['America/New_York', '2026-11-01', 13],
])(
  "case 28: on a machine in %s the session of %s has every job once, at the exchange's time, and its orders",
  async (zone, day, hour) => {
    vi.stubEnv('TZ', zone);
    const jobs = await lived(day, hour, ({ world }) => world.run(24 * MINUTE));
    expect(jobs).toEqual(sessionAt(day, hour));
  },
);

it('case 28: a clock that is a day ahead for a minute costs no job and no order', async () => {
  vi.stubEnv('TZ', 'America/New_York');
  const jobs = await lived('2026-03-05', 9, async ({ world }) => {
    await world.run(1.5 * MINUTE);
    world.jumpClock(24 * 60 * MINUTE);
    await world.run(1 * MINUTE);
    world.healClock();
    await world.run(22 * MINUTE);
  });
  expect(jobs).toEqual(sessionAt('2026-03-05', 9));
});

it('case 28: starts under a clock that is a day ahead, and under the true one again, cost no job and no order', async () => {
  const jobs = await lived('2026-03-05', 9, async (morning) => {
    const { world } = morning;
    await world.run(0.5 * MINUTE);
    world.jumpClock(24 * 60 * MINUTE);
    await morning.startAgain();
    await world.run(0.5 * MINUTE);
    world.healClock();
    await morning.startAgain();
    await world.run(23 * MINUTE);
  });
  expect(jobs).toEqual(sessionAt('2026-03-05', 9));
});
