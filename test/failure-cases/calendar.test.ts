/** The calendar ends, or learns of a holiday, while the daemon runs: over the real wire, with a restart and a replay of the day. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { replaySession } from '../../src/host/state/replay-session.ts';
import { readiness } from '../../src/daemon/program/daemon-control.ts';
import { isSession } from '../../src/domain/calendar.ts';
import { addDays, type TradingDay, tradingDay } from '../../src/domain/civil-date.ts';
import { readJournal } from '../../src/journal/journal-reader.ts';
import { frameLogPath } from '../../src/recording/frame-log.ts';
import { scripted, type Step } from './support/scripted.ts';
import { Story, STORY_DAY } from './support/story.ts';
import { StrategyNames } from '../../src/domain/ids.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const FAR = tradingDay('2099-12-31');

interface Days {
  readonly validTo?: TradingDay;
  readonly closures?: readonly TradingDay[];
}

/** A market that trades at all hours of the days of its calendar, which is a file next to it. */
class Market {
  readonly #dir = mkdtempSync(join(tmpdir(), 'tickwright-calendar-'));
  readonly path = join(this.#dir, 'market.yaml');

  constructor(days: Days) {
    const text = readFileSync(join(ROOT, 'config', 'vn30f.yaml'), 'utf8')
      .replace(/phases:\n(?: +- .*\n)+/, "phases: [{ phase: continuous, from: '00:00', to: '24:00' }]\n")
      .replace(/weekdays: .*/, 'weekdays: [mon, tue, wed, thu, fri, sat, sun]');
    writeFileSync(this.path, text);
    this.write(days);
    onTestFinished(() => rmSync(this.#dir, { recursive: true, force: true }));
  }

  write({ validTo = FAR, closures = [] }: Days): void {
    const file = { source: 'a test', validFrom: '2018-08-13', validTo, closures };
    writeFileSync(join(this.#dir, 'closures.json'), JSON.stringify(file));
  }
}

async function story(market: Market, steps: readonly Step[]): Promise<Story> {
  const opened = await Story.open(steps, {}, (yaml) =>
    yaml
      .replace(/market: .*/, `market: ${market.path}`)
      .replace('cash: 5000000000', 'cash: 5000000000, hours: exchange'),
  );
  onTestFinished(() => opened.close());
  return opened;
}

/** Stops the daemon, and drives its day through the engine again, without the recorded decisions. */
async function replayed(stopped: Story) {
  const { paths, daemon } = stopped;
  await stopped.stop();
  const names = new StrategyNames();
  const opened = readJournal(paths.journal, names);
  try {
    const session = STORY_DAY;
    const framesPath = frameLogPath(paths.frames, session);
    return replaySession(
      { config: daemon.config, names, read: opened.read, session, framesPath, close: () => undefined },
      (spec) => ({ ...spec, definition: scripted }),
    );
  } finally {
    opened.close();
  }
}

const RESTING: Step = { at: 13_001, do: 'buy', qty: 1, price: 12_900 };
const LATER: Step = { ...RESTING, at: 13_002 };
const LAST: Step = { ...RESTING, at: 13_003 };

describe('a calendar that has ended', () => {
  it('is alerted, makes the daemon not ready, and a newer file is taken without a restart', async () => {
    const ended = addDays(STORY_DAY, -1);
    const market = new Market({});
    const begun = await story(market, [RESTING, LATER, LAST]);
    market.write({ validTo: ended });
    await begun.start();
    expect(begun.alerts()).toContain('calendar_ended');
    expect(readiness(begun.daemon)).toMatchObject({
      ready: false,
      reason: expect.stringContaining(`the calendar ended on ${ended}`),
    });
    begun.print(13_001);
    await begun.until(() => begun.denials().length > 0);
    expect(begun.denials()).toEqual(['calendar_ended']);

    market.write({});
    const answer = await begun.reload([RESTING, LATER, LAST]);
    expect(answer).toMatchObject({ ok: true });
    expect(answer.message).toContain(`known until ${FAR}, before until ${ended}`);
    expect(readiness(begun.daemon)).toEqual({ ready: true, reason: '' });
    begun.print(13_002);
    await begun.until(async () => (await begun.truth()).orders.length === 1);
    expect(begun.denials()).toEqual(['calendar_ended']);

    // The day of before is decided by the calendar of before, and the file of now counts from now on.
    market.write({ validTo: ended });
    await begun.kill();
    await begun.start();
    expect(begun.entries.filter(({ kind }) => kind === 'strategy_fault')).toEqual([]);
    expect(await begun.known()).toEqual(await begun.truth());
    begun.print(13_003);
    await begun.until(() => begun.denials().length > 0);
    expect(begun.denials()).toEqual(['calendar_ended']);
    expect((await replayed(begun)).difference).toBeNull();
  });
});

describe('a holiday that is added while the daemon runs', () => {
  it('is known at once, leaves the session of today, and a check changes nothing', async () => {
    const market = new Market({});
    const tomorrow = addDays(STORY_DAY, 1);
    const begun = await story(market, [RESTING, LATER]);
    await begun.start();
    begun.print(13_001);
    await begun.until(async () => (await begun.truth()).orders.length === 1);
    market.write({ closures: [tomorrow] });
    expect(await begun.reload([RESTING, LATER], undefined, true)).toMatchObject({
      ok: true,
      message: expect.stringContaining(`${tomorrow} is no session any more`),
    });
    expect(begun.daemon.config.calendar.closures.size).toBe(0);
    expect(await begun.reload([RESTING, LATER])).toMatchObject({
      ok: true,
      changes: [`${tomorrow} is no session any more`],
    });
    expect(isSession(begun.daemon.config.calendar, tomorrow)).toBe(false);
    expect(begun.daemon.sessionDay).toBe(STORY_DAY);
    const reloads = () => begun.entries.flatMap((entry) => (entry.kind === 'command' ? [entry.command] : []));
    await begun.until(() => reloads().length > 0);
    expect(reloads()).toEqual([{ name: 'reload', reason: 'the story' }]);
    expect(await begun.reload([RESTING, LATER])).toMatchObject({ ok: true, changes: [] });
    begun.print(13_002);
    await begun.until(async () => (await begun.truth()).orders.length === 2);
    expect((await replayed(begun)).difference).toBeNull();
  });

  it('for today moves on to the session after it, with the position and its stop, and back', async () => {
    const market = new Market({});
    const steps: Step[] = [
      { at: 13_001, do: 'buy', qty: 1, price: 13_010 },
      { at: 13_002, do: 'sell', qty: 1, price: 12_790, trigger: 12_800 },
    ];
    const begun = await story(market, steps);
    await begun.start();
    begun.offer('sell', 13_010, 1);
    begun.print(13_001);
    await begun.until(async () => (await begun.known()).net === 1 && (await begun.hasReadPositions()));
    begun.print(13_002);
    await begun.until(async () => (await begun.known()).orders.length === 1);
    market.write({ closures: [STORY_DAY] });
    expect(await begun.reload(steps)).toMatchObject({ ok: true });
    await begun.until(() => begun.daemon.sessionDay === addDays(STORY_DAY, 1));
    await begun.until(async () => (await begun.view())?.unproven === null);
    expect((await begun.view())?.phase).toBe('closed');
    expect(await begun.known()).toEqual(await begun.truth());
    expect((await begun.truth()).orders).toHaveLength(1);

    market.write({});
    expect(await begun.reload(steps)).toMatchObject({ ok: true });
    await begun.until(() => begun.daemon.sessionDay === STORY_DAY);
    await begun.trading();
    expect(await begun.known()).toEqual(await begun.truth());
    expect((await begun.view())?.phase).toBe('continuous');
  });
});
