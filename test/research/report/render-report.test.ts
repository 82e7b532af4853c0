import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { renderReport } from '../../../src/research/report/render-report.ts';
import { SAMPLE_REPORT } from './sample-report.ts';

const ASSETS = { style: '/* style */', script: '/* script */' };
const hash = (text: string): string => createHash('sha256').update(text).digest('base64');
const page = renderReport(SAMPLE_REPORT, ASSETS);

describe('a report', () => {
  it('shows text as text, wherever it is', () => {
    expect(page).not.toContain('</script><b>');
    expect(page).toContain('&lt;/script&gt;&lt;b&gt;EMA &amp; &quot;cross&quot;');
    expect(page).toContain('title="after &lt;fees&gt; and tax"');
  });

  it('asks for nothing from any network', () => {
    expect(page).not.toMatch(/(?:src|href)\s*=(?!"#)|url\(|@import|https?:/);
    expect(page).toContain(`default-src 'none'`);
  });

  it.each([
    '<td class="number loss">-1,234,567</td>',
    '<dd class="loss">-4,030,000</dd>',
    '<li>best of 400 trials</li>',
    '<th scope="row">hash</th><td class="code">abc</td>',
    '<td class="l2" data-label="Year">-1.0</td>',
    '<a href="#list-of-trades">List of trades</a>',
    '<th scope="row">fast</th><td class="number">9 &lt;bars&gt;</td>',
    'data-chart="fan" data-place="0" role="img" aria-label="Equity, drawn again: 5, 25, 50, 75 and 95 %, VND by trades"',
    'aria-label="Price of VN30F1M in points over time, with 2 entries and exits"',
    '</div><p class="note">Equity in VND over time</p>',
  ])('has %s', (part) => {
    expect(page).toContain(part);
  });

  it('runs its own style and script, and no other', () => {
    expect(page).toContain(`style-src 'sha256-${hash(ASSETS.style)}'`);
    expect(page).toContain(`script-src 'sha256-${hash(ASSETS.script)}'`);
    expect(page).not.toMatch(/ style="| on[a-z]+="/);
    expect(page).not.toContain('unsafe');
  });

  it('shows all money with the decimals of its currency, and counts without', () => {
    const table = {
      title: 'By side',
      note: '',
      columns: ['', 'net profit', 'trades'],
      rows: [
        ['long', 852.4, 3],
        ['short', -161_362, 12],
      ],
    };
    const found = renderReport({ ...SAMPLE_REPORT, moneyDigits: 2, tables: [table] }, ASSETS);
    expect(found).toContain('<td class="number">852.40</td><td class="number">3</td>');
    expect(found).toContain('<td class="number loss">-161,362.00</td><td class="number">12</td>');
  });

  it('draws a bar for each year of a long run, as long as its return', () => {
    const years = [10, -5, 2.5].map((total, i) => ({ year: String(2021 + i), months: [], total }));
    const found = renderReport({ ...SAMPLE_REPORT, years }, ASSETS);
    expect(found).toContain('<h2>Returns by year</h2>');
    const bars = [
      ...found.matchAll(
        /number (?:gain|loss)">(\S+)<\/td><td class="bar">.*?rect class="(\w+)" width="([\d.]+)"/g,
      ),
    ];
    expect(bars.slice(0, 3).map((each) => each.slice(1))).toEqual([
      ['+10.0', 'gain', '100.0'],
      ['-5.0', 'loss', '50.0'],
      ['+2.5', 'gain', '25.0'],
    ]);
    expect(renderReport({ ...SAMPLE_REPORT, years: years.slice(1) }, ASSETS)).not.toContain(
      'Returns by year',
    );
  });

  it('leaves out the parts that it has no data for', () => {
    const bare = renderReport(
      {
        ...SAMPLE_REPORT,
        equity: null,
        drawdown: null,
        prices: [],
        histograms: [],
        fans: [],
        figures: [],
        warnings: [],
        worst: [],
        position: null,
        funds: null,
      },
      ASSETS,
    );
    expect(bare).not.toContain('data-chart');
    expect(bare).not.toContain('More figures');
    expect(bare).not.toContain('class="warnings"');
  });
});
