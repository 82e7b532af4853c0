import { beforeEach, describe, expect, it } from 'vitest';
import type { OtpAnswer, OtpProvider } from '../../../src/broker/auth/one-time-password.ts';
import {
  type AuthReply,
  type TokenRequest,
  type TokenSignal,
  TokenKeeper,
  type TokenKeeperOptions,
} from '../../../src/broker/auth/token-keeper.ts';
import { addUs, type DurationUs, minutes, seconds, type TsUs, tsUs } from '../../../src/domain/units.ts';
import { createJwt } from '../support/tokens.ts';
import { VirtualTimers } from '../support/virtual-timers.ts';

const hours = (value: number): DurationUs => minutes(value * 60);

const refused = (code: string, isOtp = false, isFinal = true): AuthReply => ({
  status: 'refused',
  code,
  message: 'no',
  isFinal,
  isOtp,
});

/** The broker's side of the exchange, and everything the keeper is given. */
class World {
  readonly timers = new VirtualTimers();
  readonly signals: TokenSignal[] = [];
  readonly requests: TokenRequest[] = [];
  readonly otps: OtpAnswer[] = [];
  readonly replies: AuthReply[] = [];
  cached: string | undefined = undefined;
  savedUs = tsUs(0);
  used = 0;
  otpRequests = 0;
  closesAt: TsUs | undefined = undefined;
  asksFrom: TsUs | undefined = undefined;
  countFails = false;

  keeper(changes: Partial<TokenKeeperOptions> = {}): TokenKeeper {
    return new TokenKeeper({
      exchange: {
        requestOtp: () => {
          this.otpRequests += 1;
          return Promise.resolve({ status: 'ok', value: 'otp-id-1' });
        },
        exchangeToken: async (request, onStart) => {
          await Promise.resolve();
          try {
            onStart();
          } catch {
            return { status: 'not_sent', reason: 'count not kept' };
          }
          this.requests.push(request);
          return this.replies.shift() ?? { status: 'ok', value: this.jwt() };
        },
      },
      otp: this.provider(false),
      route: 'app',
      apiKey: () => 'key',
      cache: {
        load: () =>
          this.cached === undefined
            ? { none: 'no cached token' }
            : { jwt: this.cached, savedUs: this.savedUs },
        save: (jwt) => {
          this.cached = jwt;
          this.savedUs = this.timers.nowUs();
        },
        clear: () => (this.cached = undefined),
      },
      counter: {
        used: () => this.used,
        add: () => {
          if (this.countFails) throw new Error('disk full');
          this.used += 1;
        },
      },
      clock: this.timers,
      timers: this.timers,
      refreshBefore: minutes(30),
      session: () =>
        this.closesAt === undefined
          ? undefined
          : { fromUs: this.asksFrom ?? this.timers.nowUs(), untilUs: this.closesAt },
      onSignal: (signal) => this.signals.push(signal),
      ...changes,
    });
  }

  provider(isFresh: boolean): OtpProvider {
    return {
      name: isFresh ? 'prompt' : 'fixed',
      isFresh,
      read: () => Promise.resolve(this.otps.shift() ?? { ok: true, otp: '123456' }),
    };
  }

  jwt(life = hours(8), id = `${this.requests.length}`): string {
    return createJwt(addUs(this.timers.nowUs(), life), id);
  }

  kinds(): string[] {
    return this.signals.map(({ kind }) => kind);
  }
}

let world: World;

beforeEach(() => {
  world = new World();
});

describe('a refresh', () => {
  it('exchanges the key and a password for a token, counts it, caches it and calls its listeners', async () => {
    const keeper = world.keeper();
    let changes = 0;
    keeper.onChange(() => (changes += 1));
    const result = await keeper.refresh('needed');
    expect(result.ok).toBe(true);
    expect(world.requests).toEqual([{ apiKey: 'key', otp: '123456', otpId: undefined }]);
    expect(keeper.current()?.jwt).toBe(world.cached);
    expect([world.used, changes]).toEqual([1, 1]);
    // Who waits for a token waits no longer.
    keeper.close();
    expect([changes, world.timers.pending]).toEqual([2, 0]);
  });

  it('asks for an id first on the other route', async () => {
    await world.keeper({ route: 'request' }).refresh('needed');
    expect(world.otpRequests).toBe(1);
    expect(world.requests).toMatchObject([{ otpId: 'otp-id-1' }]);
  });

  it('is one for all who ask at the same time', async () => {
    const keeper = world.keeper();
    await Promise.all([keeper.refresh('needed'), keeper.refresh('scheduled'), keeper.refresh('needed')]);
    expect(world.requests).toHaveLength(1);
  });

  it('costs nothing while the token is good until the close', async () => {
    const keeper = world.keeper();
    await keeper.refresh('needed');
    world.closesAt = addUs(world.timers.nowUs(), hours(6));
    await keeper.refresh('scheduled');
    expect(world.used).toBe(1);
    world.closesAt = addUs(world.timers.nowUs(), hours(9));
    await keeper.refresh('scheduled');
    expect(world.used).toBe(2);
  });

  it('puts neither key nor password nor token into its signals', async () => {
    const keeper = world.keeper({ otp: world.provider(true) });
    world.replies.push(refused('203033', true));
    await keeper.refresh('needed');
    const shown = JSON.stringify(world.signals);
    for (const secret of ['123456', '"key"', keeper.current()?.jwt ?? 'missing'])
      expect(shown).not.toContain(secret);
  });
});

