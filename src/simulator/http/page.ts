/** Pages of a book: they count from 1 (rulings, 15). */
export const BAD_PAGE = { code: -6000, text: 'Pages count from 1 and have at least one row' };

interface Asked {
  readonly pageNo: number;
  readonly pageSize: number;
}

/** Undefined for what is no page. */
export function pageOf<T>(rows: readonly T[], { pageNo, pageSize }: Asked): readonly T[] | undefined {
  if (!isCount(pageNo) || !isCount(pageSize)) return undefined;
  return rows.slice((pageNo - 1) * pageSize, pageNo * pageSize);
}

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 1;
