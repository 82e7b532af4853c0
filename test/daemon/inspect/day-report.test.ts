/** The report of a day: what happened, from the journal alone, on a page that needs nothing else. */
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { dayReport, dayText } from '../../../src/daemon/inspect/day-report.ts';
import { clientOrderId, orderCode } from '../../../src/domain/ids.ts';
import { money, priceHundredths, priceTicks, seq, signedQty, tsUs } from '../../../src/domain/units.ts';
import { DAY, note, openStore } from '../../journal/journal-fixture.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { accountWith } from '../../support/engine-facts.ts';
import { contract } from '../../support/strategy-fixtures.ts';
import { ENTRIES, ID } from '../../operator/entries.ts';

/** A day with a fill, a denial, a halt and a text that would be markup. */
function stateDir(configuration = resolve('config/paper.yaml')): string {
  const dir = tempDir();
  const { store } = openStore(join(dir, 'journal.db'));
  store.beginSession(DAY, tsUs(1), configuration);
  for (const kind of ['strategy_started', 'place', 'order_status', 'fill', 'denied'] as const)
    store.append(ENTRIES[kind]);
  store.append({ ...ENTRIES.alert, severity: 'critical', code: 'bad', text: '<script src="//x">1</script>' });
  store.append({ ...ENTRIES.halt, strategy: null, halted: true, reason: 'too much was lost' });
  const figures = [{ what: 'fee', ours: money(5_250), broker: money(7_250) } as const];
  store.append({ ...note(1), strategy: null, kind: 'money_checked', verdict: 'differs', figures });
  store.close();
  return dir;
}

it('shows the day: results, limits, incidents, orders, fills, and what comes', () => {
  const { day, html } = dayReport(stateDir(), undefined);
  expect(day).toBe(DAY);
  const titles = [...html.matchAll(/<h2>([^<]*)/g)].map(([, title]) => title);
  expect(titles).toEqual([
    'Strategies',
    'Our money against the broker’s',
    'Use of limits',
    'Incidents',
    'Orders',
    'Fills',
    'Ahead',
    'Where this comes from',
  ]);
  expect(html).toContain('Entries are off until tickwright resume: too much was lost');
  expect(html).toMatch(
    /fee<\/th><td class="number" data-label="ours">5,250<\/td><td class="number" data-label="broker">7,250<\/td>/,
  );
  expect(html).toContain('next session');
  expect(html, 'orders are named by time').not.toContain(ID);
});

