/**
 * SQLite, in the release of better-sqlite3 that works on the Node.js that runs: from 24.19 on release 12 aborts the process when the
 * collector frees a statement, and release 13 needs Node-API 10 (22.14 and newer; without it the process ends with a segmentation fault).
 */
import { createRequire } from 'node:module';
import type BetterSqlite3 from 'better-sqlite3';

/** `.scripts/ensure-sqlite.mjs` makes the same choice after an install. */
export const SQLITE_PACKAGE = Number(process.versions['napi']) >= 10 ? 'better-sqlite3-13' : 'better-sqlite3';

/** The class; an open database as a type. */
export const Database = load();
export type Database = BetterSqlite3.Database;
export type Statement = BetterSqlite3.Statement;

function load(): typeof BetterSqlite3 {
  try {
    return createRequire(import.meta.url)(SQLITE_PACKAGE);
  } catch (cause) {
    throw new Error(
      `${SQLITE_PACKAGE} is not installed, and Node.js ${process.versions.node} needs it: run npm install again`,
      { cause },
    );
  }
}
