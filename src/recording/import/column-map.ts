/** Maps the columns of a file to their roles: by the header's words, or as the user names them. */

/** Words of headers other than the name of the role itself. The index of a data frame, which has no name, is the time. */
const SYNONYMS = {
  time: ['timestamp', 'datetime', 'date_time', 'ts', 'date', ''],
  date: ['day'],
  symbol: ['ticker', 'instrument', 'contract', 'code'],
  price: ['last', 'last_price'],
  volume: ['vol', 'qty', 'quantity', 'size', 'amount'],
  side: ['aggressor'],
  open: ['o'],
  high: ['h'],
  low: ['l'],
  close: ['c'],
  bid: ['bid_price'],
  ask: ['ask_price', 'offer'],
  bid_size: ['bid_qty', 'bid_quantity', 'bid_volume', 'bid_amount'],
  ask_size: ['ask_qty', 'ask_quantity', 'ask_volume', 'ask_amount'],
} as const;

type PlainRole = keyof typeof SYNONYMS;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of a literal
export const PLAIN_ROLES = Object.keys(SYNONYMS) as readonly PlainRole[];

/** Bid and ask of a quote, or of a level of a book. */
export const TOUCH_ROLES = ['bid', 'bid_size', 'ask', 'ask_size'] as const;
export const BOOK_LEVELS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] as const;

type TouchRole = (typeof TOUCH_ROLES)[number];
type LevelNumber = (typeof BOOK_LEVELS)[number];
type LevelRole = `${TouchRole}_${LevelNumber}`;

/** `bid_1`, the best one, to `ask_size_10`. */
export const levelRole = (role: TouchRole, level: LevelNumber): LevelRole => `${role}_${level}`;

export type ColumnRole = PlainRole | LevelRole;

export type ColumnMap = Readonly<Partial<Record<ColumnRole, number>>>;

/** Columns that the user names: a header or, counted from 1, a number for a role. */
export type NamedColumns = Readonly<Partial<Record<ColumnRole, string>>>;

const wordsOf = (role: PlainRole): readonly string[] => [role, ...SYNONYMS[role]];

const KNOWN: ReadonlyMap<ColumnRole, readonly string[]> = new Map<ColumnRole, readonly string[]>([
  ...PLAIN_ROLES.map((role): [ColumnRole, readonly string[]] => [role, wordsOf(role)]),
  ...BOOK_LEVELS.flatMap((level) =>
    TOUCH_ROLES.map((role): [ColumnRole, readonly string[]] => [
      levelRole(role, level),
      wordsOf(role).map((word) => `${word}_${level}`),
    ]),
  ),
]);

export const COLUMN_ROLES: readonly ColumnRole[] = [...KNOWN.keys()];

type MappedColumns =
  | { readonly ok: true; readonly columns: ColumnMap }
  | { readonly ok: false; readonly problem: string };

/** `Date Time` and `DATE-TIME` are `date_time`. */
const normal = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');

/** Named for a role whose column is to be ignored. */
const NO_COLUMN = 'none';

export function mapColumns(
  header: readonly string[] | null,
  named: NamedColumns,
  width: number,
): MappedColumns {
  const names = header?.map(normal) ?? [];
  const columns: Partial<Record<ColumnRole, number>> = {};
  for (const [role, known] of KNOWN) {
    const name = named[role];
    const words = name === undefined ? known : [normal(name)];
    const byName = words.map((word) => names.indexOf(word)).find((at) => at !== -1) ?? -1;
    const second = names.indexOf(names[byName] ?? '', byName + 1);
    if (byName !== -1 && second !== -1 && names[byName] !== '') {
      const both = `columns ${byName + 1} and ${second + 1} are both called ${JSON.stringify(header?.[byName])}`;
      return { ok: false, problem: `${both}: name the one of ${role} by its number, or none` };
    }
    if (name === undefined) {
      if (byName !== -1) columns[role] = byName;
      continue;
    }
    if (byName === -1 && name === NO_COLUMN) continue;
    const column = byName === -1 && /^\d{1,3}$/.test(name) ? Number(name) - 1 : byName;
    if (column < 0 || column >= width) {
      return {
        ok: false,
        problem: `no column ${JSON.stringify(name)} for ${role} in: ${shown(header, width)}`,
      };
    }
    columns[role] = column;
  }
  // A column of dates belongs to one of times alone; a timestamp contains its date.
  const hasOwnDate = columns.time === columns.date || names[columns.time ?? -1] !== 'time';
  if (hasOwnDate && named.date === undefined) delete columns.date;
  return { ok: true, columns };
}

export const shown = (header: readonly string[] | null, width: number): string =>
  header === null ? `${width} columns without a header` : header.join(', ');
