/** The cockpit in a real browser, in each state of a daemon: light and dark, on a phone and on a desk. */
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { daemonIn, entryOf, pricesAt, STATES } from '../page/cockpit-states.ts';
import { startFake } from '../operator/cockpit/fake-cockpit.ts';
import { opened, PAGE_DIR, said, show } from './cockpit-opened.ts';
import { findings, newPage, picture, withBrowser } from './page-browser.ts';

withBrowser();

describe('commands', () => {
  test('halts at one press', async () => {
    const daemon = daemonIn({});
    const { page } = await opened(daemon);
    await page.locator('#halt').click();
    await said(page, 'done');
    expect(daemon.commands.map(([name]) => name)).toEqual(['halt']);
  });

  test('halts when H is held, and only looks at the button when it is touched', async () => {
    const daemon = daemonIn({});
    const { page } = await opened(daemon);
    await page.keyboard.press('h');
    expect(await page.evaluate('document.activeElement.id')).toBe('halt');
    await page.keyboard.down('h');
    await said(page, 'done');
    await page.keyboard.up('h');
    expect(daemon.commands.map(([name]) => name)).toEqual(['halt']);
  });

  test('flattens when the button is held, and not before', async () => {
    const daemon = daemonIn({});
    const { page } = await opened(daemon);
    await show(page, 'Steer');
    await page.getByRole('button', { name: 'Flatten all' }).click();
    await page.locator('form.typed', { hasText: 'turns entries off first' }).waitFor();
    expect(daemon.commands).toEqual([]);
    await page.getByRole('button', { name: 'Flatten all' }).hover();
    await page.mouse.down();
    await said(page, 'done');
    await page.mouse.up();
    expect(daemon.commands.map(([name, { strategy }]) => [name, strategy])).toEqual([['flatten', null]]);
  });

  test('says of an auction that nothing can be taken back there, and sends into it what is confirmed', async () => {
    const daemon = daemonIn({});
    const { session } = daemon.facts;
    daemon.facts = { ...daemon.facts, session: { ...session, phase: 'closing_auction' } };
    const { page } = await opened(daemon);
    await show(page, 'Steer');
    await page.getByRole('button', { name: 'Flatten all' }).click();
    await page.locator('form.typed', { hasText: 'cannot be taken back' }).waitFor();
    const field = page.getByLabel(/type “flatten”/);
    await field.fill('flatten');
    await field.press('Enter');
    await said(page, 'done');
    expect(daemon.commands.map(([name, { inAuction }]) => [name, inAuction])).toEqual([['flatten', true]]);
  });

  test('cancels one order', async () => {
    const daemon = daemonIn({});
    const { page } = await opened(daemon);
    await page.locator('main tr', { hasText: '1,905.2' }).getByRole('button', { name: 'Cancel' }).click();
    const field = page.getByLabel(/type “cancel”/);
    await field.fill('cancel');
    await field.press('Enter');
    await said(page, 'done');
    expect(daemon.commands.map(([name, { clientOrderId }]) => [name, clientOrderId])).toEqual([
      ['cancel-order', '01K9TW7Q3M000A03'],
    ]);
  });

  test('resumes when the word is typed', async () => {
    const daemon = daemonIn(STATES.halted);
    daemon.facts = { ...daemon.facts, money: { ...daemon.facts.money, lossToAccept: 2_000_000 } };
    const { page } = await opened(daemon);
    await show(page, 'Steer');
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('It accepts the loss of the day of 2,000,000 VND').waitFor();
    const field = page.getByLabel(/type “resume”/);
    await field.fill('resum');
    await field.press('Enter');
    expect(daemon.commands).toEqual([]);
    await field.fill('resume');
    await field.press('Enter');
    await said(page, 'done');
    expect(daemon.commands.map(([name]) => name)).toEqual(['resume']);
  });

  test('brings a one-time password, and keeps it nowhere', async () => {
    const daemon = daemonIn(STATES.password);
    daemon.answer = () => ({ ok: false, message: 'wrong password (3 of 10 exchanges of the day are used)' });
    const { page } = await opened(daemon);
    await show(page, 'Steer');
    await page.getByLabel('One-time password').locator('input').fill('718293');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await said(page, 'wrong password');
    expect(daemon.commands.map(([name, { otp }]) => [name, otp])).toEqual([['otp', '718293']]);
    expect(await page.content()).not.toContain('718293');
    expect(await page.getByLabel('One-time password').locator('input').inputValue()).toBe('');
  });

  test('says that an outcome is not known when no answer comes', async () => {
    const daemon = daemonIn({});
    const { page } = await opened(daemon);
    await page.route('**/commands/halt', (route) => route.abort());
    await page.locator('#halt').click();
    await said(page, 'may or may not have arrived');
    expect(daemon.commands).toEqual([]);
  });

  test('shows all to whoever may look, and no button that acts', async () => {
    const { page, trouble } = await opened(daemonIn({}), {}, 'look');
    await page.getByText('View only').waitFor();
    expect(await page.locator('#halt').count()).toBe(0);
    await show(page, 'Market');
    await page.getByLabel('Notes of strategies').getByText('range 1896.2').first().waitFor();
    await page.getByRole('button', { name: 'Steer', exact: true }).click();
    await page.getByText('may look, not act').waitFor();
    expect(await page.locator('main button').allTextContents()).toEqual(['Log out']);
    await page.keyboard.down('h');
    expect(await findings(page)).toEqual([]);
    expect(trouble).toEqual([]);
  });
});

