import { describe, expect, it } from 'vitest';
import { renderReport } from '../../../src/backtest/report/render-report.ts';
import { SAMPLE_REPORT } from './sample-report.ts';

const ASSETS = { style: '/* style */', script: '/* script */' };
const page = renderReport(SAMPLE_REPORT, ASSETS);

describe('a report', () => {
  it('shows text as text, wherever it stands', () => {
    expect(page).not.toContain('</script><b>');
    expect(page).toContain('&lt;/script&gt;&lt;b&gt;EMA &amp; &quot;cross&quot;');
    expect(page).toContain('title="after &lt;fees&gt; and tax"');
  });

  it('asks for nothing from any network', () => {
    expect(page).not.toMatch(/(?:src|href)\s*=|url\(|@import|https?:/);
    expect(page).toContain(`default-src 'none'`);
  });

  it.each([
    '<td class="number loss">-1,234,567</td>',
    '<dd class="loss">-4,030,000</dd>',
    '<li>best of 400 trials</li>',
    '<th scope="row">hash</th><td class="code">abc</td>',
    'color-mix(in srgb, var(--loss) 70%, transparent)">-2,000,000</td><td>–</td>',
    '<span>day 5 &amp; 6</span><b role="img" aria-label="chosen on &lt;4&gt; days"><i class="inside" style="left:0.00%;width:40.00%"></i><i class="outside loss" style="left:40.00%;width:20.00%"></i></b>',
    '<i class="outside idle" style="left:60.00%;width:10.00%"></i>',
    'data-chart="fan" data-place="0" role="img" aria-label="Equity, drawn again: bands of 5, 25, 50, 75 and 95 % by trades"',
    'aria-label="Prices of VN30F1M with 2 entries and exits"',
  ])('has %s', (part) => {
    expect(page).toContain(part);
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
      },
      ASSETS,
    );
    expect(bare).not.toContain('data-chart');
    expect(bare).not.toContain('All figures');
    expect(bare).not.toContain('class="warnings"');
  });
});
