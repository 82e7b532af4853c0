// Draws the pictures of README.md: all states of the cockpit go to var/pictures, two of them to data/pictures, with a session in the
// terminal and the report of a backtest.
import { spawnSync } from 'node:child_process';
import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { terminalLines, terminalPicture } from './terminal-picture.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const drawn = join(root, 'var', 'pictures');
const test = ['run', '--config', 'test/vitest.config.ts', 'test/e2e/cockpit-views.test.ts', '-t', 'shows'];
const { status } = spawnSync('npx', ['vitest', ...test], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, TICKWRIGHT_PICTURES: drawn },
});
if (status !== 0) process.exit(status ?? 1);
const SHOWN = { 'paper-1280-light': 'cockpit-now', 'view-market-1280-light': 'cockpit-market' };
for (const [from, to] of Object.entries(SHOWN))
  copyFileSync(join(drawn, `${from}.png`), join(root, 'data', 'pictures', `${to}.png`));

// A session on paper, in a state of its own. The key of the page is used up, and no part of a picture.
const state = 'var/pictures/paper';
rmSync(join(root, state), { recursive: true, force: true });
const paper = `node dist/src/cli/main.js paper --config config/paper.yaml --state ${state} --duration 35s`;
const lines = terminalLines(paper)
  .filter((line) => line !== '')
  .map((line) => line.replace(/#key=\S+/, '#key=...').replaceAll(state, 'var/paper'));
writeFileSync(
  join(root, 'data', 'pictures', 'paper.svg'),
  terminalPicture('Tickwright trading on paper', ['$ npm start', ...lines]),
);

// The report of `npm run backtest`: its first screen.
const report = join(drawn, 'backtest');
const backtest = ['dist/src/cli/main.js', 'backtest', 'config/backtest.yaml', '--out', report];
const run = spawnSync('node', backtest, { cwd: root, stdio: 'inherit' });
if (run.status !== 0) process.exit(run.status ?? 1);
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
const page = await browser.newPage({ viewport: { width: 1280, height: 1500 }, colorScheme: 'light' });
await page.goto(pathToFileURL(join(report, 'report.html')).href);
await page.waitForSelector('html[data-drawn]', { state: 'attached' });
// Charts paint with the next frame.
await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
const prices = await page.locator('.chart.prices').boundingBox();
const height = Math.ceil((prices?.y ?? 0) + (prices?.height ?? 0));
const clip = { x: 0, y: 0, width: 1280, height };
await page.screenshot({ path: join(root, 'data', 'pictures', 'report.png'), clip, fullPage: true });
await browser.close();
