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

  it('leaves out the parts that it has no data for', () => {
    const bare = renderReport({ ...SAMPLE_REPORT, warnings: [], run: null }, ASSETS);
    expect(bare).not.toContain('data-chart');
    expect(bare).not.toContain('<script');
    expect(bare).not.toContain('class="warnings"');
  });
});
