/** Maps the columns of a file to their roles: by the header's words, or as the user names them. */

export const PLAIN_ROLES = [
  'time',
  'date',
  'symbol',
  'price',
  'volume',
  'side',
  'open',
  'high',
  'low',
  'close',
  'bid',
  'ask',
  'bid_size',
  'ask_size',
  'bid_open',
  'bid_high',
  'bid_low',
  'bid_close',
  'ask_open',
  'ask_high',
  'ask_low',
  'ask_close',
] as const;

/** Bid and ask of a quote, or of a level of a book. */
export const TOUCH_ROLES = ['bid', 'bid_size', 'ask', 'ask_size'] as const;
export const BOOK_LEVELS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] as const;

type PlainRole = (typeof PLAIN_ROLES)[number];
type TouchRole = (typeof TOUCH_ROLES)[number];
type BookLevel = (typeof BOOK_LEVELS)[number];
type LevelRole = `${TouchRole}_${BookLevel}`;

/** `bid_1`, the best one, to `ask_size_10`. */
export const levelRole = (role: TouchRole, level: BookLevel): LevelRole => `${role}_${level}`;

export type ColumnRole = PlainRole | LevelRole;

export const COLUMN_ROLES: readonly ColumnRole[] = [
  ...PLAIN_ROLES,
  ...BOOK_LEVELS.flatMap((level) => TOUCH_ROLES.map((role) => levelRole(role, level))),
];

/** Column of each role, counted from 0. */
export type ColumnMap = Readonly<Partial<Record<ColumnRole, number>>>;

/** Columns that the user names: a header or, counted from 1, a number for a role. */
export type NamedColumns = Readonly<Partial<Record<ColumnRole, string>>>;

const PLAIN_WORDS: Readonly<Record<PlainRole, readonly string[]>> = {
  // A data frame that pandas writes has its index first, without a name.
  time: [
    'time',
    'timestamp',
    'datetime',
    'date_time',
    'ts',
    'open_time',
    'opentime',
    'transact_time',
    'ts_event',
    'date',
    'gmt_time',
    '',
  ],
  date: ['date', 'day', 'trading_date', 'tradingdate'],
  symbol: ['symbol', 'ticker', 'tickersymbol', 'instrument', 'contract', 'code'],
  price: ['price', 'last', 'last_price'],
  volume: ['volume', 'vol', 'qty', 'quantity', 'size', 'amount', 'tickvol', 'tick_volume'],
  side: ['side', 'aggressor'],
  open: ['open', 'o'],
  high: ['high', 'h'],
  low: ['low', 'l'],
  close: ['close', 'c'],
  bid: ['bid', 'bid_price', 'bidprice', 'best_bid', 'best_bid_price', 'bid_px_00'],
  ask: ['ask', 'ask_price', 'askprice', 'best_ask', 'best_ask_price', 'ask_px_00', 'offer'],
  bid_size: [
    'bid_size',
    'bidsize',
    'bid_qty',
    'bid_quantity',
    'bid_volume',
    'bidvolume',
    'bid_amount',
    'bid_sz_00',
    'best_bid_qty',
  ],
  ask_size: [
    'ask_size',
    'asksize',
    'ask_qty',
    'ask_quantity',
    'ask_volume',
    'askvolume',
    'ask_amount',
    'ask_sz_00',
    'best_ask_qty',
  ],
  bid_open: ['bid_open', 'bidopen', 'open_bid', 'openbid'],
  bid_high: ['bid_high', 'bidhigh', 'high_bid', 'highbid'],
  bid_low: ['bid_low', 'bidlow', 'low_bid', 'lowbid'],
  bid_close: ['bid_close', 'bidclose', 'close_bid', 'closebid'],
  ask_open: ['ask_open', 'askopen', 'open_ask', 'openask'],
  ask_high: ['ask_high', 'askhigh', 'high_ask', 'highask'],
  ask_low: ['ask_low', 'asklow', 'low_ask', 'lowask'],
  ask_close: ['ask_close', 'askclose', 'close_ask', 'closeask'],
};

const LEVEL_WORDS = BOOK_LEVELS.flatMap((level) =>
  TOUCH_ROLES.map((role): [ColumnRole, readonly string[]] => [
    levelRole(role, level),
    PLAIN_WORDS[role].map((word) => `${word}_${level}`),
  ]),
);

/** Words of headers for each role. */
const KNOWN: ReadonlyMap<ColumnRole, readonly string[]> = new Map<ColumnRole, readonly string[]>([
  ...PLAIN_ROLES.map((role): [ColumnRole, readonly string[]] => [role, PLAIN_WORDS[role]]),
  ...LEVEL_WORDS,
]);

export type MappedColumns =
  | { readonly ok: true; readonly columns: ColumnMap }
  | { readonly ok: false; readonly problem: string };

/** `<DATE>` is DATE, as MetaTrader and Stooq write it. */
const normal = (name: string): string =>
  name
    .trim()
    .replace(/^<(.*)>$/, '$1')
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');

/** Named for a role whose column is to be ignored. */
const NO_COLUMN = 'none';

/** `header` is null for a file without one: then every column is named by its number. */
export function mapColumns(
  header: readonly string[] | null,
  named: NamedColumns,
  width: number,
): MappedColumns {
  const names = header?.map(normal) ?? [];
  const columns: Partial<Record<ColumnRole, number>> = {};
  for (const role of COLUMN_ROLES) {
    const name = named[role];
    if (name === undefined) {
      const place = (KNOWN.get(role) ?? []).map((word) => names.indexOf(word)).find((at) => at !== -1);
      if (place !== undefined) columns[role] = place;
      continue;
    }
    const byName = names.indexOf(normal(name));
    if (byName === -1 && name === NO_COLUMN) continue;
    const place = byName === -1 && /^\d{1,3}$/.test(name) ? Number(name) - 1 : byName;
    if (place < 0 || place >= width) {
      return {
        ok: false,
        problem: `no column ${JSON.stringify(name)} for ${role} in: ${shown(header, width)}`,
      };
    }
    columns[role] = place;
  }
  // A column of dates belongs to one of times alone; a timestamp contains its date.
  const hasOwnDate = columns.time === columns.date || names[columns.time ?? -1] !== 'time';
  if (hasOwnDate && named.date === undefined) delete columns.date;
  return { ok: true, columns };
}

export const shown = (header: readonly string[] | null, width: number): string =>
  header === null ? `${width} columns without a header` : header.join(', ');
