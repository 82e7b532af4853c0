/** The report in a real browser: light, dark and as wide as a phone. Every picture is drawn, and nothing is fetched. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import axe from 'axe-core';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadReportAssets, renderReport } from '../../src/research/report/render-report.ts';
import { SAMPLE_REPORT } from '../research/report/sample-report.ts';

const CHROMIUM = '/usr/bin/chromium';

let browser: Browser;
let dir: string;
let address: string;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tickwright-report-'));
  const path = join(dir, 'report.html');
  writeFileSync(path, renderReport(SAMPLE_REPORT, loadReportAssets()));
  address = pathToFileURL(path).href;
  if (existsSync(CHROMIUM))
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
});

afterAll(async () => {
  if (existsSync(CHROMIUM)) await browser.close();
  rmSync(dir, { recursive: true, force: true });
});

test.for([
  { width: 1280, colorScheme: 'light' },
  { width: 1280, colorScheme: 'dark' },
  { width: 390, colorScheme: 'light' },
  { width: 390, colorScheme: 'dark' },
] as const)('draws all of it, $colorScheme, $width pixels wide', async (look, context) => {
  context.skip(!existsSync(CHROMIUM), `no browser at ${CHROMIUM}: install Debian's chromium`);
  const { width, colorScheme } = look;
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
  const trouble: string[] = [];
  page.on('console', (message) => trouble.push(message.text()));
  page.on('pageerror', (error) => trouble.push(String(error)));
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.goto(address);
  await page.waitForSelector('html[data-drawn]', { state: 'attached' });

  expect(trouble).toEqual([]);
  expect(asked).toEqual([address]);
  expect(await page.getAttribute('html', 'data-drawn')).toBe('7');
  expect(await page.title()).toBe(SAMPLE_REPORT.title);
  const widths = await page.evaluate('[document.documentElement.scrollWidth, innerWidth]');
  expect(widths, 'the page does not scroll sideways').toEqual([width, width]);
  expect(await page.evaluate(CUT_TABLES), 'no table is cut off').toEqual([]);
  expect(await page.evaluate(BROKEN_FIGURES), 'a figure and its unit share a line').toEqual([]);
  expect(await page.evaluate(`${axe.source};${SERIOUS}`)).toEqual([]);
  await page.close();
});

/** Titles of tables that are wider than their place. */
const CUT_TABLES = `[...document.querySelectorAll('.scrolled')]
  .filter((box) => box.scrollWidth > box.clientWidth)
  .map((box) => box.closest('section').id)`;

/** Figures in percent that take more than one line. */
const BROKEN_FIGURES = `[...document.querySelectorAll('td, dd')]
  .filter((cell) => /^[-+−]?[\\d.,]+ %$/.test(cell.textContent.trim()))
  .filter((cell) => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    return new Set([...range.getClientRects()].map(({ top }) => top)).size > 1;
  })
  .map((cell) => cell.parentElement.textContent)`;

/** Findings of axe that keep people from reading. */
const SERIOUS = `axe.run().then(({ violations }) => violations
  .filter(({ impact }) => impact === 'serious' || impact === 'critical')
  .map(({ id, nodes }) => [id, nodes.slice(0, 3).map(({ html }) => html)]))`;

test('lists trades a page at a time, in the order of a column', async (context) => {
  context.skip(!existsSync(CHROMIUM), `no browser at ${CHROMIUM}: install Debian's chromium`);
  const page = await browser.newPage();
  await page.goto(address);
  const list = page.locator('[data-part="trades"]');
  const first = list.locator('tbody tr').first();
  expect(await list.locator('tbody tr').count()).toBe(25);
  expect(await list.locator('.pages').textContent()).toContain('1 to 25 of 60');
  await list.getByRole('button', { name: 'next' }).click();
  expect(await list.locator('.pages').textContent()).toContain('26 to 50 of 60');
  await list.getByRole('button', { name: 'net profit' }).click();
  const least = Math.min(...SAMPLE_REPORT.run.drawn.trades.map(({ profit }) => profit));
  expect(await first.locator('td').last().textContent()).toBe(least.toLocaleString('en-US'));
  expect(await list.locator('th').last().getAttribute('aria-sort')).toBe('ascending');
  await page.close();
});
