/**
 * `npm run simulate -- --planted`: bugs of one line, planted one at a time into a copy of the compiled program. The simulation has to
 * catch each of them; one that it lives with is a hole in the simulation.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface PlantedBug {
  readonly what: string;
  /** Compiled file below `src`, without its ending. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const PLANTED: readonly PlantedBug[] = [
  {
    what: 'a call is sent before its row is committed',
    file: 'broker/gateway/durable-sender',
    from: 'failureOf(() => this.#options.commit())',
    to: 'null',
  },
  {
    what: 'a halt lets entries through',
    file: 'app/live/halt',
    from: "return purpose === 'entry' ? this.#reason : null;",
    to: 'return null;',
  },
  {
    what: 'a lost answer counts as not sent',
    file: 'broker/rest/rest-caller',
    from: "result.kind === 'lost' ? 'unknown' : 'not_sent'",
    to: "'not_sent'",
  },
  {
    what: 'working orders do not count for limits',
    file: 'engine/risk/exposure',
    from: 'if (order.clientOrderId !== except?.clientOrderId)',
    to: 'if (false)',
  },
  {
    what: 'a second reading of a fill counts again',
    file: 'engine/orders/fill-steps',
    from: 'const stepQty = row.filledQty - order.filledQty;',
    to: 'const stepQty = row.filledQty;',
  },
  {
    what: 'a sell is booked as a buy',
    file: 'engine/orders/fill-steps',
    from: 'signOf(order.side) * stepQty',
    to: 'stepQty',
  },
  {
    what: 'a call without an answer at a kill counts as not sent',
    file: 'engine/orders/call-outcomes',
    from: "status: 'unknown', reason: 'the process ended before an answer came'",
    to: "status: 'not_sent', reason: 'the process ended before an answer came'",
  },
  {
    what: 'one scan proves an order absent',
    file: 'engine/orders/scan-evidence',
    from: 'this.#scans >= settings.scans &&',
    to: 'this.#scans >= 1 ||',
  },
  {
    what: 'frames that a full disk refused are dropped',
    file: 'app/live/sequencer',
    from: 'this.#refused.push({ number, at, text });',
    to: ';',
  },
  {
    what: 'the tail of a killed process is taken for written',
    file: 'app/host/session-past',
    from: 'event.seq > writtenUntil ? null :',
    to: 'false ? null :',
  },
  {
    what: 'a stop in a read that overtook it is foreign',
    file: 'engine/orders/order-reconciler',
    from: '.toldUs > order.createdUs',
    to: '.startedUs > order.createdUs',
  },
  {
    // The broker rejects the cancels of orders that are over, which shows nothing: most of these never left.
    what: 'a cancel that failed leaves the order in doubt',
    file: 'engine/orders/call-outcomes',
    from: 'if (isOpen || order.openCancel === null)',
    to: "if (outcome.status === 'unknown')",
  },
  {
    what: 'the account limit is not asked',
    file: 'engine/risk/rules/limit-rules',
    from: 'if (accountBoundOf(view, request) <= max)',
    to: 'if (true)',
  },
  {
    what: 'fee and position go to another strategy',
    file: 'engine/orders/fill-steps',
    from: 'portfolio.add(order.strategy,',
    to: 'portfolio.add(0,',
  },
  {
    what: 'inputs are not journaled',
    file: 'app/live/sequencer',
    from: 'this.#options.recordInput(input);',
    to: ';',
  },
  {
    what: 'frames are not recorded',
    file: 'app/live/trading-session',
    from: 'this.#frameLog.append(number, at, text);',
    to: ';',
  },
  {
    what: 'a session goes on with a number that was used',
    file: 'app/live/sequencer',
    from: 'this.#seq = lastSeq;',
    to: 'this.#seq = 0;',
  },
  {
    what: 'an order that waits for its trigger is never read',
    file: 'broker/reports/reports',
    from: 'triggers: new MergedRead((_, onStart) => this.#readTriggers(onStart))',
    to: 'triggers: new MergedRead(() => Promise.resolve())',
  },
  {
    what: 'positions are never read',
    file: 'broker/reports/reports',
    from: 'positions: new MergedRead((_, onStart) => this.#readPositions(onStart))',
    to: 'positions: new MergedRead(() => Promise.resolve())',
  },
  {
    what: 'a lost stream is never dialled again',
    file: 'broker/stream/stream-client',
    from: 'decision.after, () => this.#dial()',
    to: 'decision.after, () => undefined',
  },
  {
    what: 'a dead token is kept',
    file: 'broker/auth/token-keeper',
    from: 'if (first.operation === operation || now - first.sinceUs < SECOND_PROOF_AFTER)',
    to: 'if (true)',
  },
  {
    what: 'a restart forgets what was carried out in the day',
    file: 'app/live/trading-session',
    from: 'if (past !== null)',
    to: 'if (false)',
  },
];

/** Tells each bug whose description has `only` in it, and the seed that caught it; returns how many were not. */
export function plantBugs(dist: string, seeds: number, only: string): number {
  const copy = mkdtempSync(join(dist, 'planted-'));
  let missed = 0;
  try {
    for (const name of ['src', 'strategies', 'test'])
      cpSync(join(dist, name), join(copy, name), { recursive: true });
    for (const { what, file, from, to } of PLANTED.filter((bug) => bug.what.includes(only))) {
      const path = join(copy, 'src', `${file}.js`);
      const text = readFileSync(path, 'utf8');
      if (text.split(from).length !== 2) throw new Error(`${file}: expected one ${JSON.stringify(from)}`);
      writeFileSync(
        path,
        text.replace(from, () => to),
      );
      const run = spawnSync(
        process.execPath,
        [join(copy, 'test/simulate/simulate.js'), '--seeds', String(seeds), '--again', '0', '--scale', '0.5'],
        { encoding: 'utf8' },
      );
      writeFileSync(path, text);
      const caught = /^seed (\d+): (.*)$/m.exec(run.stdout);
      if (caught === null) missed += 1;
      const by = caught?.[0].slice(0, 160) ?? `not within ${seeds} seeds`;
      console.log(`${caught === null ? 'MISSED' : 'caught'}  ${what}: ${by}`);
    }
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
  return missed;
}
