/**
 * The second run of a verification, in a process of its own: strategies are loaded afresh, under another clock, in another time zone,
 * without the environment of the first.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Decision } from '../../../backtest/research/look-ahead.ts';

export interface SecondRunOrder {
  readonly file: string;
  readonly seed: number | undefined;
  /** Longest time that a strategy may take for one event. */
  readonly eventMsMax: number;
  /** Result file. */
  readonly out: string;
}

export interface SecondRun {
  readonly journalHash: string;
  readonly decisions: readonly (readonly Decision[])[];
}

/** A strategy did not return. */
export interface SecondRunFailure {
  readonly failure: string;
}

const ZONES = ['Pacific/Kiritimati', 'America/Los_Angeles'] as const;
/** They write numbers and dates in other ways. */
const LANGUAGES = ['de_DE', 'en_US'] as const;

/** The reason where it failed. */
export function secondRun(order: Omit<SecondRunOrder, 'out'>): SecondRun | string {
  const dir = mkdtempSync(join(tmpdir(), 'tickwright-verify-'));
  const out = join(dir, 'run.json');
  try {
    const script = fileURLToPath(new URL('./second-run-process.js', import.meta.url));
    const isGerman = new Intl.NumberFormat().resolvedOptions().locale.startsWith('de');
    const env = {
      TZ: process.env['TZ'] === ZONES[0] ? ZONES[1] : ZONES[0],
      LC_ALL: isGerman ? LANGUAGES[1] : LANGUAGES[0],
    };
    const run = spawnSync(process.execPath, [script, JSON.stringify({ ...order, out })], {
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    // The runtime's own name comes last.
    if (run.status !== 0) return /^\S*Error\b.*$/m.exec(run.stderr)?.[0] ?? run.stderr.trim();
    if (!existsSync(out)) return 'it ended before the last price';
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by our own process
    const told = JSON.parse(readFileSync(out, 'utf8')) as SecondRun | SecondRunFailure;
    return 'failure' in told ? told.failure : told;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
