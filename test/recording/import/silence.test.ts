/** Where a tape says nothing although trading goes on. */
import { describe, expect, it } from 'vitest';
import { minutes } from '../../../src/domain/units.ts';
import type { ImportOptions } from '../../../src/recording/import/import-table.ts';
import { clock, HEAD, imported } from './imported-prints.ts';

const every = (from: number, to: number, step: number): string => {
  let rows = '';
  for (let at = from; at < to; at += step) {
    rows += `${Math.floor(at / 60)}:${String(at % 60).padStart(2, '0')}:00,1950,1,M\n`;
  }
  return rows;
};

const gapsOf = async (rows: string, options: Partial<ImportOptions> = {}): Promise<string[]> => {
  const { metas } = await imported(HEAD + rows, { options });
  return metas.flatMap(({ gaps }) =>
    gaps.map(({ kind, fromUs, toUs }) => `${kind} ${clock(fromUs)}-${clock(toUs)}`),
  );
};

describe('silence in continuous trading', () => {
  const MORNING = every(540, 690, 2);
  const AFTERNOON = every(780, 870, 2);

  it('is none when trades come all day, in the break and the auction neither', async () => {
    expect(await gapsOf(`${MORNING}${AFTERNOON}14:45:00,1950,1,M\n`)).toEqual([]);
  });

  it('is noted within a session, at its beginning and at its end', async () => {
    expect(await gapsOf(`${every(550, 560, 2)}${every(600, 690, 2)}${every(780, 860, 2)}`)).toEqual([
      'silence 09:00:00-09:10:00',
      'silence 09:18:00-10:00:00',
      'silence 14:18:00-14:30:00',
    ]);
  });

  it('is noted for a session that is missing', async () => {
    expect(await gapsOf(MORNING)).toEqual(['silence 13:00:00-14:30:00']);
    expect(await gapsOf(AFTERNOON)).toEqual(['silence 09:00:00-11:30:00']);
  });

  it('is as long as it is said to be, and unknown without trading hours', async () => {
    const rows = `${MORNING}${AFTERNOON}`;
    expect(await gapsOf(rows, { silence: minutes(1) })).toHaveLength(120);
    expect(await gapsOf(MORNING, { calendar: null })).toEqual([]);
  });
});
