/** A real browser for tests of pages: skipped where there is none. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, onTestFinished } from 'vitest';

const CHROMIUM = '/usr/bin/chromium';
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Pictures of each state are written here when it is set. */
const PICTURES = process.env['TICKWRIGHT_PICTURES'];

let browser: Browser | undefined;

/** Starts it once for the tests of a file. */
export function withBrowser(): void {
  beforeAll(async () => {
    if (!existsSync(CHROMIUM)) return;
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
    if (PICTURES !== undefined) mkdirSync(PICTURES, { recursive: true });
  });
  afterAll(() => browser?.close());
  beforeEach((context) => {
    context.skip(browser === undefined, `no browser at ${CHROMIUM}: install Debian's chromium`);
  });
}

export interface Look {
  readonly width?: number;
  readonly colorScheme?: 'light' | 'dark';
  readonly locale?: string;
}

/** A page loads in the first. */
export const LOOKS = [
  { width: 390, colorScheme: 'dark' },
  { width: 390, colorScheme: 'light' },
  { width: 1280, colorScheme: 'light' },
  { width: 1280, colorScheme: 'dark' },
] as const;
export const WIDE = { width: 1920, colorScheme: 'light' } as const;

export interface NewPage {
  readonly page: Page;
  /** Errors and warnings of its console. */
  readonly trouble: string[];
}

const windowOf = (width: number) => ({ width, height: width < 600 ? 844 : 900 });

/** The same page in another window, drawn: its observers of sizes are older than this one, and were told before. */
export async function wear(
  page: Page,
  { width, colorScheme }: Required<Pick<Look, 'width' | 'colorScheme'>>,
): Promise<void> {
  await page.setViewportSize(windowOf(width));
  await page.emulateMedia({ colorScheme });
  await page.evaluate('new Promise((drawn) => new ResizeObserver(drawn).observe(document.body))');
}

/** In a context of its own: another person's browser. */
export async function newPage(
  { width = 1280, colorScheme = 'light', locale = 'en-GB' }: Look = {},
  more: BrowserContextOptions = {},
): Promise<NewPage> {
  const context = await browser!.newContext({
    viewport: windowOf(width),
    colorScheme,
    locale,
    reducedMotion: 'reduce',
    ...more,
  });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const trouble: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) trouble.push(message.text());
  });
  page.on('pageerror', (error) => trouble.push(String(error)));
  return { page, trouble };
}

/** Serious and critical findings of axe, with their places. */
export async function findings(page: Page): Promise<readonly string[]> {
  // The page's own policy keeps out scripts of others: axe comes in by the debugger.
  const session = await page.context().newCDPSession(page);
  await session.send('Runtime.evaluate', { expression: AXE });
  const found = await page.evaluate(
    "axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id, nodes }) => id + ': ' + nodes.map(({ target, failureSummary }) => target + ' ' + failureSummary).join('; ')))",
  );
  return found as readonly string[];
}

/** Pixels by which the page is wider than its window. */
export const overhang = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

export async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES !== undefined) await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true });
}
