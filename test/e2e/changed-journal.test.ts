/** A row of the journal that somebody, or a bad disk, has changed: the next start finds it. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Database } from '../../src/sqlite/database.ts';
import { BUSY_CONFIG } from './busy-config.ts';
import { startDaemon, workplace } from './daemon-process.ts';

test('one changed digit in the tax of a fill is critical, and the daemon goes on', async () => {
  const place = workplace(BUSY_CONFIG);
  const first = startDaemon(place);
  await first.line(/ busy +filled/);
  expect(await first.end('SIGINT'), first.output()).toBe(0);

  const journal = new Database(join(place.state, 'journal.db'));
  const trigger = journal.prepare("SELECT sql FROM sqlite_master WHERE name = 'entries_keep'").pluck().get();
  journal.exec('DROP TRIGGER entries_keep');
  const change = `UPDATE entries SET body = replace(body, '"tax":', '"tax":1')
    WHERE id = (SELECT min(id) FROM entries WHERE kind = 'fill' AND body LIKE '%"tax":%')`;
  expect(journal.prepare(change).run().changes).toBe(1);
  journal.exec(String(trigger));
  journal.close();

  const second = startDaemon(place);
  await second.line(
    /CRITICAL +journal_damaged: the journal has 1 faults, the first: .*: entry \d+ does not follow/,
  );
  await second.line(/stream: live/);
  expect(await second.end('SIGINT'), second.output()).toBe(0);
});