describe('failures', () => {
  it('ask a person three times at most, each with a new password', async () => {
    world.replies.push(...Array<AuthReply>(5).fill(refused('203033', true)));
    const result = await world.keeper({ otp: world.provider(true) }).refresh('needed');
    expect(result).toMatchObject({ ok: false, failure: { kind: 'final' } });
    expect(world.requests).toHaveLength(3);
  });

  it.each([
    ['a wrong key', refused('203074')],
    ['a constant password that is wrong', refused('203033', true)],
  ])('do not loop after %s', async (_, reply) => {
    world.replies.push(reply);
    const keeper = world.keeper();
    await keeper.refresh('needed');
    for (let i = 0; i < 20; i += 1) {
      world.timers.advance(hours(1));
      expect((await keeper.refresh('needed')).ok).toBe(false);
    }
    expect(world.requests).toHaveLength(1);
    expect(keeper.refreshDueUs()).toBeUndefined();
    expect((await keeper.refresh('operator')).ok).toBe(true);
  });

  it('that may pass are tried again later, ever more rarely', async () => {
    const keeper = world.keeper();
    const waits: number[] = [];
    for (let i = 0; i < 5; i += 1) {
      world.replies.push({ status: 'unknown', reason: 'no answer in time' });
      await keeper.refresh('needed');
      expect(await keeper.refresh('needed')).toMatchObject({ ok: false, failure: { kind: 'temporary' } });
      const due = keeper.refreshDueUs() ?? 0;
      waits.push(due - world.timers.nowUs());
      world.timers.advance(due - world.timers.nowUs());
    }
    expect(waits).toEqual([1, 5, 15, 30, 30].map((value) => minutes(value)));
    expect(world.requests).toHaveLength(5);
  });

  it.each([
    ['a token without an end', 'a.e30.c'],
    ['a token that has ended', createJwt(addUs(new VirtualTimers().nowUs(), -1_000_000))],
    ['no token at all', 'sorry'],
  ])('are final with %s', async (_, value) => {
    world.replies.push({ status: 'ok', value });
    const result = await world.keeper().refresh('needed');
    expect(result).toMatchObject({ ok: false, failure: { kind: 'final' } });
    expect(world.cached).toBeUndefined();
  });

  it('that are thrown, as by a key file that is being replaced, are told and tried again', async () => {
    let isThere = false;
    const apiKey = (): string => {
      if (isThere) return 'key';
      throw new Error('ENOENT: no such file or directory');
    };
    const keeper = world.keeper({ apiKey });
    const failure = { kind: 'temporary', reason: 'ENOENT: no such file or directory' };
    expect(await keeper.refresh('needed')).toEqual({ ok: false, failure });
    expect(world.signals.at(-1)).toMatchObject({ kind: 'refresh_failed', failure });
    isThere = true;
    world.timers.advance(minutes(1));
    expect((await keeper.refresh('needed')).ok).toBe(true);
  });

  it('are final without a key', async () => {
    const result = await world.keeper({ apiKey: () => undefined }).refresh('operator');
    expect(result).toMatchObject({ ok: false, failure: { kind: 'final', reason: 'there is no API key' } });
    expect(world.used).toBe(0);
  });

  it('keep the token when only the cache fails', async () => {
    const keeper = world.keeper({
      cache: {
        load: () => ({ none: '' }),
        save: () => {
          throw new Error('disk full');
        },
        clear: () => {},
      },
    });
    expect((await keeper.refresh('needed')).ok).toBe(true);
    expect(world.kinds()).toContain('cache_failed');
    expect(keeper.current()).toBeDefined();
  });
});

