// `node .scripts/size.mjs`, at the end of `npm test`: how large the rooms of `src` are, and what makes them larger than they need to be. Printed, never asserted.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync, Visitor } from 'oxc-parser';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const source = join(root, 'src');
const MEMBERS_MAX = 15;
const SHOWN_MAX = 12;
/** Lines that a plan beside the repository gives each room, where there is one. */
const PLAN = join(root, '..', 'shared', 'design', 'rooms.tsv');
/** `(rulings, 30 and 31)`: documents that comments cite by the numbers of their headings and entries. */
const CITED = /[(;] ?(rulings|contract|notes|market rules|failure cases), (\d[^;)]*)/g;
const DOCUMENTS = {
  rulings: 'src/wire/rulings.md',
  contract: 'src/wire/contract.md',
  notes: 'src/wire/notes.md',
  'market rules': 'src/wire/market-rules.md',
  'failure cases': 'test/failure-cases/README.md',
};
const ENTRY = /^(?:#+ |- \*\*)(\d+(?:\.\d+)?)/gm;

const files = readdirSync(source, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
  .map((entry) => {
    const path = join(entry.parentPath, entry.name);
    return { path: relative(source, path).split(sep).join('/'), text: readFileSync(path, 'utf8') };
  });
const whole = (value) => Math.round(value).toLocaleString('en-US');
const linesOf = (text) => text.split('\n').length - 1;
const say = (text = '') => process.stdout.write(`${text}\n`);

const plan = new Map(
  existsSync(PLAN)
    ? readFileSync(PLAN, 'utf8')
        .split('\n')
        .map((line) => line.split('\t'))
        .filter(([room, lines]) => room !== undefined && lines !== undefined)
    : [],
);
const rooms = new Map();
for (const file of files) {
  const [room] = file.path.split('/', 1);
  rooms.set(room, [...(rooms.get(room) ?? []), file]);
}
let [count, lines, bytes] = [0, 0, 0];
say(
  [
    'room'.padEnd(14),
    'files'.padStart(6),
    'lines'.padStart(9),
    'bytes'.padStart(11),
    plan.size > 0 ? 'plan'.padStart(9) : '',
  ].join(''),
);
for (const [room, own] of [...rooms].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
  const size = { lines: 0, bytes: 0 };
  for (const { text } of own) {
    size.lines += linesOf(text);
    size.bytes += Buffer.byteLength(text);
  }
  count += own.length;
  lines += size.lines;
  bytes += size.bytes;
  print(room, own.length, size.lines, size.bytes, plan.get(room));
}
const planned = [...plan.values()].reduce((sum, each) => sum + Number(each), 0);
print('all', count, lines, bytes, plan.size > 0 ? String(planned) : undefined);
say();
const tests = readdirSync(join(root, 'test'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .reduce((sum, entry) => sum + linesOf(readFileSync(join(entry.parentPath, entry.name), 'utf8')), 0);
say(`test: ${whole(tests)} lines`);

const importers = new Map(files.map(({ path }) => [path, 0]));
const [classes, parts, dangling, entries] = [[], new Set(), new Map(), new Map()];
for (const [document, path] of Object.entries(DOCUMENTS)) {
  const text = existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : '';
  entries.set(document, new Set([...text.matchAll(ENTRY)].map(([, number]) => number)));
}
let nullish = 0;
for (const { path, text } of files) {
  const { program, comments } = parseSync(path, text, { sourceType: 'module' });
  new Visitor({
    ImportDeclaration: ({ source: { value } }) => imported(path, value),
    ExportNamedDeclaration: (node) => node.source !== null && imported(path, node.source.value),
    ClassDeclaration: ({ id, body }) => {
      if (body.body.length > MEMBERS_MAX)
        classes.push({ name: `${path} ${id?.name ?? ''}`, members: body.body.length });
    },
    TSInterfaceDeclaration: ({ id }) => id.name.endsWith('Parts') && parts.add(`${path} ${id.name}`),
    TSTypeAliasDeclaration: ({ id }) => id.name.endsWith('Parts') && parts.add(`${path} ${id.name}`),
    LogicalExpression: ({ operator, right }) => {
      if (operator === '??' && right.type === 'Literal' && right.value === 0) nullish += 1;
    },
  }).visit(program);
  const said = comments.map(({ value }) => value).join('\n');
  for (const [, document, numbers] of said.replaceAll(/\s*\n[\s*]*/g, ' ').matchAll(CITED))
    for (const [number] of numbers.matchAll(/\d+(?:\.\d+)?/g))
      if (!entries.get(document).has(number))
        dangling.set(`${document}, ${number}`, (dangling.get(`${document}, ${number}`) ?? 0) + 1);
}
const lonely = [...importers].filter(([, by]) => by === 1).map(([path]) => path);
say(`files with one importer: ${lonely.length}`);
say(`\`?? 0\`: ${nullish}`);
say(`names that end in Parts: ${parts.size}`);
say(`classes with more than ${MEMBERS_MAX} members: ${classes.length}`);
for (const { name, members } of classes.toSorted((a, b) => b.members - a.members).slice(0, SHOWN_MAX))
  say(`  ${String(members).padStart(3)} ${name}`);
const times = [...dangling.values()].reduce((sum, each) => sum + each, 0);
say(`citations of what no document of the repository has: ${times}`);
for (const [citation, count] of dangling) say(`  ${String(count).padStart(3)} ${citation}`);

function print(room, ownFiles, ownLines, ownBytes, wanted) {
  const cells = [
    room.padEnd(14),
    whole(ownFiles).padStart(6),
    whole(ownLines).padStart(9),
    whole(ownBytes).padStart(11),
  ];
  if (wanted !== undefined) cells.push(whole(Number(wanted)).padStart(9));
  say(cells.join(''));
}

function imported(by, specifier) {
  if (!specifier.startsWith('.')) return;
  const path = join(dirname(by), specifier).split(sep).join('/');
  if (importers.has(path)) importers.set(path, importers.get(path) + 1);
}
