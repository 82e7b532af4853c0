/**
 * `npm run simulate -- --planted`: bugs of one line, planted one at a time into a copy of the compiled program. The simulation has to
 * catch each of them; one that it lives with is a hole in the simulation. `old`: those that invariants and faults were written with;
 * `missed`: those that once passed 300 seeds; `drawn`: those that were chosen before the invariants of today were written.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface PlantedBug {
  readonly what: string;
  /** Compiled file below `src`, without its ending. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

type List = 'old' | 'missed' | 'drawn';

const OLD: readonly PlantedBug[] = [
  {
    what: 'a call is sent before its row is committed',
    file: 'broker/gateway/rest-gateway',
    from: 'thrownBy(() => this.#options.commit())',
    to: 'null',
  },
  {
    what: 'a halt lets entries through',
    file: 'daemon/session/halt',
    from: "return purpose === 'entry' ? this.reason : null;",
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
    file: 'engine/risk/risk-request',
    from: 'this.ownerWorkingQty += exposedQty',
    to: 'this.ownerWorkingQty += 0',
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
    file: 'engine/orders/order-executor',
    from: "status: 'unknown', reason: 'the process ended before an answer came'",
    to: "status: 'not_sent', reason: 'the process ended before an answer came'",
  },
  {
    what: 'one scan proves an order absent',
    file: 'domain/broker-order',
    from: 'this.#scans >= settings.scans &&',
    to: 'this.#scans >= 1 ||',
  },
  {
    what: 'frames that a full disk refused are dropped',
    file: 'daemon/session/inbox',
    from: 'const thrown = thrownBy(() => this.writeFrames());',
    to: 'const thrown = thrownBy(() => this.writeFrames()); this.#unwritten = [];',
  },
  {
    what: 'the tail of a killed process is taken for written',
    file: 'host/session-past',
    from: 'event.seq > writtenUntil ? null :',
    to: 'false ? null :',
  },
  {
    what: 'a stop in a read that overtook it is foreign',
    file: 'engine/orders/order-reconciler',
    from: 'set(row.orderKey, context.nowUs)',
    to: 'set(row.orderKey, scan.startedUs)',
  },
  {
    // The broker rejects the cancels of orders that are over, which shows nothing: most of these never left.
    what: 'a cancel that failed leaves the order in doubt',
    file: 'engine/orders/order-executor',
    from: 'if (isOpen || openCancel === null)',
    to: "if (outcome.status === 'unknown')",
  },
  {
    what: 'the account limit is not asked',
    file: 'engine/risk/risk-rules',
    from: 'if (accountBoundOf(request) <= max)',
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
    file: 'daemon/session/inbox',
    from: 'this.#options.recordInput(input);',
    to: ';',
  },
  {
    what: 'frames are not recorded',
    file: 'daemon/session/inbox',
    from: 'this.frameLog.append(frames);',
    to: ';',
  },
  {
    what: 'a session goes on with a number that was used',
    file: 'daemon/session/inbox',
    from: 'this.lastSeq = lastSeq;',
    to: 'this.lastSeq = 0;',
  },
  {
    what: 'an order that waits for its trigger is never read',
    file: 'broker/reports/reports',
    from: "triggers: new MergedRead('lookup', clock, (read) => this.#readTriggers(read))",
    to: "triggers: new MergedRead('lookup', clock, () => Promise.resolve())",
  },
  {
    what: 'positions are never read',
    file: 'broker/reports/reports',
    from: "this.#postRead('positions', rest.positions(read), (positions) => sink.post({ kind: 'position_snapshot', startedUs: read.startedUs, positions }))",
    to: 'Promise.resolve()',
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
    file: 'daemon/session/trading-session',
    from: 'if (past !== null)',
    to: 'if (false)',
  },
];

const MISSED: readonly PlantedBug[] = [
  {
    what: 'the fee that an order paid in the session before is charged again with its next fill',
    file: 'engine/orders/carried-orders',
    from: 'order.fee = left.fee;',
    to: ';',
  },
  {
    what: 'the tax of a fill is not charged',
    file: 'engine/orders/fill-steps',
    from: 'portfolio.charge(order.strategy, fee, tax)',
    to: 'portfolio.charge(order.strategy, fee, 0)',
  },
  {
    what: 'a halt is confirmed before its row is durable',
    file: 'daemon/session/halt',
    from: 'journal.flush();',
    to: ';',
  },
  {
    what: 'contracts that a row loses and shows again are booked twice',
    file: 'engine/orders/fill-steps',
    from: "order.markReported('decreased')",
    to: "(order.filledQty = row.filledQty) >= 0 && order.markReported('decreased')",
  },
  {
    what: 'a row of an older read overwrites what a newer one has shown',
    file: 'engine/orders/row-reader',
    from: 'const isOlder = startedUs < order.rowUs',
    to: 'const isOlder = false',
  },
  {
    what: "a change of an order skips its strategy's position limit",
    file: 'engine/risk/risk-rules',
    from: "worst <= max ? undefined : { code: 'strategy_position_limit'",
    to: "request.changed !== null || worst <= max ? undefined : { code: 'strategy_position_limit'",
  },
  {
    what: 'a reduction is judged without the exits that work already',
    file: 'engine/risk/risk-request',
    from: 'const working = this.#takenQty()',
    to: 'const working = 0',
  },
  {
    what: 'exits that a bracket has earned and no book shows yet do not count for limits',
    file: 'engine/risk/risk-rules',
    from: 'held + ownerWorkingQty + unshownExitQty(view, strategy, instrument, side)',
    to: 'held + ownerWorkingQty',
  },
  {
    what: 'a halt is proven while a call is in flight',
    file: 'daemon/session/halt-enforcer',
    from: 'this.#parts.gateway.inFlight === 0',
    to: 'true',
  },
];

const DRAWN: readonly PlantedBug[] = [
  {
    what: 'both halves of a bracket count, so a halt takes one of them from a position that it protects',
    file: 'domain/cover',
    from: 'Math.max(0, qty - shared)',
    to: 'qty',
  },
  {
    what: 'a book that was not read whole proves a halt',
    file: 'broker/gateway/kill-all',
    from: 'isProven: this.#complete',
    to: 'isProven: true',
  },
  {
    what: 'a strategy that a person stopped trades again on the next day',
    file: 'daemon/restart/carry-over',
    from: 'lastingStops(this.#rare)',
    to: '[]',
  },
  {
    what: 'after a restart no order without an answer keeps a halt from being proven',
    file: 'daemon/restart/our-books',
    from: 'unknown.push(ourOrder(order))',
    to: 'null',
  },
  {
    what: 'the stop-loss of a bracket is sent at the distance of its take-profit',
    file: 'wire/rest/order-calls',
    from: 'limitPrice - terms.stopLossPrice',
    to: 'terms.takeProfitPrice - limitPrice',
  },
  {
    what: 'an order counts as canceled once the broker has accepted the cancel',
    file: 'engine/orders/order-life',
    from: "cancel_accepted: '='",
    to: "cancel_accepted: 'canceled'",
  },
  {
    what: 'an enlargement under way does not count for limits',
    file: 'engine/orders/managed-order',
    from: 'Math.max(this.qty, this.extras.openModify?.qty ?? 0)',
    to: 'this.qty',
  },
  {
    what: 'an entry whose cancel came to nothing is not canceled again',
    file: 'engine/orders/withdrawal',
    from: 'this.#cancelAgain(order)',
    to: 'null',
  },
  {
    what: 'a protective stop that is larger than its position stays, also where nothing is held',
    file: 'engine/session/protective-stops',
    from: 'stop.leavesQty === wantedQty',
    to: 'stop.leavesQty >= wantedQty',
  },
  {
    what: 'the policy of a failure withdraws no entry',
    file: 'engine/session/failure-policies',
    from: 'withdrawal.withdrawEntries(owner)',
    to: 'null',
  },
  {
    what: "the account's gain counts as its loss",
    file: 'engine/risk/halt-limits',
    from: '0 - this.#core.portfolio.accountDayPnl() - this.#accountBase',
    to: 'this.#core.portfolio.accountDayPnl() - this.#accountBase',
  },
  {
    what: "the account's profit of the day has in it what positions had gained on the days before",
    file: 'engine/positions/portfolio',
    from: 'profit += made - openProfit(carried, start)',
    to: 'profit += made',
  },
  {
    what: 'a call that waits for its turn leaves during a halt that began meanwhile',
    file: 'broker/rest/transport',
    from: 'call.refuse === undefined',
    to: 'true',
  },
  {
    what: 'journal rows that a full disk refused are dropped',
    file: 'journal/journal-store',
    from: 'this.#writer.commit(this.#pending)',
    to: 'this.#writer.commit(this.#pending.splice(0))',
  },
  {
    what: 'an exit that left on the emergency file counts as lost with the tail of the journal',
    file: 'engine/replay/decisions',
    from: ' && !this.#sent.has(callId)',
    to: '',
  },
];

const LISTS: Readonly<Record<List, readonly PlantedBug[]>> = { old: OLD, missed: MISSED, drawn: DRAWN };

export interface PlantOptions {
  readonly seeds: number;
  /** Threads. */
  readonly jobs: number;
  /** Empty for all. */
  readonly list: string;
  /** In the description. */
  readonly only: string;
}