const idsOf = async (page: Page): Promise<readonly string[]> => {
  const texts = await page.locator('.journal .entry .what').allTextContents();
  return texts.map((text) => text.trim());
};

const note = (seq: number) => ({ ...entryOf(6), id: `2026-03-04-${seq}`, seq, text: `note ${seq}` });

test('the headline asks for the password that all else waits for', async () => {
  const { page } = await opened(daemonIn({ ...STATES.password, problems: ['no session is open'] }));
  await page.locator('.verdict.bad').waitFor();
  expect(await page.locator('.verdict summary span').textContent()).toContain('one-time password');
});

test('the headline names a stopped strategy', async () => {
  const daemon = daemonIn({});
  const [first, ...others] = daemon.facts.strategies;
  daemon.facts = { ...daemon.facts, strategies: [{ ...first!, stopped: 'by the page' }, ...others] };
  const { page } = await opened(daemon);
  await page.locator('.verdict.warn').waitFor();
  expect(await page.locator('.verdict summary span').textContent()).toContain('breakout');
});

test('a price of before the stream was lost is not shown as one of now', async () => {
  const { page } = await opened(daemonIn(STATES.error));
  await show(page, 'Market');
  expect(await page.locator('.quote .last').getAttribute('class')).toBe('last num quiet');
  expect(await page.locator('.quote').textContent()).toMatch(/Prices as of 2026-03-04 [\d:]+\. $/);
});

test('a position without its stop says so beside its quantity', async () => {
  const { page } = await opened(daemonIn({}));
  await page.locator('tr', { hasText: 'spread' }).getByText('1 without a stop').waitFor();
  expect(await page.getByText('without a stop').count()).toBe(1);
});

describe('our books next to the broker’s', () => {
  test('each comparison has its own time, and is grey while a fill is younger', async () => {
    const daemon = daemonIn({});
    const { books } = daemon.facts;
    daemon.facts = { ...daemon.facts, books: { ...books, moneyMs: (books.lastFillMs ?? 0) - 1 } };
    const { page } = await opened(daemon);
    const panel = page.locator('section', { hasText: 'Our books and the broker’s' });
    await panel.getByText(/positions at \d\d:\d\d:\d\d, money at \d\d:\d\d:\d\d/).waitFor();
    await panel.getByText('not read since the last fill').waitFor();
    expect(await panel.locator('tr.old', { hasText: 'not read' }).count()).toBe(books.figures.length);
    expect(await panel.getByRole('img', { name: 'agree with the broker' }).count()).toBe(
      books.positions.length,
    );
    await page.locator('.health', { hasText: 'not read since the last fill' }).waitFor();
  });

  test('a position that was not read yet neither agrees nor differs', async () => {
    const daemon = daemonIn({});
    const { books } = daemon.facts;
    const positions = [{ orderCode: 'VN30F2603', ours: 2, broker: null }];
    daemon.facts = { ...daemon.facts, books: { ...books, positions, figures: [], positionsMs: null } };
    const { page } = await opened(daemon);
    const row = page.locator('table.compare tr', { hasText: 'VN30F2603' });
    await row.getByText('not read').waitFor();
    expect(await row.getByRole('img').count()).toBe(0);
  });

  test('nothing is said of the broker before the first read', async () => {
    const { page } = await opened(daemonIn(STATES.password));
    const panel = page.locator('section', { hasText: 'Our books and the broker’s' });
    await panel.getByText('not compared yet').first().waitFor();
    expect(await panel.getByText('either side').count()).toBe(0);
  });
});