describe('the ten exchanges of a day', () => {
  it('leave two to the operator, and none beyond ten to anybody', async () => {
    const keeper = world.keeper();
    world.used = 8;
    expect(await keeper.refresh('scheduled')).toMatchObject({ ok: false, failure: { kind: 'limit' } });
    expect(keeper.refreshDueUs()).toBeUndefined();
    expect((await keeper.refresh('operator')).ok).toBe(true);
    expect((await keeper.refresh('operator')).ok).toBe(true);
    expect(await keeper.refresh('operator')).toMatchObject({ ok: false, failure: { kind: 'limit' } });
    expect(world.used).toBe(10);
  });

  it('are not used up by a person who asks again and again while the broker fails', async () => {
    const keeper = world.keeper();
    const failed: AuthReply = { status: 'unknown', reason: 'HTTP 502' };
    world.replies.push(...Array.from({ length: 20 }, () => failed));
    for (let i = 0; i < 20; i += 1) {
      expect((await keeper.refresh('operator')).ok).toBe(false);
      world.timers.advance(seconds(5));
    }
    expect(world.used, 'seven at once, then one a minute').toBe(8);
    for (let i = 0; i < 60; i += 1) {
      await keeper.refresh('operator');
      world.timers.advance(minutes(1));
    }
    expect(world.used, 'in an hour').toBe(10);
    world.used = 9;
    world.replies.length = 0;
    expect(await keeper.refresh('operator')).toMatchObject({ failure: { kind: 'temporary' } });
    world.timers.advance(minutes(30));
    expect((await keeper.refresh('operator')).ok).toBe(true);
  });

  it('also bound a person who mistypes', async () => {
    world.used = 7;
    world.replies.push(...Array<AuthReply>(5).fill(refused('203033', true)));
    await world.keeper({ otp: world.provider(true) }).refresh('needed');
    expect(world.used).toBe(8);
  });
});

const night = (): TokenKeeper => {
  world.asksFrom = addUs(world.timers.nowUs(), hours(6));
  world.closesAt = addUs(world.timers.nowUs(), hours(12.5));
  return world.keeper();
};

describe('the plan of a day', () => {
  it('asks nobody at night, and says once when it will', async () => {
    const keeper = night();
    for (let i = 0; i < 5; i += 1) {
      expect(await keeper.refresh('needed')).toMatchObject({ ok: false, failure: { kind: 'not_yet' } });
      expect(await keeper.refresh('scheduled')).toMatchObject({ ok: false, failure: { kind: 'not_yet' } });
      world.timers.advance(hours(1));
    }
    expect(world.kinds()).toEqual(['asks_later']);
    expect(keeper.refreshDueUs()).toBe(world.asksFrom);
    world.timers.advance(hours(1));
    expect((await keeper.refresh('needed')).ok).toBe(true);
    expect(world.used).toBe(1);
    expect(keeper.refreshDueUs()).toBe(world.closesAt);
  });

  it('does what the operator asks for, at any hour', async () => {
    expect((await night().refresh('operator')).ok).toBe(true);
  });

  it('asks ahead of the session for a token that outlives the close, once', async () => {
    world.cached = world.jwt(hours(8));
    const keeper = night();
    keeper.start();
    expect(world.kinds()).not.toContain('expires_before_close');
    expect((await keeper.refresh('needed')).ok).toBe(true);
    expect(world.used).toBe(0);
    expect(keeper.refreshDueUs()).toBe(world.asksFrom);
    world.timers.advance(hours(6));
    await keeper.refresh('needed');
    await keeper.refresh('scheduled');
    expect(world.used).toBe(1);
    expect(keeper.current()?.expiresAt).toBeGreaterThan(world.closesAt ?? 0);
  });

  it('renews a token that is new and too short before its end', async () => {
    const keeper = night();
    world.timers.advance(hours(6));
    world.replies.push({ status: 'ok', value: world.jwt(hours(2)) });
    await keeper.refresh('needed');
    expect(keeper.refreshDueUs()).toBe(addUs(world.timers.nowUs(), hours(1.5)));
  });

  it('renews it no sooner after a restart, which costs no exchange', async () => {
    const keeper = night();
    world.timers.advance(hours(6));
    world.replies.push({ status: 'ok', value: world.jwt(hours(2)) });
    await keeper.refresh('needed');
    world.timers.advance(hours(1));
    const next = world.keeper();
    next.start();
    expect(next.refreshDueUs()).toBe(addUs(world.timers.nowUs(), hours(0.5)));
  });

  it('alerts of an end in the session, and of none after it', async () => {
    const keeper = night();
    world.timers.advance(hours(6));
    await keeper.refresh('needed');
    world.asksFrom = addUs(world.closesAt ?? tsUs(0), hours(18));
    world.timers.advance(hours(9));
    expect(keeper.current()).toBeUndefined();
    expect(world.kinds()).not.toContain('expired');
  });
});

