/** The operator's page has what each alert asks for, and why an order is denied, in the words of the program. `npm run pages` writes it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { configSchema } from '../../src/config/config-schema.ts';
import { marketSchema } from '../../src/config/market-file.ts';
import { DENIAL_WORDS } from '../../src/engine/ports/denial.ts';
import { REMEDIES, remedyOf } from '../../src/operator/remedies.ts';
import { wrapText } from '../../src/text/table.ts';
import { settingsOf } from '../config/settings-page.ts';

const SRC = join(import.meta.dirname, '..', '..', 'src');
const PAGE = join(SRC, 'operator', 'README.md');
const ROW_MAX = 138;
/** Keeps a command on one line. */
const NO_BREAK = '\u00A0';

const KEY = /[a-z]+(\[\])?(\.\w+)+/gi;

const row = (code: string, text: string): string =>
  wrapText(`- \`${code}\`: ${text}.`, ROW_MAX).join('\n  ').replaceAll(NO_BREAK, ' ');

/** Codes with the same next step share a row. */
const codesByRemedy = new Map<string, readonly string[]>();
for (const code of Object.keys(REMEDIES).toSorted()) {
  const remedy = remedyOf({ severity: 'warning', code, text: '' }, (text) => text);
  codesByRemedy.set(remedy, [...(codesByRemedy.get(remedy) ?? []), code]);
}

const remedies = [...codesByRemedy.values()].map((codes) => {
  const [code = ''] = codes;
  const remedy = remedyOf({ severity: 'warning', code, text: '' }, (text) => `\`tickwright ${text}\``)
    .replaceAll(/` (--\S.*?"…")/g, ' $1`')
    .replaceAll(/`.*?`/g, (command) => command.replaceAll(' ', NO_BREAK));
  return row(codes.join('`, `'), remedy);
});

const denials = [...DENIAL_WORDS].map(([code, words]) => row(code, words.replaceAll(KEY, '`$&`')));

it('is on the page', async () => {
  const page = readFileSync(PAGE, 'utf8');
  expect(page).toContain('<!-- remedies -->');
  expect(page).toContain('<!-- denials -->');
  const written = page.replaceAll(
    /(<!-- (remedies|denials) -->\n\n).*?(<!-- end -->)/gs,
    (_, begin: string, name: string, end: string) =>
      `${begin}${(name === 'remedies' ? remedies : denials).join('\n')}\n\n${end}`,
  );
  await expect(written).toMatchFileSnapshot(PAGE);
});

it('has each alert that asks for a look', () => {
  const page = readFileSync(PAGE, 'utf8');
  const texts = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.startsWith('page'))
    .map((path) => readFileSync(join(SRC, path), 'utf8'));
  const codes = texts.flatMap((text) =>
    [...text.matchAll(/'(?:warning|critical)',\s*'([a-z]+_[a-z_]+)'/g)].map(([, code = '']) => code),
  );
  expect(codes.length).toBeGreaterThan(80);
  expect([...new Set(codes)].filter((code) => !page.includes(`\`${code}\``))).toEqual([]);
});

/** Limits that deny no order themselves: they halt, or say what happens to a position. The last is always on. */
const NO_DENIAL = [
  'risk.messagesPerMinuteMax',
  'risk.rejectionsPerMinuteMax',
  'risk.drawdownMax',
  'risk.protectiveStop',
  'risk.protectiveStop.distanceTicks',
  'risk.protectiveStop.slipTicks',
  'risk.nakedSecondsMax',
  'risk.onOrphan',
  'risk.selfTradePrevention',
];

it('names keys of the configuration in denials, and each limit of risk in one', () => {
  const named = new Set([...DENIAL_WORDS.values()].flatMap((words) => words.match(KEY) ?? []));
  const keys = [...settingsOf(configSchema), ...settingsOf(marketSchema)].map(({ key }) => key);
  expect([...named].filter((key) => !keys.includes(key))).toEqual([]);
  const limits = keys.filter((key) => /^(risk|strategies\[\]\.risk)\./.test(key));
  expect(new Set(limits.filter((key) => !named.has(key)))).toEqual(new Set(NO_DENIAL));
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

it('says after every critical alert what to do, also where nobody foresaw it', () => {
  const text = 'it went wrong';
  expect(remedyOf({ severity: 'critical', code: 'new_one', text }, String)).toMatch(
    /^compare orders and positions/,
  );
  expect(remedyOf({ severity: 'warning', code: 'new_one', text }, String)).toBe('');
  const page = readFileSync(PAGE, 'utf8');
  expect(page).toContain('A critical alert without a row');
});
