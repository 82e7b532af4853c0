/** The report in a real browser: light, dark and as wide as a phone. Every picture is drawn, and nothing is fetched. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { loadReportAssets, renderReport } from '../../src/backtest/report/render-report.ts';
import { SAMPLE_REPORT } from '../backtest/report/sample-report.ts';

const CHROMIUM = '/usr/bin/chromium';

function writtenReport(): string {
  const dir = mkdtempSync(join(tmpdir(), 'tickwright-report-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const path = join(dir, 'report.html');
  const page = renderReport(SAMPLE_REPORT, loadReportAssets());
  writeFileSync(path, page);
  return pathToFileURL(path).href;
}

test.for([
  { width: 1200, colorScheme: 'light' },
  { width: 1200, colorScheme: 'dark' },
  { width: 390, colorScheme: 'light' },
] as const)('draws all of it, $colorScheme, $width pixels wide', async (look, context) => {
  context.skip(!existsSync(CHROMIUM), `no browser at ${CHROMIUM}: install Debian's chromium`);
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  onTestFinished(() => browser.close());
  const { width, colorScheme } = look;
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
  const trouble: string[] = [];
  page.on('console', (message) => trouble.push(message.text()));
  page.on('pageerror', (error) => trouble.push(String(error)));
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  const address = writtenReport();
  await page.goto(address);
  await page.waitForSelector('html[data-drawn]', { state: 'attached' });

  expect(trouble).toEqual([]);
  expect(asked).toEqual([address]);
  expect(await page.getAttribute('html', 'data-drawn')).toBe('5');
  expect(await page.title()).toBe(SAMPLE_REPORT.title);
  const widths = await page.evaluate('[document.documentElement.scrollWidth, innerWidth]');
  expect(widths, 'the page does not scroll sideways').toEqual([width, width]);
});