describe('the life of a token', () => {
  it('ends at its exp, whatever the hour', async () => {
    const keeper = world.keeper();
    await keeper.refresh('needed');
    world.timers.advance(hours(8) - seconds(2));
    expect(keeper.current()).toBeDefined();
    expect(world.kinds()).not.toContain('expired');
    world.timers.advance(seconds(2));
    expect(keeper.current()).toBeUndefined();
    expect(world.kinds()).toContain('expired');
  });

  it('ends for its listeners too, and within a minute after a standby', async () => {
    const keeper = world.keeper();
    await keeper.refresh('needed');
    const seen: boolean[] = [];
    keeper.onChange(() => seen.push(keeper.current() !== undefined));
    world.timers.advance(hours(2));
    world.timers.jump(hours(7));
    world.timers.advance(minutes(1));
    expect(seen).toEqual([false]);
    expect(world.kinds().filter((kind) => kind === 'expired')).toHaveLength(1);
    world.timers.advance(hours(1));
    expect(seen).toEqual([false]);
  });

  it('that is too short for the session is said early', async () => {
    world.closesAt = addUs(world.timers.nowUs(), hours(9));
    await world.keeper().refresh('needed');
    expect(world.kinds()).toContain('expires_before_close');
  });

  it('does not begin with a cached token that has ended', () => {
    world.cached = world.jwt(seconds(10));
    world.timers.advance(seconds(10));
    const keeper = world.keeper();
    keeper.start();
    expect(keeper.current()).toBeUndefined();
  });

  it('is over when the broker says so, also for the next start', async () => {
    const keeper = world.keeper();
    await keeper.refresh('needed');
    const jwt = keeper.current()?.jwt ?? '';
    keeper.reject('another', 'rest', 'HTTP 401');
    expect(keeper.current()?.jwt).toBe(jwt);
    keeper.reject(jwt, 'stream', '211110 Invalid JWT');
    expect(keeper.current()).toBeUndefined();
    expect(world.cached).toBeUndefined();
  });

  it('goes on where the broker rejects its successor, to its own end: orders have to be canceled', async () => {
    const keeper = world.keeper();
    await keeper.refresh('needed');
    const first = keeper.current();
    await keeper.refresh('operator');
    keeper.reject(keeper.current()?.jwt ?? '', 'stream', '211110 Invalid JWT');
    expect(keeper.current()).toBe(first);
    keeper.reject(first?.jwt ?? '', 'stream', '211110 Invalid JWT');
    expect(keeper.current(), 'no other one').toBeUndefined();
    await keeper.refresh('operator');
    await keeper.refresh('operator');
    keeper.reject(keeper.current()?.jwt ?? '', 'stream', '211110 Invalid JWT');
    world.timers.advance(hours(8));
    expect([keeper.current(), world.kinds().at(-1)]).toEqual([undefined, 'expired']);
  });
});

const refuse = (keeper: TokenKeeper, operation: string): void =>
  keeper.doubt(keeper.current()?.jwt ?? '', operation, `HTTP 401 to ${operation}`);

describe('a token of which a call was refused', () => {
  it('is kept, however often the same operation is refused', async () => {
    const keeper = world.keeper();
    await keeper.refresh('needed');
    for (let minute = 0; minute < 60; minute += 1) {
      refuse(keeper, 'account');
      world.timers.advance(minutes(1));
    }
    expect(keeper.current()).toBeDefined();
    expect(world.signals.filter(({ kind }) => kind === 'doubted')).toHaveLength(1);
    expect(world.requests).toHaveLength(1);
  });

  it('reports once an operation that is refused at each poll, while others go on', async () => {
    const keeper = world.keeper();
    await keeper.refresh('needed');
    const doubts = (): number => world.signals.filter(({ kind }) => kind === 'doubted').length;
    for (let poll = 0; poll < 60; poll += 1) {
      refuse(keeper, 'account');
      world.timers.advance(seconds(20));
      keeper.prove(keeper.current()?.jwt ?? '');
    }
    expect(doubts()).toBe(1);
    refuse(keeper, 'book');
    expect(doubts(), 'another operation').toBe(2);
    keeper.prove(keeper.current()?.jwt ?? '');
    await keeper.refresh('operator');
    refuse(keeper, 'account');
    expect(doubts(), 'another token').toBe(3);
  });

  it('is kept while the broker refuses everything for a moment', async () => {
    const keeper = world.keeper();
    await keeper.refresh('needed');
    for (const operation of ['account', 'positions', 'book', 'cancel']) {
      refuse(keeper, operation);
      world.timers.advance(seconds(1));
    }
    keeper.prove(keeper.current()?.jwt ?? '');
    world.timers.advance(minutes(1));
    refuse(keeper, 'book');
    expect(keeper.current()).toBeDefined();
  });

  it('is given up when another operation is refused ten seconds later', async () => {
    const keeper = world.keeper();
    await keeper.refresh('needed');
    refuse(keeper, 'account');
    world.timers.advance(seconds(10));
    refuse(keeper, 'positions');
    expect(keeper.current()).toBeUndefined();
    expect(world.signals.at(-1)).toMatchObject({ kind: 'rejected', by: 'rest' });
  });
});