/** Plants each bug that is asked for, prints the seed that caught it, and returns how many were not caught. */
export function plantBugs(dist: string, { list, only, ...options }: PlantOptions): number {
  const lists = Object.entries(LISTS).filter(([name]) => list === '' || name === list);
  if (lists.length === 0) throw new Error(`expected a list: ${Object.keys(LISTS).join(', ')}`);
  const bugs = lists.flatMap(([name, each]) => each.map((bug) => ({ name, bug })));
  const asked = bugs.filter(({ bug }) => bug.what.includes(only));
  const copy = mkdtempSync(join(dist, 'planted-'));
  const gone: string[] = [];
  let missed = 0;
  try {
    for (const part of ['src', 'strategies', 'test'])
      cpSync(join(dist, part), join(copy, part), { recursive: true });
    for (const { name, bug } of asked) {
      const site = siteOf(copy, bug);
      if (site === undefined) {
        gone.push(`GONE    ${name}: ${nameOf(bug)}`);
        continue;
      }
      const caught = seedThatCatches(copy, bug, site, options);
      if (caught === undefined) missed += 1;
      const by = caught?.slice(0, 160) ?? `not within ${options.seeds} seeds`;
      console.log(`${caught === undefined ? 'MISSED' : 'caught'}  ${name}: ${bug.what}: ${by}`);
    }
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
  for (const line of gone) console.log(line);
  missed += gone.length;
  console.log(`${asked.length - missed} of ${asked.length} caught`);
  return missed;
}

/** Bugs whose place is not in the compiled program any more: they need another one. */
export const goneBugs = (dist: string): readonly string[] =>
  Object.values(LISTS)
    .flat()
    .filter((bug) => siteOf(dist, bug) === undefined)
    .map(nameOf);

const nameOf = ({ what, file, from }: PlantedBug): string =>
  `${what}: ${file} has not one ${JSON.stringify(from)}`;

interface Site {
  readonly path: string;
  readonly text: string;
}

function siteOf(dist: string, { file, from }: PlantedBug): Site | undefined {
  const path = join(dist, 'src', `${file}.js`);
  if (!existsSync(path)) return undefined;
  const text = readFileSync(path, 'utf8');
  return text.split(from).length === 2 ? { path, text } : undefined;
}

/** Its line of the output; undefined when each seed passed. */
function seedThatCatches(
  dist: string,
  { from, to }: PlantedBug,
  { path, text }: Site,
  { seeds, jobs }: Pick<PlantOptions, 'seeds' | 'jobs'>,
): string | undefined {
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
  const program = join(dist, 'test/simulate/simulate.js');
  const range = ['--seeds', String(seeds), '--jobs', String(jobs)];
  const run = spawnSync(process.execPath, [program, ...range, '--again', '0', '--scale', '0.5'], {
    encoding: 'utf8',
  });
  writeFileSync(path, text);
  return /^seed \d+: .*$/m.exec(run.stdout)?.[0];
}
