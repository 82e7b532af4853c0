import { beforeEach, describe, expect, test, vi } from 'vitest';
import { natsServer, WITHOUT_NATS } from '../support/nats-server.ts';
import { frames, Publishing, Reading } from './feed-fixture.ts';

const LATEST = { timeout: 20_000, interval: 10 };
const until = (look: () => void): Promise<void> => vi.waitFor(look, LATEST);
const numbers = (to: number, from = 1): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i);

beforeEach((context) => context.skip(WITHOUT_NATS !== null, WITHOUT_NATS ?? ''));

describe('a feed', () => {
  test('a newcomer reads the history, then what comes', async () => {
    const server = await natsServer();
    const { publisher, ...sent } = new Publishing(server);
    for (const record of frames(1, 500)) publisher.take(record);
    const early = new Reading(server);
    await until(() => expect(early.seqs).toEqual(numbers(500)));
    const late = new Reading(server);
    await until(() => expect(late.heard).toEqual(['caught up']));
    for (const record of frames(501, 600)) publisher.take(record);
    await until(() => expect(late.seqs).toEqual(numbers(600)));
    await until(() => expect(early.seqs).toEqual(numbers(600)));
    expect(late.records).toEqual(frames(1, 600));
    expect(sent.alerts).toEqual([]);
  });
});
