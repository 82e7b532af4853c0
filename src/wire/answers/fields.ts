/** The small types of what is written. Strict: an answer has these keys and no others, each of this JSON type. */
import { z } from 'zod';

export const text = (what: string) => z.string().describe(what);
export const number = (what: string) => z.number().describe(what);
export const whole = (what: string) => z.int().describe(what);
/** Whole VND. */
export const vnd = (what: string) => z.int().describe(`${what} VND.`);
/** Points of the index, one decimal unless it says otherwise. */
export const points = (what: string) => z.number().describe(`${what} Points.`);
export const pointsText = (what: string) => z.string().describe(`${what} Points, as text.`);

export const symbol = text('Contract code.');
export const sideCode = z.enum(['B', 'S']).describe('B buy or long, S sell or short.');
export const dateText = (what: string) => z.string().describe(`${what} dd/MM/yyyy.`);
export const timeText = (what: string) => z.string().describe(`${what} HH:MM:SS.`);
export const accountCode = text('Sub-account, shortened: the last six digits of the custody code, and A.');
export const orderKey = text('Order key; change and cancel of a conditional order go by it.');
export const flag = (what: string) => z.enum(['0', '1']).describe(what);

/**
 * The envelope of the `/khronos/` operations. A refusal is HTTP 200 as well: `rc` below 0, the text in `rs`, `data` empty.
 */
export const envelope = <T extends z.ZodType>(data: T) =>
  z.strictObject({
    cmd: text('Command name.'),
    rc: text('1 is success; below 0 is an error.'),
    rs: text('Error detail; empty on success.'),
    oID: text('Transaction or session; empty when there is none.'),
    data,
  });

export const rows = <T extends z.ZodType>(row: T) => envelope(z.array(row));
