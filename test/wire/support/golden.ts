import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The body of one answer, as the documents show it. */
export const goldenAnswer = (name: string): Record<string, unknown> =>
  JSON.parse(
    readFileSync(join(import.meta.dirname, `../../golden/wire/answers/${name}.json`), 'utf8'),
  ) as Record<string, unknown>;
