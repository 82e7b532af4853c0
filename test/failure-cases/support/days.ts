/** Days of the exchange, for stories whose time leaps from one moment to the next. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../../src/host/system-clock.ts';
import type { SimulatorOptions } from '../../../src/simulator/simulator-options.ts';
import type { Step } from './scripted.ts';
import { running, type Story } from './story.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

/** The time of daemon and broker. */
export function leapTo(moment: string): void {
  const aheadMs = Date.parse(`${moment}+07:00`) - Date.now();
  systemClock.restart({
    wallMs: () => Date.now() + aheadMs,
    monotonicMs: () => performance.now(),
    uptimeMs: () => performance.now(),
  });
}

/** The hours of the exchange; its closures can be edited. */
export class Days {
  readonly #dir = mkdtempSync(join(tmpdir(), 'tickwright-days-'));

  /** `change`: of the market file. */
  constructor(change: (yaml: string) => string = (yaml) => yaml) {
    this.edit(change);
    this.close();
    onTestFinished(() => rmSync(this.#dir, { recursive: true, force: true }));
  }

  edit(change: (yaml: string) => string): void {
    const market = readFileSync(join(ROOT, 'config', 'vn30f.yaml'), 'utf8');
    writeFileSync(join(this.#dir, 'market.yaml'), change(market));
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
    return running(steps, (yaml) => change(this.hours(yaml)), { clock: systemClock, ...options });
  }

  /** The configuration with these hours. */
  hours(yaml: string): string {
    return yaml
      .replace(/market: .*/, `market: ${join(this.#dir, 'market.yaml')}`)
      .replace('cash: 5000000000', 'cash: 5000000000, hours: exchange');
  }
}
