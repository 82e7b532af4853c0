/** Every view of the cockpit in a real browser: light and dark, on a phone and on a desk, in both languages. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { CROWDED, daemonIn, STATES } from '../page/cockpit-states.ts';
import { opened, READY, said, show, VIEW_NAMES } from './cockpit-opened.ts';
import { findings, LOOKS, overhang, picture, wear, WIDE, withBrowser } from './page-browser.ts';

withBrowser();

/** Names of tables that reach over the edge of their panel. */
const CUT_TABLES = `[...document.querySelectorAll('.panel table')]
  .filter((table) => {
    const panel = table.closest('.panel');
    const edge = panel.getBoundingClientRect().right - parseFloat(getComputedStyle(panel).paddingRight);
    return table.getBoundingClientRect().right > edge;
  })
  .map((table) => table.ariaLabel)`;

test.for(Object.entries(STATES))('shows %s', async ([name, state]) => {
  const { page, trouble } = await opened(daemonIn(state), LOOKS[0]);
  await page.waitForSelector('main .now');
  for (const look of LOOKS) {
    await wear(page, look);
    await picture(page, `${name}-${look.width}-${look.colorScheme}`);
    const shown = `${look.width} pixels wide, ${look.colorScheme}`;
    expect(await page.evaluate(CUT_TABLES), `no table is cut off, ${shown}`).toEqual([]);
    expect(await findings(page), shown).toEqual([]);
    expect(await overhang(page), `the page does not scroll sideways, ${shown}`).toBe(0);
  }
  expect(trouble).toEqual([]);
});

test.for([
  ['en-GB', ''],
  ['vi-VN', '-vi'],
] as const)('shows every view, in the language of %s', async ([locale, ending]) => {
  const { page, trouble } = await opened(daemonIn(STATES.paper), { ...LOOKS[0], locale });
  if (locale === 'vi-VN') await page.getByText('GIẢ LẬP').waitFor();
  expect(await page.getAttribute('html', 'lang')).toBe(locale.slice(0, 2));
  for (const [place, name] of VIEW_NAMES.entries()) {
    await page.getByRole('navigation').getByRole('button').nth(place).click();
    await page.waitForSelector(READY[name]);
    for (const look of [...LOOKS, WIDE]) {
      await wear(page, look);
      await picture(page, `view-${name.toLowerCase()}-${look.width}-${look.colorScheme}${ending}`);
      const shown = `${name}, ${look.width} pixels wide, ${look.colorScheme}`;
      expect(await findings(page), shown).toEqual([]);
      expect(await overhang(page), `${shown}, does not scroll sideways`).toBe(0);
    }
  }
  expect(trouble).toEqual([]);
});

test.for(['Now', 'Steer', 'Market'] as const)(
  '%s keeps long names of strategies in its panels',
  async (name) => {
    const { page } = await opened(daemonIn(CROWDED));
    await show(page, name);
    for (const width of [390, 768, 1440]) {
      await wear(page, { width, colorScheme: 'light' });
      expect(await page.evaluate(CUT_TABLES), `no table is cut off, ${width} pixels wide`).toEqual([]);
      expect(await overhang(page), `${width} pixels wide`).toBe(0);
    }
  },
);

test('folds the limits of which less than 5 % is used', async () => {
  const { page } = await opened(daemonIn({}));
  const limits = page.getByRole('region', { name: 'Limits' });
  expect(await limits.getByRole('meter').count()).toBe(5);
  await limits.getByText('2 under 5 %').click();
  expect(await limits.getByRole('meter').count()).toBe(7);
});

test('shows faults on a tab of their own, where the broker is a simulator', async () => {
  const daemon = daemonIn(STATES.paper);
  const { page } = await opened(daemon);
  await show(page, 'Steer');
  expect(await page.locator('.faults').count()).toBe(0);
  await page.keyboard.press('6');
  await page.locator('.faults li', { hasText: 'answers 500' }).waitFor();
  const live = await opened(daemonIn({}));
  expect(await live.page.getByRole('navigation').getByRole('button').allTextContents()).toEqual([
    'Now',
    'Market',
    'Steer',
    'Journal',
    'Results',
  ]);
});

test('draws bars of another length, with their volume', async () => {
  const { page, trouble } = await opened(daemonIn({}));
  await show(page, 'Market');
  const lengths = page.getByRole('group', { name: 'Bar length' });
  expect(await lengths.getByRole('button').allTextContents()).toEqual(['1m', '5m', '15m', '1h']);
  await lengths.getByRole('button', { name: '5m', exact: true }).click();
  await lengths.locator('[aria-pressed=true]', { hasText: '5m' }).waitFor();
  await page.waitForSelector('main .market canvas');
  await picture(page, 'market-5m-1280-light');
  await show(page, 'Now');
  await show(page, 'Market');
  expect(await lengths.locator('[aria-pressed=true]').textContent(), 'it stays').toBe('5m');
  expect(trouble).toEqual([]);
});

/** The candles as they are drawn. */
const drawn = (page: Page): Promise<string> =>
  page.evaluate("document.querySelector('.candles canvas').toDataURL()");

test('draws the same candles after the window was narrow for a moment, as when a phone is turned', async () => {
  const daemon = daemonIn({});
  const { reads } = daemon.handlers;
  const known = { ...reads };
  let asked = 0;
  Object.assign(reads, {
    bars: (contract: string) => {
      asked += 1;
      return known.bars(contract);
    },
  });
  const { page } = await opened(daemon);
  await show(page, 'Market');
  // Bars are read once more after the fills; then nothing changes.
  await expect.poll(() => asked).toBe(2);
  let before = '';
  await expect.poll(async () => before === (before = await drawn(page))).toBe(true);
  const size = page.viewportSize()!;
  await page.setViewportSize({ ...size, width: 110 });
  await expect.poll(() => drawn(page)).not.toBe(before);
  await page.setViewportSize(size);
  await expect.poll(() => drawn(page)).toBe(before);
});

test('shows the result of a day as a curve, the days before it, and closed trades', async () => {
  const daemon = daemonIn({});
  const { page, trouble } = await opened(daemon);
  await show(page, 'Results');
  await page.getByRole('region', { name: 'Realised on 2026-03-04' }).locator('canvas').first().waitFor();
  await page.getByRole('img', { name: /^Feb 2026: .* days up, .* down$/ }).waitFor();
  const trades = page.getByRole('table', { name: 'Closed trades' });
  expect(await trades.locator('tbody tr').count()).toBe(3);
  expect(await trades.locator('tbody tr').first().textContent()).toContain('long 3 VN30F1M (41I1G3000)');
  await page.getByRole('combobox').selectOption('2026-02-27');
  await page.getByRole('region', { name: 'Realised on 2026-02-27' }).waitFor();
  expect(trouble).toEqual([]);
});

test('says reasons and outcomes in Vietnamese too', async () => {
  const daemon = daemonIn({ ...STATES.error, halted: 'by the page' });
  daemon.answer = () => ({ ok: true, message: 'entries are off' });
  const { page } = await opened(daemon, { locale: 'vi-VN' });
  await page.locator('.verdict', { hasText: 'từ trang này' }).waitFor();
  await page.locator('.verdict li', { hasText: 'luồng giá: chờ kết nối lại' }).waitFor({ state: 'attached' });
  await page.locator('#halt').click();
  await said(page, 'đã ngừng mở vị thế');
  await picture(page, 'error-1280-light-vi');
  expect(await findings(page)).toEqual([]);
});
