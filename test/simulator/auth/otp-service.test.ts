import { describe, expect, it } from 'vitest';
import { minutes, seconds, tsUs } from '../../../src/domain/units.ts';
import { OtpService } from '../../../src/simulator/auth/otp-service.ts';
import { TokenService } from '../../../src/simulator/auth/token-service.ts';
import { type AuthSettings, DEFAULT_OPTIONS, demoAccount } from '../../../src/simulator/simulator-options.ts';
import { StateStore } from '../../../src/simulator/state/state-store.ts';
import { VirtualTime } from '../support/virtual-time.ts';

const DEMO = demoAccount();
const { apiKey, otp } = DEMO;
const NOON = tsUs(Date.UTC(2026, 2, 4, 5) * 1_000);

function desk(settings: Partial<AuthSettings> = {}) {
  const time = new VirtualTime(NOON);
  const store = StateStore.open({ dir: null, fresh: false });
  const shared = { store, clock: time, settings: { ...DEFAULT_OPTIONS.auth, ...settings } };
  const tokens = new TokenService(shared);
  const otps = new OtpService({ ...shared, accounts: [DEMO], tokens, utcOffsetMinutes: 420 });
  const otpIdOf = (): string => {
    const requested = otps.request(apiKey);
    if (!requested.ok) throw new Error(requested.error.message);
    return requested.otpId;
  };
  return {
    time,
    tokens,
    otps,
    otpIdOf,
    code: (exchange: Parameters<OtpService['exchange']>[0]) => codeOf(otps.exchange(exchange)),
  };
}

const codeOf = (outcome: ReturnType<OtpService['exchange']>): string =>
  outcome.ok ? 'token' : outcome.error.code;

function tokenOf({ otps }: ReturnType<typeof desk>): string {
  const outcome = otps.exchange({ apiKey, otp, otpId: null });
  if (!outcome.ok) throw new Error(outcome.error.message);
  return outcome.token;
}

describe('exchange of a one-time password', () => {
  it('works on the app route as often as asked', () => {
    const { code } = desk();
    for (let i = 0; i < 25; i += 1) expect(code({ apiKey, otp, otpId: null })).toBe('token');
  });

  it('works once on the app route when so configured', () => {
    const { code } = desk({ appOtp: 'once' });
    expect(code({ apiKey, otp, otpId: null })).toBe('token');
    expect(code({ apiKey, otp, otpId: null })).toBe('203033');
  });

  it('works once for each otpId', () => {
    const { code, otpIdOf } = desk();
    const otpId = otpIdOf();
    expect(code({ apiKey, otp: '000000', otpId }), 'a wrong code does not use the id up').toBe('203033');
    expect(code({ apiKey, otp, otpId })).toBe('token');
    expect(code({ apiKey, otp, otpId })).toBe('203033');
  });

  it.each([
    ['a wrong key', { apiKey: 'other', otp, otpId: null }, '203074'],
    ['a wrong code', { apiKey, otp: '654321', otpId: null }, '203033'],
    ['an otpId nobody issued', { apiKey, otp, otpId: 'x' }, '203033'],
  ])('refuses %s', (_what, exchange, expected) => {
    expect(desk().code(exchange)).toBe(expected);
  });

  it('takes a code that changes, each once and only while the app shows it, on both routes', () => {
    const { code, otps, otpIdOf, time } = desk({ appOtp: 'rotating', appOtpLife: seconds(30) });
    const first = otps.shown(DEMO);
    expect(first).toMatch(/^\d{6}$/);
    expect(code({ apiKey, otp: first, otpId: null })).toBe('token');
    expect(code({ apiKey, otp: first, otpId: null }), 'reused').toBe('203033');
    expect(code({ apiKey, otp: first, otpId: otpIdOf() }), 'reused on the other route').toBe('203033');
    time.advance(seconds(30));
    expect(code({ apiKey, otp: first, otpId: null }), 'expired').toBe('203033');
    expect(otps.shown(DEMO)).not.toBe(first);
    expect(code({ apiKey, otp: otps.shown(DEMO), otpId: otpIdOf() })).toBe('token');
    expect(otps.shown(demoAccount({ derivative: 1 })), 'of the same customer').toBe(otps.shown(DEMO));
    expect(otps.shown({ ...DEMO, custodyCode: '105C000002' })).not.toBe(otps.shown(DEMO));
  });

  it('refuses an otpId that is too old', () => {
    const { code, otpIdOf, time } = desk();
    const otpId = otpIdOf();
    time.advance(minutes(5));
    expect(code({ apiKey, otp, otpId })).toBe('203033');
  });

  it('counts to the limit of a local day, and only what succeeded', () => {
    const { code, time } = desk({ exchangesPerDayMax: 10 });
    expect(code({ apiKey, otp: 'wrong', otpId: null })).toBe('203033');
    for (let i = 0; i < 10; i += 1) expect(code({ apiKey, otp, otpId: null })).toBe('token');
    expect(code({ apiKey, otp, otpId: null })).toBe('203035');
    // Noon in Vietnam is 05:00 UTC: the next local day begins 12 hours later.
    time.advance(seconds(12 * 3_600 - 1));
    expect(code({ apiKey, otp, otpId: null })).toBe('203035');
    time.advance(seconds(1));
    expect(code({ apiKey, otp, otpId: null })).toBe('token');
  });
});

describe('tokens', () => {
  it('carry the claims of the broker and live for 8 hours', () => {
    const made = desk();
    const check = made.tokens.check(tokenOf(made));
    expect(check).toEqual({
      iss: 'simulator',
      iat: NOON / 1_000_000,
      exp: NOON / 1_000_000 + 8 * 3_600,
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown,
      sub: DEMO.custodyCode,
      subType: 'custodyID',
      custodyID: DEMO.custodyCode,
    });
    made.time.advance(seconds(8 * 3_600 - 1));
    const token = tokenOf(made);
    expect(made.tokens.check(token)).toBeDefined();
  });

  it('expire at their exp', () => {
    const made = desk({ tokenLife: minutes(1) });
    const token = tokenOf(made);
    made.time.advance(seconds(59));
    expect(made.tokens.check(token)).toBeDefined();
    made.time.advance(seconds(1));
    expect(made.tokens.check(token)).toBeUndefined();
  });

  it.each([
    [false, true],
    [true, false],
  ])('stay valid beside a newer one unless the switch (%s) says otherwise', (newTokenEndsOlder, isValid) => {
    const made = desk({ newTokenEndsOlder });
    const older = tokenOf(made);
    const newer = tokenOf(made);
    expect(made.tokens.check(older) !== undefined).toBe(isValid);
    expect(made.tokens.check(newer)).toBeDefined();
  });
});
