/** Where days, contracts and sessions meet, over the real wire: the time of daemon and broker leaps from one moment to the next. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/host/system-clock.ts';
import type { SimulatorOptions } from '../../src/simulator/simulator-options.ts';
import type { Step } from './support/scripted.ts';
import { running, type Story } from './support/story.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** The time of daemon and broker. */
function leapTo(moment: string): void {
  const aheadMs = Date.parse(`${moment}+07:00`) - Date.now();
  systemClock.restart({
    wallMs: () => Date.now() + aheadMs,
    monotonicMs: () => performance.now(),
    uptimeMs: () => performance.now(),
  });
}

const BUY: Step = { at: 13_001, do: 'buy', qty: 1, price: 13_010 };

/** The hours of the exchange; its closures can be edited. */
class Days {
  readonly #dir = mkdtempSync(join(tmpdir(), 'tickwright-days-'));

  constructor() {
    writeFileSync(join(this.#dir, 'market.yaml'), readFileSync(join(ROOT, 'config', 'vn30f.yaml'), 'utf8'));
    this.close();
    onTestFinished(() => rmSync(this.#dir, { recursive: true, force: true }));
  }

  close(...closures: readonly string[]): void {
    const file = { source: 'a test', validFrom: '2018-08-13', validTo: '2027-12-31', closures };
    writeFileSync(join(this.#dir, 'closures.json'), JSON.stringify(file));
  }

  begin(
    moment: string,
    steps: readonly Step[],
    change: (yaml: string) => string = (yaml) => yaml,
    options: Partial<SimulatorOptions> = {},
  ): Promise<Story> {
    onTestFinished(() => systemClock.restart());
    leapTo(moment);
    return running(
      steps,
      (yaml) =>
        change(
          yaml
            .replace(/market: .*/, `market: ${join(this.#dir, 'market.yaml')}`)
            .replace('cash: 5000000000', 'cash: 5000000000, hours: exchange'),
        ),
      { clock: systemClock, ...options },
    );
  }
}

const intraday = (yaml: string): string => yaml.replace('overnight: true', 'overnight: false');

it('a day that restarts keeps a position of its own, which is closed before its close', async () => {
  const days = new Days();
  const story = await days.begin('2026-11-20T10:00:00', [BUY], intraday);
  await story.buys(1);
  days.close('2026-11-20');
  expect(await story.reload([BUY])).toMatchObject({ ok: true });
  await story.until(() => story.daemon.sessionDay === '2026-11-23');
  days.close();
  expect(await story.reload([BUY])).toMatchObject({ ok: true });
  await story.until(() => story.daemon.sessionDay === '2026-11-20');
  await story.trading();
  story.print(13_002);
  await story.settled();
  expect(await story.truth()).toMatchObject({ net: 1, orders: [] });
  leapTo('2026-11-20T14:25:00');
  story.offer('buy', 13_000, 1);
  await story.until(async () => (await story.truth()).net === 0);
});
