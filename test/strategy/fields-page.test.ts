/** strategies/README.md has the fields of all that a strategy gets, as their types have them. `--update` writes it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { expect, it } from 'vitest';
import { wrapText } from '../../src/text/table.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const PAGE = join(ROOT, 'strategies', 'README.md');
const ROW_MAX = 138;

/** Interfaces by where they come from. */
const SHOWN = [
  ['strategy/leg-ticks.ts', 'Bar', '`bars(...)`'],
  ['domain/ticks.ts', 'TradeTick', '`trades$`, `trader.lastTrade()`'],
  ['domain/ticks.ts', 'BookTick', '`books$`, `trader.lastBook()`'],
  ['domain/ticks.ts', 'BookLevel', 'one level of a book'],
  ['engine/ports/strategy-port.ts', 'OrderUpdate', '`orders$`: orders and their fills'],
  [
    'engine/ports/strategy-port.ts',
    'WorkingOrder',
    '`trader.workingOrders()`, besides the fields of `OrderUpdate`',
  ],
  ['domain/position.ts', 'Position', '`trader.position()`'],
  ['domain/contract.ts', 'PriceBand', '`trader.band()`'],
] as const;

const UNIONS = ['domain/order.ts', 'domain/calendar.ts'];

/** Types of numbers, and of texts that are only passed on, in words. */
const WORDS: Readonly<Record<string, string>> = {
  PriceTicks: 'ticks',
  PriceHundredths: 'hundredths of a point',
  Qty: 'contracts or lots',
  SignedQty: 'contracts or lots, below zero is short',
  Money: 'money, whole units of the books',
  TsUs: 'microseconds since 1970',
  Seq: 'number',
  InstrumentIndex: 'number',
  ClientOrderId: 'id',
  number: 'number',
  boolean: 'true or false',
  string: 'text',
  'readonly BookLevel[]': '`BookLevel`s, the best first',
  'Denial | null': 'a code with its figures, or null',
};

const program = (file: string) => {
  const text = readFileSync(join(ROOT, 'src', file), 'utf8');
  const { program: tree, comments } = parseSync(file, text);
  const declarations = tree.body.flatMap((each) =>
    each.type === 'ExportNamedDeclaration' && each.declaration !== null ? [each.declaration] : [],
  );
  return { text, comments, declarations };
};

/** `'buy' | 'sell'` by the name of the type. */
const unions = new Map(
  UNIONS.flatMap((file) => {
    const { text, declarations } = program(file);
    return declarations.flatMap((each) =>
      each.type === 'TSTypeAliasDeclaration' && each.typeAnnotation.type === 'TSUnionType'
        ? [[each.id.name, each.typeAnnotation.types.map(({ start, end }) => text.slice(start, end))] as const]
        : [],
    );
  }),
);

function words(type: string): string {
  const literals = unions.get(type) ?? (/^'\w+'$/.test(type) ? [type] : undefined);
  const known = literals?.map((each) => `\`${each.replaceAll("'", '')}\``).join(', ') ?? WORDS[type];
  if (known === undefined) throw new Error(`expected words for the type ${type}`);
  return known;
}

function fieldsOf(file: string, name: string): readonly string[] {
  const { text, comments, declarations } = program(file);
  const found = declarations.find((each) => each.type === 'TSInterfaceDeclaration' && each.id.name === name);
  if (found?.type !== 'TSInterfaceDeclaration') throw new Error(`expected an interface ${name} in ${file}`);
  const rows: { readonly names: string[]; readonly type: string; readonly said: string }[] = [];
  for (const member of found.body.body) {
    if (member.type !== 'TSPropertySignature' || member.key.type !== 'Identifier') continue;
    const { start, end } = member.typeAnnotation!.typeAnnotation;
    const type = text.slice(start, end);
    const comment = comments.find(
      (each) => text.slice(each.end, member.start).trim() === '' && each.end <= member.start,
    );
    const said =
      comment?.value
        .replace(/^\*/, '')
        .replaceAll(/\s*\n\s*\*?\s*/g, ' ')
        .trim() ?? '';
    const last = rows.at(-1);
    if (said === '' && last?.said === '' && last.type === type) last.names.push(member.key.name);
    else rows.push({ names: [member.key.name], type, said });
  }
  return rows.map(({ names, type, said }) => {
    const row = `- ${names.map((each) => `\`${each}\``).join(', ')}: ${words(type)}${said === '' ? '' : `. ${said}`}`;
    return wrapText(row, ROW_MAX).join('\n  ');
  });
}

it('the page has the fields of bar, trade, book, order, fill and position, from the types', async () => {
  const page = readFileSync(PAGE, 'utf8');
  expect(page).toContain('<!-- fields -->');
  const text = SHOWN.map(
    ([file, name, from]) => `**\`${name}\`**, of ${from}:\n\n${fieldsOf(file, name).join('\n')}`,
  );
  const written = page.replace(
    /(<!-- fields -->\n\n).*?(<!-- end -->)/s,
    (_, begin: string, end: string) => `${begin}${text.join('\n\n')}\n\n${end}`,
  );
  await expect(written).toMatchFileSnapshot(PAGE);
});
