/** The operator's page has what each alert asks for, in the words of the alert. `npm run pages` writes it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { REMEDIES, remedyOf } from '../../src/operator/remedies.ts';
import { wrapText } from '../../src/text/table.ts';

const PAGE = join(import.meta.dirname, '..', '..', 'src', 'operator', 'README.md');
const ROW_MAX = 138;
/** Keeps a command on one line. */
const NO_BREAK = '\u00A0';

const rows = Object.keys(REMEDIES)
  .toSorted()
  .map((code) => {
    const remedy = remedyOf(code, '', (text) => `\`tickwright ${text}\``)
      .replaceAll(/` (--\S.*?"…")/g, ' $1`')
      .replaceAll(/`.*?`/g, (command) => command.replaceAll(' ', NO_BREAK));
    return wrapText(`- \`${code}\`: ${remedy}.`, ROW_MAX).join('\n  ').replaceAll(NO_BREAK, ' ');
  });

it('is on the page', async () => {
  const page = readFileSync(PAGE, 'utf8');
  const written = page.replace(/(<!-- remedies -->\n\n).*?(\n\n<!-- end -->)/s, `$1${rows.join('\n')}$2`);
  expect(page).toContain('<!-- remedies -->');
  await expect(written).toMatchFileSnapshot(PAGE);
});
