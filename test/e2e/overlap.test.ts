/** Over the real wire (failure cases, 37): a second copy next to the first, and a kill before the cleaning up. */
import { expect, test } from 'vitest';
import { BUSY_CONFIG } from './busy-config.ts';
import { BOOKS_AGREE, brokerTruth, journalEntries, startDaemon, until, workplace } from './daemon-process.ts';

test(
  'case 37: next to a copy that hangs no second one trades, and its kill before it cleaned up loses nothing',
  { timeout: 300_000 },
  async () => {
    // The kill may come between the commit of an order and its sending.
    const place = workplace(`${BUSY_CONFIG}unknown: { resolve: proven_absent }\n`);
    const first = startDaemon(place);
    await first.line(/ busy +accepted/);
    first.process.kill('SIGSTOP');
    const sent = async (): Promise<number> => (await brokerTruth(place)).orders.length;
    const before = await sent();
    const second = startDaemon(place);
    expect(await second.end('SIGCONT'), second.output()).toBe(3);
    expect(second.output()).toMatch(/another Tickwright \(process \d+\)/);
    expect(await sent()).toBe(before);
    first.process.kill('SIGINT');
    expect(await first.end('SIGKILL')).toBe('SIGKILL');

    const third = startDaemon(place);
    await until(async () => ((await sent()) > before ? true : undefined));
    expect(await third.end('SIGINT'), third.output()).toBe(0);
    expect(third.output()).toMatch(BOOKS_AGREE);
    const ids = journalEntries(place).flatMap(({ entry }) =>
      entry.kind === 'place' ? [entry.order.clientOrderId] : [],
    );
    expect(new Set(ids).size, 'no reference is used twice').toBe(ids.length);
    expect(journalEntries(place).map(({ entry }) => entry.kind)).not.toContain('order_adopted');
  },
);