it('is one file: no text of the journal becomes markup, nothing is fetched', () => {
  const { html } = dayReport(stateDir(), DAY);
  expect(html).toContain('&lt;script src=&quot;//x&quot;&gt;');
  expect(html).not.toMatch(/<script src|<link|url\(|@import/);
  expect(html).toContain("default-src 'none'");
});

/** A day that has begun, with one contract listed. */
function begunDay() {
  const dir = tempDir();
  const { store } = openStore(join(dir, 'journal.db'));
  store.beginSession(DAY, tsUs(1), resolve('config/paper.yaml'));
  const listed = { ...contract(0), orderCode: orderCode('41I1G3000') };
  const head = { seq: seq(1), tsUs: tsUs(1) };
  store.recordInput({ ...head, kind: 'contracts', contracts: [listed] });
  return { dir, store, listed, head };
}

it('has the open result at the last price that the broker showed, and says where there is none', () => {
  const { dir, store, listed, head } = begunDay();
  store.append(ENTRIES.fill);
  store.flush();
  const { html: unknown } = dayReport(dir, DAY);
  expect(unknown).toMatch(/Open result[^]{0,80}not known/);
  const held = { orderCode: listed.orderCode, qty: signedQty(1), openProfit: null };
  const positions = [{ ...held, lastPrice: priceHundredths(130_620) }];
  store.recordInput({ ...head, seq: seq(2), kind: 'position_snapshot', startedUs: tsUs(2), positions });
  store.close();
  expect(dayText(dir)).toContain('Open result: +100,000');
});

it('counts a position that was carried over from the reference price, as the loss limit does, and says what the broker has', () => {
  const { dir, store, listed, head } = begunDay();
  const { instrument } = ENTRIES.position_event;
  // Sold 2 at 1305.2 on the day before; the day begins at 1300.2 and ends at 1310.2.
  store.append(ENTRIES.position_event);
  const [ceiling, floor] = [priceTicks(14_000), priceTicks(12_000)];
  const row = { instrument, ceiling, floor, reference: priceHundredths(130_020), lastPrice: null };
  store.recordInput({ ...head, seq: seq(2), kind: 'reference', rows: [row] });
  const held = { orderCode: listed.orderCode, qty: signedQty(-2), openProfit: null };
  const positions = [{ ...held, lastPrice: priceHundredths(131_020) }];
  store.recordInput({ ...head, seq: seq(3), kind: 'position_snapshot', startedUs: tsUs(2), positions });
  const costs = { fee: money(5_000), tax: money(1_000) };
  const account = { ...accountWith(0), profit: money(-2_000_000), ...costs };
  store.recordInput({ ...head, seq: seq(4), kind: 'account_snapshot', startedUs: tsUs(2), account });
  store.append({
    ...ENTRIES.alert,
    strategy: null,
    code: 'loss_accepted',
    text: 'accepted',
    loss: money(500_000),
  });
  store.close();
  const text = dayText(dir);
  expect(text).toContain('Result of the day: -2,000,000\n');
  expect(text).toContain('Open result: -1,000,000\n');
  expect(text).toContain('Realised after costs: 0\n');
  expect(text).toContain('Result of the day by the broker: -2,006,000\n');
  const { html } = dayReport(dir, DAY);
  expect(html).toMatch(/loss of the account, VND<\/th><td[^>]*>1,500,000</);
});

it('says first what is held overnight without a stop, and leaves out what was resolved', () => {
  const dir = tempDir();
  const { store } = openStore(join(dir, 'journal.db'));
  store.beginSession(DAY, tsUs(1), resolve('config/paper.yaml'));
  store.append(ENTRIES.fill);
  const critical = { ...ENTRIES.alert, severity: 'critical' } as const;
  store.append({
    ...critical,
    code: 'order_presumed_absent',
    text: `${ID} is not in the book`,
    about: ID,
  });
  const other = clientOrderId(ID.replace(/.$/, (last) => (last === '1' ? '2' : '1')));
  store.append({
    ...critical,
    code: 'order_presumed_absent',
    text: `${other} is not in the book`,
    about: other,
  });
  store.append({
    ...ENTRIES.order_status,
    clientOrderId: other,
    from: 'presumed_absent',
    to: 'expired_unproven',
    event: 'day_ended_unproven',
  });
  store.append({ ...critical, code: 'books_differ', text: 'open still' });
  store.append({
    ...ENTRIES.order_status,
    from: 'presumed_absent',
    to: 'rejected',
    event: 'resolved_absent',
  });
  store.append({ ...ENTRIES.phase, phase: 'closed' });
  store.close();
  const text = dayText(dir);
  expect(text).toMatch(/^trading day \S+\nHeld overnight: \S+ \+1 .*, NO stop of its own at the broker\n/);
  expect(text).toContain('books_differ: open still');
  expect(text).toContain(`order_presumed_absent: ${other}`);
  expect(text).not.toContain(`order_presumed_absent: ${ID}`);
});

it('counts the days to the expiry from the day that it is of, whenever somebody asks', () => {
  expect(DAY).toBe('2026-03-04');
  expect(dayText(stateDir())).toContain('expires on 2026-03-19, in 15 days');
});

it('is complete also where the configuration is gone', () => {
  const { html } = dayReport(stateDir('/nowhere/paper.yaml'), DAY);
  expect(html).toContain('its configuration cannot be read any more');
  expect(html).toContain('<h2>Fills</h2>');
});

it('names contracts as people do, prices fills, and lists each closed trade', () => {
  const dir = tempDir();
  const { store } = openStore(join(dir, 'journal.db'));
  store.beginSession(DAY, tsUs(1), resolve('config/paper.yaml'));
  const contracts = [{ ...contract(0), orderCode: orderCode('41I1G3000') }];
  store.recordInput({ seq: seq(1), tsUs: tsUs(1), kind: 'contracts', contracts });
  store.append(ENTRIES.fill);
  store.append({ ...ENTRIES.fill, side: 'sell', value: money(130_620_000) });
  store.close();
  const { html } = dayReport(dir, DAY);
  expect(html).toContain('VN30F1M (41I1G3000)');
  expect(html).toMatch(/data-label="price">1305\.2</);
  expect(html).toContain('<h2>Closed trades</h2>');
  expect(html).toContain('1305.2 → 1306.2');
  expect(html).toMatch(/data-label="net, VND">67,312</);
});
