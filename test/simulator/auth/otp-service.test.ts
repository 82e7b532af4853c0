import { expect, it } from 'vitest';
import { seconds, tsUs } from '../../../src/domain/units.ts';
import { OtpService } from '../../../src/simulator/auth/otp-service.ts';
import { TokenService } from '../../../src/simulator/auth/token-service.ts';
import { DEFAULT_OPTIONS, demoAccount } from '../../../src/simulator/simulator-options.ts';
import { StateStore } from '../../../src/simulator/state/state-store.ts';
import { VirtualTimers } from '../../broker/support/virtual-timers.ts';

const DEMO = demoAccount();
const { apiKey } = DEMO;
const NOON = tsUs(Date.UTC(2026, 2, 4, 5) * 1_000);

it('shows each customer a code that changes, which works once on both routes together', () => {
  const time = new VirtualTimers(NOON);
  const store = StateStore.open({ dir: null, fresh: false });
  const settings = { ...DEFAULT_OPTIONS.auth, appOtp: 'rotating', appOtpLife: seconds(30) } as const;
  const shared = { store, clock: time, settings };
  const tokens = new TokenService(shared);
  const otps = new OtpService({ ...shared, accounts: [DEMO], tokens, utcOffsetMinutes: 420 });
  const requested = otps.request(apiKey);
  const otpId = requested.ok ? requested.otpId : '';
  const first = otps.shown(DEMO);
  expect(first).toMatch(/^\d{6}$/);
  expect(otps.exchange({ apiKey, otp: first, otpId: null })).toMatchObject({ ok: true });
  expect(otps.exchange({ apiKey, otp: first, otpId })).toMatchObject({ error: { code: '203033' } });
  time.advance(seconds(30));
  expect(otps.shown(DEMO)).not.toBe(first);
  expect(otps.exchange({ apiKey, otp: otps.shown(DEMO), otpId })).toMatchObject({ ok: true });
  expect(otps.shown(demoAccount({ derivative: 1 })), 'of the same customer').toBe(otps.shown(DEMO));
  expect(otps.shown({ ...DEMO, custodyCode: '105C000002' })).not.toBe(otps.shown(DEMO));
});