describe('the connection', () => {
  test('misses no entry over a cut of a minute, and says how old its data are', async () => {
    const daemon = daemonIn({});
    daemon.rows = [];
    for (let seq = 1; seq <= 20; seq += 1) daemon.rows.push(note(seq));
    const { page, cut } = await opened(daemon);
    await show(page, 'Journal');
    await page.getByText('note 20').waitFor();
    cut(true);
    for (let seq = 21; seq <= 260; seq += 1) daemon.rows.push(note(seq));
    await page.clock.runFor(60_000);
    await page.getByText(/Data are 0?\d:\d\d old/).waitFor();
    await picture(page, 'stale-1280-light');
    expect(await findings(page)).toEqual([]);
    cut(false);
    await page.getByText('note 260').waitFor();
    expect(await idsOf(page)).toEqual(daemon.rows.map(({ text }) => text).toReversed());
    await page.locator('summary', { hasText: 'All is well' }).waitFor();
  });

  test('two pages see the same: one acts, the other shows it', async () => {
    const daemon = daemonIn({});
    daemon.answer = () => {
      daemon.facts = { ...daemon.facts, halted: 'by the first page' };
      return { ok: true, message: 'entries are off' };
    };
    const { page, cockpit } = await opened(daemon);
    const { page: other, trouble } = await newPage({ width: 390 });
    await other.goto(cockpit.link('look'));
    await other.locator('.verdict', { hasText: 'All is well' }).waitFor();
    await page.locator('#halt').click();
    await said(page, 'entries are off');
    await other.locator('.verdict.bad', { hasText: 'Entries are off: by the first page' }).waitFor();
    expect(await other.title()).toContain('HALTED');
    expect(cockpit.pages).toBe(2);
    expect(trouble).toEqual([]);
  });

  test('a reload in mid-stream shows every entry once, and needs no new link', async () => {
    const daemon = daemonIn({});
    daemon.rows = [];
    const { page, trouble } = await opened(daemon);
    const writing = setInterval(() => {
      if (daemon.rows.length < 600) daemon.rows.push(note(daemon.rows.length + 1));
    }, 5);
    onTestFinished(() => clearInterval(writing));
    for (let times = 0; times < 3; times += 1) {
      await page.reload();
      await show(page, 'Journal');
    }
    clearInterval(writing);
    await page.getByRole('button', { name: 'Older entries' }).waitFor();
    await page.getByText(`note ${daemon.rows.length}`, { exact: true }).waitFor();
    for (const older = page.getByRole('button', { name: 'Older entries' }); await older.count();) {
      const before = await page.locator('.journal .entry').count();
      await older.click();
      await expect.poll(() => page.locator('.journal .entry').count()).toBeGreaterThan(before);
    }
    expect(await idsOf(page)).toEqual(daemon.rows.map(({ text }) => text).toReversed());
    expect(trouble).toEqual([]);
  });

  test('goes on after a restart of the daemon, once it has a new link', async () => {
    const daemon = daemonIn({});
    daemon.rows = [note(1)];
    const { page, cockpit, cut } = await opened(daemon);
    await show(page, 'Journal');
    cut(true);
    await cockpit.close();
    const port = Number(new URL(cockpit.url).port);
    daemon.rows.push(note(2));
    const next = await startFake(daemon, { pageDir: PAGE_DIR, port });
    onTestFinished(() => next.close());
    cut(false);
    await page.getByText('No session').waitFor();
    await page.getByLabel('Link or its key').fill(next.link('steer'));
    await page.getByRole('button', { name: 'Enter', exact: true }).click();
    await show(page, 'Journal');
    await page.getByText('note 2').waitFor();
    expect(await idsOf(page)).toEqual(['note 2', 'note 1']);
    await page.locator('#halt').click();
    await said(page, 'done');
    const loaded = page.waitForEvent('load');
    daemon.facts = { ...daemon.facts, version: '9.9.9' };
    await loaded;
    await page.getByText('9.9.9').waitFor();
  });

  test('outside of trading hours the last prices stay, with their day, until the next day has its own', async () => {
    const daemon = daemonIn({});
    const { page, trouble } = await opened(daemon);
    await show(page, 'Market');
    await page.locator('.quote .last', { hasText: /\d,\d/ }).waitFor();
    const asked: string[] = [];
    const { reads } = daemon.handlers;
    const known = { ...reads };
    Object.assign(reads, {
      bars: (contract: string) => {
        asked.push(contract);
        return known.bars(contract);
      },
    });
    const { facts } = daemon;
    daemon.facts = { ...facts, session: { ...facts.session, day: null, phase: 'closed' }, orders: [] };
    await page.locator('.clock', { hasText: 'closed' }).waitFor();
    await page
      .getByText(/^Prices as of 2026-03-04 1\d:\d\d:\d\d. Trading goes on at 2026-03-04 11:30.$/)
      .waitFor();
    expect(await page.locator('.quote .last').textContent()).toMatch(/\d,\d/);
    daemon.facts = { ...facts, session: { ...facts.session, day: '2026-03-05' }, orders: [] };
    daemon.rows.push({ ...note(61), day: '2026-03-05', id: '2026-03-05-61' });
    await page.locator('.clock', { hasText: 'continuous' }).waitFor();
    expect(await page.locator('.quote .last').textContent()).toMatch(/\d,\d/);
    const shown = asked.length;
    daemon.prices = { version: 2, prices: [...pricesAt(1_888, Date.UTC(2026, 2, 5, 2, 1))] };
    await page.locator('.quote .last', { hasText: '1,888' }).waitFor();
    await expect.poll(() => asked.length).toBeGreaterThan(shown);
    await page.keyboard.press('4');
    await page.locator('.journal h3', { hasText: '2026-03-05' }).waitFor();
    expect(trouble).toEqual([]);
  });

  test('halts while the stream is cut', async () => {
    const daemon = daemonIn({});
    const { page, cockpit, cut } = await opened(daemon);
    await page.route('**/events', (route) => route.abort());
    cut(true);
    await page.clock.runFor(30_000);
    cut(false);
    await page.getByText('The halt button works all the same').waitFor();
    await expect.poll(() => cockpit.pages).toBe(0);
    await page.locator('#halt').click();
    await said(page, 'done');
    expect(daemon.commands.map(([name]) => name)).toEqual(['halt']);
  });

  test('lifts no halt that was made while the stream was cut', async () => {
    const daemon = daemonIn(STATES.halted);
    const { page, cockpit, cut } = await opened(daemon);
    await show(page, 'Steer');
    await page.route('**/events', (route) => route.abort());
    cut(true);
    await page.clock.runFor(30_000);
    daemon.facts = { ...daemon.facts, halted: 'by another page' };
    cut(false);
    await page.getByText('The halt button works all the same').waitFor();
    await expect.poll(() => cockpit.pages).toBe(0);
    const resume = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Resume' }).click();
      const field = page.getByLabel(/type “resume”/);
      await field.fill('resume');
      await field.press('Enter');
    };
    await resume();
    await page.locator('.outcomes', { hasText: 'somebody may have halted' }).waitFor();
    expect(daemon.commands).toEqual([]);
    await resume();
    await said(page, 'done');
    expect(daemon.commands.map(([name]) => name)).toEqual(['resume']);
  });

  test('asks for a new link when the session is over', async () => {
    const daemon = daemonIn({});
    const { page } = await opened(daemon);
    await show(page, 'Steer');
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByText('tickwright open').waitFor();
    expect(await findings(page)).toEqual([]);
    await page.getByLabel('Link or its key').fill('http://127.0.0.1/#key=worn');
    await page.getByRole('button', { name: 'Enter', exact: true }).click();
    await page.getByText('this link is used, over or wrong').waitFor();
  });

  test('leaves nothing of the link in the address', async () => {
    const { page } = await opened(daemonIn({}));
    expect(new URL(page.url()).hash).toBe('');
    expect(await page.evaluate('history.length')).toBeLessThanOrEqual(2);
  });
});

