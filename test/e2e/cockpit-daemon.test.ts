/** The page on a real daemon, in a real browser: a halt works while a strategy hangs and while the broker is down. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { BUSY_CONFIG } from './busy-config.ts';
import {
  control,
  freePort,
  journalEntries,
  linkOf,
  type RunningDaemon,
  setFault,
  startDaemon,
  until,
  workplace,
} from './daemon-process.ts';
import { findings, newPage, picture, withBrowser } from './page-browser.ts';
import { HANGING_STRATEGY, hangingAt, programWith } from './program-with.ts';

withBrowser();

/** By the link that the start prints. */
async function pageOf(daemon: RunningDaemon): Promise<Page> {
  const line = await daemon.line(/cockpit: http/);
  const { page } = await newPage();
  page.setDefaultTimeout(120_000);
  await page.goto(/http:\S+/.exec(line)![0]);
  await page.getByText('PAPER · simulated broker').waitFor();
  return page;
}

async function halt(page: Page, daemon: RunningDaemon): Promise<void> {
  await page.locator('#halt').click();
  await page.locator('.outcomes p.good', { hasText: 'entries are off' }).waitFor();
  await daemon.line(/HALTED/);
  await page.locator('.verdict.bad', { hasText: 'Entries are off: by the page' }).waitFor();
}

test('a halt works while a strategy hangs, and the page says that it does', async () => {
  const main = programWith(hangingAt(50));
  const place = workplace(BUSY_CONFIG + HANGING_STRATEGY);
  const daemon = startDaemon(place, [], main);
  const page = await pageOf(daemon);
  await page.getByText('The engine does not answer').first().waitFor();
  await picture(page, 'real-hung');
  await halt(page, daemon);
  await daemon.line(/engine_lost: .* stuck was running/);
  const from = daemon.output().length;
  await daemon.line(/replaying [\d,]+ inputs of today/);
  await page.locator('tr', { hasText: 'stuck' }).getByText('stopped').waitFor();
  // One that was decided before is shown as never sent.
  expect(daemon.output().slice(from), 'nothing enters after the halt').not.toMatch(/placed .*\(entry\)$/m);
  expect(await daemon.end('SIGINT'), daemon.output()).toBe(0);
});

/** The main thread does nothing and the kernel still takes connections, as on a machine that swaps or hangs. */
test('a frozen daemon is no daemon: the page says so in both languages, and claims of no button that it works', async () => {
  const place = workplace(BUSY_CONFIG);
  const daemon = startDaemon(place);
  const page = await pageOf(daemon);
  const { page: other } = await newPage({ locale: 'vi-VN' });
  await other.goto(await linkOf(place));
  await other.getByText('GIẢ LẬP').waitFor();
  daemon.process.kill('SIGSTOP');
  try {
    await page.locator('#halt').click();
    await page.locator('.verdict', { hasText: 'No answer: the daemon does not run' }).waitFor();
    await page.locator('.outcomes p.bad', { hasText: 'use the broker’s app' }).waitFor();
    await other.locator('.verdict', { hasText: 'Không có trả lời: chương trình không chạy' }).waitFor();
    expect(await page.getByText('works all the same').count()).toBe(0);
    expect(await other.getByText('vẫn có tác dụng').count()).toBe(0);
    await picture(page, 'real-frozen');
    expect(await findings(page)).toEqual([]);
  } finally {
    daemon.process.kill('SIGCONT');
  }
  // What was pressed arrives after all.
  await page.locator('.verdict.bad', { hasText: 'Entries are off: by the page' }).waitFor();
  await page.getByText('No answer').first().waitFor({ state: 'detached' });
  expect(await daemon.end('SIGINT'), daemon.output()).toBe(0);
});

test('a page without a session claims of no button that it works', async () => {
  const place = workplace(`${BUSY_CONFIG}operator: { cockpit: { port: ${await freePort()} } }\n`);
  const daemon = startDaemon(place);
  const page = await pageOf(daemon);
  await daemon.end('SIGKILL');
  await page.locator('.verdict', { hasText: 'No answer: the daemon does not run' }).waitFor();
  await page.locator('#halt').click();
  await page.locator('.outcomes p.bad', { hasText: 'use the broker’s app' }).waitFor();
  const again = startDaemon(place);
  await again.line(/cockpit: http/);
  await page.getByRole('heading', { name: 'No session' }).waitFor();
  await page.locator('.verdict', { hasText: 'no button works' }).waitFor();
  expect(await page.getByText('works all the same').count()).toBe(0);
  expect(await page.locator('#halt').count()).toBe(0);
  expect(await again.end('SIGINT'), again.output()).toBe(0);
});

test('a halt works while the broker is down; the books are emptied once it is back', async () => {
  const place = workplace(BUSY_CONFIG);
  const daemon = startDaemon(place);
  const page = await pageOf(daemon);
  await daemon.line(/ busy +accepted/);
  await page.locator('tr', { hasText: 'busy' }).first().waitFor();
  await page.getByRole('button', { name: 'Market', exact: true }).click();
  await page.waitForSelector('.market canvas');
  await picture(page, 'real-market');
  await page.keyboard.press('1');
  await setFault(place, { name: 'refuse_connections', scope: 'all' });
  await halt(page, daemon);
  await picture(page, 'real-broker-down');
  expect((await control(place, '/faults', { method: 'DELETE', body: '{}' })).ok).toBe(true);
  await page.locator('.verdict', { hasText: 'Books empty of entries' }).waitFor();
  const newest = await until(async () => {
    const shown = (await page.locator('footer .num').textContent()) ?? '';
    const last = journalEntries(place).at(-1)?.id;
    return shown.endsWith(`-${last}`) ? shown : undefined;
  });
  expect(newest, 'the page shows the last row of the journal').toMatch(/^\d{4}-\d\d-\d\d-\d+$/);
  await page.keyboard.press('4');
  await page.locator('.journal .entry', { hasText: 'HALTED' }).first().waitFor();
  await picture(page, 'real-journal');
  expect(await daemon.end('SIGINT'), daemon.output()).toBe(0);
});

test("a fault that the page switches on is met by the broker's client, and journaled", async () => {
  const place = workplace(BUSY_CONFIG);
  const daemon = startDaemon(place);
  const page = await pageOf(daemon);
  await daemon.line(/ busy +accepted/);
  await page.getByRole('button', { name: 'Faults', exact: true }).click();
  const row = page.locator('.faults li', { has: page.getByRole('switch', { name: 'late_answer' }) });
  await row.locator('summary').click();
  await row.getByLabel('operation').selectOption('in-day');
  await row.getByLabel('delayMs').fill('1500');
  await row.getByRole('switch').click();
  await row.getByText('operation in-day').waitFor();
  const armed = (await (await control(place, '/faults')).json()) as { armed: unknown };
  expect(armed.armed).toEqual([
    { fault: { name: 'late_answer', operation: 'in-day', delayMs: 1_500 }, left: null },
  ]);
  await row.getByRole('switch').click();
  await row.getByText('operation in-day').waitFor({ state: 'detached' });
  expect(await daemon.end('SIGINT'), daemon.output()).toBe(0);
  const commands = journalEntries(place).flatMap(({ entry }) =>
    entry.kind === 'remote_command' ? [entry.text] : [],
  );
  expect(commands).toEqual(['fault late_answer on', 'fault late_answer off']);
});
