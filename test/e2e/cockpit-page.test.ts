/** The cockpit in a real browser, in each state of a daemon: light and dark, on a phone and on a desk. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { daemonIn, STATES } from '../page/cockpit-states.ts';
import { type FakeDaemon, startFake } from '../operator/cockpit/fake-cockpit.ts';
import type { Cockpit } from '../../src/operator/cockpit/cockpit-server.ts';

const CHROMIUM = '/usr/bin/chromium';
const PAGE_DIR = join(import.meta.dirname, '..', '..', 'dist', 'src', 'page');
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Pictures of each state are written here when it is set. */
const PICTURES = process.env['TICKWRIGHT_PICTURES'];

let browser: Browser | undefined;

beforeAll(async () => {
  if (!existsSync(CHROMIUM)) return;
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  if (PICTURES !== undefined) mkdirSync(PICTURES, { recursive: true });
});
afterAll(() => browser?.close());
beforeEach((context) => {
  context.skip(browser === undefined, `no browser at ${CHROMIUM}: install Debian's chromium`);
});

interface Look {
  readonly width?: number;
  readonly colorScheme?: 'light' | 'dark';
  readonly locale?: string;
}

interface Opened {
  readonly page: Page;
  readonly cockpit: Cockpit;
  readonly trouble: string[];
}

const serve = (daemon: FakeDaemon): Promise<Cockpit> => startFake(daemon, { pageDir: PAGE_DIR });

async function opened(
  daemon: FakeDaemon,
  { width = 1280, colorScheme = 'light', locale = 'en-GB' }: Look = {},
  role: 'steer' | 'look' = 'steer',
): Promise<Opened> {
  const cockpit = await serve(daemon);
  onTestFinished(() => cockpit.close());
  const context = await browser!.newContext({
    viewport: { width, height: width < 600 ? 844 : 900 },
    colorScheme,
    locale,
    reducedMotion: 'reduce',
  });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const trouble: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) trouble.push(message.text());
  });
  page.on('pageerror', (error) => trouble.push(String(error)));
  await page.goto(cockpit.link(role));
  await page.waitForSelector('nav');
  return { page, cockpit, trouble };
}

/** Serious and critical findings of axe, with their places. */
async function findings(page: Page): Promise<readonly string[]> {
  // The page's own policy keeps out scripts of others: axe comes in by the debugger.
  const session = await page.context().newCDPSession(page);
  await session.send('Runtime.evaluate', { expression: AXE });
  const found = await page.evaluate(
    "axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id, nodes }) => id + ': ' + nodes.map(({ target, failureSummary }) => target + ' ' + failureSummary).join('; ')))",
  );
  return found as readonly string[];
}

const VIEW_NAMES = ['Now', 'Market', 'Steer', 'Journal', 'Research'] as const;
const LOOKS = [
  { width: 1280, colorScheme: 'light' },
  { width: 1280, colorScheme: 'dark' },
  { width: 390, colorScheme: 'light' },
  { width: 390, colorScheme: 'dark' },
] as const;

/** Part of a view that comes last. */
const READY: Readonly<Record<(typeof VIEW_NAMES)[number], string>> = {
  Now: 'main .now',
  Market: 'main .market canvas',
  Steer: 'main .steer',
  Journal: 'main .journal .entry',
  Research: 'main .research .runs li',
};

async function show(page: Page, name: (typeof VIEW_NAMES)[number]): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click();
  await page.waitForSelector(READY[name]);
}

async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES !== undefined) await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true });
}

const widths = (page: Page): Promise<unknown> =>
  page.evaluate('[document.documentElement.scrollWidth, document.documentElement.clientWidth]');

describe.for(LOOKS)('$width pixels wide, $colorScheme', (look) => {
  test.for(Object.entries(STATES))('shows %s', async ([name, state]) => {
    const { page, trouble } = await opened(daemonIn(state), look);
    await page.waitForSelector('main .now');
    await picture(page, `${name}-${look.width}-${look.colorScheme}`);
    expect(await findings(page)).toEqual([]);
    const [needed, given] = (await widths(page)) as [number, number];
    expect(needed, 'the page does not scroll sideways').toBeLessThanOrEqual(given);
    expect(trouble).toEqual([]);
  });

  test('shows every view', async () => {
    const { page, trouble } = await opened(daemonIn({}), look);
    for (const name of VIEW_NAMES.slice(1)) {
      await show(page, name);
      await picture(page, `view-${name.toLowerCase()}-${look.width}-${look.colorScheme}`);
      expect(await findings(page), name).toEqual([]);
      const [needed, given] = (await widths(page)) as [number, number];
      expect(needed, `${name} does not scroll sideways`).toBeLessThanOrEqual(given);
    }
    expect(trouble).toEqual([]);
  });
});
