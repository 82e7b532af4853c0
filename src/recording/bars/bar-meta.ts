/** What a file of bars says about itself. */
export interface BarMeta {
  readonly kind: 'bars';
  readonly version: 1;
  readonly symbol: string;
  /** Length of a bar. */
  readonly everyUs: number;
  readonly year: number;
  /** Decimals: `0.1` point in one tick of price, `1` contract in one lot of volume. */
  readonly tickSize: string;
  readonly lotSize: string;
  /** Zone of the exchange, as the import was told: `+07:00`, `Asia/Ho_Chi_Minh`. */
  readonly timeZone: string;
  readonly rows: number;
  /** In lots. */
  readonly volume: number;
  readonly firstUs: number;
  readonly lastUs: number;
  readonly badRows: number;
  readonly source: string;
  readonly digest: string;
}

/** Reads what `JSON.stringify` of a `BarMeta` wrote; undefined for anything else. */
export function parseBarMeta(text: string | undefined): BarMeta | undefined {
  if (text === undefined) return undefined;
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null) return undefined;
  const meta = value as BarMeta; // oxlint-disable-line typescript/no-unsafe-type-assertion -- our own file, told by kind and version
  return (meta as Partial<BarMeta>).kind === 'bars' && (meta as Partial<BarMeta>).version === 1
    ? meta
    : undefined;
}
