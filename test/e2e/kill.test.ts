/**
 * `kill -9` at any moment, twenty times: the broker lives on, the daemon comes back, and afterwards no order is there
 * twice, none is lost, and the books agree.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { foldSessions } from '../journal/fold-sessions.ts';
import { createRandom, SEED } from '../support/seed.ts';
import { BUSY_CONFIG } from './busy-config.ts';
import {
  brokerTruth,
  journalEntries,
  lastStatuses,
  resolveAbsent,
  startDaemon,
  until,
  workplace,
} from './daemon-process.ts';

const KILLS = Number(process.env['TICKWRIGHT_KILLS'] ?? '12');

test(
  `${KILLS} kills at random moments lose and double nothing`,
  { timeout: 120_000 + KILLS * 15_000 },
  async () => {
    const random = createRandom(SEED);
    const place = workplace(BUSY_CONFIG);
    // As if hours lay between two kills: within minutes no strategy is started any more.
    const forgetDeath = (): void => rmSync(join(place.state, 'run'), { force: true });
    for (let kill = 0; kill < KILLS; kill += 1) {
      forgetDeath();
      const daemon = startDaemon(place);
      // Every other time in the middle of trading, else from the first instants of the start on.
      const isTrading = kill % 2 === 1;
      if (isTrading) await daemon.line(/live/);
      const at = isTrading ? random() * 2_000 : 300 + random() * 5_000;
      await new Promise((resolve) => setTimeout(resolve, at));
      expect(await daemon.end('SIGKILL'), `kill ${kill} at ${at} ms, seed ${SEED}\n${daemon.output()}`).toBe(
        'SIGKILL',
      );
    }
    forgetDeath();
    const daemon = startDaemon(place);
    await daemon.line(/live/);
    const boots = (): number =>
      journalEntries(place).filter(({ entry }) => entry.kind === 'position_agreed').length;
    const agreedBefore = boots();
    await until(() => (boots() > agreedBefore ? true : undefined));
    await until(async () => {
      await resolveAbsent(place);
      return placedIds(place).length > KILLS ? true : undefined;
    });
    await until(() => (unresolved(place) === 0 ? true : undefined));
    const position = await agreedPosition(place);
    const truth = await brokerTruth(place);
    expect(await daemon.end('SIGINT'), daemon.output()).toBe(0);

    const entries = journalEntries(place);
    const kinds = entries.map(({ entry }) => entry.kind);
    const placed = placedIds(place);
    const atBroker = truth.orders.map(({ refId }) => refId ?? 'without an id');
    const story = `seed ${SEED}`;
    expect(new Set(placed).size, `${story}: no id is used twice`).toBe(placed.length);
    expect(new Set(atBroker).size, `${story}: no order is there twice`).toBe(atBroker.length);
    expect(
      atBroker.filter((id) => !placed.some((ours) => ours === id)),
      `${story}: no order is unknown to us`,
    ).toEqual([]);
    expect(
      kinds.filter((kind) => kind === 'order_adopted' || kind === 'position_mismatch'),
      story,
    ).toEqual([]);
    expect(
      entries.filter(({ entry }) => entry.kind === 'strategy_fault').map(({ entry }) => entry),
      story,
    ).toEqual([]);
    expect(position.ours, `${story}: the positions agree`).toBe(position.broker);
  },
);

type Place = Parameters<typeof journalEntries>[0];

const placedIds = (place: Place): readonly string[] =>
  journalEntries(place).flatMap(({ entry }) => (entry.kind === 'place' ? [entry.order.clientOrderId] : []));

const unresolved = (place: Place): number =>
  [...lastStatuses(place).values()].filter((status) => status === 'submitted' || status === 'unknown').length;

/** Both books read until two reads agree: fills go on while we read. */
async function agreedPosition(place: Place): Promise<{ ours: number; broker: number }> {
  let last = { ours: NaN, broker: NaN };
  for (let look = 0; look < 40; look += 1) {
    const truth = await brokerTruth(place);
    const broker = truth.positions.reduce((sum, { net }) => sum + net, 0);
    let ours = 0;
    for (const { positions } of foldSessions(journalEntries(place))) {
      for (const { position } of positions) ours += position.qty;
    }
    last = { ours, broker };
    if (ours === broker) return last;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  return last;
}
