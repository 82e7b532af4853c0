/** What kind of data a file has, by its name and its first line. */
import { type ColumnRole, mapColumns, type NamedColumns } from './column-map.ts';
import { openSource } from './source-file.ts';

export type FileKind = 'prints' | 'bars' | 'frames';

const FRAMES = /\.frames(\.gz)?$/;
const BAR_ROLES: readonly ColumnRole[] = ['open', 'high', 'low', 'close'];
const CELL_BORDER = /[,;\t|]/;

/** `named` is what the user says of its columns. */
export async function fileKind(path: string, named: NamedColumns = {}): Promise<FileKind> {
  if (FRAMES.test(path)) return 'frames';
  if (BAR_ROLES.some((role) => named[role] !== undefined)) return 'bars';
  for await (const chunk of openSource(path).chunks()) {
    const [line = ''] = chunk.toString('utf8').split('\n', 1);
    const header = line.split(CELL_BORDER).map((cell) => cell.replaceAll('"', ''));
    const mapped = mapColumns(header, {}, header.length);
    return mapped.ok && BAR_ROLES.every((role) => mapped.columns[role] !== undefined) ? 'bars' : 'prints';
  }
  return 'prints';
}