/** A script where only words belong. */
const evil = (place: string): string => `${place}<img src=x onerror="globalThis.owned='${place}'">`;

describe('views', () => {
  test('searches the journal, and shows the story of an order', async () => {
    const daemon = daemonIn({});
    const { page } = await opened(daemon);
    await show(page, 'Journal');
    await page.getByLabel('Search').fill('position limit');
    await expect.poll(() => page.locator('.journal .entry').count()).toBe(6);
    expect(new Set(await idsOf(page)).size).toBe(1);
    await page.locator('.journal .entry button').first().click();
    await page.getByText('filled in 412 ms').waitFor();
    await picture(page, 'story-1280-light');
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByText('filled in 412 ms').waitFor({ state: 'hidden' });
  });

  test('shows the story of an order of an earlier day', async () => {
    const daemon = daemonIn({});
    daemon.rows = daemon.rows.map((row) => ({ ...row, day: '2026-03-03', id: `2026-03-03-${row.seq}` }));
    const { page } = await opened(daemon);
    const asked: (string | null)[] = [];
    const { reads } = daemon.handlers;
    const known = { ...reads };
    Object.assign(reads, {
      story: (order: string, day: string | null) => {
        asked.push(day);
        return known.story(order, day);
      },
    });
    await show(page, 'Journal');
    await page.locator('.journal .entry button').last().click();
    await page.getByText('filled in 412 ms').waitFor();
    expect(asked).toEqual(['2026-03-03']);
  });

  test('texts of strategies and of the broker stay texts', async () => {
    const daemon = daemonIn({
      halted: evil('halt'),
      problems: [evil('problem')],
      procedure: evil('procedure'),
      engine: { state: 'none' },
    });
    const { facts } = daemon;
    daemon.facts = {
      ...facts,
      strategies: facts.strategies.map((each) => ({
        ...each,
        id: evil(`id ${each.id}`),
        stopped: evil('stopped'),
        halted: evil('own halt'),
      })),
      limits: facts.limits.map((each) => ({ ...each, limit: evil('limit'), strategy: evil('of') })),
      orders: facts.orders.map((each) => ({ ...each, orderNo: evil('number'), contract: evil('contract') })),
      plots: facts.plots.map((each) => ({ ...each, name: evil('plot'), strategy: evil('plotter') })),
    };
    daemon.rows = daemon.rows.map((row) => ({
      ...row,
      word: evil('word'),
      text: evil('note'),
      strategy: evil('who'),
    }));
    const { reads } = daemon.handlers;
    const known = { ...reads };
    Object.assign(reads, {
      story: () =>
        Promise.resolve({
          id: 'x',
          summary: evil('summary'),
          steps: daemon.rows.slice(0, 3).map((row) => ({ ...row, detail: evil('detail') })),
        }),
      bars: async (contract: string) => {
        const found = await known.bars(contract);
        const lines = found?.lines.map((line) => ({ ...line, name: evil('line'), strategy: evil('drawer') }));
        return { ...found, lines };
      },
    });
    daemon.answer = () => ({ ok: false, message: evil('answer') });
    const { page, trouble } = await opened(daemon);
    const shown = async (place: string): Promise<void> => {
      await page.getByText(`${place}<img src=x`).first().waitFor({ state: 'attached', timeout: 8_000 });
      expect(await page.locator('img').count(), place).toBe(0);
    };
    await shown('problem');
    await page.locator('#halt').click();
    await shown('answer');
    await show(page, 'Market');
    await shown('line');
    await show(page, 'Steer');
    await shown('stopped');
    await show(page, 'Journal');
    await shown('note');
    await page.locator('.journal .entry button').first().click();
    await shown('summary');
    expect(await page.evaluate('globalThis.owned')).toBeUndefined();
    expect(trouble.filter((text) => !text.includes('409'))).toEqual([]);
  });

  test('an empty journal says so', async () => {
    const daemon = daemonIn(STATES.password);
    daemon.rows = [];
    const { page } = await opened(daemon);
    await page.getByRole('navigation').getByRole('button', { name: 'Journal' }).click();
    await page.locator('.journal').getByText('has no entries').waitFor();
    expect(await findings(page)).toEqual([]);
  });

  test('draws at most 30 frames a second, whatever the market does', async () => {
    const daemon = daemonIn({});
    const { page } = await opened(daemon);
    await show(page, 'Market');
    const busy = setInterval(() => {
      const version = daemon.prices.version + 1;
      daemon.prices = { version, prices: [...pricesAt(1_880 + (version % 97) / 10)] };
    }, 2);
    onTestFinished(() => clearInterval(busy));
    const [frames, seconds] = await page.evaluate<[number, number]>(`new Promise((resolve) => {
      const from = performance.now();
      const times = new Set();
      new MutationObserver(() => {
        times.add(performance.now());
        if (times.size >= 45) resolve([times.size, (performance.now() - from) / 1000]);
      }).observe(document.querySelector('.quote .last'), { characterData: true, childList: true, subtree: true });
    })`);
    expect(frames / seconds).toBeLessThan(32);
  });

  test('digits and focus lead through the page', async () => {
    const { page } = await opened(daemonIn({}));
    await page.keyboard.press('3');
    await page.waitForSelector('main .steer');
    await page.keyboard.press('1');
    await page.waitForSelector('main .now');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.className')).toBe('skip');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
  });
});
