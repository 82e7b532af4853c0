/** The operator's page has what each alert asks for, in the words of the alert. `npm run pages` writes it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { REMEDIES, remedyOf } from '../../src/operator/remedies.ts';
import { wrapText } from '../../src/text/table.ts';

const SRC = join(import.meta.dirname, '..', '..', 'src');
const PAGE = join(SRC, 'operator', 'README.md');
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

it('names alerts that the program raises', () => {
  const page = readFileSync(PAGE, 'utf8');
  const list = /^Alerts without a row.*?^`tickwright/ms.exec(page)?.[0] ?? '';
  const named = [...list.matchAll(/`([a-z_]+)`/g)].map(([, code]) => code!);
  expect(named.length).toBeGreaterThan(20);
  const source = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('remedies.ts'))
    .map((path) => readFileSync(join(SRC, path), 'utf8'))
    .join('\n');
  expect([...Object.keys(REMEDIES), ...named].filter((code) => !source.includes(`'${code}'`))).toEqual([]);
});
