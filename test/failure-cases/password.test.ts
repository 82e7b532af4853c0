/** One-time passwords that come late, twice or without need, over the real wire. */
import { expect, it, onTestFinished } from 'vitest';
import { brokerDay, TOKEN_EXCHANGES } from '../../src/daemon/edge/broker-edge.ts';
import { minutes } from '../../src/domain/units.ts';
import type { SimulatorOptions } from '../../src/simulator/simulator-options.ts';
import { Story } from './support/story.ts';

const EXCHANGES_RESERVED_FROM = 8;

/** A daemon whose owner has brought a password. */
async function begun(tokenLife = minutes(480)): Promise<Story> {
  const auth: SimulatorOptions['auth'] = {
    exchangesPerDayMax: null,
    appOtp: 'reusable',
    newTokenEndsOlder: false,
    refusalStatus: 401,
    tokenLife,
    appOtpLife: minutes(5),
    otpIdLife: minutes(5),
  };
  const story = await Story.open([], { auth }, (yaml) => `auth: { otp: { from: prompt } }\n${yaml}`);
  onTestFinished(() => story.close());
  story.launch();
  await story.until(() => story.daemon.otpInbox.isWaiting);
  expect(await bring(story)).toMatchObject({ ok: true });
  await story.trading();
  return story;
}

const bring = (story: Story) => story.ask('otp', { otp: story.simulator.otp });

const used = ({ daemon }: Story): number => daemon.edge.tokens.budget.used;

it('one that is not needed is not spent, also where few exchanges of the day are left', async () => {
  const story = await begun();
  story.daemon.journal.setCounter(TOKEN_EXCHANGES, brokerDay(), EXCHANGES_RESERVED_FROM);
  expect(await bring(story)).toMatchObject({
    ok: false,
    message: expect.stringMatching(/no password is needed/),
  });
  expect(used(story)).toBe(EXCHANGES_RESERVED_FROM);
});

it('one for a token that ends soon is taken at once, also while the daemon waits after a failure', async () => {
  const story = await begun(minutes(12));
  story.fault({ name: 'http_500', operation: 'token', times: 1 });
  void story.daemon.edge.tokens.refresh('needed');
  await story.until(() => story.daemon.otpInbox.isWaiting);
  expect(await bring(story)).toMatchObject({
    ok: false,
    message: expect.stringMatching(/token refused: 500/),
  });
  await story.until(() => !story.daemon.otpInbox.isWaiting);
  expect(await bring(story)).toMatchObject({ ok: true });
  expect(used(story)).toBe(3);
});

it('a reconnect says what it waits for, and where nothing is to be done', async () => {
  const story = await begun();
  expect(await story.ask('reconnect')).toMatchObject({ ok: true, message: expect.stringMatching(/already/) });
  const { tokens } = story.daemon.edge;
  tokens.reject(tokens.current()?.jwt ?? '', 'rest', 'the story');
  expect(await story.ask('reconnect')).toMatchObject({
    ok: false,
    message: expect.stringMatching(/no token/),
  });
});
